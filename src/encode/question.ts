/** The question's side: the [CLS] row through its own head, its n-gram weights, and its bare terms for SPARTA. */

import { ngramStarts } from "./pack.js";
import type { EncodedQuestion, ModelInfo } from "./types.js";

/** Weights of question.bin: y = W·cls + bias, split into start, end and coherency; a gain for every term. */
export interface QuestionHead {
  weight: Float32Array; // [(2·dense + coherency) × hidden]
  bias: Float32Array; // [2·dense + coherency]
  gains: Float32Array; // [V]
}

/** Cuts question.bin (float32, little-endian) into its parts. */
export function parseQuestionHead(
  bytes: Uint8Array,
  shape: { hidden: number; outputs: number; vocabularySize: number },
): QuestionHead | undefined {
  const { hidden, outputs, vocabularySize } = shape;
  if (bytes.byteLength !== 4 * (outputs * hidden + outputs + vocabularySize)) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const all = Float32Array.from({ length: bytes.byteLength / 4 }, (_, i) => view.getFloat32(4 * i, true));
  const biasAt = outputs * hidden;
  return {
    weight: all.subarray(0, biasAt),
    bias: all.subarray(biasAt, biasAt + outputs),
    gains: all.subarray(biasAt + outputs),
  };
}

/** W·x + bias. Four outputs at a time, for each sum is a chain of additions that wait for one another; each in the order of x. */
function linear({ weight, bias }: QuestionHead, x: Float32Array): Float32Array {
  const out = Float32Array.from(bias);
  const width = x.length;
  let o = 0;
  for (; o + 4 <= out.length; o += 4) {
    let [a, b, c, d] = [bias[o]!, bias[o + 1]!, bias[o + 2]!, bias[o + 3]!];
    const first = o * width;
    for (let h = 0, at = first; h < width; h++, at++) {
      const value = x[h]!;
      a += weight[at]! * value;
      b += weight[at + width]! * value;
      c += weight[at + 2 * width]! * value;
      d += weight[at + 3 * width]! * value;
    }
    out[o] = a;
    out[o + 1] = b;
    out[o + 2] = c;
    out[o + 3] = d;
  }
  for (; o < out.length; o++) {
    let sum = bias[o]!;
    for (let h = 0; h < width; h++) sum += weight[o * width + h]! * x[h]!;
    out[o] = sum;
  }
  return out;
}

/**
 * @param ids [M] with [CLS] and [SEP]
 * @param cls hidden row of [CLS]
 * @param ngrams [4 × M × M] relu; the [CLS] row of each plane is the question's
 */
export function finishQuestion(
  text: string,
  ids: Uint16Array,
  options: {
    cls: Float32Array;
    ngrams: Float32Array;
    head: QuestionHead;
    model: Pick<ModelInfo, "dense" | "coherency">;
    isSpecial: (id: number) => boolean;
  },
): EncodedQuestion {
  const { cls, ngrams, head, model, isSpecial } = options;
  const out = linear(head, cls);
  const length = ids.length;
  const starts = ngramStarts(ids, isSpecial);
  const plane = (index: number): Float32Array => {
    const allowed = index % 2 === 0 ? starts.unigrams : starts.bigrams;
    const row = ngrams.slice(index * length * length, index * length * length + length);
    return row.map((weight, t) => (allowed[t] === 1 && t !== 0 ? weight : 0));
  };
  const counts = new Map<number, number>();
  for (const id of ids) if (!isSpecial(id)) counts.set(id, (counts.get(id) ?? 0) + 1);
  const terms = Uint16Array.from([...counts.keys()].sort((a, b) => a - b));
  return {
    text,
    ids,
    start: out.slice(0, model.dense),
    end: out.slice(model.dense, 2 * model.dense),
    coherency: out.slice(2 * model.dense, 2 * model.dense + model.coherency),
    startUnigrams: plane(0),
    startBigrams: plane(1),
    endUnigrams: plane(2),
    endBigrams: plane(3),
    terms,
    termWeights: Float32Array.from(terms, (term) => counts.get(term)! * head.gains[term]!),
  };
}
