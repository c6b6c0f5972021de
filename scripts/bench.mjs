/** npm run bench -- NAME [ARGUMENTS]: runs bench/NAME.ts; without a name, says which there are. */

import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
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
  process.stderr.write(`Use: npm run bench -- NAME\nNames: ${names.join(", ") || "(none yet)"}\n`);
  process.exit(2);
}
ensureBuilt();
const script = join(folder, `${name}.ts`);
const result = spawnSync(process.execPath, ["--import", "tsx", script, ...rest], { cwd: root, stdio: "inherit" });
process.exit(result.status ?? 1);
