/** "Where is a question answered from?" The port behind an open index: the versions of a folder, or a cluster. */

import type { AnswerOptions } from "../ask/ask.js";
import type { EncodedQuestion } from "../encode/types.js";
import type { IndexLevel } from "../index/format/level.js";
import type { IndexInfo } from "../index/index-info.js";
import type { CheckOptions, CheckReport } from "../index/maintain/check.js";
import type { SearchSession } from "../search/session.js";

export type AskOptions = AnswerOptions & {
  /** `filter` in words, as `year >= 2020 and tag = "ops"`: docs/cli.md has the language. Not together with `filter`. */
  where?: string;
};

/** What one question is answered from, held open until `leave`. */
export interface Entered {
  readonly session: SearchSession;
  /** Those that were given, as they apply to the session: what was seen to already is left out. */
  readonly options: AnswerOptions;
  /** There are no vectors to look for passages by. */
  readonly withoutVectors?: boolean;
  /** To be added to the step times of the same names: what getting here took. */
  readonly steps?: { terms: number; dense: number; read: number };
  leave(): Promise<void>;
}

export interface AnswerSource {
  readonly version: number;
  readonly info: IndexInfo;
  /** Of its parts, lowest first. */
  readonly levels: readonly IndexLevel[];
  /** @throws VerbatimError `invalid-argument` for options that cannot be met here, `aborted`, of what is read */
  enter(question: EncodedQuestion, options: AskOptions): Promise<Entered>;
  /** As `Index.prepare`. */
  prepare?(): Promise<void>;
  /** As `Index.refresh`. */
  refresh(options: { signal?: AbortSignal; atLeastVersion?: number }): Promise<number>;
  check(options: CheckOptions): Promise<CheckReport>;
  /** A question that is under way fails. */
  close(): Promise<void>;
}
