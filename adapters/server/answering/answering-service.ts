/** What the server calls in its answering threads. Types only. */

import type { AskOptions } from "../../../src/ask/options.js";
import type { AskResult } from "../../../src/ask/result.js";
import type { SharedRows } from "../../../src/kernel/shared-rows.js";
import type { QuotationInput, QuoteCheck } from "../../../src/quote/types.js";
import type { ReaderSetup } from "../../node/models/reader/reader-service.js";

/** The worker data of an answering thread. */
export interface AnsweringSetup {
  /** The index's folder. */
  index: string;
  modelFolder: string | undefined;
  reader?: ReaderSetup | undefined;
  /** Decide the public names that filters see, as in `PathRedactor`. */
  served: { paths: readonly string[]; cwd: string };
}

export interface Question {
  question: string;
  /** A filter function cannot be cloned; `where` says the same as text. */
  options: Omit<AskOptions, "signal" | "filter" | "filterKey">;
}

/** The version that a thread has to open, or a newer one. */
export interface NewestVersion {
  atLeastVersion: number;
  /** The vectors of the version's segments. A thread loads those that are missing here. */
  vectors: SharedVectors;
}

/** Passage vectors of segments by `SegmentFiles.vectorsKey`, loaded once for all threads. */
export type SharedVectors = ReadonlyMap<string, SharedRows>;

/** The server calls it in each answering thread. */
export interface AnsweringService {
  /** Opens this version or a newer one. */
  refresh(newest: NewestVersion): void;
  ask(question: Question): AskResult;
  quote(quotations: readonly QuotationInput[]): QuoteCheck[];
  /** The answers so far, the final ones last. */
  askStream(question: Question): AsyncIterable<AskResult>;
}
