/**
 * Lists of int8 rows by nearest centroid (an inverted file, Jégou et al. 2011, §IV): a question looks at the rows of the lists whose centroids
 * point its way. The centroids are the model's, learned once: every segment of every index has the same, and none is learned while indexing.
 *
 * A tree of two levels finds a row's list: the nearest of 32 tops, then the nearest of the 32 centroids below it.
 *   nearest = argmax 2 · row · c − |c|²,   in integers; ties to the smaller number
 */

import { VerbatimError } from "../errors.js";
import { Random } from "./random.js";

/** Of the upper level, and of the lower one below each. */
export const BRANCHES = 32;
export const LISTS = BRANCHES * BRANCHES;
/** In the order of their numbers. */
export const EVERY_LIST: Uint16Array = Uint16Array.from({ length: LISTS }, (_, list) => list);

export interface Centroids {
  readonly dim: number;
  /** int8 [32 × dim] */
  readonly tops: Int8Array;
  /** int8 [32 × 32 × dim]: centroid of list n at n · dim. */
  readonly lists: Int8Array;
  /** |c|² of each: int32 [32], int32 [1024]. */
  readonly topNorms: Int32Array;
  readonly listNorms: Int32Array;
}

/** @param values  tops, then lists: [(32 + 1024) × dim] @throws VerbatimError `unsupported-format` for another length */
export function centroidsOf(dim: number, values: Int8Array): Centroids {
  if (!(dim > 0 && dim % 16 === 0 && values.length === (BRANCHES + LISTS) * dim)) {
    throw new VerbatimError("unsupported-format", "The centroids are not of the model's rows.", {
      found: values.length,
      expected: (BRANCHES + LISTS) * dim,
      hint: "Learn them again (scripts/learn-centroids.ts).",
    });
  }
  const tops = values.subarray(0, BRANCHES * dim);
  const lists = values.subarray(BRANCHES * dim);
  return { dim, tops, lists, topNorms: normsOf(tops, dim), listNorms: normsOf(lists, dim) };
}

function normsOf(rows: Int8Array, dim: number): Int32Array {
  const norms = new Int32Array(rows.length / dim);
  for (let n = 0, at = 0; n < norms.length; n++) {
    let sum = 0;
    for (let d = 0; d < dim; d++, at++) sum += rows[at]! * rows[at]!;
    norms[n] = sum;
  }
  return norms;
}

const known = new Map<string, Centroids>();

/** Of a model's text (base64); one object for one text, so that versions of an index share lists. @throws as `centroidsOf` */
export function centroidsFrom(base64: string, dim: number): Centroids {
  const key = `${dim} ${base64}`;
  let centroids = known.get(key);
  if (centroids === undefined) {
    const text = atob(base64);
    const values = new Int8Array(text.length);
    for (let i = 0; i < values.length; i++) values[i] = text.charCodeAt(i);
    centroids = centroidsOf(dim, values);
    known.set(key, centroids);
  }
  return centroids;
}

/** Of numbers as `centroidsOf` takes them: the object that `centroidsFrom` gives for the same. @throws as `centroidsOf` */
export function centroidsLike(dim: number, values: Int8Array): Centroids {
  for (const one of known.values()) if (one.dim === dim && isSame(valuesOf(one), values)) return one;
  return centroidsFrom(centroidsText(centroidsOf(dim, values.slice())), dim);
}

function isSame(a: Int8Array, b: Int8Array): boolean {
  if (a.length !== b.length) return false;
  const [left, right] = [wordsOf(a), wordsOf(b)];
  for (let i = 0; i < left.length; i++) if (left[i] !== right[i]) return false;
  return true;
}

/** Four numbers in one, to be compared at once: of a copy, for they may lie anywhere. 1,056 rows are a multiple of four numbers. */
const wordsOf = (numbers: Int8Array): Int32Array => new Int32Array(numbers.slice().buffer);

/** The numbers that `centroidsOf` takes: [(32 + 1024) × dim], a view. */
export const valuesOf = ({ tops, lists }: Centroids): Int8Array =>
  new Int8Array(tops.buffer, tops.byteOffset, tops.length + lists.length);

/** The text that `centroidsFrom` reads. */
export function centroidsText(centroids: Centroids): string {
  let text = "";
  for (const value of valuesOf(centroids)) text += String.fromCharCode(value & 255);
  return btoa(text);
}

