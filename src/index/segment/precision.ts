/** "How finely is a passage kept?" All that an index leaves of a passage's encoding is left here; the files hold the rest to the bit. */

import type { EncodedPassage, NgramRows, StoragePrecision, TermWeights } from "../../encode/types.js";
import { VerbatimError } from "../../errors.js";
import { DROPPED, groupsOf, roundToStep, type Steps } from "../format/packing.js";

/** How the numbers of a segment are coded; it stands in the segment's files. */
export interface Precision {
  /** [⌈dense / 16⌉] */
  start: Steps;
  end: Steps;
  /** [⌈coherency / 16⌉] */
  coherency: Steps;
  coarseBits: 4 | 8;
  ngramStep: number;
}

interface Dimensions {
  dense: number;
  coherency: number;
}

/** Every number as it is. */
export function fullPrecision({ dense, coherency }: Dimensions): Precision {
  const ones = (dim: number) => new Uint8Array(groupsOf(dim)).fill(1);
  return { start: ones(dense), end: ones(dense), coherency: ones(coherency), coarseBits: 8, ngramStep: 1 };
}

/** @throws VerbatimError `invalid-argument` for steps that do not fit the model */
export function precisionOf(model: Dimensions & { storage?: StoragePrecision }): Precision {
  const { storage } = model;
  if (storage === undefined) return fullPrecision(model);
  const { coarseBits, ngramStep, ngramsPerRow, termsPerUnit } = storage;
  const steps = (name: "start" | "end" | "coherency", dim: number): Steps => {
    const given = storage[name];
    const fits = (step: number) => isStep(step) || step === DROPPED;
    if (given.length !== groupsOf(dim) || !given.every(fits)) {
      throw invalid(`storage.${name} is not ${groupsOf(dim)} steps of 1 … 64 or 255`, given.join(", "));
    }
    return Uint8Array.from(given);
  };
  if (!isStep(ngramStep)) throw invalid("storage.ngramStep is not 1 … 64", ngramStep);
  if (coarseBits !== 4 && coarseBits !== 8) throw invalid("storage.coarseBits is not 4 or 8", coarseBits);
  for (const [name, most] of Object.entries({ ngramsPerRow, termsPerUnit })) {
    if (!(Number.isSafeInteger(most) && most >= 1)) throw invalid(`storage.${name} is not a number ≥ 1`, most);
  }
  return {
    start: steps("start", model.dense),
    end: steps("end", model.dense),
    coherency: steps("coherency", model.coherency),
    coarseBits,
    ngramStep,
  };
}

export const isStep = (step: number): boolean => Number.isInteger(step) && step >= 1 && step <= 64;

function invalid(what: string, found: unknown): VerbatimError {
  return new VerbatimError("invalid-argument", `The model's ${what}.`, {
    found,
    hint: "Mend the block `storage` in the model's model.json, or take it out: then everything is kept as it is.",
  });
}

/** Of each number the larger step: what segments are merged to, so that none is kept finer than it was. */
export function coarsest(all: readonly Precision[]): Precision {
  const larger = (a: Steps, b: Steps) => a.map((step, g) => Math.max(step, b[g]!));
  return all.reduce((a, b) => ({
    start: larger(a.start, b.start),
    end: larger(a.end, b.end),
    coherency: larger(a.coherency, b.coherency),
    coarseBits: a.coarseBits === 4 || b.coarseBits === 4 ? 4 : 8,
    ngramStep: Math.max(a.ngramStep, b.ngramStep),
  }));
}

/**
 * What is left of a passage: the largest n-gram weights of each row and the largest term weights of each unit. Of equal weights the
 * first is kept. The steps are taken where the numbers are packed.
 */
export function reducePassage(passage: EncodedPassage, storage: StoragePrecision | undefined): EncodedPassage {
  if (storage === undefined) return passage;
  const { ngramsPerRow, ngramStep, termsPerUnit } = storage;
  const ngrams = (rows: NgramRows) => largestOfRows(rows, { most: ngramsPerRow, step: ngramStep });
  return {
    ...passage,
    startUnigrams: ngrams(passage.startUnigrams),
    startBigrams: ngrams(passage.startBigrams),
    endUnigrams: ngrams(passage.endUnigrams),
    endBigrams: ngrams(passage.endBigrams),
    units: passage.units.map((unit) => largestTerms(unit, termsPerUnit)),
  };
}

