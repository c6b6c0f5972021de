/**
 * 4-bit codes of int8 rows, for a first look at very many of them: product quantisation (Jégou et al. 2011, §II) in pairs of dimensions,
 * 16 centroids a pair, so that a table of 16 sums is one SIMD register and a look-up of 16 rows one shuffle (André et al. 2015, §4).
 *
 *   pair p = dimensions p and dim − 1 − p: rows are rotated so that their spread falls, and a wide one with a narrow one is told best
 *   row · query ≈ Σ_p table_p[code_p],   table_p[c] = query_p · centroid_pc
 */

import { VerbatimError } from "../errors.js";

export const CENTROIDS = 16;
/** Values of a table: four of them fit a byte. */
const LARGEST_ENTRY = 63;
/** Cells a side in which a pair's two numbers are looked up: int8 without its lowest bit. */
const CELLS = 128;
export const CODES_OF_A_PAIR = CELLS * CELLS;

/** Learned once for a model (scripts/learn-codebook.ts): [dim / 2 × 16 × 2] int8 centroids. */
export interface Codebook {
  readonly dim: number;
  readonly centroids: Int8Array;
}

/** @param centroids  [dim / 2 × 16 × 2] @throws VerbatimError `unsupported-format` for another length */
export function codebookOf(dim: number, centroids: Int8Array): Codebook {
  if (dim > 0 && dim % 16 === 0 && centroids.length === dim * CENTROIDS) return { dim, centroids };
  throw new VerbatimError("unsupported-format", "The codebook is not of the model's rows.", {
    found: centroids.length,
    expected: dim * CENTROIDS,
    hint: "Learn it again (scripts/learn-codebook.ts).",
  });
}

const known = new Map<string, Codebook>();

/** Of a model's text (base64 of the centroids); one object for one text, so that versions of an index share codes. @throws as `codebookOf` */
export function codebookFrom(base64: string, dim: number): Codebook {
  const key = `${dim} ${base64}`;
  let codebook = known.get(key);
  if (codebook === undefined) {
    codebook = codebookOf(
      dim,
      Int8Array.from(atob(base64), (character) => (character.charCodeAt(0) << 24) >> 24),
    );
    known.set(key, codebook);
  }
  return codebook;
}

/** The text that `codebookFrom` reads. */
export function codebookText({ centroids }: Codebook): string {
  return btoa(Array.from(centroids, (value) => String.fromCharCode(value & 255)).join(""));
}

/** Lloyd's algorithm for every pair, from the quantiles of its wider number: no chance takes part. @param rows  [n × dim], n ≥ 16 */
export function learnCodebook(rows: Int8Array, dim: number, rounds = 25): Codebook {
  const centroids = new Int8Array(dim * CENTROIDS);
  for (let p = 0; p < dim / 2; p++) centroids.set(learnPair(pairsOf(rows, dim, p), rounds), p * 2 * CENTROIDS);
  return codebookOf(dim, centroids);
}

function pairsOf(rows: Int8Array, dim: number, p: number): Array<readonly [number, number]> {
  return Array.from(
    { length: rows.length / dim },
    (_, r) => [rows[r * dim + p]!, rows[(r + 1) * dim - 1 - p]!] as const,
  );
}

function learnPair(points: Array<readonly [number, number]>, rounds: number): Int8Array {
  const ordered = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const means = Array.from({ length: CENTROIDS }, (_, c) => {
    const [x, y] = ordered[Math.floor(((c + 0.5) / CENTROIDS) * ordered.length)]!;
    return { x, y };
  });
  for (let round = 0; round < rounds; round++) {
    const sums = means.map(() => ({ x: 0, y: 0, count: 0 }));
    for (const [x, y] of points) {
      const sum = sums[nearest(means, x, y)]!;
      sum.x += x;
      sum.y += y;
      sum.count++;
    }
    for (const [c, { x, y, count }] of sums.entries()) if (count > 0) means[c] = { x: x / count, y: y / count };
  }
  return Int8Array.from(means.flatMap(({ x, y }) => [Math.round(x), Math.round(y)]));
}

/** Ties go to the smaller number. */
function nearest(means: ReadonlyArray<{ x: number; y: number }>, x: number, y: number): number {
  let best = 0;
  let least = Number.POSITIVE_INFINITY;
  for (let c = 0; c < means.length; c++) {
    const mean = means[c]!;
    const distance = (x - mean.x) ** 2 + (y - mean.y) ** 2;
    if (distance < least) [best, least] = [c, distance];
  }
  return best;
}

const knownTables = new WeakMap<Codebook, Uint8Array>();

/** Code of every cell of every pair, made once a codebook: [dim / 2 × 128 × 128], at (p · 128 + (first byte >> 1)) · 128 + (second byte >> 1). */
export function codeTables(codebook: Codebook): Uint8Array {
  let tables = knownTables.get(codebook);
  if (tables === undefined) {
    tables = tablesOf(codebook);
    knownTables.set(codebook, tables);
  }
  return tables;
}

function tablesOf({ dim, centroids }: Codebook): Uint8Array {
  const tables = new Uint8Array((dim / 2) * CODES_OF_A_PAIR);
  const middles = Float64Array.from({ length: CELLS }, (_, cell) => ((cell << 25) >> 24) + 0.5);
  for (let p = 0, at = 0; p < dim / 2; p++) {
    const means = Array.from({ length: CENTROIDS }, (_, c) => {
      const from = (p * CENTROIDS + c) * 2;
      return { x: centroids[from]!, y: centroids[from + 1]! };
    });
    for (let i = 0; i < CELLS; i++)
      for (let j = 0; j < CELLS; j++) tables[at++] = nearest(means, middles[i]!, middles[j]!);
  }
  return tables;
}

/**
 * The sums of a query, in whole steps of one size: [dim / 2 × 16], 0 … 63. Sums of them order rows as row · query does, as far as codes can.
 * @param query  int16 [dim]
 */
export function sumTables({ dim, centroids }: Codebook, query: Int16Array): Uint8Array {
  const pairs = dim / 2;
  const values = Float64Array.from({ length: pairs * CENTROIDS }, (_, n) => {
    const p = Math.floor(n / CENTROIDS);
    return query[p]! * centroids[2 * n]! + query[dim - 1 - p]! * centroids[2 * n + 1]!;
  });
  const lows: number[] = [];
  let widest = 0;
  for (let p = 0; p < pairs; p++) {
    const own = values.subarray(p * CENTROIDS, (p + 1) * CENTROIDS);
    const low = Math.min(...own);
    lows.push(low);
    widest = Math.max(widest, Math.max(...own) - low);
  }
  const scale = widest === 0 ? 0 : LARGEST_ENTRY / widest;
  return Uint8Array.from(values, (value, n) => Math.round((value - lows[Math.floor(n / CENTROIDS)]!) * scale));
}
