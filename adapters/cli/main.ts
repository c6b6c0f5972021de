#!/usr/bin/env node
/** The command: binds the process to `run`. */

import { reportError, statusOf, toVerbatimError } from "./errors.js";
import { exitStatus } from "./io.js";
import { run } from "./program.js";

const controller = new AbortController();

// The first Ctrl-C asks the command to stop cleanly, the second ends it at once.
function onSignal(): void {
  if (controller.signal.aborted) process.exit(exitStatus.stopped);
  controller.abort();
}
process.on("SIGINT", onSignal);
process.on("SIGTERM", onSignal);

// `verbatim ask … | head -1`: the reader has gone, which is no error. Progress that nobody reads must not end an index run.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(exitStatus.ok);
  const told = toVerbatimError(error);
  reportError(told, { stderr: process.stderr, json: process.argv.includes("--json"), debug: false });
  process.exit(statusOf(told));
});
process.stderr.on("error", () => {});

process.exitCode = await run(process.argv.slice(2), {
  stdout: process.stdout,
  stderr: process.stderr,
  stdin: process.stdin,
  cwd: process.cwd(),
  env: process.env,
  signal: controller.signal,
});
process.removeListener("SIGINT", onSignal);
process.removeListener("SIGTERM", onSignal);
