/** The pieces of a segment's texts: their places and codings (docs/index-format.md §4). */

import { u64At, viewU32 } from "../format/columns.js";
import { corrupt } from "../format/corrupt.js";
import { inflate } from "../format/inflate.js";
import type { Section } from "../format/section.js";
import type { Inflate } from "../ports.js";

/**
 * Maximum UTF-16 units of a piece: small, so that showing an answer inflates little; large enough
 * to compress.
 */
export const PIECE_UNITS = 8192;
const MAX_PIECE_BYTES = PIECE_UNITS * 3;
export const PIECE_BYTES = 16;

export const DEFLATED = 1;
export const UTF16 = 2;

const fromUtf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** A piece as stored. */
export interface StoredPiece {
  /** UTF-16 offset in the document. */
  start: number;
  /** Decoded length · 4 + coding. */
  coding: number;
  bytes: Uint8Array;
}

/** A decoded piece. */
export interface DecodedPiece {
  document: number;
  /** UTF-16 offset in the document, from the table. */
  start: number;
  text: string;
}

/** Pieces first … end − 1. */
export interface PieceRange {
  first: number;
  end: number;
}

/**
 * The table of pieces and each document's first piece. Entries are checked when they are accessed:
 * opening an index needs only a few of them.
 */
export class PieceTable {
  readonly #where: string;
  /** Four words per piece: low and high half of the offset, start, coding. */
  readonly #words: Uint32Array;
  readonly #firsts: Uint32Array;

  private constructor(where: string, words: Uint32Array, firsts: Uint32Array) {
    this.#where = where;
    this.#words = words;
    this.#firsts = firsts;
  }

  /**
   * @param sections.bytes  the section of the pieces
   * @param sections.firsts  [documents + 1]
   * @throws VerbatimError `corrupt-segment`
   */
  static async read({ table, bytes, firsts }: Record<"table" | "bytes" | "firsts", Section>): Promise<PieceTable> {
    const { where } = table;
    const count = table.length / PIECE_BYTES;
    if (!Number.isInteger(count) || count < 1)
      throw corrupt(where, `${table.length} bytes are not a valid piece table`);
    const pieces = new PieceTable(where, viewU32(await table.readAll()), viewU32(await firsts.readAll()));
    if (pieces.#firsts[0] !== 0 || pieces.#firsts.at(-1) !== count - 1)
      throw corrupt(where, "it does not match the number of pieces");
    if (pieces.offset(0) !== 0 || pieces.offset(count - 1) !== bytes.length)
      throw corrupt(where, "it does not cover the bytes");
    return pieces;
  }

  /** Pieces of a document. @throws VerbatimError `corrupt-segment` unless they are in order */
  of(document: number): PieceRange {
    const first = this.#firsts[document]!;
    const end = this.#firsts[document + 1]!;
    if (first > end || end > this.#firsts.at(-1)!)
      throw corrupt(this.#where, `the pieces of document ${document} are out of order`);
    for (let piece = first, last = -1; piece < end; piece++) {
      const start = this.start(piece);
      const isPlaced = last < 0 ? start === 0 : start > last && start - last <= PIECE_UNITS;
      if (!isPlaced || this.offset(piece) > this.offset(piece + 1))
        throw corrupt(this.#where, `piece ${piece} is out of order`);
      if (this.length(piece) > MAX_PIECE_BYTES) throw corrupt(this.#where, `piece ${piece} is too long`);
      last = start;
    }
    return { first, end };
  }

  /** Where a piece's bytes begin; there is one entry more than pieces. */
  offset(piece: number): number {
    return u64At(this.#words, 4 * piece);
  }

  /** UTF-16 offset in the document. */
  start(piece: number): number {
    return this.#words[4 * piece + 2]!;
  }

  /** Decoded length · 4 + coding. */
  coding(piece: number): number {
    return this.#words[4 * piece + 3]!;
  }

  /** Decodes the bytes of a piece. */
  length(piece: number): number {
    return this.coding(piece) >>> 2;
  }
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
