/** What the encoder calls in its worker threads. Types only. */

import type { EncodedPassage, EncodedQuestion, PassageInput } from "../../../../src/encode/types.js";
import type { ModelFile } from "./model-folder.js";

/** The worker data of an encoder thread. */
export interface EncoderSetup {
  folder: string;
  model: ModelFile;
}

export interface EncoderService {
  encodePassages(params: { inputs: PassageInput[]; keepAll: boolean }): EncodedPassage[];
  encodeQuestion(params: { text: string; ids: Uint16Array }): EncodedQuestion;
}