/** A weight that would be read as 0 is left out. */
function largestOfRows(rows: NgramRows, { most, step }: { most: number; step: number }): NgramRows {
  const offsets = new Uint32Array(rows.offsets.length);
  const positions = new Uint8Array(rows.positions.length);
  const weights = new Uint8Array(rows.positions.length);
  let total = 0;
  for (let row = 0; row + 1 < offsets.length; row++) {
    const [from, end] = [rows.offsets[row]!, rows.offsets[row + 1]!];
    const { border, ties } = borderOf(rows.weights, { from, end, most });
    for (let i = from, left = ties; i < end; i++) {
      const weight = rows.weights[i]!;
      if (weight < border || (weight === border && left-- <= 0) || weight * 2 < step) continue;
      positions[total] = rows.positions[i]!;
      weights[total++] = weight;
    }
    offsets[row + 1] = total;
  }
  return { offsets, positions: positions.slice(0, total), weights: weights.slice(0, total) };
}

export function largestTerms({ terms, weights }: TermWeights, most: number): TermWeights {
  if (terms.length <= most) return { terms, weights };
  const { border, ties } = borderOf(weights, { from: 0, end: weights.length, most });
  const kept = { terms: new Uint16Array(most), weights: new Uint8Array(most) };
  for (let i = 0, n = 0, left = ties; i < weights.length; i++) {
    const weight = weights[i]!;
    if (weight < border || (weight === border && left-- <= 0)) continue;
    kept.terms[n] = terms[i]!;
    kept.weights[n++] = weight;
  }
  return kept;
}

/** How often each weight occurs: used again, all 0 in between. */
const occurrences = new Uint16Array(256);

/** The `most` largest of weights[from, end) are those above `border` and the first `ties` that equal it. */
function borderOf(
  weights: Uint8Array,
  { from, end, most }: { from: number; end: number; most: number },
): { border: number; ties: number } {
  if (end - from <= most) return { border: 0, ties: end - from };
  if (most === 0) return { border: 256, ties: 0 };
  for (let i = from; i < end; i++) occurrences[weights[i]!]!++;
  let border = 255;
  let above = 0;
  while (above + occurrences[border]! < most) above += occurrences[border--]!;
  for (let i = from; i < end; i++) occurrences[weights[i]!] = 0;
  return { border, ties: most - above };
}

/** An n-gram weight as it is read back: never 0, for what would be is left out before. */
export const ngramWeight = (multiple: number, step: number): number => Math.min(255, multiple * step);

/** A passage as an index of this model, asked for it, gives it back: what is left of it at the model's steps. */
export function asStored(passage: EncodedPassage, model: Dimensions & { storage?: StoragePrecision }): EncodedPassage {
  const { start, end, coherency, ngramStep } = precisionOf(model);
  const reduced = reducePassage(passage, model.storage);
  const rows = (values: Int8Array, dim: number, steps: Steps) => roundRows(values, { dim, steps });
  const ngrams = (list: NgramRows): NgramRows => ({
    ...list,
    weights: list.weights.map((weight) => ngramWeight(Math.round(weight / ngramStep), ngramStep)),
  });
  return {
    ...reduced,
    startVectors: rows(reduced.startVectors, model.dense, start),
    endVectors: rows(reduced.endVectors, model.dense, end),
    startCoherency: rows(reduced.startCoherency, model.coherency, coherency),
    endCoherency: rows(reduced.endCoherency, model.coherency, coherency),
    startUnigrams: ngrams(reduced.startUnigrams),
    startBigrams: ngrams(reduced.startBigrams),
    endUnigrams: ngrams(reduced.endUnigrams),
    endBigrams: ngrams(reduced.endBigrams),
  };
}

/** Vectors as an index of these steps gives them back. */
export function roundRows(rows: Int8Array, { dim, steps }: { dim: number; steps: Steps }): Int8Array {
  return rows.map((value, i) => roundToStep(value, steps[(i % dim) >> 4]!));
}
