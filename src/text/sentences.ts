import type { Span } from "../types.js";
import { BEFORE_NUMBER, MAYBE_LAST, NEVER_LAST, SMALL_ABBREVIATIONS, STARTERS } from "./abbreviations.js";
import { exec, type Pattern, test } from "./ascii.js";
import { isWhiteSpace, splitBlocks } from "./blocks.js";

export interface Sentence extends Span {
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
/** End a sentence even without a following space: CJK, half-width, Devanagari, Urdu, Armenian, Ethiopic. */
setRole("。！？｡।॥۔։።", STRONG);
/** End a sentence if white space follows and no exception applies. */
setRole(".!?…‼⁇⁈⁉؟", WEAK);
/** Belong to the sentence that they close (the last two are Markdown emphasis). */
setRole("\"'”’»›)]}）］｝」』】》〉〕*_", CLOSER);
/** May precede the first word. */
setRole("\"'“‘«([{*_-•#> ", OPENER);

const FULL_STOP = 0x2e;
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
  dotted: { ascii: /^(?:[A-Za-z]{1,2}\.)+[A-Za-z]{1,3}$/, full: /^(?:\p{L}{1,2}\.)+\p{L}{1,3}$/u },
  small: { ascii: /^[a-z]/, full: /^\p{Ll}/u },
  allSmall: { ascii: /^[a-z]{3,}$/, full: /^\p{Ll}{3,}$/u },
  number: { ascii: /^[0-9]/, full: /^\p{N}/u },
} satisfies Record<string, Pattern>;
const { openersThenWord, wordBefore, initial, dotted, small, allSmall, number } = SENTENCE_PATTERNS;
/** Maximum length of a word before a full stop that is checked. */
const LONGEST_WORD = 40;

/** The sentences of `text[from, to)`, trimmed, in order, without overlap, covering all text but white space. */
export function splitSentences(text: string, from = 0, to = text.length): Span[] {
  return Array.from(sentencesOf(text, from, to), ({ start, end }) => ({ start, end }));
}

/**
 * As `splitSentences`, one sentence at a time, in constant memory. A paragraph, list item or heading ends a
 * sentence; inside them, a terminator with its closing quotes, brackets and citation marks does, unless it
 * belongs to an abbreviation, an initial, a number or an ellipsis within a sentence. The rules are for
 * English; other scripts end at their own terminators. O(to − from)
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
        yield { start, end, paragraphStart };
        start = next;
        paragraphStart = false;
      }
      i = next;
    }
    if (start < block.end) yield { start, end: block.end, paragraphStart };
  }
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
  for (let i = terminator; i < afterTerminators; i++) if (ROLES[text.charCodeAt(i)] === STRONG) return true;
  if (end === next) return false;
  const following = wordAt(text, next, candidate.limit);
  if (afterTerminators - terminator > 1 || text.charCodeAt(terminator) !== FULL_STOP) return !test(small, following);

  const word = exec(wordBefore, text.slice(Math.max(start, terminator - LONGEST_WORD), terminator))?.[0] ?? "";
  if (test(number, word) && isListNumber(text, start, terminator)) return false;
  if (NEVER_LAST.has(word)) return false;
  if (BEFORE_NUMBER.has(word) && test(number, text.slice(next, next + 2))) return false;
  if (test(small, following)) return test(allSmall, word) && !SMALL_ABBREVIATIONS.has(word);
  if (test(initial, word) || test(dotted, word) || MAYBE_LAST.has(word)) return STARTERS.has(following);
  return true;
}

/** The letters at `from` after any opening quotes and brackets; "" if there are none. */
function wordAt(text: string, from: number, limit: number): string {
  return exec(openersThenWord, text.slice(from, Math.min(limit, from + LONGEST_WORD)))?.[1] ?? "";
}

/** True for "12" in "12. Boil the water", where the sentence would be the number alone. */
function isListNumber(text: string, start: number, terminator: number): boolean {
  return (
    terminator - start <= 6 &&
    exec(wordBefore, text.slice(skip(text, start, terminator, OPENER), terminator))?.index === 0
  );
}
