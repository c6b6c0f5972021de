/**
 * Compiles what tests start as threads and processes to dist.test/ before they run, file by file,
 * without types (see vitest.config.ts): loading TypeScript in each of them would take most of the
 * time of many tests.
 */

import { mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { transformWithOxc } from "vite";

const root = fileURLToPath(new URL("../..", import.meta.url));

export default async function compileThreads(): Promise<void> {
  for (const tree of ["src", "adapters", "test/documents/processes", "test/faults", "test/support"]) {
    for (const file of readdirSync(join(root, tree), { recursive: true, encoding: "utf8" })) {
      if (file.endsWith(".ts") && !file.endsWith(".test.ts")) await compile(join(tree, file));
    }
  }
}

async function compile(file: string): Promise<void> {
  const from = join(root, file);
  const to = join(root, "dist.test", file.replace(/\.ts$/, ".js"));
  const { mtimeMs } = statSync(from);
  if ((statSync(to, { throwIfNoEntry: false })?.mtimeMs ?? 0) > mtimeMs) return;
  const { code } = await transformWithOxc(readFileSync(from, "utf8"), from, { sourcemap: false });
  mkdirSync(dirname(to), { recursive: true });
  const written = `${to}.${process.pid}`;
  writeFileSync(written, code);
  renameSync(written, to); // another run may be reading it
}
