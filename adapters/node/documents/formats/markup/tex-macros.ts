/** Macros without arguments that a LaTeX document defines: names of products, methods and quantities. */

import { closingBrace } from "./tex-braces.js";
import { DEFINING, DROPPED, SECTIONS, UNPRINTED_ARGUMENTS } from "./tex-commands.js";

/** Longer definitions are programs, not text. */
const MAX_BODY_UNITS = 200;
const MAX_TEXT_UNITS = 1000;
const MAX_MACROS = 1000;
/** Macros inside macros. */
const MAX_LEVELS = 5;
/** UTF-16 units that all uses of macros in a document may add. */
const MAX_ADDED_UNITS = 10_000_000;

const DEFINITION = /\\[a-zA-Z]+\*?\s*(?:\{\s*\\([a-zA-Z@]+)\s*\}|\\([a-zA-Z@]+))\s*\{/y;
/** Commands, comments, and the escaped characters that begin neither. */
const COMMANDS = /\\[\\%]|%[^\n]*|\\([a-zA-Z]+)/g;
/** Commands that keep their meaning, whatever a document defines. */
const FIXED = new Set([...DROPPED, ...SECTIONS, ...UNPRINTED_ARGUMENTS.keys(), "item", "footnote"]);

interface Macro {
  body: string;
  /** Text of the body; undefined until its first use. */
  text: string | undefined;
  /** A command at the end of the body whose arguments come after the macro: "ref" of "Figure~\ref". */
  last: string;
}

export class TexMacros {
  readonly #macros = new Map<string, Macro>();
  #level = 0;
  #added = 0;

  /** Collects the definitions before offset `end`. */
  readPreamble(source: string, end: number): void {
    for (const { 1: name, index } of source.slice(0, end).matchAll(COMMANDS))
      if (name !== undefined && DEFINING.has(name)) this.define(source, index);
  }

  /**
   * Reads a definition such as `\newcommand{\name}{body}`, if it has no parameters.
   * @param at  offset of its command
   * @returns the offset after it; −1 if it is not such a definition
   */
  define(source: string, at: number): number {
    DEFINITION.lastIndex = at;
    const name = DEFINITION.exec(source)?.slice(1).find(Boolean);
    if (name === undefined) return -1;
    const from = DEFINITION.lastIndex;
    const rest = source.slice(from, from + MAX_BODY_UNITS);
    const end = closingBrace(rest);
    if (end < 0) return -1;
    if (!FIXED.has(name) && (this.#macros.size < MAX_MACROS || this.#macros.has(name)))
      this.#macros.set(name, macroOf(rest.slice(0, end)));
    return from + end + 1;
  }

  /**
   * The text of a macro, and the command that continues it; undefined if the name is not defined.
   * @param read  the text of LaTeX source
   */
  expand(name: string, read: (source: string) => string): { text: string; last: string } | undefined {
    const macro = this.#macros.get(name);
    if (macro === undefined) return undefined;
    if (macro.text === undefined && this.#level < MAX_LEVELS) {
      macro.text = ""; // a macro that contains itself adds nothing
      this.#level++;
      macro.text = read(macro.body).slice(0, MAX_TEXT_UNITS);
      this.#level--;
    }
    const text = this.#added < MAX_ADDED_UNITS ? (macro.text ?? "") : "";
    this.#added += text.length;
    return { text, last: macro.last };
  }
}

function macroOf(source: string): Macro {
  const found = /\\([a-zA-Z]+)\s*$/.exec(source);
  const last = found?.[1] ?? "";
  if (last !== "xspace" && !FIXED.has(last)) return { body: source, text: undefined, last: "" };
  return { body: source.slice(0, found!.index), text: undefined, last };
}
