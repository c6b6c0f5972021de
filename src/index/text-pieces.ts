/** The pieces of a segment's texts: where each lies, and how it is stored (docs/index-format.md §4). */

import { copyU32 } from "./columns.js";
import { corrupt } from "./corrupt.js";
import { inflate } from "./inflate.js";
import type { Inflate } from "./ports.js";
import type { Section } from "./section.js";

/** Most UTF-16 units of a piece: small, so that showing an answer inflates little; large enough to compress. */
export const PIECE_UNITS = 8192;
const MOST_PIECE_BYTES = PIECE_UNITS * 3;
export const PIECE_BYTES = 16;

export const DEFLATED = 1;
export const UTF16 = 2;

const fromUtf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** A piece as it lies in the file. */
export interface StoredPiece {
  /** UTF-16 offset in the document. */
  start: number;
  /** Inflated length · 4 + coding. */
  coding: number;
  bytes: Uint8Array;
}

/** A piece as it reads. */
export interface DecodedPiece {
  document: number;
  /** UTF-16 offset in the document, as the table says. */
  start: number;
  text: string;
}

/** The piece table in memory: 16 bytes a piece on disk, three columns here. */
export interface Pieces {
  offsets: Float64Array;
  starts: Uint32Array;
  codings: Uint32Array;
  firstPieces: Uint32Array;
}

/**
 * The whole table, checked so that its numbers can be used as they are.
 * @param options.documents  how many
 * @throws VerbatimError `corrupt-segment`
 */
export async function readPieces(
  table: Section,
  bytes: Section,
  options: { firsts: Section; documents: number },
): Promise<Pieces> {
  const { firsts, documents } = options;
  const where = table.where;
  const count = table.length / PIECE_BYTES;
  if (!Number.isInteger(count) || count < 1) throw corrupt(where, `${table.length} bytes are no piece table`);
  const words = copyU32(await table.readAll());
  const firstPieces = copyU32(await firsts.readAll());
  if (firstPieces[0] !== 0 || firstPieces[documents] !== count - 1)
    throw corrupt(where, "it is not of the documents' pieces");
  const [offsets, starts, codings] = [new Float64Array(count), new Uint32Array(count), new Uint32Array(count)];
  let before = 0;
  for (let i = 0, at = 0; i < count; i++, at += 4) {
    const offset = words[at]! + words[at + 1]! * 0x1_0000_0000;
    offsets[i] = offset;
    starts[i] = words[at + 2]!;
    codings[i] = words[at + 3]!;
    if (offset < before) throw corrupt(where, `piece ${i} is out of order`);
    if (words[at + 3]! >>> 2 > MOST_PIECE_BYTES) throw corrupt(where, `piece ${i} is too long`);
    before = offset;
  }
  if (before !== bytes.length) throw corrupt(where, "it does not cover the bytes");
  for (let d = 0; d < documents; d++) {
    const end = firstPieces[d + 1]!;
    if (firstPieces[d]! > end) throw corrupt(where, `the pieces of document ${d} are out of order`);
    for (let i = firstPieces[d]!, last = -1; i < end; i++) {
      const start = starts[i]!;
      const misplaced = last < 0 ? start !== 0 : start <= last || start - last > PIECE_UNITS;
      if (misplaced) throw corrupt(where, `piece ${i} is out of order`);
      last = start;
    }
  }
  return { offsets, starts, codings, firstPieces };
}

export function decodePiece(
  stored: Uint8Array,
  coding: number,
  { where, by }: { where: string; by?: Inflate | undefined },
): string {
  const length = coding >>> 2;
  const plain = coding & DEFLATED ? inflate(stored, length, { where, by }) : stored;
  if (plain.length !== length) throw corrupt(where, "it has another length than its entry says");
  if (coding & UTF16) {
    const units = Uint16Array.from({ length: length >> 1 }, (_, i) => plain[i * 2]! | (plain[i * 2 + 1]! << 8));
    return String.fromCharCode(...units);
  }
  try {
    return fromUtf8.decode(plain);
  } catch {
    throw corrupt(where, "it is not UTF-8");
  }
}
