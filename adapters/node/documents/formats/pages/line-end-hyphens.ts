/** Which hyphens at the end of lines belong to their word. */

import type { PageLine } from "./page-lines.js";

/** Line ends with a known compound that show that a document divides no words. */
const MIN_KNOWN_COMPOUNDS = 2;
/** First parts of compounds that are written with a hyphen, and that are seldom the beginning of a divided word. */
const FIRST_PARTS = new Set(["non", "self", "well", "long", "short", "part", "full", "half", "cross"]);

/**
 * Decides for each hyphen by the words that the document has inside of its lines. If they do not tell, a document
 * that divides known words divides the others too; word processors divide none unless they are told to.
 */
export class LineEndHyphens {
  readonly #compounds = new Set<string>();
  readonly #words = new Set<string>();
  readonly #dividesWords: boolean;
  readonly #keepsHyphens: boolean;

  /** @param lines  all lines of a document, in order */
  constructor(lines: readonly PageLine[]) {
    for (const { text } of lines) {
      for (const part of text.split(" ")) {
        const word = wordOf(part);
        if (/\p{L}-\p{L}/u.test(word)) this.#compounds.add(word);
        else if (!word.endsWith("-")) this.#words.add(word);
      }
    }
    let compounds = 0;
    let divided = 0;
    for (const [n, { text }] of lines.entries()) {
      const next = lines[n + 1];
      if (next === undefined || !/\p{L}-$/u.test(text) || !/^\p{Ll}/u.test(next.text)) continue;
      const { compound, word } = divisionOf(text, next.text);
      if (this.#compounds.has(compound)) compounds++;
      else if (this.#words.has(word)) divided++;
    }
    this.#dividesWords = divided > 0 && divided >= compounds;
    this.#keepsHyphens = compounds >= MIN_KNOWN_COMPOUNDS && compounds > divided;
  }

  /** Whether the hyphen at the end of a line is one of the word that continues on the next line. */
  belongsToWord(text: string, next: string): boolean {
    if (text.endsWith("\u00ad")) return false;
    const { first, compound, word } = divisionOf(text, next);
    if (this.#compounds.has(compound)) return true;
    if (this.#words.has(word)) return false;
    if (this.#keepsHyphens) return true;
    return !this.#dividesWords && (first.includes("-") || FIRST_PARTS.has(first));
  }
}

/** The word that a line end divides, in lower case: its first part, and the whole with and without the hyphen. */
function divisionOf(text: string, next: string): { first: string; compound: string; word: string } {
  const before = text.slice(text.lastIndexOf(" ") + 1).replaceAll("\u2010", "-");
  const [rest = ""] = next.split(" ", 1);
  const first = wordOf(before).replace(/-$/, "");
  return { first, compound: wordOf(before + rest), word: wordOf(before.replace(/-$/, "") + rest) };
}

/** The first letters and hyphens of a text. */
function wordOf(text: string): string {
  return /\p{L}[\p{L}-]*/u.exec(text)?.[0].toLowerCase() ?? "";
}
