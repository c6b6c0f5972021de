/**
 * Turns the network's floating-point outputs into what the index stores: applies the filter, quantises
 * to the model's storage precision, and selects the largest n-gram and term weights. This is the only
 * lossy step. Deterministic: equal outputs and limits give equal bytes.
 */

import { fullPrecision, precisionOf, roundNgramWeight, roundRows, type Steps } from "./precision.js";
import type { EncodedPassage, ModelInfo, NgramRows, PassageInput, TermWeights } from "./types.js";

/** The network's outputs for one input of T tokens, row-major. */
export interface RawPassage {
  start: Float32Array; // [T × dense]
  end: Float32Array; // [T × dense]
  coherency: Float32Array; // [T × 2·coherency]: c1 then c2 of each row
  keep: Float32Array; // [T × 2] filter logits of start and end
  ngrams: Float32Array; // [4 × T × T] relu: start unigrams, start bigrams, end unigrams, end bigrams
  vector: Float32Array; // [vector], of length 1
}

type PackModel = Pick<
  ModelInfo,
  "dense" | "coherency" | "scales" | "filter" | "ngramsPerRow" | "bigramsPerRow" | "termsPerUnit" | "storage"
>;

/** Stored value of 1 in a passage's vector: its values are between −1 and 1. */
export const VECTOR_SCALE = 127;

/** int8 value = clamp(round half away from zero(x · scale), -127, 127). */
function quantiseSigned(value: number, scale: number): number {
  const scaled = value * scale;
  const rounded = scaled < 0 ? -Math.round(-scaled) : Math.round(scaled);
  return rounded > 127 ? 127 : rounded < -127 ? -127 : rounded;
}

function quantiseRows(
  source: Float32Array,
  positions: Uint16Array,
  layout: { stride: number; from: number; width: number; scale: number; steps: Steps },
): Int8Array {
  const { stride, from, width, scale, steps } = layout;
  const out = new Int8Array(positions.length * width);
  let at = 0;
  for (const position of positions) {
    const base = position * stride + from;
    for (let d = 0; d < width; d++) out[at++] = quantiseSigned(source[base + d]!, scale);
  }
  return roundRows(out, { dim: width, steps });
}

/** Passage positions whose filter logit reaches the threshold; the best one if none does. */
function keptPositions(input: PassageInput, keep: Float32Array, column: number, threshold: number): Uint16Array {
  const kept: number[] = [];
  let best = input.firstToken;
  const last = input.ids.length - 1;
  for (let t = input.firstToken; t < last; t++) {
    const logit = keep[2 * t + column]!;
    if (logit >= threshold) kept.push(t);
    if (logit > keep[2 * best + column]!) best = t;
  }
  if (kept.length === 0 && last > input.firstToken) kept.push(best);
  return Uint16Array.from(kept);
}

/**
 * The largest n-gram weights of each kept row (SPARC Eq. 1 after ReLU). The diagonal is zero; n-grams
 * that contain a special token are excluded, and so are weights that round to 0.
 * @param options.allowed  1 where an n-gram of this order may start
 */
function packNgrams(
  weights: Float32Array,
  positions: Uint16Array,
  options: {
    plane: number;
    length: number;
    allowed: Uint8Array;
    scale: number;
    step: number;
    perRow: number;
    wide: boolean;
  },
): NgramRows {
  const { plane, length, allowed, scale, step, perRow, wide } = options;
  const offsets = new Uint32Array(positions.length + 1);
  const limit = Math.min(perRow, length);
  const where = new Uint16Array(positions.length * limit);
  const values = new Uint8Array(positions.length * limit);
  /** weight << 16 | 65,535 − position: larger weights win, ties go to the first position. */
  const keys = new Uint32Array(length);
  const best = new LargestKeys(limit);
  let total = 0;
  for (let r = 0; r < positions.length; r++) {
    const row = positions[r]!;
    const base = (plane * length + row) * length;
    let count = 0;
    for (let t = 0; t < length; t++) {
      const weight = weights[base + t]!;
      if (weight <= 0 || allowed[t] === 0 || t === row) continue;
      const value = Math.round(weight * scale);
      if (value < 1) continue;
      keys[count++] = ((value > 255 ? 255 : value) << 16) | (0xffff - t);
    }
    const cutOff = count > limit ? best.smallestOf(keys, count) : 0;
    for (let n = 0; n < count; n++) {
      const key = keys[n]!;
      if (key < cutOff) continue;
      const weight = roundNgramWeight(key >>> 16, step);
      if (weight === 0) continue;
      where[total] = 0xffff - (key & 0xffff);
      values[total++] = weight;
    }
    offsets[r + 1] = total;
  }
  const kept = where.subarray(0, total);
  return { offsets, positions: wide ? kept.slice() : Uint8Array.from(kept), weights: values.slice(0, total) };
}

/** Finds the few largest of many distinct keys; reused from row to row. */
class LargestKeys {
  /** Ascending. */
  readonly #kept: Uint32Array;

  /** @param limit  ≥ 0 */
  constructor(limit: number) {
    this.#kept = new Uint32Array(limit);
  }

  /**
   * @param count  more than the limit; the first `count` keys are distinct
   * @returns the smallest of the largest keys
   */
  smallestOf(keys: Uint32Array, count: number): number {
    const kept = this.#kept;
    const limit = kept.length;
    if (limit === 0) return 0xffffffff;
    kept.fill(0);
    for (let n = 0; n < count; n++) {
      const key = keys[n]!;
      if (key <= kept[0]!) continue;
      let at = 1;
      for (; at < limit && kept[at]! < key; at++) kept[at - 1] = kept[at]!;
      kept[at - 1] = key;
    }
    return kept[0]!;
  }
}

