/** Which files of a folder a published site replaces and removes. */

import { mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { encodeSiteManifest } from "../../../src/publish/site-manifest.js";
import { temporaryFolder } from "../../../test/cli/run-cli.js";
import { SiteFolder } from "./site-folder.js";

const PAGE = '<meta name="generator" content="verbatim publish" />';
const bytesOf = (text: string): Uint8Array => Buffer.from(text);

async function folderWith(files: readonly string[]): Promise<string> {
  const place = await temporaryFolder();
  for (const name of files) {
    await mkdir(dirname(join(place, name)), { recursive: true });
    await writeFile(join(place, name), `mine: ${name}`);
  }
  return place;
}

async function filesOf(place: string): Promise<string[]> {
  const entries = await readdir(place, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(place.length + 1))
    .sort();
}

interface Version {
  assets?: readonly string[];
  blobs?: readonly string[];
  force?: boolean;
}

/** Publishes made-up files in the order of `publishSite`. @returns the names of the blobs */
async function publish(place: string, { assets = [], blobs = ["start"], force = false }: Version): Promise<string[]> {
  const page = new Map(assets.map((name) => [name, bytesOf(`// ${name}`)]));
  const folder = await SiteFolder.open(place, { force, assets: page });
  const names: string[] = [];
  for (const blob of blobs) names.push(await folder.put(bytesOf(blob)));
  for (const [name, bytes] of page) await folder.replace(name, bytes);
  await folder.replace("index.html", bytesOf(PAGE));
  const manifest = encodeSiteManifest({
    ...{ formatVersion: 1, title: "", level: "terms", documents: 1, passages: 1 },
    ...{ start: names[0]!, list: names[0]!, assets: [...assets] },
    bytes: { terms: 1, phrases: 0, model: 0 },
  });
  await folder.replace("manifest.json", bytesOf(manifest));
  await folder.finish();
  return names;
}

describe("SiteFolder", () => {
  it("keeps the files of another site, whatever their names, when it is published into their folder twice", async () => {
    const others = [
      "about.html",
      "assets/index-BkA1c2d3.js",
      "assets/main.css",
      "assets/theme-settings.css",
      "data/0123456789abcdef.bin",
    ];
    const place = await folderWith(others);
    for (const page of ["assets/page-aaaaaaaa.js", "assets/page-bbbbbbbb.js"]) {
      await publish(place, { assets: [page], force: true });
      for (const name of others) expect(await readFile(join(place, name), "utf8")).toBe(`mine: ${name}`);
    }
  });

  it("removes the assets and blobs of the version before that are not used any more, and no others", async () => {
    const place = join(await folderWith([]), "site");
    const [, unused] = await publish(place, {
      assets: ["ask.js", "assets/icon.svg", "assets/page-aaaaaaaa.js"],
      blobs: ["start", "old shard"],
    });
    await writeFile(join(place, "assets/my-settings.css"), "mine");
    const [start, shard] = await publish(place, {
      assets: ["ask.js", "assets/icon.svg", "assets/page-bbbbbbbb.js"],
      blobs: ["start", "new shard"],
    });
    expect(unused).not.toBe(shard);
    expect(await filesOf(place)).toEqual(
      [
        ...["ask.js", "assets/icon.svg", "assets/my-settings.css", "assets/page-bbbbbbbb.js"],
        ...[`data/${start}.bin`, `data/${shard}.bin`, "index.html", "manifest.json"],
      ].sort(),
    );
  });

  it("removes blobs that an interrupted publication left", async () => {
    const place = join(await folderWith([]), "site");
    await publish(place, {});
    const interrupted = await SiteFolder.open(place, { force: false, assets: new Map() });
    const left = await interrupted.put(bytesOf("never named by a manifest"));
    await interrupted.abandon();
    expect(await filesOf(place)).toContain(`data/${left}.bin`);
    await publish(place, {});
    expect(await filesOf(place)).not.toContain(`data/${left}.bin`);
  });

  it.each(["index.html", "manifest.json", "ask.js", "assets/icon.svg"])(
    "refuses to replace %s of another site, and changes nothing",
    async (name) => {
      const place = await folderWith([name]);
      const assets = ["ask.js", "assets/icon.svg"];
      await expect(publish(place, { assets, force: true })).rejects.toMatchObject({
        code: "invalid-argument",
        message: expect.stringContaining(name),
        hint: expect.stringContaining("--out"),
      });
      expect(await filesOf(place)).toEqual([name]);
      expect(await readFile(join(place, name), "utf8")).toBe(`mine: ${name}`);
    },
  );

  it("publishes into a folder that is there and empty, and keeps it empty if it fails", async () => {
    const place = await folderWith([]);
    const { ino } = await stat(place);
    const failed = await SiteFolder.open(place, { force: false, assets: new Map() });
    await failed.put(bytesOf("a blob"));
    await failed.replace("assets/page.js", bytesOf("// page"));
    await writeFile(join(place, "CNAME"), "example.org"); // by another program, meanwhile
    await failed.abandon();
    expect(await readdir(place)).toEqual(["CNAME"]);
    await rm(join(place, "CNAME"));
    await publish(place, {});
    expect((await stat(place)).ino).toBe(ino);
    expect(await filesOf(place)).toContain("manifest.json");
  });

  it("resumes a first publication that was interrupted before its manifest", async () => {
    const place = await folderWith(["CNAME"]);
    const assets = new Map([["ask.js", bytesOf("// ask.js")]]);
    const interrupted = await SiteFolder.open(place, { force: true, assets });
    await interrupted.replace("ask.js", assets.get("ask.js")!);
    await interrupted.replace("index.html", bytesOf(PAGE));
    await publish(place, { assets: ["ask.js"], force: true });
    expect(await filesOf(place)).toContain("manifest.json");
  });
});
