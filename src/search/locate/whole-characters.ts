/** Spans that end between a letter and its accent: in decomposed text, marks belong to no token. */

import { FIRST_MARK } from "../../text/marks.js";
import type { Span } from "../../types.js";

/** Marks, variation selectors, and what joins emoji to one: modifiers, tags and joiners. */
const CONTINUES =
  /[\p{M}\p{Emoji_Modifier}\u{e0020}-\u{e007f}]|\u200d(?=\p{Extended_Pictographic})|(?<=\u200d)\p{Extended_Pictographic}/uy;
const SPACE = /\s/;

/**
 * The range `[start, end)` with its first and last character whole. The end moves forward over marks,
 * the start back from a mark to the letter before it. A mark that follows white space, or nothing,
 * stays the start.
 */
export function wholeCharacters(text: string, start: number, end: number): Span {
  let from = start;
  while (from > 0 && continues(text, from)) from -= endsWithPair(text, from) ? 2 : 1;
  if (SPACE.test(text[from] ?? "")) from = start;
  let to = end;
  while (to < text.length && continues(text, to)) to += text.codePointAt(to)! > 0xffff ? 2 : 1;
  return { start: from, end: to };
}

/** True if the code point at `at` belongs to the character before it. */
function continues(text: string, at: number): boolean {
  if (text.charCodeAt(at) < FIRST_MARK) return false; // compiling the pattern takes a millisecond
  CONTINUES.lastIndex = at;
  return CONTINUES.test(text);
}

/** True if a surrogate pair ends at `at`. */
function endsWithPair(text: string, at: number): boolean {
  return at > 1 && text.codePointAt(at - 2)! > 0xffff;
}
