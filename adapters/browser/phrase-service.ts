/** What a page calls in its phrase worker. Types only. */

import type { AskResult } from "../../src/ask/result.js";

export interface PhraseService {
  /**
   * Opens the site at this address, at the version whose table of files has this name; reports the
   * bytes of model and runtime that have arrived since the last report.
   */
  open(site: { base: string; files: string }, progress: number): void;
  ask(params: { question: string; topK: number; explain: boolean }): AskResult;
}
