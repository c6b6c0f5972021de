/** How programming languages write comments and strings. */

import { CODE_ENDINGS } from "../../formats.js";

export interface Language {
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

const TYPESCRIPT: Language = { line: ["//"], block: [["/*", "*/"]], quotes: "\"'", long: ["`"] };
const HASH: Language = { line: ["#"], block: [], quotes: "\"'", long: [] };
const LANGUAGES: Record<keyof typeof CODE_ENDINGS, Language> = {
  typescript: TYPESCRIPT,
  // An apostrophe begins a lifetime or a digit separator more often than a string.
  c: { ...TYPESCRIPT, quotes: '"', long: [] },
  php: { ...TYPESCRIPT, line: ["//", "#"], long: [] },
  python: { ...HASH, long: ['"""', "'''"], docstrings: true },
  shell: { ...HASH, spaced: true },
  lua: { line: ["--"], block: [["--[[", "]]"]], quotes: "\"'", long: [] },
  haskell: { line: ["--"], block: [["{-", "-}"]], quotes: '"', long: [] },
  lisp: { line: [";"], block: [["#|", "|#"]], quotes: "", long: ['"'] },
};

const BY_ENDING = new Map(
  (Object.keys(LANGUAGES) as (keyof typeof LANGUAGES)[]).flatMap((name) =>
    CODE_ENDINGS[name].split(" ").map((ending) => [ending, LANGUAGES[name]] as const),
  ),
);

/** The language of a file ending; one with "//", "/*" and "#" comments if it is not known. */
export function languageOf(ending: string): Language {
  return BY_ENDING.get(ending) ?? { ...TYPESCRIPT, line: ["//", "#"] };
}
