/** Finds the comments of source code in one pass, without taking strings of the language for comments. */

import type { Language } from "./code-languages.js";

export interface CodeComment {
  /** The text of each line, without the marks that begin and end the comment; numbers are 1-based. */
  lines: { text: string; number: number }[];
  isDocstring: boolean;
  /** Code comes before it on its first line, and none after it. */
  isTrailing: boolean;
}

/** Comments in order; line comments below each other are one. O(source) */
export function commentsOf(source: string, language: Language): Generator<CodeComment> {
  return new CommentScanner(source, language).comments();
}

class CommentScanner {
  readonly #source: string;
  readonly #language: Language;
  #at = 0;
  /** 1-based line of the next character. */
  #number = 1;
  #lineStart = 0;
  /** Only white space was seen on this line. */
  #atLineStart = true;
  /** The last character of code that is not white space. */
  #before = "\n";
  /** A line comment that may continue on the next line, and its distance from the start of its first line. */
  #open: CodeComment | undefined;
  #column = 0;

  constructor(source: string, language: Language) {
    this.#source = source;
    this.#language = language;
  }

  *comments(): Generator<CodeComment> {
    const source = this.#source;
    const { block: blocks, long: longStrings } = this.#language;
    // The first line of a script names its program.
    if (source.startsWith("#!")) this.#at = endOfLine(source, 0);
    while (this.#at < source.length) {
      const unit = source[this.#at]!;
      if (unit === "\n") {
        this.#number++;
        this.#atLineStart = true;
        this.#lineStart = ++this.#at;
        continue;
      }
      if (unit === " " || unit === "\t" || unit === "\r") {
        this.#at++;
        continue;
      }
      const block = blocks.find(([mark]) => source.startsWith(mark, this.#at));
      const lineMark = block === undefined ? lineMarkAt(source, this.#at, this.#language) : undefined;
      if (lineMark !== undefined) {
        const ended = this.#lineComment(lineMark);
        if (ended !== undefined) yield ended;
        continue;
      }
      if (this.#open !== undefined) yield this.#open;
      this.#open = undefined;
      const long = block === undefined ? longStrings.find((mark) => source.startsWith(mark, this.#at)) : undefined;
      if (block !== undefined || long !== undefined) {
        const comment = this.#enclosed(block ?? [long!, long!], { isString: block === undefined });
        if (comment !== undefined) yield comment;
      } else this.#code(unit);
    }
    if (this.#open !== undefined) yield this.#open;
  }

  /** Reads a line comment. Returns the comment before it, unless this one continues it. */
  #lineComment(mark: string): CodeComment | undefined {
    const source = this.#source;
    const column = this.#at - this.#lineStart;
    const end = endOfLine(source, this.#at);
    let from = this.#at + mark.length;
    while (from < end && source[from] === mark[0]) from++;
    const line = { text: source.slice(from, end).replace(/\r$/, ""), number: this.#number };
    this.#at = end;
    const before = this.#open;
    const continues = this.#atLineStart && (before?.isTrailing !== true || column === this.#column);
    if (before !== undefined && continues && before.lines.at(-1)!.number === this.#number - 1) {
      before.lines.push(line);
      return undefined;
    }
    this.#open = { lines: [line], isDocstring: false, isTrailing: !this.#atLineStart };
    this.#column = column;
    return before;
  }

  /** Reads a block comment, or a string over several lines, which is a comment only if it is a docstring. */
  #enclosed([mark, close]: readonly [string, string], { isString }: { isString: boolean }): CodeComment | undefined {
    const source = this.#source;
    const from = this.#at + mark.length;
    const found = source.indexOf(close, from);
    const end = found < 0 ? source.length : found;
    const isDocstring =
      isString && this.#language.docstrings === true && this.#atLineStart && /[:\n]/.test(this.#before);
    const lines = source
      .slice(from, end)
      .split("\n")
      .map((line, i) => ({ text: line.replace(/\r$/, ""), number: this.#number + i }));
    LINE_END.lastIndex = end + close.length;
    const isTrailing = !this.#atLineStart && lines.length === 1 && LINE_END.test(source);
    if (isString) this.#before = source[this.#at]!;
    this.#number += lines.length - 1;
    this.#at = end + close.length;
    this.#atLineStart = false;
    return isString && !isDocstring ? undefined : { lines, isDocstring, isTrailing };
  }

  /** Skips a string on one line, the prefix of a docstring, or one character. */
  #code(unit: string): void {
    const { docstrings, quotes } = this.#language;
    if (docstrings === true && this.#atLineStart) {
      STRING_PREFIX.lastIndex = this.#at;
      if (STRING_PREFIX.test(this.#source)) {
        this.#at = STRING_PREFIX.lastIndex;
        return;
      }
    }
    this.#before = unit;
    this.#atLineStart = false;
    this.#at = quotes.includes(unit) ? endOfString(this.#source, this.#at) : this.#at + 1;
  }
}

const LINE_END = /[ \t]*(?:\r?\n|$)/y;

/** The mark that begins a line comment here. */
function lineMarkAt(source: string, at: number, { line, spaced }: Language): string | undefined {
  if (spaced === true && at > 0 && !/[\s;)]/.test(source[at - 1]!)) return undefined;
  return line.find((mark) => source.startsWith(mark, at));
}

function endOfLine(source: string, at: number): number {
  const next = source.indexOf("\n", at);
  return next < 0 ? source.length : next;
}

/** A raw docstring of Python: r"""…""". */
const STRING_PREFIX = /[rRuU](?="""|''')/y;
/** A longer string is read as code: one that never ends must not be searched from every mark in it. */
const MAX_STRING_UNITS = 4096;

/** Offset after a string on one line; after its mark if it does not end there. */
function endOfString(source: string, start: number): number {
  const mark = source[start];
  const end = Math.min(source.length, start + MAX_STRING_UNITS);
  for (let at = start + 1; at < end && source[at] !== "\n"; at++) {
    if (source[at] === "\\") at++;
    else if (source[at] === mark) return at + 1;
  }
  return start + 1;
}
