#!/usr/bin/env node
/** The command: binds the process to `run`. */

import { reportError, statusOf, toVerbatimError } from "./errors.js";
import { exitStatus } from "./io.js";
import { run } from "./program.js";

const controller = new AbortController();
let readerGone = false;

// The first Ctrl-C asks the command to stop cleanly, the second ends it at once.
function onSignal(): void {
  if (controller.signal.aborted) process.exit(exitStatus.stopped);
  controller.abort();
}
process.on("SIGINT", onSignal);
process.on("SIGTERM", onSignal);

// `verbatim ask … | head -1`: the reader has gone, which is no error. Progress that nobody reads must not end an index run.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") {
    // Not process.exit: it ends encoder threads in the middle of a passage, and ONNX Runtime then aborts the process.
    readerGone = true;
    controller.abort();
    return;
  }
  const told = toVerbatimError(error);
  reportError(told, { stderr: process.stderr, json: process.argv.includes("--json"), debug: false });
  process.exit(statusOf(told));
});
process.stderr.on("error", () => {});

const status = await run(process.argv.slice(2), {
  stdout: process.stdout,
  stderr: {
    write: (text) => readerGone || process.stderr.write(text),
    isTTY: process.stderr.isTTY,
    get columns() {
      return process.stderr.columns;
    },
  },
  stdin: process.stdin,
  cwd: process.cwd(),
  env: process.env,
  signal: controller.signal,
});
process.exitCode = readerGone ? exitStatus.ok : status;
process.removeListener("SIGINT", onSignal);
process.removeListener("SIGTERM", onSignal);
