/** What is marked in the context of an answer. */

import type { Answer } from "./api.js";

interface Range {
  start: number;
  end: number;
}

interface ContextMark extends Range {
  isAnswer: boolean;
}

/**
 * The answer, and the parts of the alternatives that are outside it and outside each other.
 * @returns ranges of `context`, in order, none of which overlap
 */
export function contextMarks({
  context,
  contextStart,
  start,
  end,
  alternatives = [],
}: Pick<Answer, "context" | "contextStart" | "start" | "end" | "alternatives">): ContextMark[] {
  const marks = [{ start: start - contextStart, end: end - contextStart, isAnswer: true }];
  for (const alternative of alternatives) {
    const from = Math.max(0, alternative.start - contextStart);
    let parts: Range[] = [{ start: from, end: Math.min(context.length, alternative.end - contextStart) }];
    for (const mark of marks) parts = parts.flatMap((part) => outside(part, mark));
    for (const part of parts.map((it) => trimmed(context, it)))
      if (part.start < part.end) marks.push({ ...part, isAnswer: false });
  }
  return marks.sort((a, b) => a.start - b.start);
}

/** The parts of a range before and after another one. */
function outside(range: Range, other: Range): Range[] {
  const before = { start: range.start, end: Math.min(range.end, other.start) };
  const after = { start: Math.max(range.start, other.end), end: range.end };
  return [before, after].filter(({ start, end }) => start < end);
}

/** The range without white space at its ends, which the mark would underline. */
function trimmed(text: string, { start, end }: Range): Range {
  const words = text.slice(start, end);
  return { start: end - words.trimStart().length, end: start + words.trimEnd().length };
}
