/**
 * How good are whole lists of answers? Counts entries that no reader would call an answer, entries
 * that repeat a sentence, and lists with a right answer.
 *
 *     npm run bench -- answer-list --index DIR --questions QUESTIONS.jsonl [--reader auto] [--show]
 *
 * The questions are lines of {id, question, answers}. Every question is answered (minimum
 * confidence 0).
 *
 *   degenerate   entries of punctuation, function words or a list number alone, or whose content
 *                words the question has itself
 *   repeated     entries that overlap an earlier entry's sentence
 *   amongFive    share of lists with an entry that is a gold answer; amongLikely: without entries
 *                that are folded as less likely; markedInFive: other candidates that are shown in
 *                an entry's place count
 *
 * --show prints degenerate and repeated entries.
 */

import { readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { openIndex } from "../adapters/node/index.js";
import { openEncoder } from "../adapters/node/models/encoder/encoder.js";
import { openReader } from "../adapters/node/models/reader/reader.js";
import { exactMatch } from "../src/evaluate/exact-match.js";
import { parseOpenQuestions } from "../src/evaluate/open-questions.js";
import { percentile } from "../src/evaluate/percentile.js";
import type { ReaderMode } from "../src/reader/types.js";
import type { Answer } from "../src/search/types.js";
import { isStopWord, words } from "../src/text/words.js";
import { record } from "./support/results.js";

const { values } = parseArgs({
  options: {
    index: { type: "string" },
    questions: { type: "string" },
    reader: { type: "string", default: "auto" },
    show: { type: "boolean", default: false },
  },
});
if (values.index === undefined || values.questions === undefined) {
  console.error(
    "usage: npm run bench -- answer-list --index DIR --questions QUESTIONS.jsonl [--reader off|auto|on] [--show]",
  );
  process.exit(2);
}

/** Why an entry is not an answer; undefined if it is one. */
function degeneracy({ text }: Answer, question: string): string | undefined {
  const own = [...words(text)].map((word) => word.text);
  if (own.length === 0) return "punctuation";
  if (/^\(?(\d{1,2}|[a-z])[.)]$/i.test(text.trim())) return "list number";
  const content = own.filter((word) => !isStopWord(word));
  if (content.length === 0) return /^(US|WHO|IT|May|Will)$/.test(text) ? undefined : "stop words";
  const asked = new Set([...words(question)].map((word) => word.text));
  if (asked.has("or") || !content.every((word) => asked.has(word))) return undefined;
  return "fragment of the question";
}

/** True if the answer's range overlaps an earlier entry's sentence, or is in the same one. */
function repeats(answer: Answer, earlier: readonly Answer[]): boolean {
  return earlier.some(
    ({ documentId, contextStart, contextEnd }) =>
      documentId === answer.documentId && answer.start < contextEnd && contextStart < answer.end,
  );
}

const questions = parseOpenQuestions(await readFile(values.questions, "utf8"), values.questions);
const encoder = await openEncoder({ threads: 1 });
const reader = values.reader === "off" ? undefined : await openReader({ model: encoder.model, threads: 1 });
const index = await openIndex({ path: values.index, encoder, reader });
const reasons = new Map<string, number>();
const times: number[] = [];
let entries = 0;
let repeated = 0;
let unlikely = 0;
const right = { first: 0, five: 0, marked: 0, fiveLikely: 0, sentence: 0 };
for (const { question, answers: golds } of questions) {
  const result = await index.ask(question, {
    minConfidence: 0,
    reader: values.reader as ReaderMode,
    advanced: { rankedPassages: 0 },
  });
  const { answers } = result;
  times.push(result.tookMs);
  const isRight = ({ text }: Answer): boolean => exactMatch(text, golds) === 1;
  const isLikely = ({ lessLikely }: Answer): boolean => !lessLikely;
  const hasAlternative = ({ alternatives }: Answer): boolean =>
    alternatives.some(({ text }) => exactMatch(text, golds) === 1);
  right.first += Number(answers[0] !== undefined && isRight(answers[0]));
  right.five += Number(answers.some(isRight));
  right.marked += Number(answers.some((answer) => isRight(answer) || hasAlternative(answer)));
  right.fiveLikely += Number(answers.filter(isLikely).some(isRight));
  right.sentence += Number(answers.some(({ context }) => golds.some((gold) => context.includes(gold))));
  for (const [n, answer] of answers.entries()) {
    entries++;
    unlikely += Number(!isLikely(answer));
    const why = degeneracy(answer, question);
    const isRepeated = repeats(answer, answers.slice(0, n));
    if (why !== undefined) reasons.set(why, (reasons.get(why) ?? 0) + 1);
    repeated += Number(isRepeated);
    if (values.show && (why !== undefined || isRepeated))
      console.log(`${question} → ${n + 1}. ${JSON.stringify(answer.text)} ${why ?? ""}${isRepeated ? " repeats" : ""}`);
  }
}
times.sort((a, b) => a - b);
const percent = (count: number): number => Math.round((1e4 * count) / questions.length) / 100;
await record("answer-list", {
  set: values.questions,
  reader: values.reader,
  questions: questions.length,
  entries,
  degenerate: [...reasons.values()].reduce((sum, count) => sum + count, 0),
  ...Object.fromEntries(reasons),
  repeated,
  lessLikely: unlikely,
  exactMatch: percent(right.first),
  amongFive: percent(right.five),
  markedInFive: percent(right.marked),
  amongLikely: percent(right.fiveLikely),
  inSentenceOfFive: percent(right.sentence),
  msP50: percentile(times, 0.5),
});
await index.close();
await reader?.close();
await encoder.close();
