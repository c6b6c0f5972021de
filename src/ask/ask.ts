/**
 * One question through phrase search and, where it is wanted, through the reader:
 *
 *   spans → answers → confidence → (unsure, or always) read the best passages → answers → confidence → an answer, or none
 *
 * Without a reader and a calibration this is `search`, to the byte. An index of level `lexical` gives sentences in place of spans, found by
 * words, and spans where a reader reads.
 */

import type { EncodedQuestion } from "../encode/types.js";
import type { IndexLevel } from "../index/format/level.js";
import { type RankedReadable, type ReadSpan, type ReadState, readPassages } from "../reader/read-passages.js";
import type { Mix, Reader, Reading, ReadOptions } from "../reader/types.js";
import { questionForReader } from "../reader/windows.js";
import type { MergedAnswer } from "../search/locate/merge.js";
import { normalForm } from "../search/locate/normal-form.js";
import { FIRST_WAVE, type Found, findSpans, mergeBest, rankPassages } from "../search/search.js";
import type { SearchSession } from "../search/session.js";
import type { FoundSpan } from "../search/spans.js";
import { findLexicalFirst } from "../search/strategies/lexical.js";
import { findTermsFirst } from "../search/strategies/sparta.js";
import type { Answer, RankedPassage, SearchOptions, SearchResult, Strategy } from "../search/types.js";
import { type Candidates, judge, toAnswers } from "./answers.js";
import { FIGURE_SPANS, type Figures, phraseFigures, readerFigures } from "./confidence.js";
import { resolveReading } from "./options.js";

/**
 * Those of search; `sparta-reader`: term postings, then the reader alone (SPARTA §4.3); `lexical`: BM25 and a passage's best sentence, then the reader
 * alone where there is one, and no encoder at all.
 */
export type AskStrategy = Strategy | "sparta-reader" | "lexical";

/** What an index is asked by where nobody says: its rows, or its words where it has nothing else. */
export const usualStrategy = (levels: readonly IndexLevel[]): "hybrid" | "lexical" =>
  levels.length > 0 && levels.every((level) => level === "lexical") ? "lexical" : "hybrid";

export type AnswerOptions = Partial<Omit<SearchOptions, "strategy">> &
  ReadOptions & {
    strategy?: AskStrategy;
    /** Tell what the confidence is made of: for calibration. */
    figures?: boolean;
  };

export interface AskResult extends Omit<SearchResult, "strategy"> {
  strategy: AskStrategy;
  /** Of the index: of all its segments, or `mixed` while it is being raised. */
  level: IndexLevel | "mixed";
  /** What the answers are: spans that were scored or read, or whole sentences that were found by their words. */
  found: "spans" | "sentences";
  /** Passages that were encoded to answer, since the index does not store their rows; left out where it does. */
  encodedPassages?: number;
  /** Words left it open, and the vectors that would have been asked then are not there (an index in a cluster that was made without them). */
  withoutVectors?: true;
  /** What the reader read; undefined when it was not asked. */
  reading?: Reading;
  /** There is an answer, but its confidence is below what was wanted: `answers` is empty, `nearest` has the best passages instead. */
  declined?: { confidence: number; minConfidence: number };
  /** Passages whole, best first: `text` is the passage. Only with `declined`. */
  nearest?: Answer[];
  /** Of the best answer, given or declined; only where they were asked for. */
  figures?: Figures;
}

/** The answer so far. */
export interface AskStep {
  /** Nothing comes after it. */
  last: boolean;
  /** To be called before the next step. */
  build(): Promise<AskResult>;
}

export interface AskParts {
  reader: Reader | undefined;
  /** Milliseconds that the question has taken before: they count for the budget. */
  elapsed: number;
  /** The index has no vectors to look for passages by. */
  withoutVectors?: boolean;
}

/**
 * First what phrase search says (unless the reader is to answer alone), then the answer after every batch that was read.
 * @throws VerbatimError `invalid-argument` for an option out of range or what is not there, `aborted`, `corrupt-segment`
 */
