/** What a check calls in its worker threads. Types only. */

import type { CheckFindings, CheckJob } from "../../../src/index/maintain/check-job.js";

/** The worker data of a check's thread. */
export interface CheckSetup {
  /** The index's folder. */
  folder: string;
}

export interface CheckService {
  /**
   * Reports bytes read since the last report. The problems found are plain objects, not instances
   * of `IndexProblem`.
   */
  check(job: CheckJob, progress: number): CheckFindings;
}
