/** Food for the processes: a document for a number and a seed, and the encoder that all of them share. */

import type { Document } from "../../../src/types.js";
import { textDocument } from "../../support/ask.js";
import { MADE_UP_WORDS } from "../../support/made-up.js";
import { seededRandom } from "../../support/random.js";
import { TinyEncoder } from "../../support/tiny-encoder.js";

export const encoder = new TinyEncoder(MADE_UP_WORDS);

/** The text says which seed it was made of, as the metadata does. */
export function documentOf(number: number, seed: number): Document {
  const random = seededRandom(seed * 1000 + number);
  const words = Array.from({ length: random.whole(4, 80) }, () => random.pick(MADE_UP_WORDS));
  return { ...textDocument(`doc-${number}`, `${words.join(" ")} ${seed}.`), metadata: { seed: String(seed) } };
}
