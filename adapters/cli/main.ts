#!/usr/bin/env node
/** The executable: connects `run` to the process, its signals and its streams. */

import { VerbatimError } from "../../src/errors.js";
import type { ParserPool } from "../node/documents/isolation/parser-pool.js";
import { reportError, statusOf, toVerbatimError } from "./errors.js";
import { exitStatus } from "./process-io.js";

const controller = new AbortController();
/** Exit status once standard output is closed; undefined while it is open. */
let closedStatus: number | undefined;

/**
 * Stops the command cleanly and discards its remaining output. process.exit would end encoder
 * threads in the middle of a passage, and ONNX Runtime would then abort the process.
 */
function stopQuietly(status: number): void {
  closedStatus ??= status;
  controller.abort();
}

/**
 * The first Ctrl-C stops the command cleanly. The second ends the process by the signal itself,
 * without ending threads one by one (see `stopQuietly`); a shell reports status 130.
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

// In `verbatim ask … | head -1` the closed pipe is not an error worth a message, and progress that
// cannot be printed must not end an index run.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (closedStatus !== undefined) return;
  if (error.code === "EPIPE") {
    stopQuietly(exitStatus.closedPipe);
    return;
  }
  const reported = toVerbatimError(error);
  reportError(reported, { stderr: process.stderr, json: process.argv.includes("--json"), debug: false });
  stopQuietly(statusOf(reported));
  process.exitCode = statusOf(reported); // the last output may fail after the command has ended
});
process.stderr.on("error", () => {});

/** The first parser process starts while the modules of the program are loaded. */
async function startedParsers(): Promise<ParserPool> {
  const { ParserPool } = await import("../node/documents/isolation/parser-pool.js");
  const parsers = new ParserPool();
  parsers.warmUp();
  return parsers;
}

/** Ends the process if the folder was removed, as by publishing over it. */
function workingFolder(): string {
  try {
    return process.cwd();
  } catch (cause) {
    const gone = new VerbatimError("io-error", "The working folder no longer exists.", {
      hint: "Change to another folder and run the command again.",
      cause,
    });
    reportError(gone, { stderr: process.stderr, json: process.argv.includes("--json"), debug: false });
    process.exit(statusOf(gone));
  }
}

const parsers = process.argv[2] === "index" ? await startedParsers() : undefined;
const { run } = await import("./program.js");
const status = await run(process.argv.slice(2), {
  stdout: process.stdout,
  stderr: {
    write: (text) => closedStatus !== undefined || process.stderr.write(text),
    isTTY: process.stderr.isTTY,
    get columns() {
      return process.stderr.columns;
    },
  },
  stdin: process.stdin,
  cwd: workingFolder(),
  env: process.env,
  signal: controller.signal,
  parsers,
});
parsers?.close();
// What a command found out before it noticed the closed pipe counts.
const isDone = closedStatus === exitStatus.closedPipe && status !== exitStatus.stopped;
process.exitCode = isDone ? status : (closedStatus ?? status);
unbind();
