/** The port behind an open index: the versions in a storage, or a cluster. */

import type { AskOptions } from "../ask/options.js";
import type { EncodedQuestion } from "../encode/types.js";
import type { IndexLevel } from "../index/format/level.js";
import type { IndexInfo } from "../index/index-info.js";
import type { CheckOptions, CheckReport } from "../index/maintain/check.js";
import type { Searcher } from "../search/searcher.js";
import type { StepTimes } from "../search/types.js";

/** What one question is answered from; it stays open until `release`. */
export interface QuestionScope {
  readonly searcher: Searcher;
  /** The caller's options without those that the source has applied, and with `where` as a filter. */
  readonly options: AskOptions;
  /** There are no vectors to find passages by. */
  readonly withoutVectors?: boolean;
  /** Milliseconds that opening took, by step. */
  readonly steps?: Partial<StepTimes>;
  release(): Promise<void>;
}

export interface AnswerSource {
  readonly version: number;
  readonly info: IndexInfo;
  /** The level of each segment. */
  readonly levels: readonly IndexLevel[];
  /**
   * @throws VerbatimError `invalid-argument` for options that cannot be met here, `aborted`, and what reading throws
   */
  openForQuestion(question: EncodedQuestion, options: AskOptions): Promise<QuestionScope>;
  /** The searcher of the current version for work other than asking, open until `release`; absent in a cluster. */
  openSearcher?(): Pick<QuestionScope, "searcher" | "release">;
  /** As `Index.warmUp`. */
  warmUp?(): Promise<void>;
  /** As `Index.refresh`. */
  refresh(options: { signal?: AbortSignal; atLeastVersion?: number }): Promise<number>;
  check(options: CheckOptions): Promise<CheckReport>;
  /** Questions in progress fail. */
  close(): Promise<void>;
}
