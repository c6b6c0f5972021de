/** From a located span to an answer: position in the source, surrounding sentence, explanation. */

import { codePointLength, utf8Length } from "../../text/offsets.js";
import { firstCut, lastCut } from "../../text/one-line.js";
import { placeOf } from "../../text/place.js";
import { splitSentences } from "../../text/sentences.js";
import type { Span } from "../../types.js";
import type { PreparedQuestion } from "../prepare.js";
import { ngramMatches } from "../score/ngram-matches.js";
import type { Searcher } from "../searcher.js";
import type { Answer, AnswerPlaceFields, NgramMatch, Quoted } from "../types.js";
import type { LocatedSpan } from "./locate.js";
import type { MergedAnswer } from "./merge.js";
import { type Shown, shownRange } from "./shown.js";
import { firstRow } from "./table-above.js";
import { countsBefore } from "./text-counts.js";

export interface AnswerOptions {
  question: PreparedQuestion;
  /** What to explain: the parts of the score, or also the n-grams that contributed. */
  explain?: "parts" | "ngrams" | undefined;
  /** Its place in a list of answers; default: an answer alone, shown in its sentence. */
  entry?: ListEntry;
  signal?: AbortSignal;
}

/** An answer's place in a list. */
export interface ListEntry {
  context: Context;
  confidence: number | undefined;
  lessLikely: boolean;
  /** Other answers in the same context, best first. */
  alternatives: Quoted[];
}

/** What is shown of a document for an answer. */
export interface Context extends Quoted {
  shown: Shown;
  header?: Quoted;
}

export async function toAnswer(searcher: Searcher, merged: MergedAnswer, options: AnswerOptions): Promise<Answer> {
  const { best } = merged;
  const { signal, entry, explain } = options;
  const context = entry?.context ?? (await contextAround(searcher, best, { question: undefined, signal }));
  const evidence: AnswerPlaceFields[] = [];
  for (const other of merged.evidence) evidence.push(await placeFields(searcher, other, signal));
  const answer: Answer = {
    ...(await placeFields(searcher, best, signal)),
    text: best.text,
    context: context.text,
    contextStart: context.start,
    contextEnd: context.end,
    shown: context.shown,
    ...(context.header === undefined ? {} : { header: context.header }),
    passageStart: best.passageStart,
    passageEnd: best.passageEnd,
    evidence,
    lessLikely: entry?.lessLikely ?? false,
    alternatives: entry?.alternatives ?? [],
    metadata: structuredClone(best.record.metadata), // the record is cached
  };
  if (entry?.confidence !== undefined) answer.confidence = entry.confidence;
  if (explain !== undefined) answer.parts = best.span.parts;
  if (explain === "ngrams") answer.ngrams = await explainNgrams(searcher, best, options);
  return answer;
}

async function placeFields(searcher: Searcher, located: LocatedSpan, signal?: AbortSignal): Promise<AnswerPlaceFields> {
  const { record, start, end, text } = located;
  const place = { segment: located.span.segment, document: located.document, length: record.length };
  const before = await countsBefore(searcher, start, { place, signal });
  return {
    documentId: record.id,
    title: record.title,
    source: record.source,
    start,
    end,
    startByte: before.bytes,
    endByte: before.bytes + utf8Length(text),
    startCodePoint: before.codePoints,
    endCodePoint: before.codePoints + codePointLength(text),
    place: await placeInSource(searcher, located, { newlines: before.newlines, place, signal }),
    score: located.span.score,
  };
}

/** `placeOf` asks for the newlines of one range that ends at the answer; only then is the range's start looked up. */
export async function placeInSource(
  searcher: Searcher,
  { record, start }: Pick<LocatedSpan, "record" | "start">,
  counted: {
    newlines: number;
    place: { segment: number; document: number; length: number };
    signal: AbortSignal | undefined;
  },
): Promise<AnswerPlaceFields["place"]> {
  let countedFrom = -1;
  const place = placeOf(record.map, start, (from) => {
    countedFrom = from;
    return 0;
  });
  if (countedFrom < 0) return place;
  const before = countedFrom === 0 ? { newlines: 0 } : await countsBefore(searcher, countedFrom, counted);
  return placeOf(record.map, start, () => counted.newlines - before.newlines);
}

/**
 * The sentences that contain parts of the answer, or the list or row that it is in. They are searched in its passage
 * and the same length on both sides, because a passage may cut a sentence. Never less than the answer.
 */
export async function contextAround(
  searcher: Searcher,
  located: LocatedSpan,
  { question, signal }: { question: string | undefined; signal?: AbortSignal },
): Promise<Context> {
  const { record, document, start, end, passageStart, passageEnd } = located;
  const margin = passageEnd - passageStart;
  const first = Math.max(0, passageStart - margin);
  const last = Math.min(record.length, passageEnd + margin);
  const reader = searcher.segment(located.span.segment);
  const read = await reader.readText(document, first, last, signal);
  const cut = {
    start: first === 0 ? 0 : startAfterCut(read, passageStart - first),
    end: last === record.length ? read.length : endBeforeCut(read, passageEnd - first),
  };
  const from = first + cut.start;
  const around = read.slice(cut.start, cut.end);
  const touched = splitSentences(around).filter(
    (sentence) => from + sentence.start < end && from + sentence.end > start,
  );
  const answer = { start: start - from, end: end - from };
  const sentence = {
    start: Math.min(answer.start, touched[0]?.start ?? Number.POSITIVE_INFINITY),
    end: Math.max(answer.end, touched.at(-1)?.end ?? 0),
  };
  // a file with a column of texts has a document for each row, whose map is one entry
  const isRecord = record.map.kind === "csv" && record.map.segments.length > 1;
  const { shown, header, ...range } = shownRange(question ?? "", around, { answer, sentence, isRecord });
  const quoted = (part: Span): Quoted => ({
    text: around.slice(part.start, part.end),
    start: from + part.start,
    end: from + part.end,
  });
  // what was read may begin within a table, and within a row
  const isCut = header !== undefined && from > 0 && around.lastIndexOf("\n", header.start - 2) < 0;
  const row = isCut
    ? await firstRow((at) => reader.readText(document, at, from, signal), from, around)
    : header && quoted(header);
  return { shown, ...quoted(range), ...(row === undefined ? {} : { header: row }) };
}

/**
 * Where a text that was cut at its beginning begins: behind its first white space, up to `most`, or with a whole
 * character.
 */
function startAfterCut(text: string, most: number): number {
  const places = [text.search(/\s/) + 1, firstCut(text, 1)].filter((at) => at > 0);
  const at = Math.min(...places);
  if (at <= most) return at;
  const unit = text.charCodeAt(0);
  return most > 0 && unit >= 0xdc00 && unit <= 0xdfff ? 1 : 0;
}

/** Where a text that was cut at its end ends: before the last space from `least` on, or with a whole character. */
function endBeforeCut(text: string, least: number): number {
  const at = lastCut(text, text.length - 1);
  if (at >= least) return at;
  const unit = text.charCodeAt(text.length - 1);
  return text.length > least && unit >= 0xd800 && unit <= 0xdbff ? text.length - 1 : text.length;
}

async function explainNgrams(searcher: Searcher, located: LocatedSpan, options: AnswerOptions): Promise<NgramMatch[]> {
  const { span } = located;
  const [passage] = await searcher.readPassages(span.segment, [span.passage], options.signal);
  return ngramMatches(passage!, options.question, {
    startPosition: span.startPosition,
    endPosition: span.endPosition,
    textOf: (ids) => searcher.tokenizer.textOf(ids),
  });
}
