/** From spans to answers: spans with the same text become one answer, with all its places. */

import { throwIfAborted } from "../../errors.js";
import type { Span } from "../../types.js";
import type { Searcher } from "../searcher.js";
import type { FoundSpan } from "../spans.js";
import { namesFor } from "./best-item.js";
import { degenerateIn } from "./degenerate.js";
import { type LocatedSpan, Locator } from "./locate.js";
import { normalForm } from "./normal-form.js";

export const MAX_EVIDENCE = 10;

/** Spans located before it is known how many answers they give. */
const FIRST_WAVE = 20;

/** A text with its best place, and at most MAX_EVIDENCE other places, best first. */
export interface MergedAnswer {
  best: LocatedSpan;
  evidence: LocatedSpan[];
}

/** Score descending, ties by document id (by UTF-16 units), start, end: the order of answers. */
function compareLocated(a: LocatedSpan, b: LocatedSpan): number {
  if (a.span.score !== b.span.score) return b.span.score - a.span.score;
  if (a.record.id !== b.record.id) return a.record.id < b.record.id ? -1 : 1;
  return a.start - b.start || a.end - b.end;
}

/**
 * Merges spans in the order of `compareLocated`. A span that overlaps a better one of the same
 * document is dropped, so a place found in two overlapping passages counts once. A span with the
 * normal form of an earlier answer becomes evidence of it; every other span is an answer. A prefix
 * of the spans gives a prefix of the answers.
 */
export function mergeSpans(spans: readonly LocatedSpan[]): MergedAnswer[] {
  const answers = new Map<string, MergedAnswer>();
  const taken = new Map<string, TakenRanges>();
  for (const located of [...spans].sort(compareLocated)) {
    const ranges = taken.get(located.record.id) ?? new TakenRanges();
    taken.set(located.record.id, ranges);
    if (!ranges.take(located)) continue;
    const form = normalForm(located.text);
    const answer = answers.get(form);
    if (answer === undefined) answers.set(form, { best: located, evidence: [] });
    else if (answer.evidence.length < MAX_EVIDENCE) answer.evidence.push(located);
  }
  return [...answers.values()];
}

/** Ranges of one document that do not overlap, in their order. */
class TakenRanges {
  readonly #ranges: Span[] = [];

  /** Adds a range. @returns false if it overlaps one that was added before */
  take({ start, end }: Span): boolean {
    let at = 0; // the first range that ends after the start
    for (let to = this.#ranges.length; at < to; ) {
      const middle = (at + to) >> 1;
      if (this.#ranges[middle]!.end <= start) at = middle + 1;
      else to = middle;
    }
    const next = this.#ranges[at];
    if (next !== undefined && next.start < end) return false;
    this.#ranges.splice(at, 0, { start, end });
    return true;
  }
}

/**
 * Locates and merges only as many spans as `topK` answers need, in waves. A wave never ends between
 * spans of equal score, because their order depends on their documents' ids.
 * If the question describes a named item, such as an option of a program, a span of the passage
 * becomes its name (`namesFor`).
 * Spans that are no answer to the question (`degenerateIn`) are dropped, unless all are.
 * @param spans  best first
 * @param options.question  undefined: spans are whole sentences, which may consist of the question's words
 * @param options.firstWave  spans of the first wave at least; default 20
 * @returns at least `topK` answers if there are that many, and all that the waves gave
 * @throws VerbatimError `aborted`, `corrupt-segment`
 */
export async function mergeBest(
  searcher: Searcher,
  spans: readonly FoundSpan[],
  options: { question: string | undefined; topK: number; firstWave?: number; signal?: AbortSignal },
): Promise<MergedAnswer[]> {
  const { question, topK, firstWave = FIRST_WAVE, signal } = options;
  const locator = new Locator(searcher, signal);
  const isDegenerate = degenerateIn(question ?? "");
  const toName = namesFor(question ?? "");
  const located: LocatedSpan[] = [];
  const degenerate: LocatedSpan[] = [];
  let merged: MergedAnswer[] = [];
  let begin = 0;
  for (let wave = Math.max(firstWave, 2 * topK); begin < spans.length && merged.length < topK; wave *= 2) {
    let end = Math.min(wave, spans.length);
    while (end < spans.length && spans[end]!.score === spans[end - 1]!.score) end++;
    for (const span of await locator.locate(spans.slice(begin, end))) {
      const one = toName === undefined ? span : toName(span);
      (isDegenerate(one) ? degenerate : located).push(one);
    }
    begin = end;
    merged = mergeSpans(located);
    throwIfAborted(signal);
  }
  return merged.length > 0 ? merged : mergeSpans(degenerate);
}
