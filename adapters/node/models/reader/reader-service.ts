/** What the reader calls in its worker threads. Types only. */

import type { ReaderInput, ReaderOutput } from "../../../../src/reader/types.js";
import type { ReaderFile } from "./reader-folder.js";

/** What is needed to open the network: the worker data of a reader thread. */
export interface ReaderSetup {
  folder: string;
  info: ReaderFile;
}

export interface ReaderService {
  read(inputs: ReaderInput[]): ReaderOutput[];
}
