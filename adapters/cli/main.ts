#!/usr/bin/env node
/** The command: binds the process to `run`. */

import { reportError, statusOf, toVerbatimError } from "./errors.js";
import { exitStatus } from "./process-io.js";
import { run } from "./program.js";

const controller = new AbortController();
/** The exit status of a run whose output nobody takes any more. */
let cutOff: number | undefined;

/**
 * Ends the run by the command's own clean stop; what it would still say goes nowhere. Not by process.exit: that ends encoder threads
 * in the middle of a passage, and ONNX Runtime then aborts the process.
 */
function stopQuietly(status: number): void {
  cutOff ??= status;
  controller.abort();
}

/**
 * The first Ctrl-C asks the command to stop cleanly. The second ends it at once by the signal's own action, which takes no thread down
 * one by one (process.exit does, see above); a shell sees status 130.
 */
function onSignal(): void {
  if (!controller.signal.aborted) {
    controller.abort();
    return;
  }
  unbind();
  process.kill(process.pid, "SIGINT");
}

function unbind(): void {
  process.removeListener("SIGINT", onSignal);
  process.removeListener("SIGTERM", onSignal);
}

process.on("SIGINT", onSignal);
process.on("SIGTERM", onSignal);

// `verbatim ask … | head -1`: the reader has gone, which is no error. Progress that nobody reads must not end an index run.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (cutOff !== undefined) return;
  if (error.code === "EPIPE") {
    stopQuietly(exitStatus.ok);
    return;
  }
  const told = toVerbatimError(error);
  reportError(told, { stderr: process.stderr, json: process.argv.includes("--json"), debug: false });
  stopQuietly(statusOf(told));
});
process.stderr.on("error", () => {});

const status = await run(process.argv.slice(2), {
  stdout: process.stdout,
  stderr: {
    write: (text) => cutOff !== undefined || process.stderr.write(text),
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
process.exitCode = cutOff ?? status;
unbind();
