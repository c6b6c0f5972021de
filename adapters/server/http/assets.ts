/** The built page: a few files, held in memory, so that no path of a request ever reaches the disk. */

import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { dirname, extname, join } from "node:path";
import { fileURLToPath } from "node:url";

export interface Asset {
  bytes: Uint8Array<ArrayBuffer>;
  type: string;
  etag: string;
}

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** dist/web, whether this runs from dist/ or from the sources; undefined when the page was not built. */
function webFolder(): string | undefined {
  const here = dirname(fileURLToPath(import.meta.url));
  const places = [join(here, "..", "..", "..", "web"), join(here, "..", "..", "..", "dist", "web")];
  return places.find((place) => existsSync(join(place, "index.html")) && existsSync(join(place, "assets", "page.js")));
}

/** By path, as "/assets/page.js"; "/" is the page. Empty when it was not built. */
export async function readAssets(folder: string | undefined = webFolder()): Promise<Map<string, Asset>> {
  const assets = new Map<string, Asset>();
  if (folder === undefined) return assets;
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const type = TYPES[extname(entry.name)];
    if (!entry.isFile() || type === undefined) continue;
    const path = join(entry.parentPath, entry.name);
    const bytes = new Uint8Array(await readFile(path));
    const etag = `"${createHash("sha256").update(bytes).digest("hex").slice(0, 16)}"`;
    const name = path.slice(folder.length).replace(/\\/g, "/");
    assets.set(name === "/index.html" ? "/" : name, { bytes, type, etag });
  }
  return assets;
}
