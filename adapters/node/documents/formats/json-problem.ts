/** JSON within limits (`JSON.parse` itself takes any depth and any number of values), and as Python writes it. */

import type { ReadLimits } from "../limits.js";

/** Shorter texts cannot hold enough values to matter. */
const UNCHECKED_UNITS = 64 * 1024;

/** @returns what is wrong with JSON beyond the limits ("is nested …"), or undefined */
export function jsonProblem(text: string, limits: ReadLimits): string | undefined {
  if (text.length <= UNCHECKED_UNITS) return undefined;
  const { maxDepth, maxJsonValues } = limits;
  let depth = 0;
  let values = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) {
      at = stringEnd(text, at);
      if (at < 0) return undefined; // not JSON, which the parser reports
    } else if (unit === OPEN_BRACKET || unit === OPEN_BRACE) {
      values++;
      if (++depth > maxDepth) return `is nested more than ${maxDepth} levels deep`;
    } else if (unit === CLOSE_BRACKET || unit === CLOSE_BRACE) depth--;
    else if (unit === COMMA && ++values > maxJsonValues) {
      return `has more than ${maxJsonValues.toLocaleString("en")} values`;
    }
  }
  return undefined;
}

/** A string, or a word that Python writes for a number. */
const STRING_OR_WORD = /"(?:[^"\\]|\\.)*"?|\bNaN\b|-?\bInfinity\b/gs;

/**
 * As `JSON.parse`. NaN, Infinity and -Infinity, which Python writes by default, are null.
 * @throws SyntaxError for other text that is not JSON
 */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!/NaN|Infinity/.test(text)) throw error;
    return JSON.parse(text.replace(STRING_OR_WORD, (token) => (token.startsWith('"') ? token : "null")));
  }
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** Offset of the quote that ends the string begun at `start`; -1 if there is none. */
export function stringEnd(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let escapes = 0;
    while (text.charCodeAt(at - 1 - escapes) === BACKSLASH) escapes++;
    if (escapes % 2 === 0) return at;
  }
  return -1;
}
