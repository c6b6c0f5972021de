/** What a check's threads say to one another. To a thread: a `CheckJob` after the other, the next when it has answered. */

import type { CheckFindings } from "../../../src/index/maintain/check-job.js";
import type { CarriedError } from "../threads/serialized-error.js";

export interface CheckSetup {
  /** Of the index. */
  folder: string;
}

export type CheckReply =
  | { kind: "bytes"; bytes: number }
  /** Its problems have lost their class on the way. */
  | { kind: "findings"; findings: CheckFindings }
  | { kind: "error"; error: CarriedError };
