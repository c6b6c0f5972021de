/**
 * "Here is a question: how good can any span of each passage be at most?" What `exact` leaves passages out by.
 *
 * A span of passage p is a start row i and an end row j, and its score is
 *   sparse(p) + q_s · x_i + q_e · y_j + q_c · (c1_i ⊙ c2_j) + ngram(i, j)
 * The sparse part is known. Each other part has a bound of its own, and their sum is the passage's:
 *   start      q_s · x_i = q_head · coarse_i + q_head · (x_i − coarse_i)_head + q_tail · (x_i)_tail. The first sum is what the dense stage scans, exact in
 *              memory: the passage's largest where it is among the best rows of a scan, else at most the worst of those. The others are at most
 *              |q_head| · max |x_i − coarse_i| and |q_tail| · max |(x_i)_tail| (Cauchy–Schwarz).
 *   end        q_e · y_j ≤ q_e · m + |q_e| · r, with all end rows of p within r of m
 *   coherency  the same of c1_i ⊙ c2_j over all pairs that may be a span
 *   n-grams    src/search/ngram-maxima.ts
 * Centres are rounded to int8 and radii measured from what was rounded, so rounding costs no exactness.
 */

import type { SegmentReader, StoredPassage } from "../index/types.js";
import type { Kernel } from "../kernel/kernel.js";
import { unpackNibbles } from "../vectors/nibbles.js";
import { type NgramMaxima, NgramMaximaBuilder } from "./ngram-maxima.js";
import type { PreparedQuestion, QuestionVector } from "./prepare.js";

/** Passages read at once while bounds are made. */
const BATCH = 64;
/** A centre of products of two int8 is kept in steps of this. */
const PAIR_STEP = 128;
/** Radii are 32-bit floats: rounded up. */
const UP = 1 + 1e-6;
/** Rows that one call of the kernel takes. */
const ROWS_AT_ONCE = 4096;

export interface BoundsShape {
  dense: number;
  coarse: number;
  coherency: number;
}

/** A ball around the rows of every passage: int8 centres [P × dim], radii [P]; −Infinity where there are no rows. */
interface Balls {
  dim: number;
  centres: Int8Array;
  radii: Float32Array;
}

const balls = (passages: number, dim: number): Balls => ({
  dim,
  centres: new Int8Array(passages * dim),
  radii: new Float32Array(passages).fill(Number.NEGATIVE_INFINITY),
});

/** Of one segment; about 600 bytes a passage. */
export class SegmentBounds {
  readonly #ends: Balls;
  readonly #pairs: Balls;
  /** Largest distance of a start row from its coarse row in their common dimensions, and largest length of its others. */
  readonly #headErrors: Float32Array;
  readonly #tails: Float32Array;
  readonly #ngrams: NgramMaxima;

  private constructor(parts: {
    ends: Balls;
    pairs: Balls;
    headErrors: Float32Array;
    tails: Float32Array;
    ngrams: NgramMaxima;
  }) {
    this.#ends = parts.ends;
    this.#pairs = parts.pairs;
    this.#headErrors = parts.headErrors;
    this.#tails = parts.tails;
    this.#ngrams = parts.ngrams;
  }

  /**
   * Reads the whole segment once.
   * @param longest  tokens of the longest span that the bounds are for
   * @throws VerbatimError `corrupt-segment`
   */
  static async of(reader: SegmentReader, shape: BoundsShape, longest: number): Promise<SegmentBounds> {
    const { passageCount, firstStartRows, startRowCount } = reader;
    const { dense, coarse, coherency } = shape;
    const coarseRows = new Int8Array(startRowCount * coarse);
    const unpacked = (rows: Uint8Array): Int8Array => unpackNibbles(rows, coarse, reader.coarseBits);
    await reader.readCoarse((firstRow, rows) => coarseRows.set(unpacked(rows), firstRow * coarse));
    const ends = balls(passageCount, dense);
    const pairs = balls(passageCount, coherency);
    const headErrors = new Float32Array(passageCount);
    const tails = new Float32Array(passageCount);
    const ngrams = new NgramMaximaBuilder();
    for (let first = 0; first < passageCount; first += BATCH) {
      const numbers = Array.from({ length: Math.min(BATCH, passageCount - first) }, (_, n) => first + n);
      for (const [n, stored] of (await reader.readPassages(numbers)).entries()) {
        const p = first + n;
        surround(ends, p, stored.endVectors);
        surroundPairs(pairs, p, new SpanPairs(stored, longest));
        const rows = coarseRows.subarray(firstStartRows[p]! * coarse, firstStartRows[p + 1]! * coarse);
        [headErrors[p], tails[p]] = startErrors(stored.startVectors, rows, shape);
        ngrams.add(p, stored);
      }
    }
    return new SegmentBounds({ ends, pairs, headErrors, tails, ngrams: ngrams.finish() });
  }

