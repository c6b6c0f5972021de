/** The pieces of a segment's texts: where each lies, and how it is stored (docs/index-format.md §4). */

import { u64At, viewU32 } from "../format/columns.js";
import { corrupt } from "../format/corrupt.js";
import { inflate } from "../format/inflate.js";
import type { Section } from "../format/section.js";
import type { Inflate } from "../ports.js";

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

/** Pieces first … end − 1. */
export interface PieceRange {
  first: number;
  end: number;
}

/**
 * The table of pieces as it lies in the file, and each document's first piece. An index is opened for the sake of a few documents: what is looked
 * at is checked when it is looked at.
 */
export class PieceTable {
  readonly #where: string;
  /** Four of a piece: offset in two halves, start, coding. */
  readonly #words: Uint32Array;
  readonly #firsts: Uint32Array;

  private constructor(where: string, words: Uint32Array, firsts: Uint32Array) {
    this.#where = where;
    this.#words = words;
    this.#firsts = firsts;
  }

  /**
   * @param sections.bytes  of the pieces
   * @param sections.firsts  [documents + 1]
   * @throws VerbatimError `corrupt-segment`
   */
  static async read({ table, bytes, firsts }: Record<"table" | "bytes" | "firsts", Section>): Promise<PieceTable> {
    const { where } = table;
    const count = table.length / PIECE_BYTES;
    if (!Number.isInteger(count) || count < 1) throw corrupt(where, `${table.length} bytes are no piece table`);
    const pieces = new PieceTable(where, viewU32(await table.readAll()), viewU32(await firsts.readAll()));
    if (pieces.#firsts[0] !== 0 || pieces.#firsts.at(-1) !== count - 1)
      throw corrupt(where, "it is not of the documents' pieces");
    if (pieces.offset(0) !== 0 || pieces.offset(count - 1) !== bytes.length)
      throw corrupt(where, "it does not cover the bytes");
    return pieces;
  }

  /** Of a document. @throws VerbatimError `corrupt-segment` for pieces that are not one after another */
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
      if (this.length(piece) > MOST_PIECE_BYTES) throw corrupt(this.#where, `piece ${piece} is too long`);
      last = start;
    }
    return { first, end };
  }

  /** Of the bytes of a piece; one more than there are pieces. */
  offset(piece: number): number {
    return u64At(this.#words, 4 * piece);
  }

  /** UTF-16 offset in the document. */
  start(piece: number): number {
    return this.#words[4 * piece + 2]!;
  }

  /** Inflated length · 4 + coding. */
  coding(piece: number): number {
    return this.#words[4 * piece + 3]!;
  }

  /** Bytes of a piece as text, inflated. */
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
