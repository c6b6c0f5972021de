/**
 * npm run build: builds the WASM kernel, then TypeScript → dist/, the parser process in its place
 * there, the server's page → dist/web/, with the character maps of PDFs, and the page of published
 * sites → dist/site/. A new dist/
 * replaces the old one only when it is complete, so a failed build keeps the last good one.
 */

import { chmodSync, cpSync, existsSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ensureInstalled, main, mustRun, root, stamp, withLock } from "./prepare.mjs";

function build() {
  const kernel = join(root, "scripts", "build-kernel.mjs");
  if (existsSync(kernel)) mustRun(process.execPath, [kernel]);
  const started = new Date();
  // Packages have other modules for development, which a test that builds would choose.
  process.env.NODE_ENV = "production";
  const fresh = join(root, "dist.new");
  rmSync(fresh, { recursive: true, force: true });
  mustRun(process.execPath, [join(root, "node_modules", "typescript", "bin", "tsc"), "--outDir", fresh]);
  const web = join(root, "web");
  const vite = join(root, "node_modules", "vite", "bin", "vite.js");
  for (const [config, folder] of [
    ["vite.config.mjs", "web"],
    ["vite.site.config.mjs", "site"],
  ]) {
    const options = ["--config", join(web, config), "--outDir", join(fresh, folder), "--logLevel", "warn"];
    mustRun(process.execPath, [vite, "build", web, ...options]);
  }
  // The page and the parser of PDFs read them one at a time.
  cpSync(join(root, "node_modules", "pdfjs-dist", "cmaps"), join(fresh, "web", "assets", "cmaps"), { recursive: true });
  const isolation = join(fresh, "adapters", "node", "documents", "isolation");
  const parsers = ["--config", join(root, "scripts", "parsers.config.mjs"), "--outDir", isolation];
  mustRun(process.execPath, [vite, "build", root, ...parsers, "--logLevel", "warn"]);
  rmSync(join(root, "dist"), { recursive: true, force: true });
  renameSync(fresh, join(root, "dist"));
  chmodSync(main, 0o755);
  writeFileSync(stamp, "");
  utimesSync(stamp, started, started);
}

ensureInstalled();
if (process.argv.includes("--locked")) build();
else withLock(build);