export async function* askSteps(
  session: SearchSession,
  question: EncodedQuestion,
  request: AskParts & { options: AnswerOptions },
): AsyncGenerator<AskStep, void> {
  const { reader, elapsed, withoutVectors, options } = request;
  const { readerMode, readerPassages, readBelow, budgetMs, minConfidence: least, ...others } = options;
  const { strategy, figures = false, ...rest } = others;
  const lexical = strategy === "lexical";
  /** Answers are the reader's alone: nothing else has a score that goes with its own. */
  const readerOnly = strategy === "sparta-reader" || lexical;
  const { model } = session;
  const reading = resolveReading(
    { readerMode, readerPassages, readBelow, budgetMs, minConfidence: least },
    { model, reader, pipeline: lexical ? "lexical" : readerOnly ? "sparta-reader" : undefined },
  );
  const began = session.now();
  const found = lexical
    ? await findLexicalFirst(session, question, { options: rest, least: reading.passages })
    : readerOnly
      ? await findTermsFirst(session, question, { options: rest, least: reading.passages })
      : await findSpans(session, question, { ...rest, strategy });
  const phrase = lexical
    ? await sentenceCandidates(session, found)
    : readerOnly
      ? NOTHING
      : await phraseCandidates(session, found, figures);
  const asked = readerOnly ? strategy : found.options.strategy;
  const isOpen = withoutVectors === true && asked === "hybrid" && !found.settled;
  const steps = new Steps(session, found, { question: question.text, strategy: asked, withoutVectors: isOpen });
  const threshold = (calibrated: number | undefined): number =>
    reading.minConfidence === "calibrated" ? (calibrated ?? 0) : reading.minConfidence;
  const byPhrase = (): Promise<AskResult> =>
    steps.result(phrase, {
      minConfidence: lexical ? 0 : threshold(model.calibration?.threshold),
      ngrams: !lexical,
      sentences: lexical,
    });
  const unsure = phrase.confidence?.[0] !== undefined && phrase.confidence[0] < reading.readBelow;
  const reads =
    reader !== undefined && found.passages.length > 0 && (reading.mode === "on" || (reading.mode === "auto" && unsure));
  if (strategy !== "sparta-reader" || !reads) yield { last: !reads, build: byPhrase };
  if (!reads) return;

  const begun = session.now();
  const passages = await readablePassages(session, found, reading.passages);
  const mix: Mix = readerOnly ? { ...reader.info.mix, reader: 1 } : reader.info.mix;
  const states = readPassages(reader, questionForReader(question.ids, reader.info), {
    passages,
    options: {
      mix,
      maxAnswerTokens: found.options.maxAnswerTokens,
      isContinuation: session.isContinuation,
      deadline: began - elapsed + reading.budgetMs,
      now: session.now,
      signal: found.options.signal,
    },
  });
  for await (const state of states) {
    const build = async (): Promise<AskResult> => {
      const told: Reading = { passages: state.read, ended: state.ended, milliseconds: session.now() - begun };
      if (state.spans.length === 0) return { ...(await byPhrase()), reading: told };
      const read = await readCandidates(session, state, { passages, mix, reader, phrase, found, readerOnly, figures });
      const minConfidence = readerOnly ? 0 : threshold(reader.info.calibration?.threshold);
      return { ...(await steps.result(read, { minConfidence, ngrams: false, sentences: false })), reading: told };
    };
    yield { last: state.ended !== undefined, build };
  }
}

const NOTHING: Candidates = { spans: [], merged: [], confidence: undefined, figures: undefined };

/** What every step's result has in common. */
class Steps {
  readonly #session: SearchSession;
  readonly #found: Found;
  readonly #told: { question: string; strategy: AskStrategy; withoutVectors: boolean };
  #ranked: Promise<RankedPassage[]> | undefined;

  constructor(
    session: SearchSession,
    found: Found,
    told: { question: string; strategy: AskStrategy; withoutVectors: boolean },
  ) {
    this.#session = session;
    this.#found = found;
    this.#told = told;
  }

  async result(
    candidates: Candidates,
    { sentences, ...how }: { minConfidence: number; ngrams: boolean; sentences: boolean },
  ): Promise<AskResult> {
    const session = this.#session;
    const { prepared, passages, options, steps, started, unstored } = this.#found;
    const { topK, explain, signal } = options;
    const begun = session.now();
    const told = await toAnswers(session, candidates, { ...how, question: prepared, topK, explain, signal });
    this.#ranked ??= rankPassages(session, passages.slice(0, options.rankedPassages), signal);
    const ranked = await this.#ranked;
    const ended = session.now();
    const { question, strategy, withoutVectors } = this.#told;
    return {
      question,
      strategy,
      level: commonLevel(session.levels),
      found: sentences ? "sentences" : "spans",
      ...(unstored === 0 ? {} : { encodedPassages: unstored }),
      ...(withoutVectors ? { withoutVectors } : {}),
      ...told,
      ...(candidates.figures === undefined ? {} : { figures: candidates.figures }),
      passages: ranked,
      steps: { ...steps, text: ended - begun },
      tookMs: ended - started,
    };
  }
}

