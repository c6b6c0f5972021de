/**
 * The precision at which passages are stored. The encoder rounds its output to it once (pack.ts); the
 * index stores these values without further loss.
 */

import { VerbatimError } from "../errors.js";
import type { StoragePrecision } from "./types.js";

/** Dimensions that share a step. */
export const GROUP = 16;
/** The step of a group that is not stored: its values are read as 0. */
export const DROPPED = 255;
const MAX_STEP = 64;

/** One step per group of 16 dimensions: [⌈dim / 16⌉], 1 … 64 or DROPPED. */
export type Steps = Uint8Array;

/** The precision of a segment; its files record it. */
export interface Precision {
  /** [⌈dense / 16⌉] */
  start: Steps;
  end: Steps;
  /** [⌈coherency / 16⌉] */
  coherency: Steps;
  ngramStep: number;
}

interface Dimensions {
  dense: number;
  coherency: number;
}

export const groupsOf = (dim: number): number => Math.ceil(dim / GROUP);

export const isStep = (step: number): boolean => Number.isInteger(step) && step >= 1 && step <= MAX_STEP;

/**
 * The nearest multiple, in steps. Models produce −127 … 127; unless the step is 1, −128 counts as −127.
 */
export function multipleOf(value: number, step: number): number {
  return step === 1 ? value : Math.round(Math.max(-127, value) / step);
}

/** The nearest storable value: at most half a step away; 0 for DROPPED. */
export function roundToStep(value: number, step: number): number {
  if (step === 1) return value;
  if (step === DROPPED) return 0;
  return Math.max(-127, Math.min(127, multipleOf(value, step) * step)) + 0; // + 0 turns −0 into 0
}

/** Rounded int8 values by byte, for each step in use. */
const roundingTables = new Map<number, Int8Array>();

function roundingTable(step: number): Int8Array {
  let table = roundingTables.get(step);
  if (table === undefined) {
    table = Int8Array.from({ length: 256 }, (_, byte) => roundToStep((byte << 24) >> 24, step));
    roundingTables.set(step, table);
  }
  return table;
}

/** Rounds rows in place. @param rows  int8 [count × dim] */
export function roundRows(rows: Int8Array, { dim, steps }: { dim: number; steps: Steps }): Int8Array {
  for (let g = 0; g < steps.length; g++) {
    if (steps[g] === 1) continue;
    const table = roundingTable(steps[g]!);
    const end = Math.min(dim, (g + 1) * GROUP);
    for (let row = 0; row < rows.length; row += dim) {
      for (let d = g * GROUP; d < end; d++) rows[row + d] = table[rows[row + d]! & 255]!;
    }
  }
  return rows;
}

/** True if rounding would change nothing. @param rows  int8 [count × dim] */
export function areRowsRounded(rows: Int8Array, { dim, steps }: { dim: number; steps: Steps }): boolean {
  for (let g = 0; g < steps.length; g++) {
    if (steps[g] === 1) continue;
    const table = roundingTable(steps[g]!);
    const end = Math.min(dim, (g + 1) * GROUP);
    for (let row = 0; row < rows.length; row += dim) {
      for (let d = g * GROUP; d < end; d++) {
        if (rows[row + d] !== table[rows[row + d]! & 255]!) return false;
      }
    }
  }
  return true;
}

/** The stored value of an n-gram weight. */
export function roundNgramWeight(weight: number, step: number): number {
  return Math.min(255, Math.round(weight / step) * step);
}

/** No rounding. */
export function fullPrecision({ dense, coherency }: Dimensions): Precision {
  const ones = (dim: number): Steps => new Uint8Array(groupsOf(dim)).fill(1);
  return { start: ones(dense), end: ones(dense), coherency: ones(coherency), ngramStep: 1 };
}

/**
 * A model's storage precision, validated.
 * @throws VerbatimError `invalid-argument` for steps that do not fit the model
 */
export function precisionOf(model: Dimensions & { storage?: StoragePrecision }): Precision {
  const { storage } = model;
  if (storage === undefined) return fullPrecision(model);
  const { ngramStep, ngramsPerRow, termsPerUnit, ownTermWeight = 0 } = storage;
  const steps = (name: "start" | "end" | "coherency", dim: number): Steps => {
    const values = storage[name];
    const fits = (step: number): boolean => isStep(step) || step === DROPPED;
    if (values.length !== groupsOf(dim) || !values.every(fits)) {
      throw invalid(`storage.${name} is not ${groupsOf(dim)} steps of 1 … 64 or 255`, values.join(", "));
    }
    return Uint8Array.from(values);
  };
  if (!isStep(ngramStep)) throw invalid("storage.ngramStep is not 1 … 64", ngramStep);
  for (const [name, limit] of Object.entries({ ngramsPerRow, termsPerUnit })) {
    if (!(Number.isSafeInteger(limit) && limit >= 1)) throw invalid(`storage.${name} is not an integer ≥ 1`, limit);
  }
  if (!(Number.isFinite(ownTermWeight) && ownTermWeight >= 0)) {
    throw invalid("storage.ownTermWeight is not a number ≥ 0", ownTermWeight);
  }
  return {
    start: steps("start", model.dense),
    end: steps("end", model.dense),
    coherency: steps("coherency", model.coherency),
    ngramStep,
  };
}

function invalid(what: string, found: unknown): VerbatimError {
  return new VerbatimError("invalid-argument", `The model's ${what}.`, {
    found,
    hint: "Fix `storage` in the model's model.json, or remove it to store full precision.",
  });
}

/** The larger step of each group: the precision of a merged segment. */
export function coarsestPrecision(all: readonly Precision[]): Precision {
  const larger = (a: Steps, b: Steps): Steps => a.map((step, g) => Math.max(step, b[g]!));
  return all.reduce((a, b) => ({
    start: larger(a.start, b.start),
    end: larger(a.end, b.end),
    coherency: larger(a.coherency, b.coherency),
    ngramStep: Math.max(a.ngramStep, b.ngramStep),
  }));
}
