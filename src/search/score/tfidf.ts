/**
 * DrQA's 2-gram tf-idf of documents and passages, with an idf that never vanishes (src/text/bm25.ts):
 *   tfidf(u) = Σ_g wq(g) · log(1 + tf_u(g)) · idf(g) / (|u| · |wq|)
 *   wq(g)    = log(1 + tf_q(g)) · idf(g),   |wq| = sqrt(Σ_g wq(g)²)
 * Document frequencies count the live documents (or passages) of *all* segments, so a score depends
 * neither on the division into segments nor on a filter.
 * |u| = sqrt(Σ log(1 + tf)²) is the unit's static norm. It has no idf, so it never changes with the
 * collection.
 */

import type { PassageSums } from "../../kernel/kernel.js";
import { idf } from "../../text/bm25.js";
import { ngramCounts } from "../../text/words.js";
import { indexIn } from "../../vectors/ascending.js";
import type { AllPostings } from "./postings.js";

/** log(1 + count) of a capped count. */
const LOG_COUNTS = Float64Array.from({ length: 256 }, (_, count) => Math.log(1 + count));

/** The share of each value of the list that is being added. */
const SHARES = new Float32Array(256);
/** log(1 + count) / |u| of an n-gram of u is at most 1. */
const LARGEST_SHARE = 1;

/** n-grams of a question with their counts, by bucket ascending: sums are added in this order. */
export function questionGrams(text: string): Array<[bucket: number, count: number]> {
  return [...ngramCounts(text)].sort((a, b) => a[0] - b[0]);
}

/** wq(g) · idf(g) of each n-gram, and |wq|. */
export function weighGrams(
  grams: ReadonlyArray<readonly [bucket: number, count: number]>,
  { units, having }: { units: number; having: (n: number) => number },
): { weights: number[]; norm: number } {
  let squares = 0;
  const weights = grams.map(([, count], n) => {
    const idfOf = idf(units, having(n));
    const weight = Math.log(1 + count) * idfOf;
    squares += weight * weight;
    return weight * idfOf;
  });
  return { weights, norm: Math.sqrt(squares) };
}

/** λ_d · tfidf(u) of one kind of units. */
export class Tfidf {
  readonly #lists: readonly AllPostings[];
  readonly #weights: readonly number[];
  readonly #norm: number;
  readonly #lambda: number;
  readonly #norms: Float32Array;

  /** @param norms  of all units, numbered across all segments */
  constructor(
    grams: ReadonlyArray<readonly [bucket: number, count: number]>,
    lists: readonly AllPostings[],
    { lambda, units, norms }: { lambda: number; units: number; norms: Float32Array },
  ) {
    const { weights, norm } = weighGrams(grams, { units, having: (n) => lists[n]!.live });
    this.#lists = lists;
    this.#weights = weights;
    this.#norm = norm;
    this.#lambda = lambda;
    this.#norms = norms;
  }

  /** n-grams. */
  get size(): number {
    return this.#lists.length;
  }

  /** Adds the similarity of every unit to `scores`, which must be 0. */
  addUp(scores: Float64Array): void {
    for (const [n, { units, values }] of this.#lists.entries()) {
      const weight = this.#weights[n]!;
      for (let k = 0; k < units.length; k++) scores[units[k]!]! += weight * LOG_COUNTS[values[k]!]!;
    }
    for (let unit = 0; unit < scores.length; unit++) {
      const sum = scores[unit]!;
      if (sum > 0) scores[unit] = this.#scored(sum, unit);
    }
  }

  /** The similarity of one unit, bit-identical to that of all. */
  of(unit: number): number {
    let sum = 0;
    for (let n = 0; n < this.#lists.length; n++) {
      const { units, values } = this.#lists[n]!;
      const k = indexIn(units, unit);
      if (k >= 0) sum += this.#weights[n]! * LOG_COUNTS[values[k]!]!;
    }
    return sum > 0 ? this.#scored(sum, unit) : 0;
  }

  /**
   * Adds every unit's sum, not divided by its norm yet, to `sums`.
   * @returns an upper bound of any unit's similarity
   */
  addTo(sums: PassageSums, to: "passages" | "documents"): number {
    let most = 0;
    for (const [n, list] of this.#lists.entries()) {
      const weight = (this.#lambda * this.#weights[n]!) / this.#norm;
      for (let count = 0; count < SHARES.length; count++) SHARES[count] = weight * LOG_COUNTS[count]!;
      sums.add(to, list, SHARES);
      most += weight * LARGEST_SHARE;
    }
    return most;
  }

  #scored(sum: number, unit: number): number {
    return (this.#lambda * (sum / this.#norm)) / this.#norms[unit]!;
  }
}
