/**
 * Finds the sentences nearest to a question by its words, from a few small files and without a
 * network.
 *
 *   terms(p) = λ_t · Σ_t count(t) · gain(t) · impact_t(p) / scale          (SPARTA Eq. 4; the same bits as src/search/score/passage-scorer.ts)
 *
 * Then returns the sentence of each best passage that has most of the question's words, weighted by
 * rarity.
 */

import { MAX_QUESTION_UNITS } from "../encode/input.js";
import { throwIfAborted, VerbatimError } from "../errors.js";
import { splitSentences } from "../text/sentences.js";
import { WordPieceTokenizer } from "../text/wordpiece/tokenizer.js";
import type { Place } from "../types.js";
import { TopK } from "../vectors/topk.js";
import { type FetchBlob, shardOf, unpackBytes, unpackJson } from "./blob.js";
import type { Start } from "./start.js";
import { findTerm, type TermList } from "./term-shards.js";
import { placeInPiece, type TextPiece } from "./text-shards.js";

/**
 * Sentences with fewer distinct tokens are more often headings than answers, so their words count
 * less.
 */
const FEW_TOKENS = 8;

/** A sentence that may contain the answer. */
export interface FoundSentence {
  documentId: string;
  title: string;
  source: string;
  /** Offsets of the sentence in the document's extracted text, [start, end). */
  start: number;
  end: number;
  text: string;
  place: Place;
  /** Score of its passage: λ_t · terms. */
  score: number;
  passageStart: number;
  passageEnd: number;
}

interface RankedPassages {
  /** Passage numbers, best first; ties by number. */
  ids: Uint32Array;
  scores: Float64Array;
}

/** A term of the question with its postings and gain. */
interface QuestionTerm extends TermList {
  rank: number;
  count: number;
}

export class TermsFirst {
  readonly start: Start;
  readonly #blob: FetchBlob;
  readonly #tokenizer: WordPieceTokenizer;

  constructor(start: Start, fetch: FetchBlob) {
    this.start = start;
    this.#blob = fetch;
    this.#tokenizer = new WordPieceTokenizer(start.vocabulary);
  }

  /**
   * Returns the best sentence of each of the best passages, best passage first. Two round trips:
   * postings, then texts.
   * @param options.topK  maximum number of sentences
   * @param options.accepts  only passages with such a text; then passages are read, best first and
   *   twice as many each time, until there are `topK`, or `maxPassages` were read
   * @throws VerbatimError `invalid-argument` for an empty question, `aborted`, and those of
   *   fetching
   */
  async ask(
    question: string,
    options: { topK?: number; accepts?: (text: string) => boolean; maxPassages?: number; signal?: AbortSignal } = {},
  ): Promise<FoundSentence[]> {
    const { topK = 5, accepts, maxPassages = Number.POSITIVE_INFINITY, signal } = options;
    const terms = await this.#terms(question, signal);
    const found: FoundSentence[] = [];
    for (let [read, wanted] = [0, topK]; ; wanted *= 2) {
      const { ids, scores } = this.#rank(terms, { count: Math.min(wanted, maxPassages), all: accepts !== undefined });
      const sentences = await Promise.all(
        Array.from(ids.subarray(read), (passage, n) =>
          this.#sentence(passage, { terms, score: scores[read + n]!, accepts, signal }),
        ),
      );
      found.push(...sentences.filter((sentence) => sentence !== undefined));
      read = ids.length;
      if (accepts === undefined || found.length >= topK || read < wanted) break;
    }
    const seen = new Set<string>(); // passages overlap by a sentence
    return found.slice(0, topK).filter(({ documentId, start }) => {
      const key = `${start} ${documentId}`;
      return !seen.has(key) && seen.add(key);
    });
  }

  /**
   * The passages with the largest sums, of those that have a term of the question.
   * @throws as `ask`
   */
  async rank(question: string, options: { topK: number; signal?: AbortSignal }): Promise<RankedPassages> {
    return this.#rank(await this.#terms(question, options.signal), { count: options.topK, all: false });
  }

  /** The pieces of the document that overlap [from, to), in order. */
  async readPieces(
    document: { id: string; firstPassage: number },
    range: { from: number; to: number; signal?: AbortSignal },
  ): Promise<TextPiece[]> {
    const { texts } = this.start;
    const pieces: TextPiece[] = [];
    for (let shard = shardOf(texts, document.firstPassage); shard < texts.names.length; shard++) {
      const all = await this.#pieces(shard, range.signal);
      const own = all.filter(({ id, firstPassage }) => id === document.id && firstPassage === document.firstPassage);
      pieces.push(...own.filter(({ from, text }) => from < range.to && from + text.length > range.from));
      const last = own.at(-1);
      if (last === undefined || last !== all.at(-1) || last.from + last.text.length >= range.to) break;
    }
    return pieces;
  }

