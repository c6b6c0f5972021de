import type { Span } from "../types.js";
import {
  AFTER_GERMAN_ORDINAL,
  AFTER_ORDINAL,
  BEFORE_GERMAN_ORDINAL,
  BEFORE_NUMBER,
  GERMAN_MAYBE_LAST,
  GERMAN_STARTERS,
  MAYBE_LAST,
  NEVER_LAST,
  SMALL_ABBREVIATIONS,
  STARTERS,
} from "./abbreviations.js";
import { exec, type Pattern, test } from "./ascii.js";
import { isUnspaced, isWhiteSpace, splitBlocks } from "./blocks.js";

interface Sentence extends Span {
  /** True for the first sentence of a paragraph. */
  paragraphStart: boolean;
}

const STRONG = 1;
const WEAK = 2;
const CLOSER = 4;
const OPENER = 8;

/** Roles of a UTF-16 unit at a sentence boundary: a combination of the four flags above. */
const ROLES = new Uint8Array(0x10000);
function setRole(units: string, role: number): void {
  for (let i = 0; i < units.length; i++) ROLES[units.charCodeAt(i)]! |= role;
}
/**
 * End a sentence even without a following space: CJK, half-width, Devanagari, Urdu, Armenian, Ethiopic, Khmer,
 * Burmese.
 */
setRole("。！？｡।॥۔։።។။", STRONG);
/** End a sentence if white space or, except for a full stop, a Chinese character follows, and no exception applies. */
setRole(".!?…‼⁇⁈⁉؟．", WEAK);
/** Belong to the sentence that they close (the last two are Markdown emphasis). */
setRole("\"'”’»›)]}）］｝」』】》〉〕*_", CLOSER);
/** May precede the first word. */
setRole("\"'“‘«([{*_-•#> ", OPENER);

