/** Component `coarse`: the prefixes of all start vectors (docs/index-format.md §6.2). */

import { GROUP } from "../../encode/precision.js";
import type { Centroids } from "../../vectors/centroids.js";
import { type RowBits, rowBytesOf, shiftBytes, unpackNibbles } from "../../vectors/nibbles.js";
import type { Container } from "../format/container.js";
import { corrupt } from "../format/corrupt.js";
import type { Section } from "../format/section.js";
import { StoredLists } from "./coarse-lists.js";

export const ROWS_BLOCK = 65_536;

interface RowShape {
  dense: number;
  coarse: number;
}

/**
 * Codec of fixed-width rows: int8, or 4 bits per number (src/vectors/nibbles.ts) with the smallest
 * shift that brings 16 numbers into −8 … 7.
 */
export class CoarseCode {
  readonly rowBytes: number;
  /** Dimensions of a row. */
  readonly dimensions: number;
  readonly #dense: number;
  readonly bits: RowBits;

  constructor({ dense, coarse }: RowShape, bits: RowBits) {
    this.dimensions = coarse;
    this.#dense = dense;
    this.bits = bits;
    this.rowBytes = rowBytesOf(coarse, bits);
  }

  /**
   * @param vectors  start vectors [rows × width] as read from `phrases`
   * @param width  ≥ dimensions; default: dense
   */
  encode(vectors: Int8Array, width = this.#dense): Uint8Array {
    const coarse = this.dimensions;
    const rows = vectors.length / width;
    const out = new Uint8Array(rows * this.rowBytes);
    for (let r = 0; r < rows; r++) {
      if (this.bits === 4) this.#encodeRow(vectors, r * width, { out, at: r * this.rowBytes });
      else for (let d = 0; d < coarse; d++) out[r * coarse + d] = vectors[r * width + d]!;
    }
    return out;
  }

  /** Whether `bytes` at `at` equal the encoded vectors. */
  isEncodedAt(bytes: Uint8Array, at: number, { vectors, width }: { vectors: Int8Array; width: number }): boolean {
    if (this.bits === 4 || width !== this.dimensions) {
      return this.encode(vectors, width).every((byte, i) => byte === bytes[at + i]);
    }
    for (let i = 0; i < vectors.length; i++) if ((vectors[i]! & 255) !== bytes[at + i]) return false;
    return true;
  }

  #encodeRow(vectors: Int8Array, from: number, { out, at }: { out: Uint8Array; at: number }): void {
    const { dimensions } = this;
    const numbersAt = at + shiftBytes(dimensions);
    for (let g = 0; g * GROUP < dimensions; g++) {
      const end = Math.min(dimensions, (g + 1) * GROUP);
      const shift = shiftOf(vectors, from + g * GROUP, from + end);
      out[at + (g >> 1)]! |= shift << ((g & 1) * 4);
      for (let d = g * GROUP; d < end; d++)
        out[numbersAt + (d >> 1)]! |= (shifted(vectors[from + d]!, shift) & 15) << ((d & 1) * 4);
    }
  }

  /** Start vectors [rows × dense] as the encoded rows give them: int8 [rows × dimensions]. */
  rounded(vectors: Int8Array): Int8Array {
    return this.decode(this.encode(vectors));
  }

  /** @param bytes  whole rows */
  decode(bytes: Uint8Array): Int8Array {
    return unpackNibbles(bytes, this.dimensions, this.bits);
  }
}

const shifted = (value: number, shift: number): number => (value + ((1 << shift) >> 1)) >> shift;

/** The smallest shift with which the numbers from … end − 1 fit; at most 5: 127 is 4 · 2⁵. */
function shiftOf(numbers: Int8Array, from: number, end: number): number {
  let largest = 0;
  let smallest = 0;
  for (let i = from; i < end; i++) {
    const number = numbers[i]!;
    if (number > largest) largest = number;
    else if (number < smallest) smallest = number;
  }
  let shift = 0;
  while (shifted(largest, shift) > 7 || shifted(smallest, shift) < -8) shift++;
  return shift;
}

export class CoarseReader {
  readonly code: CoarseCode;
  readonly startRows: number;
  readonly #container: Container;
  readonly #rows: Section;
  #lists: Promise<StoredLists | undefined> | undefined;

  /** @throws VerbatimError `corrupt-segment` if the file does not have this many rows */
  constructor(container: Container, code: CoarseCode, startRows: number) {
    this.code = code;
    this.startRows = startRows;
    this.#container = container;
    this.#rows = container.section("rows");
    if (this.#rows.length !== startRows * code.rowBytes)
      throw corrupt(this.#rows.where, `it does not have ${startRows} rows`);
  }

  /**
   * The inverted lists, opened once; undefined if rows are stored in their order. @throws
   * VerbatimError `corrupt-segment`
   */
  lists(signal?: AbortSignal): Promise<StoredLists | undefined> {
    let opening = this.#lists;
    if (opening === undefined) {
      opening = StoredLists.open(this.#container, { code: this.code, startRows: this.startRows }, signal);
      this.#lists = opening;
      opening.catch(() => {
        this.#lists = undefined;
      });
    }
    return opening;
  }

  /**
   * All rows in their order, in pieces. Rows from inverted lists are one piece, gathered in memory.
   */
  async read(onRows: (firstRow: number, rows: Uint8Array) => void, signal?: AbortSignal): Promise<void> {
    const { rowBytes } = this.code;
    const lists = await this.lists(signal);
    if (lists !== undefined) {
      if (this.startRows > 0) onRows(0, (await lists.gather(0, this.startRows, signal)).rows);
      return;
    }
    let row = 0;
    for await (const bytes of this.#rows.stream(rowBytes, signal)) {
      onRows(row, bytes);
      row += bytes.length / rowBytes;
    }
  }

  /**
   * Rows first … end − 1 in their order as they are stored, and the inverted list of each, if any.
   * @throws VerbatimError `corrupt-segment` if the lists have a row twice, or not at all
   */
  async stored(
    first: number,
    end: number,
    signal?: AbortSignal,
  ): Promise<{ rows: Uint8Array; owners?: Uint16Array; centroids?: Centroids }> {
    const lists = await this.lists(signal);
    if (lists !== undefined) return { ...(await lists.gather(first, end, signal)), centroids: lists.centroids };
    const { rowBytes } = this.code;
    return { rows: await this.#rows.read(first * rowBytes, (end - first) * rowBytes, signal) };
  }
}
