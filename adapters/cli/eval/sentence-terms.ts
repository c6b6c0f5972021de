/**
 * Sentence retrieval by term weights (SPARTA §4): each candidate sentence is encoded alone and pooled
 * over its own tokens inside its paragraph.
 */

import { passageInput, titleTokens } from "../../../src/encode/input.js";
import type { EncodedQuestion, Encoder, PassageInput, TermWeights } from "../../../src/encode/types.js";
import { Bm25 } from "../../../src/evaluate/bm25.js";
import { bestRank } from "../../../src/evaluate/ranks.js";
import type { ReqaFile } from "../../../src/evaluate/reqa-file.js";
import { parseSquad } from "../../../src/evaluate/squad-file.js";
import type { Io } from "../process-io.js";
import { QuestionProgress } from "../render/question-progress.js";

/** 1-based rank of the best right sentence per question; undefined if there is none. */
export type Ranks = (number | undefined)[];

/**
 * Weights next to the BM25 of a sentence: of the terms of the sentence and of its paragraph, in terms of their weight
 * in a search, and of the BM25 of the paragraph with its title. Chosen on questions of CMRC 2018 trial
 * that the model was not trained on (docs/research/2026-11-23-languages.md).
 */
const TERMS_WITH_BM25 = 0.6;
const PARAGRAPH_WITH_BM25 = 0.7;

const MAX_POSITIONS = 512;

/** One encoder input, with the candidates that its units belong to. A unit after those is the whole paragraph. */
interface Work {
  input: PassageInput;
  candidates: number[];
  /** What BM25 counts words of: the paragraph below its title, or the sentence alone. */
  text: string;
}

/** No limit on the weights of a unit. */
export const ALL = Number.POSITIVE_INFINITY;

/** Weights of the questions' terms for every candidate: uint8 [terms × candidates], row-major. */
class TermMatrix {
  readonly #row = new Map<number, number>();
  readonly #weights: Uint8Array;
  readonly #candidates: number;
  /** For each limit, the smallest weight that counts per candidate. */
  readonly #borders: ReadonlyMap<number, Uint8Array>;

