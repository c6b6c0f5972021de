/** A worker thread that does parts of a check. */

import { createHash } from "node:crypto";
import { workerData } from "node:worker_threads";
import type { Hash } from "../../../src/index/format/sha256.js";
import { doCheckJob } from "../../../src/index/maintain/check-job.js";
import { serve } from "../../rpc/server.js";
import { FileStorage } from "../storage/file-storage.js";
import { parentEndpoint } from "../threads/endpoints.js";
import type { CheckService, CheckSetup } from "./check-service.js";

/** Bytes between two reports of progress, each of which costs the other thread a turn. */
const REPORT_BYTES = 1 << 20;

const { folder } = workerData as CheckSetup;
/** This thread does nothing else, so it may block on the disk. */
const storage = new FileStorage(folder, { blockingReadBytes: Number.POSITIVE_INFINITY });
const sha256 = (): Hash => createHash("sha256");

serve<CheckService>(parentEndpoint(), {
  check: async (job, { signal, report }) => {
    let unreported = 0;
    const onBytes = (bytes: number): void => {
      unreported += bytes;
      if (unreported < REPORT_BYTES) return;
      report(unreported);
      unreported = 0;
    };
    const findings = await doCheckJob(storage, job, { signal, onBytes, sha256 });
    report(unreported);
    return findings;
  },
});
