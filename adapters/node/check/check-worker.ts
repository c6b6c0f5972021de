/** A worker thread that does parts of a check, one after the other. */

import { createHash } from "node:crypto";
import { parentPort, workerData } from "node:worker_threads";
import type { Hash } from "../../../src/index/format/content-hash.js";
import { type CheckJob, doCheckJob } from "../../../src/index/maintain/check-job.js";
import { FileStorage } from "../storage/file-storage.js";
import { carryError } from "../threads/serialized-error.js";
import type { CheckReply, CheckSetup } from "./check-protocol.js";

/** Progress is told so often, in bytes: each message costs the other thread a turn. */
const TELL_BYTES = 1 << 20;

const port = parentPort!;
const { folder } = workerData as CheckSetup;
/** Nobody else is waiting for this thread, so it waits for the disk itself. */
const storage = new FileStorage(folder, { blockingReadBytes: Number.POSITIVE_INFINITY });
const sha256 = (): Hash => createHash("sha256");
const say = (reply: CheckReply): void => port.postMessage(reply);

async function work(job: CheckJob): Promise<void> {
  let untold = 0;
  const onBytes = (bytes: number): void => {
    untold += bytes;
    if (untold < TELL_BYTES) return;
    say({ kind: "bytes", bytes: untold });
    untold = 0;
  };
  try {
    const findings = await doCheckJob(storage, job, { signal: undefined, onBytes, sha256 });
    say({ kind: "bytes", bytes: untold });
    say({ kind: "findings", findings });
  } catch (error) {
    say({ kind: "error", error: carryError(error) });
  }
}

port.on("message", (job: CheckJob) => void work(job));
