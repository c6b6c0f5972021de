/** Messages between the encoder and its worker threads. Types only. */

import type { EncodedPassage, EncodedQuestion, PassageInput } from "../../../src/encode/types.js";
import type { ModelFile } from "./model-folder.js";

export interface WorkerSetup {
  folder: string;
  model: ModelFile;
}

export type Request =
  | { id: number; kind: "passages"; inputs: PassageInput[]; keepAll: boolean }
  | { id: number; kind: "question"; text: string; ids: Uint16Array };

/** Ends the thread after the passage it is at; what is still asked gets no reply. */
export interface Close {
  kind: "close";
}

export type Reply =
  | { id: number; kind: "passages"; encoded: EncodedPassage[] }
  | { id: number; kind: "question"; encoded: EncodedQuestion }
  | { id: number; kind: "error"; message: string };
