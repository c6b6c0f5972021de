/** Finds the comments of source code in one pass, without taking strings of the language for comments. */

export interface CodeComment {
  /** The text of each line, without the marks that begin and end the comment; numbers are 1-based. */
  lines: { text: string; number: number }[];
  isDocstring: boolean;
  /** Code comes before it on its first line, and none after it. */
  isTrailing: boolean;
}

interface Language {
  line: readonly string[];
  block: readonly (readonly [open: string, close: string])[];
  /** Marks of strings on one line. */
  quotes: string;
  /** Marks of strings over several lines. */
  long: readonly string[];
  /** Strings at the start of a statement describe it. */
  docstrings?: boolean;
  /** A mark of a line comment counts only after white space: "$#" is code. */
  spaced?: boolean;
}

const C: Language = { line: ["//"], block: [["/*", "*/"]], quotes: "\"'", long: ["`"] };
const HASH: Language = { line: ["#"], block: [], quotes: "\"'", long: [] };
const LANGUAGES: [endings: string, language: Language][] = [
  ["ts tsx mts cts js jsx mjs cjs java kt kts scala groovy dart go swift cs proto", C],
  // An apostrophe begins a lifetime or a digit separator more often than a string.
  ["c h cc cpp cxx hpp hh hxx rs", { ...C, quotes: '"', long: [] }],
  ["php", { ...C, line: ["//", "#"], long: [] }],
  ["py pyi", { ...HASH, long: ['"""', "'''"], docstrings: true }],
  ["rb sh bash zsh pl pm r jl ex exs", { ...HASH, spaced: true }],
  ["sql", { line: ["--"], block: [["/*", "*/"]], quotes: "'\"", long: [] }],
  ["lua", { line: ["--"], block: [["--[[", "]]"]], quotes: "\"'", long: [] }],
  ["hs elm", { line: ["--"], block: [["{-", "-}"]], quotes: '"', long: [] }],
  ["lisp el clj cljs scm", { line: [";"], block: [["#|", "|#"]], quotes: "", long: ['"'] }],
];

const BY_ENDING = new Map(
  LANGUAGES.flatMap(([endings, language]) => endings.split(" ").map((ending) => [ending, language] as const)),
);

/** Endings of source files. */
export const CODE_ENDINGS: readonly string[] = [...BY_ENDING.keys()];

/** The language of a file ending; one with "//", "/*" and "#" comments if it is not known. */
export function languageOf(ending: string): Language {
  return BY_ENDING.get(ending) ?? { ...C, line: ["//", "#"] };
}

/** Comments in order; line comments below each other are one. O(source) */
export function* commentsOf(source: string, language: Language): Generator<CodeComment> {
  let number = 1;
  let open: CodeComment | undefined;
  /** Only white space was seen on this line. */
  let atLineStart = true;
  /** The last character of code that is not white space. */
  let before = "\n";
  let lineStart = 0;
  /** Distance of the open line comment from the start of its line. */
  let column = 0;
  const linesIn = (text: string, first: number) =>
    text.split("\n").map((line, i) => ({ text: line.replace(/\r$/, ""), number: first + i }));
  // The first line of a script names its program.
  for (let at = source.startsWith("#!") ? endOfLine(source, 0) : 0; at < source.length; ) {
    const unit = source[at]!;
    if (unit === "\n") {
      number++;
      atLineStart = true;
      lineStart = ++at;
      continue;
    }
    if (unit === " " || unit === "\t" || unit === "\r") {
      at++;
      continue;
    }
    const block = language.block.find(([mark]) => source.startsWith(mark, at));
    const line = block === undefined ? lineMarkAt(source, at, language) : undefined;
    if (line !== undefined) {
      const end = endOfLine(source, at);
      let from = at + line.length;
      while (from < end && source[from] === line[0]) from++;
      const text = { text: source.slice(from, end).replace(/\r$/, ""), number };
      const continues = atLineStart && (open?.isTrailing !== true || at - lineStart === column);
      if (open !== undefined && continues && open.lines.at(-1)!.number === number - 1) open.lines.push(text);
      else {
        if (open !== undefined) yield open;
        open = { lines: [text], isDocstring: false, isTrailing: !atLineStart };
        column = at - lineStart;
      }
      at = end;
      continue;
    }
    if (open !== undefined) yield open;
    open = undefined;
    const long = block === undefined ? language.long.find((mark) => source.startsWith(mark, at)) : undefined;
    if (block !== undefined || long !== undefined) {
      const [mark, close] = block ?? [long!, long!];
      const from = at + mark.length;
      const found = source.indexOf(close, from);
      const end = found < 0 ? source.length : found;
      const isDocstring = long !== undefined && language.docstrings === true && atLineStart && /[:\n]/.test(before);
      const lines = linesIn(source.slice(from, end), number);
      LINE_END.lastIndex = end + close.length;
      const isTrailing = !atLineStart && lines.length === 1 && LINE_END.test(source);
      if (block !== undefined || isDocstring) yield { lines, isDocstring, isTrailing };
      number += lines.length - 1;
      at = end + close.length;
      atLineStart = false;
      if (block === undefined) before = unit;
      continue;
    }
    if (language.docstrings === true && atLineStart) {
      STRING_PREFIX.lastIndex = at;
      if (STRING_PREFIX.test(source)) {
        at = STRING_PREFIX.lastIndex;
        continue;
      }
    }
    before = unit;
    atLineStart = false;
    at = language.quotes.includes(unit) ? endOfString(source, at) : at + 1;
  }
  if (open !== undefined) yield open;
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
