/**
 * npm run test:opensearch: tests that a cluster gives the same answers, and its failures. Fetches
 * OpenSearch through Maven once and starts three nodes on loopback. Needs Java 11 or newer and
 * Maven. Arguments after `--` go to vitest; `-- --prepare` only fetches.
 */

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { ensureBuilt, root } from "./prepare.mjs";

ensureBuilt();
if (process.argv[2] === "--prepare") {
  const file = join(root, "test", "opensearch", "distribution.ts");
  process.exit(spawnSync(process.execPath, ["--import", "tsx", file], { cwd: root, stdio: "inherit" }).status ?? 1);
}
const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
const result = spawnSync(
  process.execPath,
  [vitest, "run", "--config", "vitest.opensearch.config.ts", ...process.argv.slice(2)],
  { cwd: root, stdio: "inherit" },
);
process.exit(result.status ?? 1);
