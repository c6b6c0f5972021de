/** What is read of a question that is longer than the model's input. */

import { splitSentences } from "../text/sentences.js";
import type { Tokenizer } from "../text/tokenizer.js";
import { isStopWord, words } from "../text/words.js";
import { MAX_QUESTION_UNITS } from "./input.js";

const QUESTION_MARKS = ["?", "？", "؟"];
/** Words, apart from those that every question has, with which a sentence says alone what it asks about. */
const ENOUGH_WORDS = 3;

/**
 * The part that is read of a question with more than `room` tokens: its last sentence with a question mark, which
 * people often write after a description of their situation, with the beginning of the question if that sentence
 * has few words ("What can I do?"). Without such a sentence, the whole question, which the model's input cuts.
 */
export function readablePart(tokenizer: Tokenizer, question: string, room: number): string {
  const text = question.slice(0, MAX_QUESTION_UNITS);
  const read = tokenizer.tokenize(text, { maxTokens: room });
  const last = splitSentences(text).findLast(({ start, end }) => asks(text.slice(start, end)));
  if (last === undefined || last.end <= read.ends[room - 1]!) return question;
  const asked = text.slice(last.start, last.end);
  if ([...words(asked)].filter((word) => !isStopWord(word.text)).length >= ENOUGH_WORDS) return asked;
  const left = room - tokenizer.tokenize(asked, { maxTokens: room }).count;
  const before = tokenizer.tokenize(text, { to: last.start, maxTokens: left + 1 });
  if (left <= 0 || before.count === 0) return asked;
  const end = before.count <= left ? before.ends[before.count - 1]! : wholeWords(text, before.starts[left]!);
  return `${text.slice(0, end).trimEnd()} ${asked}`.trimStart();
}

/** Whether a sentence ends in a question mark, with other marks after it at most. */
function asks(sentence: string): boolean {
  const at = Math.max(...QUESTION_MARKS.map((mark) => sentence.lastIndexOf(mark)));
  return at >= 0 && !/\p{L}/u.test(sentence.slice(at));
}

/** Where the last word that ends before `at` ends; `at` where words are not separated. */
function wholeWords(text: string, at: number): number {
  const space = text.slice(0, at).search(/\s\S*$/u);
  return space > at / 2 ? space : at;
}