  async #terms(question: string, signal: AbortSignal | undefined): Promise<QuestionTerm[]> {
    if (question.trim() === "") {
      throw new VerbatimError("invalid-argument", "The question is empty.", { hint: "Ask with at least one word." });
    }
    throwIfAborted(signal);
    const { head, terms } = this.start;
    const maxTokens = head.maxQuestionTokens - 2;
    const { ids: ranks } = this.#tokenizer.tokenize(question.slice(0, MAX_QUESTION_UNITS), { maxTokens });
    const counts = new Map<number, number>();
    for (const rank of ranks) counts.set(rank, (counts.get(rank) ?? 0) + 1);
    const found = await Promise.all(
      [...counts].map(async ([rank, count]) => {
        const shard = shardOf(terms, rank);
        if (shard < 0) return undefined;
        const name = terms.names[shard]!;
        const bytes = unpackBytes(await this.#blob(name, signal), name);
        const list = findTerm(bytes, rank, { firstRank: terms.firsts[shard]!, passages: head.passages, where: name });
        return list && { ...list, rank, count };
      }),
    );
    throwIfAborted(signal);
    return found.filter((term) => term !== undefined).sort((a, b) => a.id - b.id);
  }

  /** @param all  also passages without a term of the question */
  #rank(terms: readonly QuestionTerm[], { count: most, all }: { count: number; all: boolean }): RankedPassages {
    const { head } = this.start;
    const scores = new Float64Array(head.passages);
    for (const { count, gain, postings } of terms) {
      const weight = (head.termsWeight * Math.fround(count * gain)) / head.termScale;
      for (let k = 0; k < postings.units.length; k++) scores[postings.units[k]!]! += weight * postings.values[k]!;
    }
    const best = new TopK(Math.min(most, head.passages));
    for (let passage = 0; passage < head.passages; passage++) {
      const score = scores[passage]!;
      if (all || score > 0) best.offer(passage, score);
    }
    return best.sorted();
  }

  async #pieces(shard: number, signal: AbortSignal | undefined): Promise<TextPiece[]> {
    const name = this.start.texts.names[shard]!;
    return unpackJson<TextPiece[]>(await this.#blob(name, signal), name);
  }

  async #sentence(
    passage: number,
    rest: {
      terms: readonly QuestionTerm[];
      score: number;
      accepts: ((text: string) => boolean) | undefined;
      signal: AbortSignal | undefined;
    },
  ): Promise<FoundSentence | undefined> {
    const { texts } = this.start;
    const shard = shardOf(texts, passage);
    let number = passage - texts.firsts[shard]!;
    for (const piece of await this.#pieces(shard, rest.signal)) {
      const count = piece.passages.length / 2;
      if (number < count) {
        const [start, end] = [piece.passages[2 * number]!, piece.passages[2 * number + 1]!];
        const text = piece.text.slice(start - piece.from, end - piece.from);
        return rest.accepts?.(text) === false ? undefined : this.#bestSentence(piece, number, rest);
      }
      number -= count;
    }
    throw new VerbatimError("corrupt-segment", `The published texts have no passage ${passage}.`, {
      where: texts.names[shard],
      hint: "Publish the index again.",
    });
  }

  #bestSentence(
    piece: TextPiece,
    number: number,
    { terms, score }: { terms: readonly QuestionTerm[]; score: number },
  ): FoundSentence {
    const { id: documentId, title, source, text, from, passages } = piece;
    const [passageStart, passageEnd] = [passages[2 * number]!, passages[2 * number + 1]!];
    const { passages: count } = this.start.head;
    const worth = new Map<number, number>();
    for (const { rank, gain, postings } of terms) {
      const rarity = Math.log(1 + (count - postings.units.length + 0.5) / (postings.units.length + 0.5));
      worth.set(rank, Math.max(0, gain) * rarity);
    }
    const passageText = text.slice(passageStart - from, passageEnd - from);
    const sentences = splitSentences(passageText);
    let best = sentences[0] ?? { start: 0, end: passageText.length };
    let most = -1;
    for (const sentence of sentences) {
      const tokens = new Set(this.#tokenizer.tokenize(passageText, { from: sentence.start, to: sentence.end }).ids);
      let sum = 0;
      for (const [rank, value] of worth) if (tokens.has(rank)) sum += value;
      sum *= Math.min(1, tokens.size / FEW_TOKENS);
      if (sum > most) {
        most = sum;
        best = sentence;
      }
    }
    const start = passageStart + best.start;
    return {
      documentId,
      title,
      source,
      start,
      end: passageStart + best.end,
      text: passageText.slice(best.start, best.end),
      place: placeInPiece(piece, start),
      score,
      passageStart,
      passageEnd,
    };
  }
}
