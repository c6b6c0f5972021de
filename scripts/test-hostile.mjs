/**
 * npm run test:hostile: malicious files against the built package. It takes minutes, so `npm test` does not run it.
 * What follows `--` goes to vitest: `npm run test:hostile -- -t PDF`. VERBATIM_HOSTILE_SEED changes the random files.
 */

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { ensureBuilt, root } from "./prepare.mjs";

ensureBuilt();
const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
const options = ["run", "--disable-console-intercept", "--config", "vitest.hostile.config.ts"];
const result = spawnSync(process.execPath, [vitest, ...options, ...process.argv.slice(2)], {
  cwd: root,
  stdio: "inherit",
});
process.exit(result.status ?? 1);
