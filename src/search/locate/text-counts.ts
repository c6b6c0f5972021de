/** Counts the bytes, characters and lines before an offset without reading the document twice. */

import { corrupt } from "../../index/format/corrupt.js";
import { codePointLength, utf8Length } from "../../text/offsets.js";
import type { Searcher } from "../searcher.js";

/** UTF-16 units between checkpoints: what one conversion reads at most once they are known. */
export const CHECKPOINT_UNITS = 16_384;
/** UTF-16 units read at once on the way to the next checkpoints. */
const PIECE = 16 * CHECKPOINT_UNITS;

/** Counts of the text before an offset. */
export interface TextCounts {
  /** UTF-8 bytes. */
  bytes: number;
  codePoints: number;
  /** "\n" characters. */
  newlines: number;
}

/** Counts at an offset near a multiple of CHECKPOINT_UNITS: one less if the multiple is inside a surrogate pair. */
export interface TextCheckpoint extends TextCounts {
  offset: number;
}

export interface TextPlace {
  segment: number;
  document: number;
  /** UTF-16 units of the document's text. */
  length: number;
}

const isHighSurrogate = (unit: number): boolean => (unit & 0xfc00) === 0xd800;

/**
 * Counts before a UTF-16 offset, which must not be inside a surrogate pair. The first question about a document of n
 * units reads up to the offset, in pieces of 256 Ki; later ones read at most 16 Ki.
 */
export async function countsBefore(
  searcher: Searcher,
  offset: number,
  options: { place: TextPlace; signal?: AbortSignal },
): Promise<TextCounts> {
  const { place, signal } = options;
  const key = `${place.segment}:${place.document}`;
  const known = searcher.checkpoints.get(key) ?? [{ offset: 0, bytes: 0, codePoints: 0, newlines: 0 }];
  const wanted = Math.floor(offset / CHECKPOINT_UNITS);
  let checkpoints = known;
  if (wanted >= known.length) {
    checkpoints = [...known]; // another question may be at it too: each works on its own copy
    while (wanted >= checkpoints.length) {
      const { length } = checkpoints;
      await extend(searcher, checkpoints, { place, signal });
      if (checkpoints.length === length) {
        throw corrupt(searcher.segment(place.segment).name, `a passage ends after its document, at ${offset}`);
      }
    }
    searcher.checkpoints.set(key, checkpoints);
  }
  const base = checkpoints[wanted]!;
  if (base.offset === offset) return base;
  const text = await searcher.segment(place.segment).readText(place.document, base.offset, offset, signal);
  return add(base, text);
}

/** Reads the next piece and sets the checkpoints in it. */
async function extend(
  searcher: Searcher,
  checkpoints: TextCheckpoint[],
  options: { place: TextPlace; signal: AbortSignal | undefined },
): Promise<void> {
  const { place, signal } = options;
  let last = checkpoints.at(-1)!;
  const first = last.offset;
  const end = Math.min((checkpoints.length - 1) * CHECKPOINT_UNITS + PIECE, place.length);
  const text = await searcher.segment(place.segment).readText(place.document, first, end, signal);
  for (let next = checkpoints.length * CHECKPOINT_UNITS; next <= end; next += CHECKPOINT_UNITS) {
    const isInside = next < place.length && isHighSurrogate(text.charCodeAt(next - 1 - first));
    const offset = isInside ? next - 1 : next;
    last = { offset, ...add(last, text, { from: last.offset - first, to: offset - first }) };
    checkpoints.push(last);
  }
}

/** All checkpoints of a text in memory, the first at 0. */
export function checkpointsOf(text: string): TextCheckpoint[] {
  const checkpoints: TextCheckpoint[] = [{ offset: 0, bytes: 0, codePoints: 0, newlines: 0 }];
  for (let next = CHECKPOINT_UNITS; next <= text.length; next += CHECKPOINT_UNITS) {
    const last = checkpoints.at(-1)!;
    const offset = next < text.length && isHighSurrogate(text.charCodeAt(next - 1)) ? next - 1 : next;
    checkpoints.push({ offset, ...add(last, text, { from: last.offset, to: offset }) });
  }
  return checkpoints;
}

function add(
  base: TextCounts,
  text: string,
  range: { from: number; to: number } = { from: 0, to: text.length },
): TextCounts {
  const { from, to } = range;
  let newlines = base.newlines;
  for (let at = text.indexOf("\n", from); at >= 0 && at < to; at = text.indexOf("\n", at + 1)) newlines++;
  return {
    bytes: base.bytes + utf8Length(text, from, to),
    codePoints: base.codePoints + codePointLength(text, from, to),
    newlines,
  };
}
