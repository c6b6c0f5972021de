/** Messages between the encoder and its worker threads. Types only. */

import type { EncodedPassage, EncodedQuestion, PassageInput } from "../../../../src/encode/types.js";
import type { Failure } from "../../threads/worker-pool.js";
import type { ModelFile } from "./model-folder.js";

export type { Close } from "../../threads/worker-pool.js";

export interface WorkerSetup {
  folder: string;
  model: ModelFile;
}

export type Request =
  | { id: number; kind: "passages"; inputs: PassageInput[]; keepAll: boolean }
  | { id: number; kind: "question"; text: string; ids: Uint16Array };

export type Reply =
  | { id: number; kind: "passages"; encoded: EncodedPassage[] }
  | { id: number; kind: "question"; encoded: EncodedQuestion }
  | Failure;
