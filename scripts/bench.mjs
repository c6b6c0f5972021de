/**
 * npm run bench -- NAME [ARGUMENTS]: runs bench/NAME.ts, which prints and appends its results, and
 * redraws bench/results/NAME.svg. Without a name it lists the benches. npm run bench -- plot
 * [NAME…] only draws.
 */

import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { ensureBuilt, root } from "./prepare.mjs";

const [name, ...rest] = process.argv.slice(2);
const folder = join(root, "bench");
const names = existsSync(folder)
  ? readdirSync(folder)
      .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
      .map((file) => file.slice(0, -3))
  : [];

if (name === undefined || !names.includes(name)) {
  process.stderr.write(`Usage: npm run bench -- NAME\nNames: ${names.join(", ") || "(none yet)"}\n`);
  process.exit(2);
}
ensureBuilt();
const run = (script, args) =>
  spawnSync(process.execPath, ["--import", "tsx", join(folder, `${script}.ts`), ...args], {
    cwd: root,
    stdio: "inherit",
  }).status ?? 1;
const lines = join(folder, "results", `${name}.jsonl`);
const before = sizeOf(lines);
const status = run(name, rest);
if (sizeOf(lines) > before) run("plot", [name]);
process.exit(status);

function sizeOf(file) {
  return existsSync(file) ? statSync(file).size : 0;
}
