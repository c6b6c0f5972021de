/** An encoder without a network: tokens only. Indexes of level `lexical` use it. */

import { throwIfAborted } from "../errors.js";
import { questionInput } from "./input.js";
import type { EncodedPassage, EncodedQuestion, Encoder, NgramRows, PassageInput } from "./types.js";

const noRows = (): NgramRows => ({
  offsets: new Uint32Array(1),
  positions: new Uint8Array(0),
  weights: new Uint8Array(0),
});

/** What a passage without start and end rows has in their place. */
export function emptyRows() {
  return {
    startPositions: new Uint16Array(0),
    endPositions: new Uint16Array(0),
    startVectors: new Int8Array(0),
    endVectors: new Int8Array(0),
    startCoherency: new Int8Array(0),
    endCoherency: new Int8Array(0),
    startUnigrams: noRows(),
    startBigrams: noRows(),
    endUnigrams: noRows(),
    endBigrams: noRows(),
  } satisfies Partial<EncodedPassage>;
}

/** A passage with its tokens and empty units: no vectors, no weights. */
function barePassage({ ids, firstToken, units }: PassageInput): EncodedPassage {
  return {
    ids,
    firstToken,
    ...emptyRows(),
    units: units.map(() => ({ terms: new Uint16Array(0), weights: new Uint8Array(0) })),
    vector: new Int8Array(0),
  };
}

/** Wraps an encoder to use its tokenizer only. `close` does not close the wrapped encoder. */
export function withoutNetwork(encoder: Pick<Encoder, "info" | "tokenizer">): Encoder {
  const { info, tokenizer } = encoder;
  return {
    info,
    tokenizer,
    async encodePassages(inputs, { signal } = {}) {
      throwIfAborted(signal);
      return inputs.map(barePassage);
    },
    async encodeQuestion(text, { signal } = {}) {
      throwIfAborted(signal);
      return bareQuestion(text, { info, tokenizer });
    },
    async close() {},
  };
}

/** A question with its tokens and zero vectors. */
function bareQuestion(text: string, { info, tokenizer }: Pick<Encoder, "info" | "tokenizer">): EncodedQuestion {
  const ids = questionInput(tokenizer, text, info.maxQuestionTokens);
  const zeros = (): Float32Array => new Float32Array(ids.length);
  return {
    text,
    ids,
    start: new Float32Array(info.dense),
    end: new Float32Array(info.dense),
    coherency: new Float32Array(info.coherency),
    offset: 0,
    vector: new Float32Array(info.vector),
    startUnigrams: zeros(),
    startBigrams: zeros(),
    endUnigrams: zeros(),
    endBigrams: zeros(),
    terms: new Uint16Array(0),
    termWeights: new Float32Array(0),
  };
}
