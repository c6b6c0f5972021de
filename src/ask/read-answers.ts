/** Answers from what the reader read. */

import type { RankedReadable, ReadSpan, ReadState } from "../reader/read-passages.js";
import type { Interpolation, Reader } from "../reader/types.js";
import { degenerateIn } from "../search/locate/degenerate.js";
import type { LocatedSpan } from "../search/locate/locate.js";
import { mergeBest } from "../search/locate/merge.js";
import { normalForm } from "../search/locate/normal-form.js";
import { isByWords } from "../search/options.js";
import type { SearchResult } from "../search/search.js";
import type { Searcher } from "../search/searcher.js";
import type { FoundSpan } from "../search/spans.js";
import type { ScoreParts } from "../search/types.js";
import { type JudgedAnswers, judge } from "./answers.js";
import { clipConfidences, FEATURE_SPANS, readerFeatures } from "./confidence.js";
import { documentContext, namingWords } from "./document-context.js";
import { SPARE_ANSWERS } from "./entries.js";
import { tokensWithColumns } from "./table-tokens.js";

/** Maximum tokens of excerpts from elsewhere in the document. */
const MAX_CONTEXT_TOKENS = 24;

/** A passage to read, with its place in the index. */
export interface PassageToRead extends RankedReadable {
  segment: number;
  passage: number;
  ids: Uint16Array;
}

/** The best ranked passages with their tokens and those of their headings, best first. */
export async function readablePassages(
  searcher: Searcher,
  found: SearchResult,
  { count, maxHeadingTokens = 0 }: { count: number; maxHeadingTokens?: number },
): Promise<PassageToRead[]> {
  const { signal } = found.options;
  const question = found.question.encoded.text;
  const naming = maxHeadingTokens === 0 ? new Set<string>() : await namingWords(searcher, question, signal);
  return Promise.all(
    found.passages.slice(0, count).map(async ({ segment, passage, score }) => {
      const { ids, firstToken } = await searcher.readTokens(segment, passage, signal);
      const text = await searcher.passageText(searcher.numbering.firstPassages[segment]! + passage, signal);
      const heading = await contextTokens(searcher, naming, {
        segment,
        passage,
        text,
        titleTokens: firstToken - 2,
        maxHeadingTokens,
        signal,
      });
      const shown = await tokensWithColumns(searcher, { segment, passage, text, ids, firstToken }, signal);
      return { segment, passage, rank: score, ids, firstToken, heading, shown };
    }),
  );
}

/** Tokens that follow the title's: of the heading above a passage, and of what names its document in the question. */
async function contextTokens(
  searcher: Searcher,
  naming: ReadonlySet<string>,
  options: {
    segment: number;
    passage: number;
    text: string;
    titleTokens: number;
    maxHeadingTokens: number;
    signal?: AbortSignal;
  },
): Promise<number[]> {
  const { text, titleTokens, maxHeadingTokens, signal, ...place } = options;
  if (maxHeadingTokens === 0) return [];
  const { title, heading } = await searcher.heading(place, signal);
  const shownTitle = firstTokens(searcher, title, titleTokens);
  const before = shownTitle.text === "" ? "" : ": ";
  const shown = firstTokens(searcher, heading === "" ? "" : `${before}${heading}`, maxHeadingTokens);
  const seen = { ...place, shown: `${shownTitle.text}\n${shown.text}\n${text}` };
  const context = (await documentContext(searcher, naming, seen, signal)).join(", ");
  const after = before === "" && heading === "" ? "" : ": ";
  return [...shown.ids, ...firstTokens(searcher, context && `${after}${context}`, MAX_CONTEXT_TOKENS).ids];
}

/** The first tokens of a text, and the text that they cover. */
function firstTokens({ tokenizer }: Searcher, text: string, count: number): { ids: number[]; text: string } {
  if (text === "" || count === 0) return { ids: [], text: "" };
  const { ids, ends } = tokenizer.tokenize(text, { maxTokens: count });
  const kept = Array.from(ids).slice(0, count);
  return { ids: kept, text: text.slice(0, ends[kept.length - 1] ?? 0) };
}

interface ReadParts {
  passages: readonly PassageToRead[];
  interpolation: Interpolation;
  reader: Reader;
  phrase: JudgedAnswers;
  found: SearchResult;
  wantsFeatures: boolean;
}

