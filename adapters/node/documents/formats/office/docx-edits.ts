/** Edits the XML of Word documents before mammoth reads it. */

import { decodeText } from "../../decode.js";

/** A part of the source that is replaced; an insertion if it is empty. */
export interface Edit {
  start: number;
  end: number;
  text: string;
}

export interface Range {
  start: number;
  end: number;
}

/**
 * A part of a Word document with edits.
 * @param editsOf  edits in the order of the source, which do not overlap
 * @returns the part itself without edits, or if it is damaged: the damage is reported when the text is read
 */
export function rewritten(part: Uint8Array, editsOf: (source: string) => readonly Edit[]): Uint8Array {
  try {
    const source = decodeText(part).text;
    const edits = editsOf(source);
    if (edits.length === 0) return part;
    return new TextEncoder().encode(edited(source, { start: 0, end: source.length }, edits));
  } catch {
    return part;
  }
}

/** A range of the source with its edits. */
export function edited(source: string, { start, end }: Range, edits: readonly Edit[]): string {
  const pieces: string[] = [];
  let from = start;
  for (const edit of edits) {
    pieces.push(source.slice(from, edit.start), edit.text);
    from = edit.end;
  }
  pieces.push(source.slice(from, end));
  return pieces.join("");
}

/** Whether the innermost open elements are these. */
export function isAt(names: readonly string[], ...path: readonly string[]): boolean {
  return path.every((name, n) => names[names.length - path.length + n] === name);
}
