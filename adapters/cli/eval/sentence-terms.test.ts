import { expect, it } from "vitest";
import { Bm25 } from "../../../src/evaluate/bm25.js";
import { reqaFromSquad } from "../../../src/evaluate/reqa-from-squad.js";
import { parseSquad } from "../../../src/evaluate/squad-file.js";
import { TinyEncoder } from "../../../test/support/tiny-encoder.js";
import type { Io } from "../process-io.js";
import { ALL, rankByTerms } from "./sentence-terms.js";

const CONTEXTS = ["Alpha one. Two three.", "Alpha four. Alpha alpha five."];
const QUESTION = { id: "1", question: "alpha", answers: [{ text: "one", answer_start: 6 }] };
const SQUAD = {
  data: [{ title: "Alpha", paragraphs: CONTEXTS.map((context, n) => ({ context, qas: n === 0 ? [QUESTION] : [] })) }],
};
const TERM = 7;

/** An encoder that gives the question's term these weights: of each paragraph's sentences, then of the paragraph. */
function encoderWith(weights: readonly (readonly number[])[]): TinyEncoder {
  const encoder = new TinyEncoder(CONTEXTS);
  const { encodeQuestion, encodePassages } = encoder;
  let paragraph = 0;
  return Object.assign(encoder, {
    encodeQuestion: async (text: string) => ({
      ...(await encodeQuestion.call(encoder, text)),
      terms: Uint16Array.of(TERM),
      termWeights: Float32Array.of(1),
    }),
    encodePassages: async (...given: Parameters<typeof encodePassages>) => {
      const own = weights[paragraph++]!;
      const units = own.map((weight) => ({ terms: Uint16Array.of(TERM), weights: Uint8Array.of(weight) }));
      return (await encodePassages.apply(encoder, given)).map((encoded) => ({ ...encoded, units }));
    },
  });
}

it.each([
  [
    "nothing, so that of equal sentences the one whose paragraph has the word more often is first",
    [
      [0, 0, 0],
      [0, 0, 0],
    ],
    3,
  ],
  [
    "the sentence",
    [
      [255, 0, 0],
      [0, 0, 0],
    ],
    1,
  ],
  [
    "its paragraph",
    [
      [0, 0, 255],
      [0, 0, 0],
    ],
    1,
  ],
  [
    "another paragraph",
    [
      [0, 0, 0],
      [0, 0, 255],
    ],
    3,
  ],
])("ranks by terms and BM25 together: terms say %s", async (_, weights, rank) => {
  const file = reqaFromSquad(parseSquad(SQUAD));
  const bm25 = new Bm25(file.candidates);
  const options = { encoder: encoderWith(weights), io: {} as Io, contextOnly: true, bm25 };
  const found = await rankByTerms(file, [ALL], { ...options, squad: { json: SQUAD, where: "test" } });
  expect(found).toMatchObject({ alone: undefined, candidatesInContext: 4, withBm25: [rank] });
});
