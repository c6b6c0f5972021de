/** The question side: the [CLS] row through its linear head, its n-gram weights, and its SPARTA terms. */

import { createLinear, type Linear } from "../kernel/linear.js";
import { ngramStarts } from "./pack.js";
import type { EncodedQuestion, ModelInfo } from "./types.js";

/** The contents of question.bin. */
export interface QuestionHead {
  /** y = W·cls + bias, [hidden] to [2·dense + coherency + 1]: start, end, coherency and offset. */
  linear: Linear;
  /** [V] gain of each term. */
  gains: Float32Array;
}

/** Parses question.bin (float32, little-endian). @returns undefined if the size is wrong */
export function parseQuestionHead(
  bytes: Uint8Array,
  shape: { hidden: number; dense: number; coherency: number; vocabularySize: number },
): QuestionHead | undefined {
  const { hidden, dense, coherency, vocabularySize } = shape;
  const outputs = 2 * dense + coherency + 1;
  if (bytes.byteLength !== 4 * (outputs * hidden + outputs + vocabularySize)) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const all = Float32Array.from({ length: bytes.byteLength / 4 }, (_, i) => view.getFloat32(4 * i, true));
  const biasAt = outputs * hidden;
  return {
    linear: createLinear({ weight: all.subarray(0, biasAt), bias: all.subarray(biasAt, biasAt + outputs) }),
    gains: all.subarray(biasAt + outputs),
  };
}

/**
 * @param ids  [M] with [CLS] and [SEP]
 * @param options.cls  hidden row of [CLS]
 * @param options.vector  [vector], of length 1
 * @param options.ngrams  [4 × M × M] after ReLU; the [CLS] row of each plane is the question's
 */
export function finishQuestion(
  text: string,
  ids: Uint16Array,
  options: {
    cls: Float32Array;
    ngrams: Float32Array;
    vector: Float32Array;
    head: QuestionHead;
    model: Pick<ModelInfo, "dense" | "coherency">;
    isSpecial: (id: number) => boolean;
  },
): EncodedQuestion {
  const { cls, ngrams, vector, head, model, isSpecial } = options;
  const out = head.linear(cls);
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
    offset: out[2 * model.dense + model.coherency]!,
    vector,
    startUnigrams: plane(0),
    startBigrams: plane(1),
    endUnigrams: plane(2),
    endBigrams: plane(3),
    terms,
    termWeights: Float32Array.from(terms, (term) => counts.get(term)! * head.gains[term]!),
  };
}
