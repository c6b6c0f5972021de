/**
 * The sample documents, indexed with the tiny model, with page files for publishing that need no
 * build.
 */

import { copyFile, cp, mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { indexPaths } from "../../adapters/node/index.js";
import { publishSite } from "../../adapters/node/publish/publish-site.js";
import type { SiteLevel } from "../../src/publish/site-manifest.js";
import { projectRoot, temporaryFolder, tinyModel } from "../cli/run-cli.js";
import { type HostOptions, StaticHost } from "../support/static-host.js";

const SAMPLES = ["history.md", "meeting-notes.txt", "letters-from-the-north.txt", "bridges.csv", "coffee-machine.html"];

async function madeUpPage(folder: string): Promise<string> {
  await mkdir(join(folder, "assets"), { recursive: true });
  await writeFile(
    join(folder, "site.html"),
    `<head><title>Verbatim</title><script src="./assets/page-aaaaaaaa.js"></script></head>`,
  );
  for (const name of ["page-aaaaaaaa.js", "worker-bbbbbbbb.js"]) {
    await writeFile(join(folder, "assets", name), `// ${name}`);
  }
  await writeFile(join(folder, "runtime.wasm.gz"), "no runtime");
  return folder;
}

export interface Setup {
  folder: string;
  index: string;
  site: string;
  page: string;
  publish: (more?: {
    level?: SiteLevel;
    out?: string;
    force?: boolean;
    title?: string;
    base?: string;
  }) => ReturnType<typeof publishSite>;
}

/**
 * By the names of their documents: folders of notes and their index, made once and copied for each
 * test. They are removed with the temporary files of the run.
 */
const made = new Map<string, Promise<string>>();

async function makeIndex(names: readonly string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "verbatim-samples-"));
  await mkdir(join(folder, "notes"));
  for (const name of names) await copyFile(join(projectRoot, "samples", name), join(folder, "notes", name));
  await indexPaths([join(folder, "notes")], { index: join(folder, "index"), modelFolder: tinyModel, threads: 1 });
  return folder;
}

export async function setup(names = SAMPLES): Promise<Setup> {
  const key = names.join();
  const original = made.get(key) ?? makeIndex(names);
  made.set(key, original);
  const folder = await temporaryFolder();
  await cp(await original, folder, { recursive: true, preserveTimestamps: true });
  const index = join(folder, "index");
  const page = await madeUpPage(join(folder, "page"));
  const site = join(folder, "site");
  const publish: Setup["publish"] = (more = {}) =>
    publishSite({ index, out: site, modelFolder: tinyModel, pageFolder: page, ...more });
  return { folder, index, site, page, publish };
}

export async function withHost<T>(
  site: string,
  options: HostOptions,
  work: (host: StaticHost) => Promise<T>,
): Promise<T> {
  const host = await StaticHost.start(site, options);
  try {
    return await work(host);
  } finally {
    await host.stop();
  }
}
