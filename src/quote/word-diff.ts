/** Compares a quotation with a passage word by word. */

import { foldText } from "../text/fold.js";
import type { WordDifference } from "./types.js";

/** Words that are aligned; the rest of a longer quotation or text is not compared. */
const MAX_QUOTATION_WORDS = 400;
const MAX_TEXT_WORDS = 2500;
/** Costs of the alignment: a word in another's place costs less than one that is added or missing, at the ends too. */
const OTHER_PUNCTUATION = 1;
const OTHER_WORD = 3;
const ONE_SIDED = 4;

/** A run without white space; in scripts without spaces, a character. */
const TOKEN =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]|[^\s\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]+/gu;

interface Token {
  start: number;
  end: number;
  /** Folded, with its punctuation. */
  folded: string;
  /** Letters, digits and marks of `folded`. */
  letters: string;
}

interface Alignment {
  /** The range of the text that is most similar to the quotation, from its first to its last word. */
  start: number;
  end: number;
  /** Share of the quotation's words that the range has in this order, 0 to 1. */
  sharedWords: number;
  difference: WordDifference[];
}

/**
 * Finds the range of `text` that needs the fewest changes to become the quotation. Time and memory
 * O(words of the quotation · words of the text).
 * @returns undefined if they share no word
 */
export function alignWords(quotation: string, text: string): Alignment | undefined {
  const wanted = tokensOf(quotation, MAX_QUOTATION_WORDS);
  const given = tokensOf(text, MAX_TEXT_WORDS);
  const columns = given.length + 1;
  const steps = new Uint8Array((wanted.length + 1) * columns);
  let row = new Uint32Array(columns); // the range may begin anywhere
  for (let i = 1; i <= wanted.length; i++) {
    const above = row;
    row = new Uint32Array(columns);
    row[0] = i * ONE_SIDED;
    steps[i * columns] = ADDED;
    for (let j = 1; j < columns; j++) {
      const both = above[j - 1]! + costOf(wanted[i - 1]!, given[j - 1]!);
      const added = above[j]! + ONE_SIDED;
      const missing = row[j - 1]! + ONE_SIDED;
      const least = Math.min(both, added, missing);
      row[j] = least;
      steps[i * columns + j] = least === both ? BOTH : least === added ? ADDED : MISSING;
    }
  }
  let end = 0;
  for (let j = 1; j < columns; j++) if (row[j]! < row[end]!) end = j;
  return traced({ wanted, given, quotation, text, steps, columns }, end);
}

const BOTH = 1;
const ADDED = 2;
const MISSING = 3;

interface Traced {
  wanted: readonly Token[];
  given: readonly Token[];
  quotation: string;
  text: string;
  steps: Uint8Array;
  columns: number;
}

function traced({ wanted, given, quotation, text, steps, columns }: Traced, end: number): Alignment | undefined {
  const parts: WordDifference[] = [];
  let shared = 0;
  let first = end;
  let last = -1;
  for (let i = wanted.length, j = end; i > 0; ) {
    const step = steps[i * columns + j];
    const word = wanted[i - 1]!;
    if (step === ADDED || j === 0) {
      parts.push({ kind: "added", text: quotation.slice(word.start, word.end) });
      i--;
      continue;
    }
    const own = given[j - 1]!;
    let ownText = text.slice(own.start, own.end);
    j--;
    first = j;
    if (last < 0) {
      last = own.end;
      if (step === BOTH && word.letters === own.letters && word.letters !== "") {
        // what follows the last word is not part of the comparison
        ownText = /^.*[\p{L}\p{N}\p{M}]/su.exec(ownText)?.[0] ?? "";
        last = own.start + ownText.length;
        i--;
        shared++;
        parts.push({ kind: "same", text: ownText });
        continue;
      }
    }
    if (step === MISSING) {
      parts.push({ kind: "missing", text: ownText });
      continue;
    }
    i--;
    if (word.letters === own.letters && word.letters !== "") shared++;
    if (word.folded === own.folded) parts.push({ kind: "same", text: ownText });
    else parts.push({ kind: "added", text: quotation.slice(word.start, word.end) }, { kind: "missing", text: ownText });
  }
  if (shared === 0 || last < 0) return undefined;
  return {
    start: given[first]!.start,
    end: last,
    sharedWords: shared / wanted.length,
    difference: joined(parts.reverse()),
  };
}

/** Runs of changed words become one part that is missing and one that is added. */
function joined(parts: readonly WordDifference[]): WordDifference[] {
  const out: WordDifference[] = [];
  let missing: string[] = [];
  let added: string[] = [];
  let same: string[] = [];
  const flush = (): void => {
    if (same.length > 0) out.push({ kind: "same", text: same.join(" ") });
    if (missing.length > 0) out.push({ kind: "missing", text: missing.join(" ") });
    if (added.length > 0) out.push({ kind: "added", text: added.join(" ") });
    missing = [];
    added = [];
    same = [];
  };
  for (const { kind, text } of parts) {
    if (kind === "same" && missing.length + added.length > 0) flush();
    else if (kind !== "same" && same.length > 0) flush();
    (kind === "same" ? same : kind === "missing" ? missing : added).push(text);
  }
  flush();
  return out;
}

function costOf(a: Token, b: Token): number {
  if (a.folded === b.folded) return 0;
  return a.letters === b.letters && a.letters !== "" ? OTHER_PUNCTUATION : OTHER_WORD;
}

function tokensOf(text: string, limit: number): Token[] {
  const tokens: Token[] = [];
  for (const match of text.matchAll(TOKEN)) {
    if (tokens.length === limit) break;
    const folded = foldText(match[0]).text;
    if (folded === "") continue; // a dash
    const letters = folded.replace(/[^\p{L}\p{N}\p{M}]/gu, "");
    tokens.push({ start: match.index, end: match.index + match[0].length, folded, letters });
  }
  return tokens;
}
