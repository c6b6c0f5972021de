/** What a check's threads say to one another. To a thread: a `CheckJob` after the other, the next when it has answered. */

import type { ErrorCode } from "../../src/errors.js";
import type { CheckFindings } from "../../src/index/check-job.js";

export interface CheckSetup {
  /** Of the index. */
  folder: string;
}

export type CheckReply =
  | { kind: "bytes"; bytes: number }
  /** Its problems have lost their class on the way. */
  | { kind: "findings"; findings: CheckFindings }
  /** `code` is missing where the error is not one of ours. */
  | {
      kind: "error";
      code: ErrorCode | undefined;
      message: string;
      hint: string | undefined;
      where: string | undefined;
    };
