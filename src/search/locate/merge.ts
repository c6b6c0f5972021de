/** From spans to answers: one answer a text, with the places where it stands. */

import type { LocatedSpan } from "./locate.js";
import { normalForm } from "./normal-form.js";

export const MOST_EVIDENCE = 10;

/** A text with its best place and the others, best first, at most MOST_EVIDENCE. */
export interface MergedAnswer {
  best: LocatedSpan;
  evidence: LocatedSpan[];
}

/** Score descending, ties by document id (by UTF-16 units), start, end: the order of answers. */
export function compareLocated(a: LocatedSpan, b: LocatedSpan): number {
  if (a.span.score !== b.span.score) return b.span.score - a.span.score;
  if (a.record.id !== b.record.id) return a.record.id < b.record.id ? -1 : 1;
  return a.start - b.start || a.end - b.end;
}

/**
 * In the order of `compareLocated`: a span that overlaps a better one of the same document is dropped (so the same place found in
 * two overlapping passages counts once, with its better score); one whose normal form an earlier answer has is evidence of it;
 * every other one is an answer. A prefix of the spans gives a prefix of the answers.
 */
export function mergeSpans(spans: readonly LocatedSpan[]): MergedAnswer[] {
  const answers = new Map<string, MergedAnswer>();
  const taken = new Map<string, LocatedSpan[]>();
  for (const located of [...spans].sort(compareLocated)) {
    const others = taken.get(located.record.id) ?? [];
    if (others.some((other) => other.start < located.end && located.start < other.end)) continue;
    taken.set(located.record.id, [...others, located]);
    const form = normalForm(located.text);
    const answer = answers.get(form);
    if (answer === undefined) answers.set(form, { best: located, evidence: [] });
    else if (answer.evidence.length < MOST_EVIDENCE) answer.evidence.push(located);
  }
  return [...answers.values()];
}
