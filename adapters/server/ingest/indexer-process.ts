/**
 * The process that writes to the index: it alone reads files, encodes them and commits, so that
 * none of it delays a question. If it dies, the server lives on, and the lock of the index is free
 * for the next one.
 */

import { writeFile } from "node:fs/promises";
import { constants, setPriority } from "node:os";
import { hasCode } from "../../../src/errors.js";
import { LoadOnce } from "../../../src/load-once.js";
import { SerialQueue } from "../../../src/serial-queue.js";
import { ParserPool } from "../../node/documents/isolation/parser-pool.js";
import { openEncoder } from "../../node/models/encoder/encoder.js";
import { KeptOriginals } from "../../node/storage/kept-originals.js";
import { originalsOf } from "../../node/storage/side-folders.js";
import { parentProcessEndpoint } from "../../node/threads/endpoints.js";
import { serve } from "../../rpc/server.js";
import { applyChange } from "./apply-change.js";
import { failureOf } from "./failure.js";
import { follow } from "./follow.js";
import type { IngestService, IngestSetup, MergeFailed, Outcome, Progress } from "./protocol.js";
import { runUnlessAborted } from "./run-unless-aborted.js";

/** Progress is reported at most this often, in milliseconds. */
const REPORT_EVERY_MS = 200;

const setup = JSON.parse(process.argv[2]!) as IngestSetup;
const cancellations = new Map<number, AbortController>();
const encoder = new LoadOnce(() => openEncoder({ modelFolder: setup.modelFolder, threads: setup.threads }));
/** Less than the command line allows: the server and its index are in memory at the same time. */
const MAX_PARSER_MIB = 768;
const parsers = new ParserPool({ maxMemoryMiB: MAX_PARSER_MIB });
const originals = new KeptOriginals(originalsOf(setup.index));
/** An index has one writer. */
const queue = new SerialQueue();

/** Makes a call cancellable by its job number, and by its caller going away. */
async function cancellable<T>(job: number, given: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const cancellation = new AbortController();
  cancellations.set(job, cancellation);
  try {
    return await work(AbortSignal.any([given, cancellation.signal]));
  } finally {
    cancellations.delete(job);
  }
}

function throttledProgress(
  report: (event: { kind: "progress"; progress: Progress }) => void,
): (progress: Progress) => void {
  let reportedAt = Number.NEGATIVE_INFINITY;
  return (progress) => {
    const now = performance.now();
    if (now - reportedAt < REPORT_EVERY_MS) return;
    reportedAt = now;
    report({ kind: "progress", progress });
  };
}

/** Reports failed merges, but not one that ended because the change was cancelled. */
function mergeErrorReporter(report: (event: MergeFailed) => void): (error: unknown) => void {
  return (error) => {
    if (!hasCode(error, "aborted")) report({ kind: "merge-failed", failure: failureOf(error) });
  };
}

// A terminal sends its signals to all processes of a command. The server decides when this one
// ends.
process.on("SIGINT", () => {});
process.on("SIGTERM", () => {});
setPriority(constants.priority.PRIORITY_BELOW_NORMAL); // questions come first
// If memory runs out, the kernel should end this process rather than the server. Linux only.
writeFile("/proc/self/oom_score_adj", "500").catch(() => {});

serve<IngestService>(
  parentProcessEndpoint(),
  {
    apply: ({ job, change }, { signal, report }) =>
      cancellable(job, signal, (stop) => {
        const work = async (): Promise<Outcome> =>
          applyChange(change, {
            setup,
            encoder: await encoder.get(),
            parsers,
            originals,
            signal: stop,
            report: throttledProgress(report),
            onMergeError: mergeErrorReporter(report),
          });
        return runUnlessAborted(queue, work, stop);
      }),
    follow: ({ job, paths }, { signal, report }) =>
      cancellable(job, signal, async (stop) => {
        const progress = throttledProgress(report);
        let ended: Promise<void> = Promise.resolve();
        const catchUp = async (): Promise<void> => {
          const following = follow(
            paths,
            {
              setup,
              encoder: await encoder.get(),
              parsers,
              signal: stop,
              report: (event) => (event.kind === "progress" ? progress(event.progress) : report(event)),
              onMergeError: mergeErrorReporter(report),
            },
            { turn: (work) => runUnlessAborted(queue, work, stop) },
          );
          ended = following.ended;
          ended.catch(() => {}); // thrown below
          await following.caughtUp;
        };
        await runUnlessAborted(queue, catchUp, stop);
        await ended;
      }),
    cancel: (job) => cancellations.get(job)?.abort(),
  },
  {
    onClose: async () => {
      await queue.idle();
      parsers.close();
      await (await encoder.take())?.close();
    },
  },
);