const FULL_STOP = 0x2e;
const ELLIPSIS = 0x2026;
const WIDE_FULL_STOP = 0xff0e;
/** What continues a Japanese sentence after a quotation with a full stop: 「はい。」と言った */
const AFTER_QUOTED = new Set([..."とっな、，"]);
/** Thai and Lao have no terminators. A space ends a sentence of at least this many units. */
const MIN_THAI_UNITS = 80;
/** "[12]", "[a]", "[citation needed]". */
const CITATION = /(?:\[(?:[^[\]\s]{1,8}|[a-z ?]{1,30})\])+/y;
/** Context for deciding whether a sentence ends. */
export const SENTENCE_PATTERNS = {
  openersThenWord: {
    ascii: /^[([{"'*_#]*([A-Za-z][A-Za-z']*)?/,
    full: /^[\p{Ps}\p{Pi}"'*_¿¡#]*(\p{L}[\p{L}\p{M}’']*)?/u,
  },
  wordBefore: { ascii: /[A-Za-z0-9.]+$/, full: /[\p{L}\p{M}\p{N}.]+$/u },
  initial: { ascii: /^[A-Z]$/, full: /^\p{Lu}\p{M}*$/u },
  measured: { ascii: /[0-9] ?$/, full: /(?:\p{N}[ \u00a0\u202f]?|°)$/u },
  dotted: { ascii: /^(?:[A-Za-z]{1,2}\.)+[A-Za-z]{1,3}$/, full: /^(?:\p{L}{1,2}\.)+\p{L}{1,3}$/u },
  small: { ascii: /^[a-z]/, full: /^\p{Ll}/u },
  allSmall: { ascii: /^[a-z]{3,}$/, full: /^\p{Ll}{3,}$/u },
  number: { ascii: /^[0-9]/, full: /^\p{N}/u },
  dayBefore: { ascii: /(?:^|[^0-9.])[0-9]{1,2}$/, full: /(?:^|[^\p{N}.])[0-9]{1,2}$/u },
  monthAfter: {
    ascii: /^(?:0?[1-9]|1[0-2])\.(?:\s+(?:[a-z]|[0-9]{4})|\s*$|[,;:)])/,
    full: /^(?:0?[1-9]|1[0-2])\.(?:\s+(?:\p{Ll}|[0-9]{4})|\s*$|[,;:)])/u,
  },
  monthBefore: {
    ascii: /(?:^|[^0-9.])[0-9]{1,2}\.\s(?:0?[1-9]|1[0-2])$/,
    full: /(?:^|[^\p{N}.])[0-9]{1,2}\.\s(?:0?[1-9]|1[0-2])$/u,
  },
  yearAfter: { ascii: /^(?:19|20|21)[0-9]{2}(?![0-9])/, full: /^(?:19|20|21)[0-9]{2}(?!\p{N})/u },
} satisfies Record<string, Pattern>;
const { openersThenWord, wordBefore, initial, measured, dotted, small, allSmall, number } = SENTENCE_PATTERNS;
const { dayBefore, monthAfter, monthBefore, yearAfter } = SENTENCE_PATTERNS;
/** UTF-16 units of a day and a month with their full stops and a space. */
const MAX_DATE_UNITS = 9;
/** Maximum length of a word before a full stop that is checked. */
const MAX_WORD_UNITS = 40;

/** The sentences of `text[from, to)`, trimmed, in order, without overlap, covering all text but white space. */
export function splitSentences(text: string, from = 0, to = text.length): Span[] {
  return Array.from(sentencesOf(text, from, to), ({ start, end }) => ({ start, end }));
}

/**
 * As `splitSentences`, one sentence at a time, in constant memory. A paragraph, list item or heading ends a
 * sentence; inside them, a terminator with its closing quotes, brackets and citation marks does, unless it
 * belongs to an abbreviation, an initial, a number or an ellipsis within a sentence. The rules are for
 * English, with the abbreviations of other European languages; other scripts end at their own terminators. They
 * use no `Intl.Segmenter`, because a passage must not depend on the version of a runtime's data. O(to − from)
 */
export function* sentencesOf(text: string, from: number, to: number): Generator<Sentence> {
  for (const block of splitBlocks(text, from, to)) {
    let { start, paragraphStart } = block;
    for (let i = start; i < block.end; ) {
      if ((ROLES[text.charCodeAt(i)]! & (STRONG | WEAK)) === 0) {
        i++;
        continue;
      }
      const afterTerminators = skip(text, i, block.end, STRONG | WEAK);
      const end = skipClosers(text, afterTerminators, block.end);
      const next = skipWhiteSpace(text, end, block.end);
      if (
        next < block.end &&
        endsSentence(text, { start, terminator: i, afterTerminators, end, next, limit: block.end })
      ) {
        yield* atSpaces(text, { start, end, paragraphStart });
        start = next;
        paragraphStart = false;
      }
      i = next;
    }
    if (start < block.end) yield* atSpaces(text, { start, end: block.end, paragraphStart });
  }
}

const isThai = (unit: number): boolean => unit >= 0x0e00 && unit <= 0x0eff;

/** Divides long Thai and Lao text at the spaces between its clauses; other sentences remain whole. */
function* atSpaces(text: string, { start, end, paragraphStart }: Sentence): Generator<Sentence> {
  let from = start;
  const mayDivide =
    end - start > MIN_THAI_UNITS && (isThai(text.charCodeAt(start)) || isThai(text.charCodeAt(end - 1)));
  for (let i = start + MIN_THAI_UNITS; mayDivide && i < end; i++) {
    if (text.charCodeAt(i) !== 0x20 || !isThai(text.charCodeAt(i - 1)) || !isThai(text.charCodeAt(i + 1))) continue;
    yield { start: from, end: i, paragraphStart: paragraphStart && from === start };
    from = i + 1;
    i += MIN_THAI_UNITS;
  }
  yield { start: from, end, paragraphStart: paragraphStart && from === start };
}

function skip(text: string, from: number, to: number, roles: number): number {
  let i = from;
  while (i < to && (ROLES[text.charCodeAt(i)]! & roles) !== 0) i++;
  return i;
}

function skipClosers(text: string, from: number, to: number): number {
  const closed = skip(text, from, to, CLOSER);
  CITATION.lastIndex = closed;
  if (!CITATION.test(text) || CITATION.lastIndex > to) return closed;
  return skip(text, CITATION.lastIndex, to, CLOSER);
}

function skipWhiteSpace(text: string, from: number, to: number): number {
  let i = from;
  while (i < to && isWhiteSpace(text.charCodeAt(i))) i++;
  return i;
}

interface Candidate {
  start: number;
  terminator: number;
  afterTerminators: number;
  end: number;
  /** The first character after the white space. */
  next: number;
  limit: number;
}

/** True if a sentence ends at `end`. */
function endsSentence(text: string, candidate: Candidate): boolean {
  const { start, terminator, afterTerminators, end, next } = candidate;
  for (let i = terminator; i < afterTerminators; i++) {
    if (ROLES[text.charCodeAt(i)] === STRONG) return !(end > afterTerminators && AFTER_QUOTED.has(text[next]!));
  }
  const last = text.charCodeAt(afterTerminators - 1);
  if (end === next && last !== FULL_STOP && last !== ELLIPSIS) {
    return (
      isUnspaced(text.charCodeAt(terminator - 1)) && !isAsciiVariant(text, terminator - 1) && startsUnspaced(text, next)
    );
  }
  if (end === next) return false;
  const following = wordAt(text, next, candidate.limit);
  if (afterTerminators - terminator > 1 || text.charCodeAt(terminator) !== FULL_STOP) return !test(small, following);

  const word = exec(wordBefore, text.slice(Math.max(start, terminator - MAX_WORD_UNITS), terminator))?.[0] ?? "";
  if (test(number, word) && isListNumber(text, start, terminator)) return false;
  if (word.length <= 2 && test(number, word) && isInDate(text, candidate)) return false;
  if (NEVER_LAST.has(word) || isOrdinal(text, { word, following, start, terminator })) return false;
  if (BEFORE_NUMBER.has(word) && test(number, text.slice(next, next + 2))) return false;
  if (test(small, following)) return test(allSmall, word) && !SMALL_ABBREVIATIONS.has(word);
  if ((test(initial, word) && !isUnit(text, terminator - 1)) || test(dotted, word) || MAYBE_LAST.has(word))
    return STARTERS.has(following);
  if (GERMAN_MAYBE_LAST.has(word)) return STARTERS.has(following) || GERMAN_STARTERS.has(following);
  if (word.length === 1 && !test(number, word) && isSpacedAbbreviation(text, candidate, following))
    return STARTERS.has(following);
  return true;
}

/** True for the letter of "5 V" and "-3 °C", which is no initial. */
function isUnit(text: string, letter: number): boolean {
  return test(measured, text.slice(Math.max(0, letter - 2), letter));
}

/** True for a full-width letter or digit, as in "図１．２". */
function isAsciiVariant(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= WIDE_FULL_STOP && unit <= 0xff5a;
}

const startsUnspaced = (text: string, at: number): boolean =>
  (isUnspaced(text.charCodeAt(at)) || "“‘".includes(text[at]!)) && !isAsciiVariant(text, at);

/** The full stops of "1. 10. 2024" and "1. 10.", written with spaces. */
function isInDate(text: string, { start, terminator, next, limit }: Candidate): boolean {
  const before = text.slice(Math.max(start, terminator - MAX_DATE_UNITS), terminator);
  const after = text.slice(next, Math.min(limit, next + MAX_DATE_UNITS));
  if (test(dayBefore, before) && test(monthAfter, after)) return true;
  return test(monthBefore, before) && test(yearAfter, after);
}

/** "am 3. Oktober", "im 1. Stock", "vom 5. April" */
function isOrdinal(
  text: string,
  { word, following, start, terminator }: { word: string; following: string; start: number; terminator: number },
): boolean {
  if (word.length > 2 || !test(number, word)) return false;
  if (AFTER_ORDINAL.has(following)) return true;
  if (!AFTER_GERMAN_ORDINAL.has(following)) return false;
  const before = text
    .slice(Math.max(start, terminator - word.length - MAX_WORD_UNITS), terminator - word.length)
    .trimEnd();
  return BEFORE_GERMAN_ORDINAL.has(before.slice(before.lastIndexOf(" ") + 1));
}

/** True for either letter of "z. B.", "d. h." and "т. е." */
function isSpacedAbbreviation(text: string, { terminator, next }: Candidate, following: string): boolean {
  const isFirst = following.length === 1 && text.charCodeAt(next + 1) === FULL_STOP;
  return isFirst || (text[terminator - 2] === " " && text.charCodeAt(terminator - 3) === FULL_STOP);
}

/** The letters at `from` after any opening quotes and brackets; "" if there are none. */
function wordAt(text: string, from: number, limit: number): string {
  return exec(openersThenWord, text.slice(from, Math.min(limit, from + MAX_WORD_UNITS)))?.[1] ?? "";
}

/** True for "12" in "12. Boil the water", where the sentence would be the number alone. */
function isListNumber(text: string, start: number, terminator: number): boolean {
  return (
    terminator - start <= 6 &&
    exec(wordBefore, text.slice(skip(text, start, terminator, OPENER), terminator))?.index === 0
  );
}
