/**
 * npm test [-- ARGUMENTS OF VITEST]: installs and builds what is missing, then runs every test that
 * needs no Python and no browser. VERBATIM_SKIP_PACK=1 skips the one that needs a package registry.
 */

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { ensureBuilt, root } from "./prepare.mjs";

ensureBuilt();
const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
const result = spawnSync(process.execPath, [vitest, "run", ...process.argv.slice(2)], { cwd: root, stdio: "inherit" });
process.exit(result.status ?? 1);