  /**
   * @param limits numbers of largest weights per unit that count, as in an index with that limit
   */
  constructor(terms: Iterable<number>, candidates: number, limits: readonly number[]) {
    for (const term of terms) if (!this.#row.has(term)) this.#row.set(term, this.#row.size);
    this.#candidates = candidates;
    this.#weights = new Uint8Array(this.#row.size * candidates);
    this.#borders = new Map(limits.map((limit) => [limit, new Uint8Array(candidates)]));
  }

  set(candidate: number, unit: TermWeights): void {
    const ascending = Uint8Array.from(unit.weights).sort();
    for (const [limit, borders] of this.#borders)
      if (ascending.length > limit) borders[candidate] = ascending[ascending.length - limit]!;
    for (const [i, term] of unit.terms.entries()) {
      const row = this.#row.get(term);
      if (row !== undefined) this.#weights[row * this.#candidates + candidate] = unit.weights[i]!;
    }
  }

  scores(question: EncodedQuestion, limit: number): Float64Array {
    const scores = new Float64Array(this.#candidates);
    const borders = this.#borders.get(limit)!;
    for (const [i, term] of question.terms.entries()) {
      const base = this.#row.get(term)! * this.#candidates;
      const weight = question.termWeights[i]!;
      for (let c = 0; c < scores.length; c++) {
        const kept = this.#weights[base + c]!;
        if (kept >= borders[c]!) scores[c]! += weight * kept;
      }
    }
    return scores;
  }
}

function aloneWork(candidates: readonly string[], encoder: Encoder): Work[] {
  const { tokenizer } = encoder;
  return candidates.map((text, candidate) => {
    const tokens = tokenizer.tokenize(text, { maxTokens: MAX_POSITIONS - 3 });
    return {
      input: passageInput(tokenizer, [], { passage: { start: 0, end: text.length, tokens } }),
      candidates: [candidate],
      text,
    };
  });
}

/**
 * Each paragraph that contains candidates, once. A candidate's unit is its own tokens in the
 * paragraph.
 */
function contextWork(
  candidates: readonly string[],
  squad: unknown,
  options: { encoder: Encoder; where: string },
): Work[] {
  const { tokenizer, info } = options.encoder;
  const left = new Map<string, number[]>();
  for (const [c, text] of candidates.entries()) left.set(text, [...(left.get(text) ?? []), c]);
  const work: Work[] = [];
  for (const { title, paragraphs } of parseSquad(squad, options.where).articles) {
    const plainTitle = title.replaceAll("_", " ");
    const titleIds = titleTokens(tokenizer, plainTitle, info);
    for (const { context } of paragraphs) {
      const found = [...left.keys()].filter((text) => context.includes(text));
      if (found.length === 0) continue;
      const tokens = tokenizer.tokenize(context, { maxTokens: MAX_POSITIONS - titleIds.length - 3 });
      const input = passageInput(tokenizer, titleIds, { passage: { start: 0, end: context.length, tokens } });
      const one: Work = { input, candidates: [], text: `${plainTitle}\n${context}` };
      const whole = input.units;
      input.units = [];
      for (const text of found) {
        const start = context.indexOf(text);
        const end = start + text.length;
        let from = 0;
        while (from < tokens.count && tokens.ends[from]! <= start) from++;
        let to = from;
        while (to < tokens.count && tokens.starts[to]! < end) to++;
        if (to === from) continue; // beyond the maximum input length, so it is encoded alone
        for (const candidate of left.get(text)!) {
          input.units.push({ from: input.firstToken + from, to: input.firstToken + to });
          one.candidates.push(candidate);
        }
        left.delete(text);
      }
      input.units.push(...whole);
      if (one.candidates.length > 0) work.push(one);
    }
  }
  const alone = [...left.values()].flat();
  const rest = aloneWork(candidates, options.encoder);
  return [...work, ...alone.map((candidate) => rest[candidate]!)];
}

/** @param paragraphs  gets the last unit of each input, by the number of the input */
async function encodeAll(
  work: Work[],
  { sentences, paragraphs }: { sentences: TermMatrix; paragraphs: TermMatrix },
  options: { encoder: Encoder; io: Io; what: string },
): Promise<void> {
  const { encoder, io, what } = options;
  const progress = new QuestionProgress(io, what, work.length);
  let done = 0;
  const waiting = work.entries();
  const lane = async (): Promise<void> => {
    for (const [number, { input, candidates }] of waiting) {
      const [encoded] = await encoder.encodePassages([input], { keepAll: true, signal: io.signal });
      for (const [u, candidate] of candidates.entries()) sentences.set(candidate, encoded!.units[u]!);
      paragraphs.set(number, encoded!.units.at(-1)!);
      progress.show(++done);
    }
  };
  await Promise.all([lane(), lane(), lane(), lane()]);
}

interface TermRanks {
  /** For each limit; undefined if they were not asked for. */
  alone: Ranks[] | undefined;
  /** For each limit; undefined without a SQuAD file. */
  inContext: Ranks[] | undefined;
  candidatesInContext: number;
  /** By terms and BM25 together, with all weights; undefined without `bm25` or a SQuAD file. */
  withBm25: Ranks | undefined;
}

/**
 * Ranks by term weights.
 * @param limits numbers of largest weights per sentence that count; `Infinity` for all
 * @param options.squad  the file in whose paragraphs the sentences are pooled too
 * @param options.contextOnly  does not encode the sentences alone
 * @param options.bm25  of the candidates, to be added to the terms
 */
export async function rankByTerms(
  file: ReqaFile,
  limits: readonly number[],
  options: {
    encoder: Encoder;
    io: Io;
    squad?: { json: unknown; where: string };
    contextOnly?: boolean;
    bm25?: Bm25;
  },
): Promise<TermRanks> {
  const { encoder, io, squad, contextOnly = false, bm25 } = options;
  const questions: EncodedQuestion[] = [];
  for (const text of file.questions) questions.push(await encoder.encodeQuestion(text, { signal: io.signal }));
  const terms = new Set(questions.flatMap((question) => [...question.terms]));
  const encode = async (work: Work[], what: string) => {
    const sentences = new TermMatrix(terms, file.candidates.length, limits);
    const paragraphs = new TermMatrix(terms, work.length, [ALL]);
    await encodeAll(work, { sentences, paragraphs }, { encoder, io, what });
    return { sentences, paragraphs };
  };
  const ranked = (matrix: TermMatrix): Ranks[] =>
    limits.map((limit) => file.right.map((right, q) => bestRank(matrix.scores(questions[q]!, limit), right)));
  const alone =
    contextOnly && squad !== undefined
      ? undefined
      : ranked((await encode(aloneWork(file.candidates, encoder), "sentences alone")).sentences);
  if (squad === undefined) return { alone, inContext: undefined, candidatesInContext: 0, withBm25: undefined };
  const work = contextWork(file.candidates, squad.json, { encoder, where: squad.where });
  const candidatesInContext = work
    .filter((one) => one.input.firstToken > 2)
    .reduce((sum, one) => sum + one.candidates.length, 0);
  const { sentences, paragraphs } = await encode(work, "sentences in context");
  const inContext = ranked(sentences);
  if (bm25 === undefined || !limits.includes(ALL))
    return { alone, inContext, candidatesInContext, withBm25: undefined };
  const weight = (TERMS_WITH_BM25 * encoder.info.weights.terms) / encoder.info.scales.term;
  const paragraphBm25 = new Bm25(work.map(({ text }) => text));
  const withBm25 = questions.map((question, q) => {
    const around = paragraphBm25.scores(file.questions[q]!).map((score) => PARAGRAPH_WITH_BM25 * score);
    const scores = bm25.scores(file.questions[q]!);
    const own = sentences.scores(question, ALL);
    const ofParagraphs = paragraphs.scores(question, ALL);
    for (const [number, { candidates }] of work.entries())
      for (const candidate of candidates)
        scores[candidate]! += weight * (own[candidate]! + ofParagraphs[number]!) + around[number]!;
    return bestRank(scores, file.right[q]!);
  });
  return { alone, inContext, candidatesInContext, withBm25 };
}
