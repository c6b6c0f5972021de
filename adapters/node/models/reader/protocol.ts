/** Messages between the reader and its worker threads. Types only. */

import type { ReaderInput, ReaderOutput } from "../../../../src/reader/types.js";
import type { Failure } from "../../threads/worker-pool.js";

export interface WorkerSetup {
  folder: string;
}

export interface Request {
  id: number;
  kind: "read";
  inputs: ReaderInput[];
}

export type Reply = { id: number; kind: "read"; outputs: ReaderOutput[] } | Failure;
