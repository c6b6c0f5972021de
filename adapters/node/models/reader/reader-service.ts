/** What the reader, and other threads that read with it, call in its worker threads. Types only. */

import type { MessagePort } from "node:worker_threads";
import type { ReaderInput, ReaderOutput } from "../../../../src/reader/types.js";
import type { ModelHashes } from "../verify-model.js";

/** The worker data of a reader thread. */
export interface ReaderSetup {
  folder: string;
  files: ModelHashes;
}

export interface ReaderService {
  read(inputs: ReaderInput[]): ReaderOutput[];
  /** Answers `read` on another channel too; the port must be transferred. */
  connect(port: MessagePort): void;
}
