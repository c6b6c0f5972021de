/** What the server and its answering threads say to each other. Types only. */

import type { AskOptions } from "../../../src/api/open-index.js";
import type { AskResult } from "../../../src/ask/ask.js";
import type { ReaderInfo, ReaderInput, ReaderOutput } from "../../../src/reader/types.js";
import type { CarriedError } from "../../node/threads/serialized-error.js";

export interface AnsweringSetup {
  /** Folder of the index. */
  index: string;
  modelFolder: string | undefined;
  /** Of the reader, which runs elsewhere: its work is spread over all cores already. */
  reader: { info: ReaderInfo; lanes: number } | undefined;
}

/** What of a question can go to another thread. */
export type PlainAskOptions = Omit<AskOptions, "signal" | "filter" | "filterKey">;

export type ToThread =
  | {
      kind: "ask";
      id: number;
      question: string;
      options: PlainAskOptions;
      /** Also the answers before the last. */
      stream: boolean;
    }
  /** Nobody waits for the answer any more. */
  | { kind: "stop"; id: number }
  | { kind: "refresh"; id: number; atLeastVersion: number }
  | { kind: "have-read"; id: number; outputs: ReaderOutput[] }
  | { kind: "not-read"; id: number; error: CarriedError }
  | { kind: "close" };

export type FromThread =
  | { kind: "answer"; id: number; result: AskResult; last: boolean }
  | { kind: "refreshed"; id: number }
  | { kind: "failed"; id: number; error: CarriedError }
  /** The reader is wanted. The id is the thread's own. */
  | { kind: "read"; id: number; inputs: ReaderInput[] };
