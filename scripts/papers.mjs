/** npm run papers -- --data DIR: builds what is out of date, then measures the papers' tables. */

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { ensureBuilt, root } from "./prepare.mjs";

ensureBuilt();
// BM25 of a whole encyclopedia and its texts need more than Node's default heap
const args = ["--max-old-space-size=8192", "--import", "tsx", join(root, "bench", "papers", "main.ts")];
const result = spawnSync(process.execPath, [...args, ...process.argv.slice(2)], { cwd: root, stdio: "inherit" });
process.exit(result.status ?? 1);