/** List of a row: 0 … 1023. O(64 · dim) */
export function listOf({ dim, tops, lists, topNorms, listNorms }: Centroids, row: Int8Array): number {
  const top = nearest(row, 0, { rows: tops, norms: topNorms, first: 0, dim });
  return nearest(row, 0, { rows: lists, norms: listNorms, first: top * BRANCHES, dim });
}

/** The nearest of 32 rows from `first` on. @param at  where the row begins in `values` */
function nearest(
  values: Int8Array,
  at: number,
  among: { rows: Int8Array | Float64Array; norms: Int32Array | Float64Array; first: number; dim: number },
): number {
  const { rows, norms, first, dim } = among;
  let best = first;
  let most = Number.NEGATIVE_INFINITY;
  for (let c = first; c < first + BRANCHES; c++) {
    let dot = 0;
    for (let d = 0, from = c * dim; d < dim; d++) dot += values[at + d]! * rows[from + d]!;
    const score = 2 * dot - norms[c]!;
    if (score > most) [best, most] = [c, score];
  }
  return best;
}

/** All lists, those first whose centroid · query is largest; ties by number. */
export function probeOrder({ dim, lists }: Centroids, query: Int16Array): Uint16Array {
  const keys = new Float64Array(LISTS);
  for (let n = 0; n < LISTS; n++) {
    let dot = 0;
    for (let d = 0, at = n * dim; d < dim; d++) dot += query[d]! * lists[at + d]!;
    keys[n] = -dot * LISTS + n;
  }
  keys.sort();
  return Uint16Array.from(keys, (key) => ((key % LISTS) + LISTS) % LISTS);
}

/**
 * k-means of both levels (Lloyd's algorithm), begun at rows that a seeded draw chooses.
 * @param rows  [n × dim], n ≥ 1
 */
export function learnCentroids(rows: Int8Array, dim: number, { rounds = 10, seed = 1 } = {}): Centroids {
  const random = new Random(seed);
  const every = Array.from({ length: rows.length / dim }, (_, r) => r);
  const tops = learnLevel(rows, dim, { members: every, rounds, random });
  const owners = assignTo(rows, dim, { members: every, means: tops });
  const below = Array.from({ length: BRANCHES }, (_, top) => {
    const members = every.filter((_, n) => owners[n] === top);
    return members.length === 0
      ? repeated(tops.subarray(top * dim, (top + 1) * dim))
      : learnLevel(rows, dim, { members, rounds, random });
  });
  return centroidsOf(
    dim,
    Int8Array.from(
      [tops, ...below].flatMap((means) => [...means]),
      (value) => Math.max(-127, Math.min(127, Math.round(value))),
    ),
  );
}

const repeated = (mean: Float64Array): Float64Array =>
  Float64Array.from({ length: BRANCHES * mean.length }, (_, i) => mean[i % mean.length]!);

interface Level {
  /** Rows that take part. */
  members: readonly number[];
  rounds: number;
  random: Random;
}

/** Means of 32 clusters: [32 × dim]. A cluster that has no row keeps its mean. */
function learnLevel(rows: Int8Array, dim: number, { members, rounds, random }: Level): Float64Array {
  const means = new Float64Array(BRANCHES * dim);
  for (let c = 0; c < BRANCHES; c++) {
    const row = members[random.int(members.length)]! * dim;
    means.set(rows.subarray(row, row + dim), c * dim);
  }
  for (let round = 0; round < rounds; round++) {
    const owners = assignTo(rows, dim, { members, means });
    const sums = new Float64Array(BRANCHES * dim);
    const counts = new Uint32Array(BRANCHES);
    for (const [n, row] of members.entries()) {
      const owner = owners[n]!;
      counts[owner]!++;
      for (let d = 0; d < dim; d++) sums[owner * dim + d]! += rows[row * dim + d]!;
    }
    for (let i = 0; i < means.length; i++) {
      const count = counts[Math.floor(i / dim)]!;
      if (count > 0) means[i] = sums[i]! / count;
    }
  }
  return means;
}

/** The nearest mean of every member. */
function assignTo(
  rows: Int8Array,
  dim: number,
  { members, means }: { members: readonly number[]; means: Float64Array },
): Uint8Array {
  const norms = Float64Array.from({ length: BRANCHES }, (_, c) =>
    means.subarray(c * dim, (c + 1) * dim).reduce((sum, x) => sum + x * x, 0),
  );
  return Uint8Array.from(members, (row) => nearest(rows, row * dim, { rows: means, norms, first: 0, dim }));
}
