/** Long Markdown in pieces that are parsed one by one: a syntax tree takes a hundred times the memory of its text. */

export interface MarkdownPiece {
  text: string;
  /** 1-based line of the file where the piece begins. */
  line: number;
}

/**
 * A piece ends at the first good place after this many UTF-16 units. Links to definitions in another piece stay as
 * written.
 */
const PIECE_UNITS = 64 * 1024;
/** Without a good place it ends at the end of a line after this many, so that no piece costs more than its share. */
const MAX_PIECE_UNITS = 2 * PIECE_UNITS;

/** Begins or ends fenced code. */
export const FENCE = /^ {0,3}(`{3,}|~{3,})/;
/** A line that begins a block of its own after a blank line: a heading, or a paragraph that is not indented. */
const BEGINS_BLOCK = /^(#{1,6}\s|[\p{L}\p{N}"'“‘(*_`![])/u;
const LIST_ITEM = /^([*+-]|\d{1,9}[.)])\s/;

/**
 * Cuts between blocks: after a blank line, outside fenced code, before a line that continues nothing. Text without such
 * a place is cut between lines.
 */
export function* splitMarkdown(source: string): Generator<MarkdownPiece> {
  let pieceStart = 0;
  let pieceLine = 1;
  let line = 1;
  let fence = "";
  let blankBefore = false;
  for (let at = 0; at < source.length; line++) {
    const lineEnd = source.indexOf("\n", at);
    const next = lineEnd < 0 ? source.length : lineEnd + 1;
    const start = source.slice(at, Math.min(next, at + 200));
    const canCut = blankBefore && fence === "" && BEGINS_BLOCK.test(start) && !LIST_ITEM.test(start);
    const length = at - pieceStart;
    if ((canCut && length >= PIECE_UNITS) || length >= MAX_PIECE_UNITS) {
      yield { text: source.slice(pieceStart, at), line: pieceLine };
      pieceStart = at;
      pieceLine = line;
    }
    const mark = FENCE.exec(start)?.[1];
    if (mark !== undefined) {
      if (fence === "") fence = mark;
      else if (mark[0] === fence[0] && mark.length >= fence.length) fence = "";
    }
    blankBefore = start.trim() === "";
    at = next;
  }
  yield { text: source.slice(pieceStart), line: pieceLine };
}
