/**
 * npm run test:api -- [--seconds 60] [--seed 1] [--schemathesis PATH]: serves the samples with the
 * tiny model and lets Schemathesis fuzz every route of the OpenAPI document with valid and invalid
 * requests. Undocumented statuses, headers or bodies and server errors are failures. Needs Python's
 * schemathesis (test/server/requirements.txt).
 */

import { spawn, spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { ensureBuilt, main, root, say } from "./prepare.mjs";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "60" },
    seed: { type: "string", default: "1" },
    schemathesis: { type: "string", default: "schemathesis" },
  },
});
// resolves a path from this folder; a bare name is looked up in PATH
const schemathesis = /[\\/]/.test(values.schemathesis) ? resolve(values.schemathesis) : values.schemathesis;
if (spawnSync(schemathesis, ["--version"]).status !== 0) {
  say(
    "Schemathesis is not installed: pip install -r test/server/requirements.txt, or name it with --schemathesis PATH.",
  );
  process.exit(2);
}
ensureBuilt();
const folder = mkdtempSync(join(tmpdir(), "verbatim-api-"));
cpSync(join(root, "samples"), join(folder, "samples"), { recursive: true });
const env = { ...process.env, VERBATIM_MODEL: join(root, "test", "golden", "tiny-model") };
const served = ["serve", "samples", "--index", "my.index", "--port", "0", "--json"];
const server = spawn(process.execPath, [main, ...served], {
  cwd: folder,
  env,
  stdio: ["ignore", "pipe", "ignore"],
});
let status = 1;
try {
  let address;
  for await (const line of createInterface({ input: server.stdout })) {
    address = JSON.parse(line);
    break;
  }
  if (address === undefined) throw new Error("verbatim serve did not start.");
  const { url, token } = address;
  while (!(await fetch(`${url}readyz`)).ok) await new Promise((done) => setTimeout(done, 200));
  const args = [
    ...["run", `${url}openapi.json`, "--header", `Authorization: Bearer ${token}`],
    ...["--seed", values.seed, "--max-time", values.seconds, "--phases", "coverage,fuzzing"],
    ...["--continue-on-failure", "--warnings", "off", "--report-dir", folder],
    // 400 is allowed for rules that a schema cannot express: exclusive keys, invalid filters,
    // future versions
    ...["--exclude-checks", "positive_data_acceptance"],
  ];
  status = await new Promise((done) => {
    const run = spawn(schemathesis, args, { cwd: folder, stdio: "inherit" });
    run.once("exit", (code) => done(code ?? 1));
  });
  if (!(await fetch(`${url}healthz`)).ok) throw new Error("The server is no longer running.");
} finally {
  const ended = new Promise((done) => server.once("exit", done));
  server.kill("SIGTERM");
  await ended;
  rmSync(folder, { recursive: true, force: true });
}
process.exit(status);
