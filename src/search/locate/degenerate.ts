/** Which spans are no answer at all, however well they score. */

import { beginsItem } from "../../text/item-marks.js";
import { detectLanguage, type Language } from "../../text/language/language.js";
import { hasCells, lineAround } from "../../text/table-rows.js";
import { isStopWord, words } from "../../text/words.js";
import type { LocatedSpan } from "./locate.js";
import { askedFor } from "./question-form.js";

/** A number or letter that begins a list item. */
const LIST_NUMBER = /^\(?(?:\d{1,3}|[a-z]|[ivxlc]{2,6})[.)]?$/i;
/** What follows it, if the span ends before its mark. */
const REST_OF_MARKER = /^[.)]?\s/;
/** "or", where it has no other meaning in another language. */
const OR: ReadonlySet<string> = new Set(["or", "oder", "ou", "oppure", "lub", "albo", "или", "либо", "او", "ام"]);
const OR_UNSPACED = /还是|還是|或|それとも|または|또는|혹은|아니면/u;
/** "or" by language. A question whose language is not detected may be Italian or Spanish. */
const OR_BETWEEN: Partial<Record<Language | "unknown", RegExp>> = {
  es: /\S\s+[ou]\s+\S/iu,
  it: /\S\s+od?\s+\S/iu,
  unknown: /\S\s+o\s+\S/iu,
  nl: /\S\s+of\s+\S/iu,
  pl: /\S\s+czy\s+\S/iu,
};
/** Between two paragraphs, or a heading and its text: no answer has parts of both. */
const BLANK_LINE = /\n[^\S\n]*\n/;

/** A span with the text that it was found in. Offsets are those of the document. */
export type SpanInText = Pick<LocatedSpan, "text" | "start" | "passageStart" | "passageText" | "isName">;

/** Function words that answer a question if they are all that a cell, a line or a sentence says. */
const SHORT_ANSWER =
  /^(?:no|none|not at all|not yet|not|all|both|any|neither|most|few|same|more|once|now|here|there|on|off|up|down|in|out|above|below|before|after)$/i;
