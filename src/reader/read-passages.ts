/**
 * Reads passages, best ranked first, a batch at a time, and stops when no unread one is likely to win
 * or the time is up.
 *
 * Passages come in the order of falling rank, so their likely scores (`likelyScore`) fall too: once
 * the best span so far reaches that of the next passage, no later passage is expected to have a
 * better span, and of equal spans the one of the better ranked passage wins. Where a reader has no
 * `likely`, the scores are upper bounds, and the first span is the same as after reading all.
 */

import { throwIfAborted } from "../errors.js";
import { interpolatedScore, likelyScore } from "./interpolation.js";
import { logSumExp, readerSpans } from "./spans.js";
import type { Interpolation, Reader, Reading } from "./types.js";
import { joinWindows, type ReadablePassage, readerInputs } from "./windows.js";

/** Spans kept per passage: the best one, and others that may become evidence or answers. */
const SPANS_PER_PASSAGE = 5;

export interface RankedReadable extends ReadablePassage {
  /** Phrase search's score of the passage; the list is in falling order of it. */
  rank: number;
}

/** A span that the reader scored. */
export interface ReadSpan {
  /** Index into the list of passages. */
  passage: number;
  /** Positions in the passage's `ids`, end inclusive. */
  startPosition: number;
  endPosition: number;
  /** start logit + end logit */
  logit: number;
  /** Logit of "the passage answers the question at all". */
  answer: number;
  /** The interpolated score, by which spans are ranked. */
  score: number;
}

export interface ReadState {
  /** Best first: score descending, ties by passage, logit, position. */
  spans: ReadSpan[];
  /** log Σ exp(logit) over all spans of all passages read: P(span) = exp(logit − logMass). */
  logMass: number;
  /** Number of passages read. */
  read: number;
  /** Undefined while more will be read. */
  ended: Reading["ended"];
}

interface ReadPassagesOptions {
  interpolation: Interpolation;
  maxAnswerTokens: number;
  /** True for a token inside a word, given the token before it: no span begins at one or ends before one. */
  isContinuation?: (id: number, before: number) => boolean;
  /** Milliseconds on the clock of `now` after which no batch begins. Default: none. */
  deadline?: number;
  now?: () => number;
  signal?: AbortSignal;
}

/**
 * Reads passages in their order, as many at a time as the reader has lanes. Whether reading ends early is decided
 * after each passage, so the result does not depend on the lanes. With a deadline, a batch does not begin if it
 * would end too late at the pace of the batch before it; the first one always begins in time.
 * Yields the state after each batch; the last one has `ended`.
 * @throws VerbatimError `aborted`, and what the reader throws
 */
export async function* readPassages(
  reader: Reader,
  question: Uint16Array,
  request: { passages: readonly RankedReadable[]; options: ReadPassagesOptions },
): AsyncGenerator<ReadState, void> {
  const { passages, options } = request;
  const { interpolation, deadline = Number.POSITIVE_INFINITY, now = () => performance.now(), signal } = options;
  const masses: number[] = [];
  let spans: ReadSpan[] = [];
  let read = 0;
  let msPerToken = 0;
  while (read < passages.length) {
    throwIfAborted(signal);
    const batch = passages.slice(read, read + Math.max(1, reader.lanes));
    const inputs = batch.map((passage) => readerInputs(question, passage, reader.info));
    const tokens = inputs.flat().reduce((sum, input) => sum + input.ids.length, 0);
    const begun = now();
    if (begun >= deadline || begun + tokens * msPerToken > deadline) {
      yield { spans, logMass: logSumExp(masses), read, ended: "budget" };
      return;
    }
    const outputs = await reader.read(inputs.flat(), signal === undefined ? {} : { signal });
    msPerToken = (now() - begun) / Math.max(1, tokens);
    let ended: ReadState["ended"];
    let at = 0;
    for (const [n, windows] of inputs.entries()) {
      const logits = joinWindows(windows, outputs.slice(at, at + windows.length));
      at += windows.length;
      const found = spansOf(logits, batch[n]!, { passage: read, options });
      masses.push(found.logMass);
      spans = spans.concat(found.spans).sort(compareRead);
      read++;
      const next = passages[read];
      if (next === undefined) ended = "all";
      else if (spans[0] !== undefined && spans[0].score >= likelyScore(interpolation, next.rank)) ended = "early";
      if (ended !== undefined) break;
    }
    yield { spans, logMass: logSumExp(masses), read, ended };
    if (ended !== undefined) return;
  }
  if (passages.length === 0) yield { spans, logMass: Number.NEGATIVE_INFINITY, read, ended: "all" };
}

export function compareRead(a: ReadSpan, b: ReadSpan): number {
  return (
    b.score - a.score ||
    a.passage - b.passage ||
    b.logit - a.logit ||
    a.startPosition - b.startPosition ||
    a.endPosition - b.endPosition
  );
}

function spansOf(
  logits: ReturnType<typeof joinWindows>,
  { ids, firstToken, rank }: RankedReadable,
  place: { passage: number; options: ReadPassagesOptions },
): { spans: ReadSpan[]; logMass: number } {
  const { passage, options } = place;
  const { interpolation, maxAnswerTokens, isContinuation = () => false } = options;
  const { best, logMass } = readerSpans(logits, {
    maxAnswerTokens,
    maxSpans: SPANS_PER_PASSAGE,
    mayStart: (token) => !isContinuation(ids[firstToken + token]!, ids[firstToken + token - 1]!),
    // [SEP] follows the last token
    mayEnd: (token) => !isContinuation(ids[firstToken + token + 1]!, ids[firstToken + token]!),
  });
  const { answer } = logits;
  const spans = best.map(({ first, last, logit }) => ({
    passage,
    startPosition: firstToken + first,
    endPosition: firstToken + last,
    logit,
    answer,
    score: interpolatedScore(interpolation, rank, { span: logit, answer }),
  }));
  return { spans, logMass };
}
