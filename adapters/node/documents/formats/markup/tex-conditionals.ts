/** Conditionals of LaTeX that are always false: authors comment out long stretches with them. */

import { VERBATIM } from "./tex-commands.js";

/** Conditionals of TeX and e-TeX. Others, such as `\ifthenelse`, have no `\fi`. */
const PRIMITIVES =
  "if ifcase ifcat ifcsname ifdefined ifdim ifeof iffalse iffontchar ifhbox ifhmode ifinner ifmmode ifnum ifodd iftrue ifvbox ifvmode ifvoid ifx";
/** Comments, commands, and escaped characters. */
const TOKENS = /%[^\n]*|\\([a-zA-Z@]+)|\\[\s\S]/g;
/** What `\newif`, `\string` and `\let` name without using it. */
const NAMED = /\s?\\([a-zA-Z@]+)/y;
const COPIED = /\s?=?\s?\\([a-zA-Z@]+)/y;
const ENVIRONMENT = /\{([a-zA-Z]{1,20}\*?)\}/y;
/** No code inside a line is longer. */
const MAX_CODE_UNITS = 1000;

/**
 * LaTeX without what is between `\iffalse` and its `\fi`, or its `\else`; the number of lines stays. One that is never
 * closed is left as it is, and so is one at the end of a group, which is the body of a macro. O(source)
 */
export function withoutFalseBranches(source: string): string {
  if (!source.includes("\\iffalse")) return source;
  const conditionals = new Set(PRIMITIVES.split(" "));
  const kept: string[] = [];
  let keptTo = 0;
  /** Offset of the `\iffalse` that is open; −1 if there is none. */
  let from = -1;
  /** Conditionals that are open inside it. */
  let level = 0;
  const next = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = TOKENS.lastIndex;
    const name = pattern.exec(source)?.[1];
    if (name !== undefined) TOKENS.lastIndex = pattern.lastIndex;
    return name;
  };
  TOKENS.lastIndex = 0;
  for (let token = TOKENS.exec(source); token !== null; token = TOKENS.exec(source)) {
    const command = token[1];
    const end = TOKENS.lastIndex;
    if (command === undefined) continue;
    if (command === "newif" || command === "string" || command === "let") {
      const name = next(NAMED);
      if (name === undefined || command === "string") continue;
      if (command === "newif" || conditionals.has(next(COPIED) ?? "")) conditionals.add(name);
    } else if (from >= 0) {
      if (conditionals.has(command)) level++;
      else if (level > 0) level -= command === "fi" ? 1 : 0;
      else if (command === "fi" || command === "else") {
        // An empty comment for each line, and an empty group on the last: a blank line would end the paragraph.
        const lines = source.slice(from, end).split("\n").length - 1;
        kept.push(source.slice(keptTo, from), "%\n".repeat(lines), lines > 0 ? "{}" : "");
        keptTo = end;
        from = -1;
      }
    } else if (command === "iffalse") {
      if (!/^\s?\}/.test(source.slice(end, end + 2))) [from, level] = [token.index, 0];
    } else if (command === "begin") {
      const name = next(ENVIRONMENT) ?? "";
      if (!VERBATIM.test(name)) continue;
      const close = source.indexOf(`\\end{${name}}`, end);
      TOKENS.lastIndex = close < 0 ? source.length : close;
    } else if (command === "verb" || command === "lstinline") TOKENS.lastIndex = endOfCode(source, end);
  }
  kept.push(source.slice(keptTo));
  return kept.join("");
}

/** Offset after the code between two equal characters; `at` if there is none on the line. */
function endOfCode(source: string, at: number): number {
  const [line] = source.slice(at, at + MAX_CODE_UNITS).split("\n", 1) as [string];
  const close = /^[a-zA-Z\s{[]/.test(line) ? -1 : line.indexOf(line[0] ?? "", 1);
  return close < 0 ? at : at + close + 1;
}
