/**
 * How well a question matches whole passages: by terms (SPARTA's sum, without a network), by tf-idf (DrQA's), and by
 * the cosine of their vectors.
 */

import type { EncodedQuestion, ModelInfo, TermWeights } from "../../encode/types.js";
import { throwIfAborted } from "../../errors.js";
import type { TfidfKind } from "../../index/types.js";
import type { PassageSums } from "../../kernel/kernel.js";
import { indexIn } from "../../vectors/ascending.js";
import { TopK } from "../../vectors/topk.js";
import type { Searcher } from "../searcher.js";
import { Cosines } from "./cosines.js";
import type { AllPostings } from "./postings.js";
import { largestSums, sumsAbove } from "./preselect.js";
import { questionGrams, Tfidf } from "./tfidf.js";

/** The parts of the score that belong to a whole passage, λ applied. Meaningless for deleted passages. */
export interface PassageParts {
  /** λ_t · terms(p) */
  terms: number;
  /** λ_d · (tfidf(d) + tfidf(p)) */
  tfidf: number;
  /** λ_v · cosine(question, passage); 0 for a passage without a stored vector. */
  vector: number;
}

/** The parts that rank candidates: all together, those of words, or the cosine alone. */
export type RankedBy = "all" | "words" | "vectors";

/** A candidate's sum is above this. */
const LOWEST: Readonly<Record<RankedBy, number>> = { all: 0, words: 0, vectors: Number.NEGATIVE_INFINITY };

const sumOf = ({ terms, tfidf, vector }: PassageParts, by: RankedBy): number =>
  by === "vectors" ? vector : by === "words" ? terms + tfidf : terms + tfidf + vector;

/**
 * The parts of every passage, by global number: float [passages of all segments]. The arrays belong to
 * the searcher; return them with `searcher.scratch.give`.
 */
export type PassageScores = Record<keyof PassageParts, Float64Array>;

const LARGEST_IMPACT = 255;
/** The share of each value of the list that is being added. */
const SHARES = new Float32Array(LARGEST_IMPACT + 1);
/** Upper bound on the roundings of a share, a norm, and the sum of the parts. */
const ROUNDINGS = 8;
/** The same for the vectors: inner products, lengths, weights, their products and sums, and what replaces a bound. */
const COSINE_ROUNDINGS = 12;
/** For each wanted passage, this many exact sums are computed to find a limit. */
const GUESSES = 3;
/** Twice the relative rounding error of single precision. */
const SINGLE_PRECISION = 2 ** -23;

/** Norms of all units by global number. */
type Norms = Record<TfidfKind, Float32Array>;

/** What a question has read. */
interface LoadedPostings {
  terms: Array<{ weight: number; list: AllPostings }>;
  tfidf?: { document: Tfidf; passage: Tfidf; norms: Norms };
  cosines?: Cosines | undefined;
}

/**
 * A question's postings, from which the parts of one passage, the best passages, or all are computed.
 *   terms(p) = Σ_t w_t · impact_t(p) / scales.term                                  (SPARTA Eq. 4: a question is its bare tokens)
 * with w_t the question's count × gain.
 */
export class PassageScorer {
  readonly #searcher: Searcher;
  readonly #terms: Array<{ weight: number; list: AllPostings }>;
  readonly #documents: Tfidf | undefined;
  readonly #passages: Tfidf | undefined;
  readonly #norms: Norms | undefined;
  readonly #cosines: Cosines | undefined;
  #all: PassageScores | undefined;

  private constructor(searcher: Searcher, { terms, tfidf, cosines }: LoadedPostings) {
    this.#searcher = searcher;
    this.#terms = terms;
    this.#documents = tfidf?.document;
    this.#passages = tfidf?.passage;
    this.#norms = tfidf?.norms;
    this.#cosines = cosines;
  }