  /**
   * Adds the bounds of everything but the sparse part and the coarse sum of the start row.
   * @param out  out[first + p] of passage p; −Infinity afterwards where p has no span
   */
  addTo(out: Float64Array, first: number, { question, kernel }: { question: PreparedQuestion; kernel: Kernel }): void {
    const { start, end, coherency, coarse, ngrams, ngramPerStep } = question;
    const head = start.perStep * length(coarse);
    const tail = start.perStep * length(start.values.subarray(coarse.length));
    for (let p = 0; p < this.#tails.length; p++)
      out[first + p]! += head * this.#headErrors[p]! + tail * this.#tails[p]!;
    addBalls(out, first, { balls: this.#ends, vector: end, step: 1, kernel });
    addBalls(out, first, { balls: this.#pairs, vector: coherency, step: PAIR_STEP, kernel });
    this.#ngrams.addTo(out, first, { ngrams, perStep: ngramPerStep });
  }
}

function setCentre(centre: Int8Array, sums: Float64Array, of: number): void {
  for (let d = 0; d < centre.length; d++) centre[d] = Math.max(-128, Math.min(127, Math.round(sums[d]! / of)));
}

/** Sets the ball of passage p around rows. */
function surround({ dim, centres, radii }: Balls, p: number, rows: Int8Array): void {
  const count = rows.length / dim;
  if (count === 0) return;
  const sums = new Float64Array(dim);
  for (let at = 0; at < rows.length; at += dim) for (let d = 0; d < dim; d++) sums[d]! += rows[at + d]!;
  const centre = centres.subarray(p * dim, (p + 1) * dim);
  setCentre(centre, sums, count);
  let largest = 0;
  for (let at = 0; at < rows.length; at += dim) {
    let square = 0;
    for (let d = 0; d < dim; d++) {
      const off = rows[at + d]! - centre[d]!;
      square += off * off;
    }
    if (square > largest) largest = square;
  }
  radii[p] = UP * Math.sqrt(largest);
}

/** The same around c1_i ⊙ c2_j of all pairs of rows that may be a span. */
function surroundPairs({ dim, centres, radii }: Balls, p: number, pairs: SpanPairs): void {
  const { startCoherency, endCoherency } = pairs.stored;
  const sums = new Float64Array(dim);
  let count = 0;
  const nearEnds = new Float64Array(dim);
  pairs.each((i, from, to) => {
    nearEnds.fill(0);
    for (let at = from * dim; at < to * dim; at += dim)
      for (let d = 0; d < dim; d++) nearEnds[d]! += endCoherency[at + d]!;
    for (let d = 0; d < dim; d++) sums[d]! += nearEnds[d]! * startCoherency[i * dim + d]!;
    count += to - from;
  });
  if (count === 0) return;
  const centre = centres.subarray(p * dim, (p + 1) * dim);
  setCentre(centre, sums, PAIR_STEP * count);
  let largest = 0;
  pairs.each((i, from, to) => {
    for (let at = from * dim; at < to * dim; at += dim) {
      let square = 0;
      for (let d = 0; d < dim; d++) {
        const off = startCoherency[i * dim + d]! * endCoherency[at + d]! - PAIR_STEP * centre[d]!;
        square += off * off;
      }
      if (square > largest) largest = square;
    }
  });
  radii[p] = UP * Math.sqrt(largest);
}

/** Which end rows of a passage may end a span that begins at a start row. */
class SpanPairs {
  readonly stored: StoredPassage;
  readonly #longest: number;

  constructor(stored: StoredPassage, longest: number) {
    this.stored = stored;
    this.#longest = longest;
  }

  /** @param visit  is given every start row with the range of its end rows, where there are any */
  each(visit: (start: number, from: number, to: number) => void): void {
    const { startPositions, endPositions } = this.stored;
    let [from, to] = [0, 0];
    for (const [i, start] of startPositions.entries()) {
      while (from < endPositions.length && endPositions[from]! < start) from++;
      while (to < endPositions.length && endPositions[to]! < start + this.#longest) to++;
      if (to > from) visit(i, from, to);
    }
  }
}

/** max |x_i − coarse_i| over the first dimensions, and max |x_i| over the others. */
function startErrors(vectors: Int8Array, coarseRows: Int8Array, { dense, coarse }: BoundsShape): [number, number] {
  let [head, tail] = [0, 0];
  for (let row = 0; row * dense < vectors.length; row++) {
    let [off, rest] = [0, 0];
    for (let d = 0; d < coarse; d++) off += (vectors[row * dense + d]! - coarseRows[row * coarse + d]!) ** 2;
    for (let d = coarse; d < dense; d++) rest += vectors[row * dense + d]! ** 2;
    head = Math.max(head, off);
    tail = Math.max(tail, rest);
  }
  return [UP * Math.sqrt(head), UP * Math.sqrt(tail)];
}

function addBalls(
  out: Float64Array,
  first: number,
  { balls, vector, step, kernel }: { balls: Balls; vector: QuestionVector; step: number; kernel: Kernel },
): void {
  const { dim, centres, radii } = balls;
  const { values, perStep } = vector;
  const reach = perStep * length(values);
  for (let from = 0; from < radii.length; from += ROWS_AT_ONCE) {
    const to = Math.min(radii.length, from + ROWS_AT_ONCE);
    const dots = new Int32Array(to - from);
    kernel.dots(centres.subarray(from * dim, to * dim), values, dots);
    for (let p = from; p < to; p++) {
      const isEmpty = radii[p] === Number.NEGATIVE_INFINITY; // a question of zeros would make it NaN
      out[first + p]! += isEmpty ? Number.NEGATIVE_INFINITY : perStep * step * dots[p - from]! + reach * radii[p]!;
    }
  }
}

function length(values: Int16Array): number {
  let sum = 0;
  for (const value of values) sum += value * value;
  return Math.sqrt(sum);
}
