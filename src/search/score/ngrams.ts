/** SPARC's contextual n-grams between a question and a passage: S'·F'·Fᵀ·Sᵀ without F (the kernel trick of Eq. 2). */

import type { EncodedQuestion, NgramRows } from "../../encode/types.js";

/** Token ids fill 16 bits, so a bigram is one 32-bit key. */
const ID_RANGE = 65_536;

export type Side = "start" | "end";

/** One kind of n-gram of a question: slot of every distinct n-gram, and its weight for each side. */
interface SlotWeights {
  slots: Map<number, number>;
  start: number[];
  end: number[];
}

/** The n-grams of a question with their weights, summed over repeated occurrences. */
export interface QuestionNgrams {
  unigrams: SlotWeights;
  /** Key first · 65536 + second. */
  bigrams: SlotWeights;
}

/**
 * The question's weight for the n-gram that begins at every position of a passage: float [T] each, 0 where it has
 * none.
 */
export interface NgramMatchWeights {
  /** False where the passage has none of the question's: all weights of the kind are 0 then. */
  unigrams: boolean;
  bigrams: boolean;
  startUnigrams: Float64Array;
  startBigrams: Float64Array;
  endUnigrams: Float64Array;
  endBigrams: Float64Array;
}

/**
 * @param specials  ids of [PAD], [CLS] and [SEP]: they match nothing, nor does a bigram with one of them
 */
export function questionNgrams(question: EncodedQuestion, specials: ReadonlySet<number>): QuestionNgrams {
  const unigrams: SlotWeights = { slots: new Map(), start: [], end: [] };
  const bigrams: SlotWeights = { slots: new Map(), start: [], end: [] };
  const { ids } = question;
  for (let m = 0; m < ids.length; m++) {
    const id = ids[m]!;
    if (specials.has(id)) continue;
    add(unigrams, id, question.startUnigrams[m]!, question.endUnigrams[m]!);
    const next = ids[m + 1];
    if (next === undefined || specials.has(next)) continue;
    add(bigrams, id * ID_RANGE + next, question.startBigrams[m]!, question.endBigrams[m]!);
  }
  return { unigrams, bigrams };
}

function add(kind: SlotWeights, key: number, start: number, end: number): void {
  let slot = kind.slots.get(key);
  if (slot === undefined) {
    slot = kind.start.length;
    kind.slots.set(key, slot);
    kind.start.push(0);
    kind.end.push(0);
  }
  kind.start[slot]! += start;
  kind.end[slot]! += end;
}

/**
 * u[t] of every position t of a passage. O(T) map lookups; a bigram is only looked up where both of its tokens are in
 * the question.
 */
export function matchNgrams(ids: Uint16Array, question: QuestionNgrams): NgramMatchWeights {
  const length = ids.length;
  const all = new Float64Array(4 * length);
  const startUnigrams = all.subarray(0, length);
  const startBigrams = all.subarray(length, 2 * length);
  const endUnigrams = all.subarray(2 * length, 3 * length);
  const endBigrams = all.subarray(3 * length);
  const { unigrams, bigrams } = question;
  const found = { unigrams: false, bigrams: false };
  let before: number | undefined;
  for (let t = 0; t < length; t++) {
    const slot = unigrams.slots.get(ids[t]!);
    if (slot !== undefined) {
      found.unigrams = true;
      startUnigrams[t] = unigrams.start[slot]!;
      endUnigrams[t] = unigrams.end[slot]!;
      const pair = before === undefined ? undefined : bigrams.slots.get(ids[t - 1]! * ID_RANGE + ids[t]!);
      if (pair !== undefined) {
        found.bigrams = true;
        startBigrams[t - 1] = bigrams.start[pair]!;
        endBigrams[t - 1] = bigrams.end[pair]!;
      }
    }
    before = slot;
  }
  return { ...found, startUnigrams, startBigrams, endUnigrams, endBigrams };
}

/** Σ over the stored entries of row r: byte weight × u[position]. In the steps of scales.ngram. */
export function ngramSum(rows: NgramRows, row: number, weights: Float64Array): number {
  const { offsets, positions, weights: stored } = rows;
  const end = offsets[row + 1]!;
  let sum = 0;
  for (let entry = offsets[row]!; entry < end; entry++) sum += stored[entry]! * weights[positions[entry]!]!;
  return sum;
}
