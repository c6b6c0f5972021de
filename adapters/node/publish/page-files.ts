/** The page of a published site: what its build left in dist/site, and the index.html that fits the index. */

import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { VerbatimError } from "../../../src/errors.js";
import { escapeHtml } from "../../../src/text/escape-html.js";

const PAGE = "site.html";
const RUNTIME = "runtime.wasm.gz";

export interface PageFiles {
  /** By name, relative to the site; without the page itself and the runtime. */
  assets: Map<string, Uint8Array>;
  html: string;
  /** ONNX Runtime's WebAssembly, gzipped. */
  runtime: Uint8Array;
  /** Of the script that runs the phrase model. */
  worker: string;
}

/** dist/site, whether this runs from dist/ or from the sources. */
function siteFolder(): string | undefined {
  const here = dirname(fileURLToPath(import.meta.url));
  const places = [join(here, "..", "..", "..", "site"), join(here, "..", "..", "..", "dist", "site")];
  return places.find((place) => existsSync(join(place, PAGE)) && existsSync(join(place, RUNTIME)));
}

/** @throws VerbatimError `io-error` when the page was not built */
export async function readPageFiles(folder: string | undefined = siteFolder()): Promise<PageFiles> {
  if (folder === undefined) {
    const hint = "In a clone run npm run build; elsewhere install the package again.";
    throw new VerbatimError("io-error", "The page that is published is missing from this installation.", { hint });
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
  if (worker === undefined) throw new VerbatimError("io-error", "The page that is published has no worker.");
  return { assets, html, runtime, worker };
}

/**
 * The page with the site's title, and with the two files of a first question asked for beside the script instead of after it.
 * @param base  what addresses begin with: "./", or the site's folder as "/answers/"
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
