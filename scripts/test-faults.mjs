/**
 * npm run test:faults: runs the full fault suite, every operation and every seed, and prints
 * counts. It takes hours; `npm test` runs a short form. Arguments after `--` go to vitest:
 * `npm run test:faults -- crash` runs one kind of fault.
 */

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { ensureBuilt, root } from "./prepare.mjs";

ensureBuilt();
const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
const kinds = process.argv.slice(2).map((kind) => `test/faults/${kind}`);
const chosen = kinds.length > 0 ? kinds : ["test/faults"];
const result = spawnSync(
  process.execPath,
  // folders first: vitest would take an argument after the last switch for its value and run every
  // test
  [vitest, "run", ...chosen, "--reporter=verbose", "--disable-console-intercept"],
  {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, VERBATIM_FAULTS: "whole" },
  },
);
process.exit(result.status ?? 1);
