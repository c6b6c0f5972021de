/** Whether Markdown can be parsed in time proportional to its length. */

import { FENCE } from "./md-pieces.js";

/** List and quote markers that one line may open, and columns that a list item may be indented. */
const MAX_MARKERS = 50;
const MAX_ITEM_INDENT = 150;
/** Lines of one paragraph. */
const MAX_PARAGRAPH_LINES = 3000;
/**
 * Marks of each kind in one stretch of lines that may form a paragraph. The parser tries to pair each with all that
 * follow, so its time grows with the square of their number; this many take about a tenth of a second.
 */
const MAX_PAIRED = 2000;
/** Marks × characters of the stretch: the cost of searching the rest of the paragraph for the end of each mark. */
const MAX_SEARCHED = 20_000_000;
const PAIRED = "[`*_~<";
const TABLE_DELIMITER = /^[ \t|:-]{3,}$/;

/**
 * False for text that would keep the parser busy far longer than its length suggests: deep nesting on one line, or
 * thousands of brackets, backticks or emphasis marks in one paragraph. O(length)
 */
export function isPlainlyParsed(text: string): boolean {
  let stretch = new Stretch(0);
  let fence = "";
  for (let at = 0; at < text.length; ) {
    const lineEnd = text.indexOf("\n", at);
    const end = lineEnd < 0 ? text.length : lineEnd;
    const mark = FENCE.exec(text.slice(at, Math.min(end, at + 200)))?.[1];
    if (mark !== undefined && fence === "") fence = mark;
    else if (mark?.startsWith(fence)) fence = "";
    if (fence !== "") {
      // Code is inspected line by line.
      stretch = new Stretch(end);
      at = end + 1;
      continue;
    }
    const { isDeep, beginsBlock } = inspectLineStart(text, at, end);
    if (isDeep) return false;
    if (beginsBlock || stretch.isTable) stretch = new Stretch(at, stretch.isTable && !beginsBlock);
    if (!stretch.take(text, at, end)) return false;
    at = end + 1;
  }
  return true;
}

/** Lines that may form one paragraph, and the marks in them that the parser pairs. */
class Stretch {
  readonly #start: number;
  readonly #counts = new Uint32Array(PAIRED.length);
  #lines = 0;
  /** After a row of dashes, each line is a row of its own. */
  isTable: boolean;

  constructor(start: number, isTable = false) {
    this.#start = start;
    this.isTable = isTable;
  }

  /** @returns false if there is too much to pair */
  take(text: string, from: number, to: number): boolean {
    if (++this.#lines > MAX_PARAGRAPH_LINES) return false;
    let previous = "";
    for (let i = from; i < to; i++) {
      const character = text[i]!;
      const kind = PAIRED.indexOf(character);
      // A run of backticks or of emphasis marks counts once, a tag not at all: only comments and the like are paired.
      const counts = character === "<" ? "!?".includes(text[i + 1]!) : character !== previous || character === "[";
      if (kind >= 0 && counts) {
        const count = ++this.#counts[kind]!;
        if (count > MAX_PAIRED || count * (i - this.#start) > MAX_SEARCHED) return false;
      }
      previous = character;
    }
    this.isTable ||= this.#lines === 2 && to - from < 2000 && TABLE_DELIMITER.test(text.slice(from, to).trimEnd());
    return true;
  }
}

/** `beginsBlock`: the line is blank, a heading or a list item, so a paragraph before it has ended. */
function inspectLineStart(text: string, start: number, end: number): { isDeep: boolean; beginsBlock: boolean } {
  let markers = 0;
  let indent = 0;
  for (let i = start; i < end; i++) {
    const character = text[i]!;
    if (character === " ") indent++;
    else if (character === "\t") indent += 4;
    else if (character === ">") markers++;
    else if (isListMarker(text, i, end)) {
      if (indent > MAX_ITEM_INDENT) return { isDeep: true, beginsBlock: true };
      markers++;
      i = markerEnd(text, i, end);
    } else {
      const isBlank = character === "\r" && i === end - 1;
      return { isDeep: markers > MAX_MARKERS, beginsBlock: isBlank || markers > 0 || character === "#" };
    }
  }
  return { isDeep: markers > MAX_MARKERS, beginsBlock: true };
}

function isListMarker(text: string, at: number, end: number): boolean {
  const after = markerEnd(text, at, end) + 1;
  if (after <= at) return false;
  return after >= end || text[after] === " " || text[after] === "\t";
}

/** Offset of the last character of the list marker at `at`; `at - 1` if there is none. */
function markerEnd(text: string, at: number, end: number): number {
  const first = text[at]!;
  if (first === "-" || first === "*" || first === "+") return at;
  let i = at;
  while (i < end && i - at < 9 && text[i]! >= "0" && text[i]! <= "9") i++;
  return i > at && (text[i] === "." || text[i] === ")") ? i : at - 1;
}