async function phraseCandidates(session: SearchSession, found: Found, figures: boolean): Promise<Candidates> {
  const { spans, options } = found;
  const { topK, signal } = options;
  const { calibration } = session.model;
  const firstWave = calibration === undefined && !figures ? FIRST_WAVE : FIGURE_SPANS;
  const merged = await mergeBest(session, spans, { topK, firstWave, signal });
  return { spans, merged, ...judge(calibration, () => phraseFigures(merged, spans), figures) };
}

/** Sentences, each with its score and no confidence: nothing was calibrated for them. */
async function sentenceCandidates(session: SearchSession, { spans, options }: Found): Promise<Candidates> {
  const { topK, signal } = options;
  return {
    spans,
    merged: await mergeBest(session, spans, { topK, signal }),
    confidence: undefined,
    figures: undefined,
  };
}

function commonLevel(levels: readonly IndexLevel[]): IndexLevel | "mixed" {
  const [level = "full", ...others] = new Set(levels);
  return others.length === 0 ? level : "mixed";
}

interface Readable extends RankedReadable {
  segment: number;
  passage: number;
  ids: Uint16Array;
}

/** The best ranked passages with their tokens, best first. */
async function readablePassages(session: SearchSession, found: Found, count: number): Promise<Readable[]> {
  const { signal } = found.options;
  return Promise.all(
    found.passages.slice(0, count).map(async ({ segment, passage, score }) => {
      const { ids, firstToken } = await session.readTokens(segment, passage, signal);
      return { segment, passage, rank: score, ids, firstToken };
    }),
  );
}

interface ReadParts {
  passages: readonly Readable[];
  mix: Mix;
  reader: Reader;
  phrase: Candidates;
  found: Found;
  readerOnly: boolean;
  figures: boolean;
}

async function readCandidates(session: SearchSession, state: ReadState, parts: ReadParts): Promise<Candidates> {
  const { phrase, reader, found, readerOnly, figures } = parts;
  const facts = new Map<FoundSpan, ReadSpan>();
  const spans = state.spans.map((read) => {
    const span = foundSpan(read, parts);
    facts.set(span, read);
    return span;
  });
  const { topK, signal } = found.options;
  const merged: MergedAnswer[] = await mergeBest(session, spans, { topK, firstWave: FIGURE_SPANS, signal });
  const calibration = readerOnly ? undefined : reader.info.calibration;
  const known = {
    facts: (span: FoundSpan) => facts.get(span)!,
    logMass: state.logMass,
    phrase: new Map(phrase.merged.map(({ best }, n) => [normalForm(best.text), phrase.confidence?.[n] ?? 0])),
  };
  const wanted = figures && !readerOnly;
  // what was not read stands behind what was
  return {
    spans: [...spans, ...found.spans],
    merged,
    ...judge(calibration, () => readerFigures(merged, spans, known), wanted),
  };
}

/** The parts sum to the score: those of the passage's best phrase, weighted by what the reader leaves them, and the reader's. */
function foundSpan(read: ReadSpan, { passages, mix, found, readerOnly }: ReadParts): FoundSpan {
  const { segment, passage, ids, firstToken, rank } = passages[read.passage]!;
  const rest = readerOnly ? 0 : 1 - mix.reader;
  const best = found.spans.find((span) => span.segment === segment && span.passage === passage)?.parts;
  const parts = best ?? { dense: rank, ngram: 0, terms: 0, tfidf: 0 };
  return {
    segment,
    passage,
    ids,
    firstToken,
    startPosition: read.startPosition,
    endPosition: read.endPosition,
    score: read.score,
    parts: {
      dense: rest * parts.dense,
      ngram: rest * parts.ngram,
      terms: rest * parts.terms,
      tfidf: rest * parts.tfidf,
      reader: read.score - rest * rank,
    },
  };
}
