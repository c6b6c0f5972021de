/**
 * Static responses: the built page's files and documents made at start, held in memory, so that no
 * path of a request reaches the disk.
 */

import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { dirname, extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Hono } from "hono";
import type { Env } from "./service.js";

export interface Asset {
  bytes: Uint8Array<ArrayBuffer>;
  type: string;
  etag: string;
}

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".bcmap": "application/octet-stream",
};

/**
 * dist/web, whether this runs from dist/ or from the sources; undefined when the page was not
 * built.
 */
function webFolder(): string | undefined {
  const here = dirname(fileURLToPath(import.meta.url));
  const places = [join(here, "..", "..", "..", "web"), join(here, "..", "..", "..", "dist", "web")];
  return places.find((place) => existsSync(join(place, "index.html")) && existsSync(join(place, "assets", "page.js")));
}

/** Bytes with their type and hash, made once. */
export function staticFile(content: string | Uint8Array<ArrayBuffer>, type: string): Asset {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  const etag = `"${createHash("sha256").update(bytes).digest("hex").slice(0, 16)}"`;
  return { bytes, type, etag };
}

/** All responses share the same bytes, so that many of them at once take no memory. */
export function serveStatic(app: Hono<Env>, path: string, { bytes, type, etag }: Asset): void {
  app.get(path, (c) => {
    c.header("ETag", etag);
    c.header("Cache-Control", "no-cache");
    if (c.req.header("If-None-Match") === etag) return c.body(null, 304);
    c.header("Content-Type", type);
    return c.body(bytes);
  });
}

/** By path, as "/assets/page.js"; "/" is the page. Empty when it was not built. */
export async function readAssets(): Promise<Map<string, Asset>> {
  const folder = webFolder();
  const assets = new Map<string, Asset>();
  if (folder === undefined) return assets;
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const type = TYPES[extname(entry.name)];
    if (!entry.isFile() || type === undefined) continue;
    const path = join(entry.parentPath, entry.name);
    const name = path.slice(folder.length).replace(/\\/g, "/");
    assets.set(name === "/index.html" ? "/" : name, staticFile(new Uint8Array(await readFile(path)), type));
  }
  return assets;
}
