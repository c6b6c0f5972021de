/** The operators of a question: "a phrase", which an answer's passage must contain, and -word, which it must not. */

import { VerbatimError } from "../errors.js";
import type { PassageRestriction } from "../search/restriction/restriction.js";
import { doubleMarkedRanges } from "../text/quotation-marks.js";
import { hasWord } from "../text/words.js";
import type { Span } from "../types.js";

export interface ParsedQuestion {
  /** What is encoded: without quotation marks and excluded words. The question itself if it has no operator. */
  text: string;
  /** Ranges of `text` that were in quotation marks. */
  quoted: Span[];
  /** undefined if there is no operator. */
  restriction: PassageRestriction | undefined;
}

/** Each phrase costs some dozen look-ups. */
const MAX_OPERATORS = 16;

/** A hyphen after white space and before a word: "e-mail", "-5", "--all" and " - " have none. */
const EXCLUDED = /(?<![^\s(])-\p{L}[\p{L}\p{N}\p{M}]*(?:[-'’._][\p{L}\p{N}\p{M}]+)*/gu;
/** "Wareneingang und -ausgang": the hyphen stands for the first part of the word before. */
const SUSPENDED = /[\s,](?:und|oder|bzw\.|sowie|en|of|och|og|eller)\s+-\p{L}/iu;
/** UTF-16 units with the hyphen: "-v" is an option of a command, not an excluded word. */
const MIN_EXCLUDED = 3;
/** Marks of the sentence around a phrase, which many write before the closing quotation mark. */
const OWN_PUNCTUATION = ".,;:!?";

interface Operator extends Span {
  words: string;
  excludes: boolean;
}

/**
 * Quotation marks without a partner, or without a word between them, are text. So are single ones.
 * `-"a phrase"` excludes a phrase. O(question)
 * @throws VerbatimError `invalid-argument` if nothing but excluded words is left, or for more than 16 operators
 */
export function parseQuestion(question: string): ParsedQuestion {
  const operators = operatorsOf(question);
  if (operators.length === 0) return plainQuestion(question);
  if (operators.length > MAX_OPERATORS) {
    throw new VerbatimError(
      "invalid-argument",
      `The question has more than ${MAX_OPERATORS} quoted phrases and excluded words.`,
      { hint: "Leave some of the quotation marks or hyphens out." },
    );
  }
  const quoted: Span[] = [];
  const phrases = new Set<string>();
  const excluded = new Set<string>();
  let text = "";
  let done = 0;
  const copyTo = (end: number): void => {
    const part = question.slice(done, end);
    text += text === "" ? part.trimStart() : part;
  };
  for (const { start, end, words, excludes } of operators) {
    copyTo(start);
    done = end;
    if (excludes) {
      text = text.trimEnd();
      excluded.add(withoutOwnPunctuation(words));
    } else {
      quoted.push({ start: text.length, end: text.length + words.length });
      text += words;
      phrases.add(withoutOwnPunctuation(words));
    }
  }
  copyTo(question.length);
  if (!hasWord(text)) {
    throw new VerbatimError("invalid-argument", "The question has only excluded words.", {
      hint: "Ask with at least one word that has no hyphen before it.",
    });
  }
  return { text: text.trimEnd(), quoted, restriction: { phrases: [...phrases], excluded: [...excluded] } };
}

/** A question that is text, whatever it contains. */
export function plainQuestion(text: string): ParsedQuestion {
  return { text, quoted: [], restriction: undefined };
}

/** In the order of the question. */
function operatorsOf(question: string): Operator[] {
  const operators: Operator[] = [];
  for (const { start, end } of doubleMarkedRanges(question)) {
    const words = question.slice(start, end).trim();
    if (!hasWord(words)) continue;
    const excludes = question[start - 2] === "-" && /^\s?$/.test(question.slice(Math.max(0, start - 3), start - 2));
    operators.push({ start: start - (excludes ? 2 : 1), end: end + 1, words, excludes });
  }
  const phrases = [...operators];
  const excluded = question.includes("-") && !SUSPENDED.test(question) ? question.matchAll(EXCLUDED) : [];
  for (const { 0: match, index: start } of excluded) {
    const end = start + match.length;
    if (match.length < MIN_EXCLUDED || phrases.some((phrase) => phrase.start < end && start < phrase.end)) continue;
    operators.push({ start, end, words: match.slice(1), excludes: true });
  }
  return operators.sort((a, b) => a.start - b.start);
}

function withoutOwnPunctuation(words: string): string {
  let end = words.length;
  while (end > 1 && OWN_PUNCTUATION.includes(words[end - 1]!)) end--;
  return words.slice(0, end).trimEnd();
}
