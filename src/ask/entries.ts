/** The list of answers that is shown: one entry per place. */

import { type Context, contextAround, type ListEntry } from "../search/locate/answer.js";
import { degenerateIn } from "../search/locate/degenerate.js";
import type { LocatedSpan } from "../search/locate/locate.js";
import type { MergedAnswer } from "../search/locate/merge.js";
import type { Searcher } from "../search/searcher.js";

/** Answers that are merged for each one that is shown: some share a sentence with a better one. */
export const SPARE_ANSWERS = 3;

/** Answers whose confidence is below this share of the first one's are less likely. */
const LESS_LIKELY_SHARE = 1 / 10;
/** Alternatives kept per entry. */
const MAX_ALTERNATIVES = 4;

export interface Entry extends ListEntry {
  merged: MergedAnswer;
}

/**
 * The first `topK` answers in different sentences, in their order, without spans that are not answers
 * (`degenerateIn`); if all are such spans, their sentences are the answers. An answer inside what is
 * shown of a better one becomes an alternative of it. Other places of an answer in its own sentence
 * are dropped.
 * @param options.question  undefined: spans are whole sentences, which may consist of the question's words
 * @param options.confidence  one per merged answer
 * @throws VerbatimError `aborted`, `corrupt-segment`
 */
export async function listEntries(
  searcher: Searcher,
  merged: readonly MergedAnswer[],
  options: {
    question: string | undefined;
    confidence: readonly number[] | undefined;
    topK: number;
    signal?: AbortSignal;
  },
): Promise<Entry[]> {
  const { question, confidence, topK, signal } = options;
  const isDegenerate = degenerateIn(question ?? "");
  const onlyDegenerate = merged.every(({ best }) => isDegenerate(best));
  const entries: Entry[] = [];
  for (const [n, answer] of merged.entries()) {
    if (!onlyDegenerate && isDegenerate(answer.best)) continue;
    const { best, evidence } = answer;
    const overlaps = ({ merged: other, context }: Entry): boolean =>
      other.best.record.id === best.record.id && context.start < best.end && best.start < context.end;
    const before = entries.find(overlaps);
    if (before !== undefined) {
      const { text, start, end } = best;
      const isInside = before.context.start <= start && end <= before.context.end;
      if (isInside && !onlyDegenerate && before.alternatives.length < MAX_ALTERNATIVES)
        before.alternatives.push({ text, start, end });
      continue;
    }
    if (entries.length === topK) continue;
    const context = await contextAround(searcher, best, { question, signal });
    const elsewhere = evidence.filter(
      ({ record, start, end }) => record.id !== best.record.id || end <= context.start || context.end <= start,
    );
    entries.push({
      merged: { best: onlyDegenerate ? within(best, context) : best, evidence: elsewhere },
      confidence: confidence?.[n],
      lessLikely: isLessLikely(confidence?.[n], confidence?.[0]),
      context: onlyDegenerate && context.shown === "span" ? { ...context, shown: "sentence" } : context,
      alternatives: [],
    });
  }
  return entries;
}

/** The span widened to what is shown around it, as far as its passage goes. */
function within(span: LocatedSpan, { start: from, end: to }: Context): LocatedSpan {
  const { passageStart, passageEnd, passageText } = span;
  const start = Math.max(from, passageStart);
  const end = Math.min(to, passageEnd);
  return { ...span, start, end, text: passageText.slice(start - passageStart, end - passageStart) };
}

/** @param first  the first answer's confidence */
function isLessLikely(confidence: number | undefined, first: number | undefined): boolean {
  return confidence !== undefined && first !== undefined && confidence < LESS_LIKELY_SHARE * first;
}