  /**
   * Reads what is not in memory, all at once. Postings are added in a fixed order, so sums do not depend on timing.
   * @param given.postings  which postings to read; default all, and passage vectors with them
   */
  static async read(
    searcher: Searcher,
    question: EncodedQuestion,
    given: { postings?: "none" | "terms" | "all"; signal?: AbortSignal } = {},
  ): Promise<PassageScorer> {
    const { signal } = given;
    if (given.postings === "none") return new PassageScorer(searcher, { terms: [] });
    const { model, snapshot, postings } = searcher;
    const lambda = model.weights.tfidf;
    const grams = given.postings === "terms" || lambda === 0 ? [] : questionGrams(question.text);
    const [lists, found] = await Promise.all([
      postings.terms(question.terms, signal),
      postings.tfidf(
        grams.map(([bucket]) => bucket),
        signal,
      ),
    ]);
    const terms = lists.map((list, n) => ({ weight: termWeight(model, question, n), list }));
    const cosines = given.postings === "terms" ? undefined : await Cosines.read(searcher, question, signal);
    throwIfAborted(signal);
    if (grams.length === 0) return new PassageScorer(searcher, { terms, cosines });
    const norms = await searcher.tfidfNorms();
    throwIfAborted(signal);
    const of = (kind: "document" | "passage", units: number): Tfidf => {
      const own = found.map((list) => list[kind]);
      return new Tfidf(grams, own, { lambda, units, norms: norms[kind] });
    };
    const tfidf = { document: of("document", snapshot.documentCount), passage: of("passage", snapshot.passageCount) };
    return new PassageScorer(searcher, { terms, tfidf: { ...tfidf, norms }, cosines });
  }

  /** Parts of one passage, by global number. */
  of(passage: number): PassageParts {
    const vector = this.#cosines?.of(passage) ?? 0;
    if (this.#all === undefined) return { terms: this.#termsOf(passage), tfidf: this.#tfidfOf(passage), vector };
    const { terms, tfidf } = this.all();
    return { terms: terms[passage]!, tfidf: tfidf[passage]!, vector };
  }

  /** Parts of all passages. O(postings + passages); computed once, then kept until `release`. */
  all(): PassageScores {
    this.#all ??= { terms: this.#allTerms(), tfidf: this.#allTfidf(), vector: this.#allVectors() };
    return this.#all;
  }

  /**
   * The `count` best candidates by the sum of some parts, best first, ties by number. Unless vectors
   * alone rank, passages with a sum ≤ 0 are skipped. The result is exact: sums in single precision
   * only preselect, and those near the limit are computed again in double precision.
   * @param options.by  default `all`
   */
  best(
    count: number,
    { by = "all", isCandidate }: { by?: RankedBy; isCandidate: (passage: number) => boolean },
  ): { ids: Uint32Array; scores: Float64Array } {
    if (by === "vectors" && this.#cosines === undefined) return new TopK(0).sorted();
    const isPlain = this.#terms.every(({ weight }) => weight >= 0) && this.#cosines?.isNegative !== true;
    if (this.#all !== undefined || !isPlain) return this.#bestOfAll(count, { by, isCandidate });
    const best = new TopK(Math.min(count, this.#searcher.numbering.passageDocuments.length));
    for (const passage of this.#mayBeBest(count, { by, isCandidate })) {
      const sum = sumOf(this.of(passage), by);
      if (sum > LOWEST[by]) best.offer(passage, sum);
    }
    return best.sorted();
  }

  /** All that may be among the `count` best: those whose sum in single precision is near or above the last one's. */
  #mayBeBest(
    count: number,
    { by, isCandidate }: { by: RankedBy; isCandidate: (passage: number) => boolean },
  ): Uint32Array {
    const cosines = by === "words" ? undefined : this.#cosines;
    const sums = this.#searcher.passageSums(this.#norms);
    const error = this.#addUp(sums, by);
    const totals = sums.totals();
    // A vector's part may be negative: a sum that is just above 0 may come out just below it.
    let limit = LOWEST[by] - (cosines === undefined ? 0 : error);
    if (cosines !== undefined) {
      // Few upper bounds are above the exact sums of the passages with the largest bounds.
      const { ids } = largestSums(totals, { count: GUESSES * count, above: limit, isCandidate });
      const exact = Array.from(ids, (passage) => sumOf(this.of(passage), by)).sort((a, b) => b - a);
      if (exact.length >= count) limit = Math.max(limit, exact[count - 1]! - error);
      cosines.refineAbove(limit, sums);
    }
    const { scores } = largestSums(totals, { count, above: limit, isCandidate });
    if (scores.length >= count) limit = Math.max(limit, scores[count - 1]! - 2 * error);
    return sumsAbove(totals, { above: limit, isCandidate });
  }

  /** Returns the arrays of all passages to the scratch. */
  release(): void {
    if (this.#all !== undefined) this.#searcher.scratch.give(...Object.values(this.#all));
    this.#all = undefined;
  }

  #bestOfAll(
    count: number,
    { by, isCandidate }: { by: RankedBy; isCandidate: (passage: number) => boolean },
  ): { ids: Uint32Array; scores: Float64Array } {
    const { terms, tfidf, vector } = this.all();
    const best = new TopK(Math.min(count, terms.length));
    // Numbers ascend, so a passage that only equals the worst kept one ranks after it and is not offered.
    let floor = LOWEST[by];
    for (let passage = 0; passage < terms.length; passage++) {
      const score = sumOf({ terms: terms[passage]!, tfidf: tfidf[passage]!, vector: vector[passage]! }, by);
      if (!(score > floor) || !isCandidate(passage)) continue;
      best.offer(passage, score);
      floor = Math.max(LOWEST[by], best.worst);
    }
    return best.sorted();
  }

  /**
   * Adds up every passage's parts in single precision: of the vectors' part, an upper bound. All
   * weights must be ≥ 0.
   * @returns a bound on the error of a total
   */
  #addUp(sums: PassageSums, by: RankedBy): number {
    sums.clear();
    let most = 0;
    let additions = this.#terms.length + ROUNDINGS;
    for (const { weight, list } of by === "vectors" ? [] : this.#terms) {
      for (let impact = 0; impact < SHARES.length; impact++) SHARES[impact] = weight * impact;
      sums.add("terms", list, SHARES);
      most += weight * LARGEST_IMPACT;
    }
    if (by !== "vectors" && this.#documents !== undefined && this.#passages !== undefined) {
      most += this.#documents.addTo(sums, "documents") + this.#passages.addTo(sums, "passages");
      additions += 2 * this.#passages.size;
    }
    if (by !== "words" && this.#cosines !== undefined) {
      most += this.#cosines.addBoundsTo(sums);
      additions += COSINE_ROUNDINGS;
    }
    return additions * most * SINGLE_PRECISION;
  }

  #termsOf(passage: number): number {
    let sum = 0;
    for (const { weight, list } of this.#terms) {
      const k = indexIn(list.units, passage);
      if (k >= 0) sum += weight * list.values[k]!;
    }
    return sum;
  }

  #tfidfOf(passage: number): number {
    if (this.#documents === undefined || this.#passages === undefined) return 0;
    return this.#documents.of(this.#searcher.numbering.passageDocuments[passage]!) + this.#passages.of(passage);
  }

  #allVectors(): Float64Array {
    const all = this.#searcher.scratch.take(this.#searcher.numbering.passageDocuments.length);
    this.#cosines?.writeAll(all);
    return all;
  }

  #allTerms(): Float64Array {
    const { scratch, numbering } = this.#searcher;
    const sums = scratch.take(numbering.passageDocuments.length);
    for (const { weight, list } of this.#terms) {
      const { units, values } = list;
      for (let k = 0; k < units.length; k++) sums[units[k]!]! += weight * values[k]!;
    }
    return sums;
  }