const GRADE = /^(?!I$)\p{Lu}[+\-−–]?$/u;
const CAPITALISED = /^(?:The )?\p{Lu}\p{Ll}+$/u;
/** What is before and after all that a cell, a line or a sentence says. */
const BEGINS_ALONE = /(?:^|[\n\t|:;.!?])[ "'“”‘’(*_`]*$/u;
const ENDS_ALONE = /^["'“”‘’)*_`]* *(?:$|[\n\t|;.!?])/u;
/** The end of a text in which a capital letter begins no sentence. */
const WITHIN_SENTENCE = /[\p{Ll}\d] ["'“‘(*_]*$/u;
/** A setting or a field: at most three words, then a colon or an equals sign. */
const NAMED_LINE = /^[\p{L}\p{N}_.-]+(?: [\p{L}\p{N}_.-]+){0,2}(?: ?[=:] |=)\S/u;
/** UTF-16 units on either side of a span that these expressions see. */
const NEAR_UNITS = 40;

/**
 * A test for one question's spans. True for a span that is only punctuation, function words or the number
 * of a list item, that is in two paragraphs, two rows of a table or two items of a list (unless the question
 * asks for several things or steps), or whose content words are all in the question. Function words count
 * if they are a whole cell, line or sentence ("No."), or a name ("The Who"). A question with "or" may be
 * answered with its own words.
 */
export function degenerateIn(question: string): (span: SpanInText) => boolean {
  const language = detectLanguage(question);
  const contentOf = (text: string): string[] => contentWords(text, language ?? "en");
  const asked = new Set([...contentOf(question), ...Array.from(words(question), ({ text }) => text)]);
  const namesItsAnswers =
    [...asked].some((word) => OR.has(word)) ||
    OR_UNSPACED.test(question) ||
    (OR_BETWEEN[language ?? "unknown"]?.test(question) ?? false);
  const form = askedFor(question);
  const asksForItems = form === "list" || form === "steps";
  return (span) => {
    if (span.isName) return false;
    if (BLANK_LINE.test(span.text) || isInTwoRows(span)) return true;
    if (!asksForItems && isInTwoItems(span.text)) return true;
    const content = contentOf(span.text);
    if (isListNumber(span)) return true;
    if (content.length === 0) return !isShortAnswer(span);
    return !namesItsAnswers && content.every((word) => asked.has(word));
  };
}

/**
 * Words in lower case, in English without function words. Names that look like one ("WHO", "May", "vitamin D") are
 * kept as written. Characters of scripts without spaces count in pairs: a single one is in most questions.
 */
function contentWords(text: string, language: Language): string[] {
  const found: string[] = [];
  let before: { text: string; end: number; paired: boolean } | undefined;
  const endRun = (): void => {
    if (before !== undefined && !before.paired) found.push(before.text);
    before = undefined;
  };
  for (const { text: word, start, end, unspaced } of words(text)) {
    if (before?.end !== start || !unspaced) endRun();
    const written = text.slice(start, end);
    if (unspaced) {
      if (before !== undefined) found.push(before.text + word);
      before = { text: word, end, paired: before !== undefined };
    } else if (language !== "en" || !isStopWord(word)) found.push(word);
    else if (isName(written) || isLabel(text, start, end)) found.push(written);
  }
  endRun();
  return found;
}

function isName(written: string): boolean {
  return /^(?:\p{Lu}{2,}|May|Will|Don)$/u.test(written);
}

function isInTwoRows({ text, start, passageStart, passageText }: SpanInText): boolean {
  if (!text.includes("\n")) return false;
  const at = start - passageStart;
  return [at, at + text.length].every((edge) => hasCells(passageText, lineAround(passageText, edge)));
}

/** True if an item of a list, or a line with a name of its own ("port = 80"), begins inside. */
function isInTwoItems(text: string): boolean {
  const lines = text.split("\n").map((line) => line.trim());
  return lines.some((line, n) => n > 0 && (NAMED_LINE.test(line) || beginsItem(line, lines[n - 1]!)));
}

/** A capital letter after what it distinguishes ("vitamin D", "World War I"), or alone ("S"). */
function isLabel(text: string, start: number, end: number): boolean {
  const written = text.slice(start, end);
  if (!/^\p{Lu}$/u.test(written) || /['’]/.test(text[start - 1] ?? "")) return false;
  return start > 0 ? !/^\s+\p{Ll}/u.test(text.slice(end)) : end === text.length && !/[AI]/.test(written);
}

/**
 * True for "no" in a cell, for "Not at all." as a sentence, and for "The Who" and the grade "A-" in the middle of
 * one.
 */
function isShortAnswer({ text, start, passageStart, passageText }: SpanInText): boolean {
  const words = text.replace(/[.!?]$/, "");
  const isGrade = GRADE.test(words);
  const at = start - passageStart;
  const before = passageText.slice(Math.max(0, at - NEAR_UNITS), at);
  if ((isGrade || CAPITALISED.test(words)) && WITHIN_SENTENCE.test(before)) return true;
  if (!isGrade && !SHORT_ANSWER.test(words)) return false;
  const after = passageText.slice(at + words.length, at + words.length + NEAR_UNITS);
  return BEGINS_ALONE.test(before) && ENDS_ALONE.test(after);
}

/** True for "3." or "3" at the beginning of a line such as "3. Close the valve". */
function isListNumber({ text, start, passageStart, passageText }: SpanInText): boolean {
  if (!LIST_NUMBER.test(text)) return false;
  const at = start - passageStart;
  const before = passageText.slice(0, at).trimEnd();
  const startsLine = before === "" || passageText.slice(before.length, at).includes("\n");
  const hasMark = /[.)]$/.test(text) || /^[.)]/.test(passageText.slice(at + text.length));
  return startsLine && hasMark && REST_OF_MARKER.test(passageText.slice(at + text.length));
}
