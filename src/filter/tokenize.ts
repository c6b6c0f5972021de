/** Splits a filter into tokens. */

import type { CompareOperator } from "./ast.js";
import { FilterSyntaxError } from "./syntax-error.js";

export type FilterToken = { start: number; end: number } & (
  | { kind: "keyword"; word: Keyword }
  | { kind: "field"; name: string }
  | { kind: "operator"; operator: CompareOperator }
  | { kind: "value"; value: string | number }
  | { kind: "(" | ")" | "," | "end" }
);

const KEYWORDS = ["and", "or", "not", "in", "contains", "exists", "true", "false"] as const;
type Keyword = (typeof KEYWORDS)[number];

export function isKeyword(word: string): word is Keyword {
  return (KEYWORDS as readonly string[]).includes(word);
}

/** A field name that needs no brackets: a letter or _, then letters, digits, _, - and dots. */
export const PLAIN_FIELD = /^[\p{L}_][\p{L}\p{M}\p{N}_.-]*$/u;

const SPACE = /\s+/uy;
const WORD = /[\p{L}_][\p{L}\p{M}\p{N}_.-]*/uy;
const BRACKETS = /\[((?:[^\]]|\]\])*)\]/uy;
const OPERATOR = /!=|<=|>=|=|<|>/uy;
const TEXT = /"((?:[^"\\]|\\[\s\S])*)"|'((?:[^'\\]|\\[\s\S])*)'/uy;
const NUMBER = /[+-]?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?/uy;
/** Characters that must not directly follow a number, as in 2020-01-31, 3pm, 1.2.3. */
const REST_OF_WORD = /[\p{L}\p{N}_.:/-]+/uy;
const ESCAPES: Record<string, string> = { n: "\n", t: "\t", '"': '"', "'": "'", "\\": "\\" };

/** @throws FilterSyntaxError */
export function tokenize(filter: string): FilterToken[] {
  const tokens: FilterToken[] = [];
  let at = 0;
  const match = (pattern: RegExp): RegExpExecArray | undefined => {
    pattern.lastIndex = at;
    return pattern.exec(filter) ?? undefined;
  };
  while (at < filter.length) {
    const space = match(SPACE);
    if (space) {
      at += space[0].length;
      continue;
    }
    const token = tokenAt(filter, at, match);
    tokens.push(token);
    at = token.end;
  }
  tokens.push({ kind: "end", start: at, end: at });
  return tokens;
}

function tokenAt(filter: string, start: number, match: (pattern: RegExp) => RegExpExecArray | undefined): FilterToken {
  const character = filter[start]!;
  if (character === "(" || character === ")" || character === ",") return { kind: character, start, end: start + 1 };
  const word = match(WORD);
  if (word) {
    const lower = word[0].toLowerCase();
    const end = start + word[0].length;
    return isKeyword(lower)
      ? { kind: "keyword", word: lower, start, end }
      : { kind: "field", name: word[0], start, end };
  }
  const brackets = match(BRACKETS);
  if (brackets) {
    if (brackets[1] === "") throw mistake("a field name is empty", "Write the field name between the brackets.");
    return { kind: "field", name: brackets[1]!.replaceAll("]]", "]"), start, end: start + brackets[0].length };
  }
  const operator = match(OPERATOR);
  if (operator) {
    const end = start + operator[0].length;
    if (operator[0] === "=" && filter[end] === "=") throw mistake("== is not an operator", "Write a single =.");
    return { kind: "operator", operator: operator[0] as CompareOperator, start, end };
  }
  const text = match(TEXT);
  if (text) return { kind: "value", value: unescaped(text[1] ?? text[2] ?? ""), start, end: start + text[0].length };
  const number = match(NUMBER);
  if (number) return numberAt(number[0]);
  throw strange();

  function numberAt(digits: string): FilterToken {
    const end = start + digits.length;
    REST_OF_WORD.lastIndex = end;
    const rest = REST_OF_WORD.exec(filter);
    if (rest) {
      throw mistake(
        `${digits}${rest[0]} is neither a number nor a text in quotes`,
        `Put it in quotes: "${digits}${rest[0]}". Dates are texts, as in modified >= "2026-01-31".`,
      );
    }
    const value = Number(digits);
    if (!Number.isFinite(value)) throw mistake("the number is too large", "Use a smaller number, or a text in quotes.");
    return { kind: "value", value: value === 0 ? 0 : value, start, end }; // no −0: it prints as 0
  }

  function unescaped(inside: string): string {
    return inside.replace(/\\([\s\S])/gu, (_, escaped: string) => {
      const plain = ESCAPES[escaped];
      if (plain === undefined)
        throw mistake(`\\${escaped} is not an escape`, "In a text, write \\\" \\' \\\\ \\n or \\t.");
      return plain;
    });
  }

  function strange(): FilterSyntaxError {
    if (character === '"' || character === "'")
      return mistake("a text is not closed", `Close it with another ${character}.`);
    if (character === "[") return mistake("a field name has no closing bracket", "Close it with ].");
    if (character === "“" || character === "”" || character === "‘" || character === "’")
      return mistake(`${character} is not a plain quote`, "Put texts in \"plain\" or 'single' quotes.");
    if (character === "&" || character === "|" || character === "!")
      return mistake(`"${character}" is not a filter operator`, "Write and, or, not.");
    return mistake(
      `"${String.fromCodePoint(filter.codePointAt(start)!)}" is not allowed here`,
      'Write FIELD OPERATOR VALUE, as in year >= 2020 or tag = "ops". Put unusual field names in [brackets].',
    );
  }

  function mistake(problem: string, hint: string): FilterSyntaxError {
    return new FilterSyntaxError(problem, { filter, position: start, hint });
  }
}