/** Positions where uni- and bigrams without special tokens start. */
export function ngramStarts(
  ids: Uint16Array,
  isSpecial: (id: number) => boolean,
): { unigrams: Uint8Array; bigrams: Uint8Array } {
  const unigrams = Uint8Array.from(ids, (id) => (isSpecial(id) ? 0 : 1));
  const bigrams = Uint8Array.from(unigrams, (own, t) => own & (unigrams[t + 1] ?? 0));
  return { unigrams, bigrams };
}

interface PackTermsOptions {
  /** The scale of stored weights: byte = round(weight · scale). */
  scale: number;
  /** Number of weights that are kept. */
  limit: number;
  /** Terms that the unit itself contains, in any order, repeated or not. */
  own?: ArrayLike<number>;
  /** Minimum weight of those terms. Default 0. */
  ownTermWeight?: number;
}

/**
 * The largest term weights of one unit, by ascending term id. Ties at the cut-off go to the smaller id.
 * A term that the unit contains has at least `ownTermWeight`: a network that never saw a rare word
 * piece in training gives it no weight, and a name could not be found by its own letters.
 * @param weights [V] = log(1 + relu(max_j e_t · s_j + b))     (SPARTA Eq. 3)
 */
export function packTerms(weights: Float32Array, options: PackTermsOptions): TermWeights {
  const { scale, limit, own = [], ownTermWeight = 0 } = options;
  const counts = new Uint32Array(256);
  const quantised = new Uint8Array(weights.length);
  for (let t = 0; t < weights.length; t++) {
    const value = Math.round(weights[t]! * scale);
    const byte = value > 255 ? 255 : value > 0 ? value : 0;
    quantised[t] = byte;
    counts[byte]!++;
  }
  const least = Math.min(255, Math.round(ownTermWeight * scale));
  for (let n = 0; n < own.length; n++) {
    const byte = quantised[own[n]!]!;
    if (byte >= least) continue;
    counts[byte]!--;
    counts[least]!++;
    quantised[own[n]!] = least;
  }
  let border = 255;
  let above = 0;
  while (border > 1 && above + counts[border]! < limit) above += counts[border--]!;
  let atBorder = Math.max(0, Math.min(counts[border]!, limit - above));
  const terms: number[] = [];
  const kept: number[] = [];
  for (let t = 0; t < quantised.length; t++) {
    const value = quantised[t]!;
    if (value < border || value === 0 || (value === border && atBorder-- <= 0)) continue;
    terms.push(t);
    kept.push(value);
  }
  return { terms: Uint16Array.from(terms), weights: Uint8Array.from(kept) };
}

/** The number of term weights that an index of this model stores per unit. */
export const storedTermsPerUnit = ({ termsPerUnit, storage }: Pick<ModelInfo, "termsPerUnit" | "storage">): number =>
  Math.min(termsPerUnit, storage?.termsPerUnit ?? termsPerUnit);

/**
 * @param options.units  packed term weights of each unit of the input
 * @param options.keepAll  keep every row and weight, without rounding to the storage precision
 */
export function packPassage(
  input: PassageInput,
  raw: RawPassage,
  options: { model: PackModel; isSpecial: (id: number) => boolean; units: TermWeights[]; keepAll?: boolean },
): EncodedPassage {
  const { model, isSpecial, keepAll = false } = options;
  const { dense, coherency, scales } = model;
  const length = input.ids.length;
  const startPositions = keptPositions(input, raw.keep, 0, keepAll ? -Infinity : model.filter.start);
  const endPositions = keptPositions(input, raw.keep, 1, keepAll ? -Infinity : model.filter.end);
  const { unigrams, bigrams } = ngramStarts(input.ids, isSpecial);
  const { ngramsPerRow, bigramsPerRow = ngramsPerRow, storage } = model;
  const precision = keepAll ? fullPrecision(model) : precisionOf(model);
  const storedPerRow = (limit: number): number => Math.min(limit, storage?.ngramsPerRow ?? limit);
  const ngrams = (plane: number, positions: Uint16Array): NgramRows =>
    packNgrams(raw.ngrams, positions, {
      plane,
      length,
      allowed: plane % 2 === 0 ? unigrams : bigrams,
      scale: scales.ngram,
      step: precision.ngramStep,
      perRow: keepAll ? length : storedPerRow(plane % 2 === 0 ? ngramsPerRow : bigramsPerRow),
      wide: length > 256,
    });
  const rows = { stride: dense, from: 0, width: dense };
  const pairs = { stride: 2 * coherency, width: coherency, steps: precision.coherency };
  const c1 = { ...pairs, from: 0, scale: scales.coherencyStart };
  const c2 = { ...pairs, from: coherency, scale: scales.coherencyEnd };
  return {
    ids: input.ids,
    firstToken: input.firstToken,
    startPositions,
    endPositions,
    startVectors: quantiseRows(raw.start, startPositions, { ...rows, scale: scales.start, steps: precision.start }),
    endVectors: quantiseRows(raw.end, endPositions, { ...rows, scale: scales.end, steps: precision.end }),
    startCoherency: quantiseRows(raw.coherency, startPositions, c1),
    endCoherency: quantiseRows(raw.coherency, endPositions, c2),
    startUnigrams: ngrams(0, startPositions),
    startBigrams: ngrams(1, startPositions),
    endUnigrams: ngrams(2, endPositions),
    endBigrams: ngrams(3, endPositions),
    units: options.units,
    vector: Int8Array.from(raw.vector, (value) => quantiseSigned(value, VECTOR_SCALE)),
  };
}
