/**
 * The page of a published site: the files that the build wrote into dist/site, and index.html for
 * one index.
 */

import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { VerbatimError } from "../../../src/errors.js";
import { escapeHtml } from "../../../src/text/escape-html.js";

const PAGE = "site.html";
const RUNTIME = "runtime.wasm.gz";

interface PageFiles {
  /** Files by name relative to the site, without the page itself and the runtime. */
  assets: Map<string, Uint8Array>;
  html: string;
  /** ONNX Runtime's WebAssembly, gzipped. */
  runtime: Uint8Array;
  /** Name of the script that runs the phrase model. */
  worker: string;
}

/** The folder dist/site, if this module runs from dist/ or from the sources. */
function siteFolder(): string | undefined {
  const here = dirname(fileURLToPath(import.meta.url));
  const places = [join(here, "..", "..", "..", "site"), join(here, "..", "..", "..", "dist", "site")];
  return places.find((place) => existsSync(join(place, PAGE)) && existsSync(join(place, RUNTIME)));
}

/** @throws VerbatimError `io-error` if the page was not built */
export async function readPageFiles(folder: string | undefined = siteFolder()): Promise<PageFiles> {
  if (folder === undefined) {
    const hint = "In a clone run npm run build; elsewhere install the package again.";
    throw new VerbatimError("io-error", "The page for published sites is missing from this installation.", { hint });
  }
  const assets = new Map<string, Uint8Array>();
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    assets.set(path.slice(folder.length + 1).replace(/\\/g, "/"), await readFile(path));
  }
  const html = new TextDecoder().decode(assets.get(PAGE));
  const runtime = assets.get(RUNTIME)!;
  assets.delete(PAGE);
  assets.delete(RUNTIME);
  const worker = [...assets.keys()].find((name) => /^assets\/worker-[\w-]+\.js$/.test(name));
  if (worker === undefined) throw new VerbatimError("io-error", "The page for published sites has no worker.");
  return { assets, html, runtime, worker };
}

/**
 * Adds the title of the site, and links that preload the two files of a first question in parallel
 * with the script.
 * @param site.base  prefix of all addresses: "./", or the folder of the site, for example
 *   "/answers/"
 */
export function fillPage(html: string, site: { title: string; base: string; start: string; manifest: string }): string {
  const { title, base, start, manifest } = site;
  const preload = [manifest, start].map((href) => `<link rel="preload" as="fetch" crossorigin href="${href}" />`);
  return html
    .replaceAll(/(href|src)="\.\//g, (_, name: string) => `${name}="${escapeHtml(base)}`)
    .replace(/<title>[^<]*<\/title>/, () => `<title>${escapeHtml(title)}</title>`)
    .replace(
      "</head>",
      () => `  ${preload.map((link) => link.replace('href="', `href="${escapeHtml(base)}`)).join("\n    ")}\n  </head>`,
    );
}
