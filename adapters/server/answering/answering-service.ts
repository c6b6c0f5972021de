/** What the server and its answering threads call in each other. Types only. */

import type { MessagePort } from "node:worker_threads";
import type { AskOptions } from "../../../src/ask/options.js";
import type { AskResult } from "../../../src/ask/result.js";
import type { ReaderInfo } from "../../../src/reader/types.js";

/** The worker data of an answering thread. */
export interface AnsweringSetup {
  /** The index's folder. */
  index: string;
  modelFolder: string | undefined;
  /** The reader has threads of its own, which all answering threads share. */
  reader: { info: ReaderInfo; lanes: number; firstLane: number } | undefined;
}

export interface Question {
  question: string;
  /** A filter function cannot be cloned; `where` says the same as text. */
  options: Omit<AskOptions, "signal" | "filter" | "filterKey">;
}

/** The server calls it in each answering thread. */
export interface AnsweringService {
  /** Opens this version or a newer one. */
  refresh(atLeastVersion: number): void;
  ask(question: Question): AskResult;
  /** The answers so far, the final ones last. */
  askStream(question: Question): AsyncIterable<AskResult>;
}

/** An answering thread calls it in the server. */
export interface ReaderConnections {
  /** Returns one end of a channel to a reader thread, which answers `ReaderService` on it. */
  connectReader(lane: number): MessagePort;
}
