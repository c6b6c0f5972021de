/**
 * An inverted file of int8 rows (IVF; Jégou et al. 2011, §IV): a query scans only the lists whose
 * centroids are nearest to it. The centroids belong to the model and are learned once, so all segments
 * of all its indexes share them and indexing learns none.
 *
 * A two-level tree finds a row's list: the nearest of 32 top-level centroids, then the nearest of the 32
 * below it.    nearest = argmax 2 · row · c − |c|², in integers; ties go to the smaller number
 */

import { VerbatimError } from "../errors.js";
import { Random } from "./random.js";

/** Centroids of the top level, and below each of them. */
export const BRANCHES = 32;
export const LISTS = BRANCHES * BRANCHES;
/** All lists in ascending order. */
export const EVERY_LIST: Uint16Array = Uint16Array.from({ length: LISTS }, (_, list) => list);

export interface Centroids {
  readonly dim: number;
  /** int8 [32 × dim] */
  readonly tops: Int8Array;
  /** int8 [32 × 32 × dim]: centroid of list n at n · dim. */
  readonly lists: Int8Array;
  /** |c|² of each centroid: int32 [32], int32 [1024]. */
  readonly topNorms: Int32Array;
  readonly listNorms: Int32Array;
}

/**
 * @param values  top-level centroids, then those of the lists: int8 [(32 + 1024) × dim]
 * @throws VerbatimError `unsupported-format` for another length
 */
export function centroidsOf(dim: number, values: Int8Array): Centroids {
  if (!(dim > 0 && dim % 16 === 0 && values.length === (BRANCHES + LISTS) * dim)) {
    throw new VerbatimError("unsupported-format", "The model's centroids have the wrong size.", {
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

/**
 * Decodes a model's centroids. The same text gives the same object, so that centroids can be compared by
 * identity.
 * @throws as `centroidsOf`
 */
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

/** The object that `centroidsFrom` returns for the same values. @throws as `centroidsOf` */
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

/** Packs four values per word for a faster comparison. Copies, because the input may be unaligned. */
const wordsOf = (numbers: Int8Array): Int32Array => new Int32Array(numbers.slice().buffer);

/** The values that `centroidsOf` takes: int8 [(32 + 1024) × dim], a view. */
export const valuesOf = ({ tops, lists }: Centroids): Int8Array =>
  new Int8Array(tops.buffer, tops.byteOffset, tops.length + lists.length);

/** The text that `centroidsFrom` reads. */
export function centroidsText(centroids: Centroids): string {
  let text = "";
  for (const value of valuesOf(centroids)) text += String.fromCharCode(value & 255);
  return btoa(text);
}

/** The list of a row, 0 … 1023. O(64 · dim) */
export function listOf({ dim, tops, lists, topNorms, listNorms }: Centroids, row: Int8Array): number {
  const top = nearest(row, 0, { rows: tops, norms: topNorms, first: 0, dim });
  return nearest(row, 0, { rows: lists, norms: listNorms, first: top * BRANCHES, dim });
}

/** The nearest of the 32 rows starting at `first`. @param at  offset of the row in `values` */
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

/** All lists, highest centroid · query first, ties by number. */
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
 * k-means of both levels (Lloyd's algorithm), initialised with rows drawn by seed.
 * @param rows  int8 [n × dim], n ≥ 1
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
  /** Numbers of the rows to cluster. */
  members: readonly number[];
  rounds: number;
  random: Random;
}

/** Means of 32 clusters: [32 × dim]. An empty cluster keeps its mean. */
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
