import type { Span } from "../types.js";
import { BEFORE_NUMBER, MAYBE_LAST, NEVER_LAST, SMALL_ABBREVIATIONS, STARTERS } from "./abbreviations.js";
import { isWhiteSpace, splitBlocks } from "./blocks.js";

export interface Sentence extends Span {
  /** True for the first sentence of a paragraph. */
  paragraphStart: boolean;
}

/** End a sentence wherever they stand, no space needed: CJK, Devanagari, Urdu, Armenian, Ethiopic, half-width. */
const STRONG_TERMINATORS = "。！？｡।॥۔։።";
/** End a sentence when white space follows and nothing speaks against it. */
const WEAK_TERMINATORS = ".!?…‼⁇⁈⁉؟";
/** Stay with the sentence that they close. */
const CLOSERS = "\"'”’»›)]}）］｝」』】》〉〕*_";

const FULL_STOP = 0x2e;
const CITATION = /(?:\[[^[\]\s]{1,8}\])+/y;
const OPENERS_THEN_LETTER = /[\p{Ps}\p{Pi}"'*_¿¡#]*(\p{L}[\p{L}\p{M}’']*)?/uy;
const WORD_BEFORE = /[\p{L}\p{M}\p{N}.]+$/u;
const INITIAL = /^\p{Lu}\p{M}*$/u;
const DOTTED = /^(?:\p{L}{1,2}\.)+\p{L}{1,3}$/u;
const SMALL = /^\p{Ll}/u;
const ALL_SMALL = /^\p{Ll}{3,}$/u;
const NUMBER = /^\p{N}/u;
/** The longest word before a full stop that is looked at. */
const LONGEST_WORD = 40;

/** The sentences of `text[from, to)`, trimmed, in order, without overlap; together they hold every character that is not white space. */
export function splitSentences(text: string, from = 0, to = text.length): Span[] {
  return Array.from(sentencesOf(text, from, to), ({ start, end }) => ({ start, end }));
}

/**
 * The same one at a time, in constant memory. A paragraph, list item or heading ends a sentence; inside them a terminator
 * with its closing quotes, brackets and citation marks does, unless it belongs to an abbreviation, an initial, a number or
 * an ellipsis that goes on. The rules know English; other scripts end at their own terminators. O(to − from)
 */
export function* sentencesOf(text: string, from: number, to: number): Generator<Sentence> {
  for (const block of splitBlocks(text, from, to)) {
    let { start, paragraphStart } = block;
    for (let i = start; i < block.end; ) {
      const unit = text[i]!;
      const strong = STRONG_TERMINATORS.includes(unit);
      if (!strong && !WEAK_TERMINATORS.includes(unit)) {
        i++;
        continue;
      }
      const afterTerminators = skip(text, i, block.end, STRONG_TERMINATORS + WEAK_TERMINATORS);
      const end = skipClosers(text, afterTerminators, block.end);
      const next = skipWhiteSpace(text, end, block.end);
      if (next < block.end && endsSentence(text, { start, terminator: i, afterTerminators, end, next, limit: block.end })) {
        yield { start, end, paragraphStart };
        start = next;
        paragraphStart = false;
      }
      i = next;
    }
    if (start < block.end) yield { start, end: block.end, paragraphStart };
  }
}

function skip(text: string, from: number, to: number, units: string): number {
  let i = from;
  while (i < to && units.includes(text[i]!)) i++;
  return i;
}

function skipClosers(text: string, from: number, to: number): number {
  CITATION.lastIndex = from;
  const cited = CITATION.test(text) && CITATION.lastIndex <= to ? CITATION.lastIndex : from;
  return skip(text, cited, to, CLOSERS);
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

/** Whether a sentence ends at `end`. */
function endsSentence(text: string, candidate: Candidate): boolean {
  const { start, terminator, afterTerminators, end, next } = candidate;
  for (let i = terminator; i < afterTerminators; i++) if (STRONG_TERMINATORS.includes(text[i]!)) return true;
  if (end === next) return false;
  const following = wordAt(text, next, candidate.limit);
  if (afterTerminators - terminator > 1 || text.charCodeAt(terminator) !== FULL_STOP) return !SMALL.test(following);

  const word = WORD_BEFORE.exec(text.slice(Math.max(start, terminator - LONGEST_WORD), terminator))?.[0] ?? "";
  if (NUMBER.test(word) && skipOpeners(text, start, terminator) === terminator - word.length) return false;
  if (NEVER_LAST.has(word)) return false;
  if (BEFORE_NUMBER.has(word) && NUMBER.test(text.slice(next, next + 2))) return false;
  if (SMALL.test(following)) return ALL_SMALL.test(word) && !SMALL_ABBREVIATIONS.has(word);
  if (INITIAL.test(word) || DOTTED.test(word) || MAYBE_LAST.has(word)) return STARTERS.has(following);
  return true;
}

/** The letters at `from`, opening quotes and brackets passed over; "" when something else stands there. */
function wordAt(text: string, from: number, limit: number): string {
  OPENERS_THEN_LETTER.lastIndex = 0;
  return OPENERS_THEN_LETTER.exec(text.slice(from, Math.min(limit, from + LONGEST_WORD)))?.[1] ?? "";
}

function skipOpeners(text: string, from: number, to: number): number {
  return skip(text, from, to, "\"'“‘«([{*_-•#> ");
}