/**
 * The answers after a batch; passages that were not read rank after those that were.
 * @returns undefined if phrase search has an answer and the reader found only spans that answer nothing
 */
export async function answersFromReader(
  searcher: Searcher,
  state: ReadState,
  parts: ReadParts,
): Promise<JudgedAnswers | undefined> {
  const { phrase, reader, found, wantsFeatures } = parts;
  const facts = new Map<FoundSpan, ReadSpan>();
  const spans = state.spans.map((read) => {
    const span = foundSpan(read, parts);
    facts.set(span, read);
    return span;
  });
  const { signal, strategy } = found.options;
  const topK = SPARE_ANSWERS * found.options.topK;
  const question = found.question.encoded.text;
  const merged = await mergeBest(searcher, spans, { question, topK, firstWave: FEATURE_SPANS, signal });
  const known = {
    facts: (span: FoundSpan) => facts.get(span)!,
    logMass: state.logMass,
    phrase: new Map(phrase.merged.map(({ best }, n) => [normalForm(best.text), phrase.confidence?.[n] ?? 0])),
  };
  const byWords = isByWords(strategy);
  const isDegenerate = degenerateIn(question);
  const hasAnswer = ({ merged }: Pick<JudgedAnswers, "merged">): boolean =>
    merged.some(({ best }) => !isDegenerate(best));
  if (!byWords && !hasAnswer({ merged }) && hasAnswer(phrase)) return undefined;
  const features = () => readerFeatures(merged, spans, known);
  const judged = {
    merged,
    ...judge(byWords ? undefined : reader.info.calibration, features, wantsFeatures && !byWords),
  };
  return { ...(byWords ? judged : withUnread(judged, parts)), spans: [...spans, ...found.spans] };
}

/**
 * Adds the answers of phrase search that are not among the reader's, after them: reading often ends
 * after one passage, which has few answers.
 */
function withUnread(
  judged: Omit<JudgedAnswers, "spans">,
  { phrase, interpolation }: ReadParts,
): Omit<JudgedAnswers, "spans"> {
  const merged = [...judged.merged];
  const confidence = judged.confidence && [...judged.confidence];
  const known = new Set(merged.map(({ best }) => normalForm(best.text)));
  const rest = 1 - interpolation.reader;
  const lowest = merged.at(-1)?.best.span.score ?? Number.POSITIVE_INFINITY;
  for (const [n, { best, evidence }] of phrase.merged.entries()) {
    if (known.has(normalForm(best.text))) continue;
    const after = ({ span, ...place }: LocatedSpan): LocatedSpan => ({
      ...place,
      span: unreadSpan(span, rest, lowest),
    });
    merged.push({ best: after(best), evidence: evidence.map(after) });
    confidence?.push(phrase.confidence?.[n] ?? 0);
  }
  return { ...judged, merged, confidence: confidence && clipConfidences(confidence) };
}

/** The span of a passage that the reader did not read, with a score of at most `highest`. */
function unreadSpan(span: FoundSpan, rest: number, highest: number): FoundSpan {
  const score = Math.min(rest * span.score, highest);
  return { ...span, score, parts: { ...scaledParts(span.parts, rest), reader: score - rest * span.score } };
}

/**
 * A span that the reader found. Its parts sum to its score: those of the passage's best phrase, times
 * the weight that interpolation leaves to phrase search, and the reader's.
 */
function foundSpan(read: ReadSpan, { passages, interpolation, found }: ReadParts): FoundSpan {
  const { segment, passage, ids, firstToken, rank } = passages[read.passage]!;
  const rest = isByWords(found.options.strategy) ? 0 : 1 - interpolation.reader;
  const best = found.spans.find((span) => span.segment === segment && span.passage === passage)?.parts;
  const parts = best ?? { dense: rank, ngram: 0, terms: 0, tfidf: 0, vector: 0 };
  return {
    segment,
    passage,
    ids,
    firstToken,
    startPosition: read.startPosition,
    endPosition: read.endPosition,
    score: read.score,
    parts: { ...scaledParts(parts, rest), reader: read.score - rest * rank },
  };
}

/** The parts of phrase search, each times `factor`. */
function scaledParts({ dense, ngram, terms, tfidf, vector }: ScoreParts, factor: number): ScoreParts {
  return {
    dense: factor * dense,
    ngram: factor * ngram,
    terms: factor * terms,
    tfidf: factor * tfidf,
    vector: factor * vector,
  };
}