  #allTfidf(): Float64Array {
    const { scratch, numbering } = this.#searcher;
    const { passageDocuments, firstDocuments } = numbering;
    const passages = scratch.take(passageDocuments.length);
    if (this.#documents === undefined || this.#passages === undefined) return passages;
    const documents = scratch.take(firstDocuments.at(-1)!);
    this.#documents.addUp(documents);
    this.#passages.addUp(passages);
    for (let p = 0; p < passages.length; p++) passages[p] = documents[passageDocuments[p]!]! + passages[p]!;
    scratch.give(documents);
    return passages;
  }
}

/** All parts of every passage. O(postings of the question's terms and n-grams + passages · vector) */
export async function scoreAllPassages(
  searcher: Searcher,
  question: EncodedQuestion,
  options: { signal?: AbortSignal } = {},
): Promise<PassageScores> {
  return (await PassageScorer.read(searcher, question, options)).all();
}

/** The factor of each impact of a question's term. */
export const termWeight = (model: ModelInfo, question: EncodedQuestion, n: number): number =>
  (model.weights.terms * question.termWeights[n]!) / model.scales.term;

/** `terms` of a passage whose own weights are in memory: the same sum in the same order as from postings. */
export function scoreOwnTerms(model: ModelInfo, question: EncodedQuestion, units: readonly TermWeights[]): number {
  let best: number | undefined;
  for (const { terms, weights } of units) {
    let sum = 0;
    for (let n = 0, k = 0; n < question.terms.length; n++) {
      while (k < terms.length && terms[k]! < question.terms[n]!) k++; // both ascend
      if (terms[k] === question.terms[n]) sum += termWeight(model, question, n) * weights[k]!;
    }
    best = best === undefined ? sum : Math.max(best, sum);
  }
  return best ?? 0;
}
