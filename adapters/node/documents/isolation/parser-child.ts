/** The process that reads files for a run: whatever a file does to a parser happens here and ends here. */

import { writeSync } from "node:fs";
import { serializeError } from "../../../rpc/serialize-error.js";
import { formatByName } from "../detect-format.js";
import { FORMATS } from "../formats.js";
import { parseInput } from "../parse-input.js";
import { type DeathReason, type ReadJob, STATUS_PIPE, type ToParser } from "./messages.js";
import { Outbox } from "./outbox.js";
import { ParserState } from "./parser-state.js";
import { startWatch } from "./start-watch.js";

/** A process that holds more than this after a file is replaced, so that every file starts with the same memory. */
const RETIRE_MIB = 320;
const PROGRESS_MS = 200;
const LONG_UNITS = 10_000;
const MIB = 1024 * 1024;

const state = new ParserState();
const outbox = new Outbox({
  post: (message) => void process.send!(message),
  onWait: (waiting) => state.waiting(waiting),
});
const jobs: ReadJob[] = [];
let running = false;
let receiveBytes: ((bytes: Uint8Array | undefined) => void) | undefined;

/** Content that the run sends, asked for piece by piece. */
async function* pipedContent(): AsyncGenerator<Uint8Array> {
  for (;;) {
    state.waiting(true);
    const next = new Promise<Uint8Array | undefined>((resolve) => {
      receiveBytes = resolve;
    });
    await outbox.put({ kind: "pull" });
    await outbox.flush();
    state.waiting(true);
    const bytes = await next;
    state.waiting(false);
    if (bytes === undefined) return;
    yield bytes;
  }
}

async function read({ id, input, format, limits, ocr, ocrCache, piped, resume }: ReadJob): Promise<void> {
  writeSync(STATUS_PIPE, `${id}\n`);
  const ocrMs = ocr ? limits.maxOcrMs : 0;
  const expected = format ?? formatByName(input.path);
  // The time limit of a streamed format is for one record, or one attachment of it, however large the file is.
  const streamed = expected !== undefined && FORMATS[expected].streamed;
  const maxMs = limits.maxMs + ocrMs + (streamed ? 0 : Math.ceil((input.size / MIB) * limits.maxMsPerMiB));
  state.begin({ maxMs, maxPartMs: Math.max(limits.maxPartMs, ocrMs), maxMemoryMiB: limits.maxMemoryMiB });
  let reportedAt = performance.now();
  let bytesRead = 0;
  let bytesReported = 0;
  const report = () => {
    reportedAt = performance.now();
    bytesReported = bytesRead;
    outbox.add({ kind: "progress", bytesRead });
  };
  const documents = parseInput(input, {
    format,
    limits,
    content: piped ? pipedContent() : undefined,
    onSkip: (skip) => outbox.add({ kind: "skip", skip }),
    ocr,
    ocrCache,
    onPart: () => state.part(),
    onRecognized: () => state.progress(),
    onAttachment: () => state.progress(),
    resume,
    onRecordStart: (record) => writeSync(STATUS_PIPE, `record ${record}\n`),
    onRecordEnd: (record) => outbox.add({ kind: "record-end", record }),
    onProgress: (bytes) => {
      state.progress();
      bytesRead = bytes;
      if (performance.now() - reportedAt >= PROGRESS_MS) report();
    },
  });
  for await (const document of documents) {
    state.progress();
    // While a long document is encoded, the run must know how much of its file has been read.
    if (bytesRead > bytesReported && document.text.length > LONG_UNITS) report();
    await outbox.document(document);
  }
  state.end();
}

async function readAll(): Promise<void> {
  running = true;
  for (let job = jobs.shift(); job !== undefined; job = jobs.shift()) {
    try {
      await read(job);
    } catch (error) {
      await outbox.put({ kind: "failed", error: serializeError(error) });
      return outbox.flush();
    }
    const retire = state.memoryMiB > RETIRE_MIB;
    await outbox.put({ kind: "end", retire });
    if (retire) return outbox.flush();
  }
  await outbox.flush();
  running = false;
  if (jobs.length > 0) await readAll();
}

function crash(): void {
  writeSync(STATUS_PIPE, `${"crash" satisfies DeathReason}\n`);
  process.kill(process.pid, "SIGKILL");
}

// The run receives the same signals and decides when this process ends.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});
process.on("disconnect", () => process.kill(process.pid, "SIGKILL"));
process.on("uncaughtException", crash);
// Parsers create promises that they do not await; errors that matter are thrown by the parser itself.
process.on("unhandledRejection", () => {});
process.on("message", (message: ToParser) => {
  if (message.kind === "consumed") outbox.consumed(message.cost);
  else if (message.kind === "bytes") receiveBytes?.(message.bytes);
  else if (message.kind === "prepare") void Promise.all(message.formats.map((format) => FORMATS[format].load()));
  else {
    jobs.push(...message.jobs);
    if (!running) void readAll();
  }
});
startWatch(state).on("error", crash);
process.send!({ items: [{ kind: "ready" }], cost: 0 });
