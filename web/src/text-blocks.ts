/** The blocks of an extracted text: extraction leaves blank lines between them, and " | " between cells. */

type BlockKind = "heading" | "paragraph" | "items" | "code" | "table";

/** A range of the text, without the blank lines around it. */
export interface TextBlock {
  kind: BlockKind;
  start: number;
  end: number;
}

const MAX_HEADING_UNITS = 80;
const ITEM = /^\s*(?:[-*+•‣◦▪–]|\d{1,3}[.)])\s/;

/** In order; everything between two blocks is white space. O(text) */
export function textBlocks(text: string): TextBlock[] {
  const blocks: TextBlock[] = [];
  for (const { index, 0: chunk } of text.matchAll(/[^\n]+(?:\n[^\n]+)*/g)) {
    if (chunk.trim() !== "") blocks.push({ kind: kindOf(chunk), start: index, end: index + chunk.length });
  }
  // The last line has no text below it that it could name.
  for (const [at, block] of blocks.entries())
    if (block.kind === "paragraph" && blocks[at + 1] !== undefined && isHeading(text.slice(block.start, block.end)))
      block.kind = "heading";
  return blocks;
}

function kindOf(chunk: string): BlockKind {
  const lines = chunk.split("\n");
  if (lines.length > 1 && lines.every((line) => line.includes(" | "))) return "table";
  if (ITEM.test(lines[0]!) && lines.every((line) => ITEM.test(line) || /^\s/.test(line))) return "items";
  const indented = lines.filter((line) => /^(?: {2}|\t)/.test(line)).length;
  return indented > 0 && indented >= lines.length / 2 ? "code" : "paragraph";
}

/** One short line that begins like a title and does not end like a sentence. */
function isHeading(line: string): boolean {
  const words = line.trim();
  return (
    words.length <= MAX_HEADING_UNITS &&
    !/[\n|]/.test(words) &&
    /^[\p{Lu}\p{N}#]/u.test(words) &&
    /\p{L}{2}/u.test(words) &&
    !/[.:;,!]["'”’)]*$/.test(words)
  );
}
