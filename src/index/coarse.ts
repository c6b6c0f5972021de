/** "Here are all start rows, seen through their first dimensions." Component `coarse` (docs/index-format.md §6.2). */

import type { Container } from "./container.js";
import { corrupt } from "./corrupt.js";
import { GROUP, groupsOf } from "./packing.js";
import type { Section } from "./section.js";

export const ROWS_BLOCK = 65_536;

interface RowShape {
  dense: number;
  coarse: number;
}

/**
 * Rows of fixed width: int8 as they are, or 4 bits a number with a shift for each 16: number · 2^shift, the shift the smallest with which
 * all 16 fit −8 … 7.
 */
export class CoarseCode {
  readonly rowBytes: number;
  readonly #shape: RowShape;
  readonly #bits: 4 | 8;

  constructor(shape: RowShape, bits: 4 | 8) {
    this.#shape = shape;
    this.#bits = bits;
    const { coarse } = shape;
    this.rowBytes = bits === 8 ? coarse : ((groupsOf(coarse) + 1) >> 1) + ((coarse + 1) >> 1);
  }

  /** @param vectors  start vectors [rows × dense] as they are read from `phrases` */
  encode(vectors: Int8Array): Uint8Array {
    const { dense, coarse } = this.#shape;
    const rows = vectors.length / dense;
    const out = new Uint8Array(rows * this.rowBytes);
    for (let r = 0; r < rows; r++) {
      const row = vectors.subarray(r * dense, r * dense + coarse);
      if (this.#bits === 8) out.set(new Uint8Array(row.buffer, row.byteOffset, coarse), r * coarse);
      else this.#encodeRow(row, out, r * this.rowBytes);
    }
    return out;
  }

  #encodeRow(row: Int8Array, out: Uint8Array, at: number): void {
    const numbersAt = at + ((groupsOf(row.length) + 1) >> 1);
    for (let g = 0; g * GROUP < row.length; g++) {
      const group = row.subarray(g * GROUP, (g + 1) * GROUP);
      const shift = shiftOf(group);
      out[at + (g >> 1)]! |= shift << ((g & 1) * 4);
      for (let i = 0; i < group.length; i++) {
        const d = g * GROUP + i;
        out[numbersAt + (d >> 1)]! |= (shifted(group[i]!, shift) & 15) << ((d & 1) * 4);
      }
    }
  }

  /** @param bytes  of whole rows */
  decode(bytes: Uint8Array): Int8Array {
    const { coarse } = this.#shape;
    if (this.#bits === 8) return new Int8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const rows = bytes.length / this.rowBytes;
    const header = (groupsOf(coarse) + 1) >> 1;
    const out = new Int8Array(rows * coarse);
    for (let r = 0, at = 0, to = 0; r < rows; r++, at += this.rowBytes) {
      for (let d = 0; d < coarse; d++) {
        const shift = (bytes[at + (d >> 5)]! >> (((d >> 4) & 1) * 4)) & 15;
        const number = (((bytes[at + header + (d >> 1)]! >> ((d & 1) * 4)) & 15) << 28) >> 28;
        out[to++] = Math.min(127, number << shift);
      }
    }
    return out;
  }
}

const shifted = (value: number, shift: number): number => (value + ((1 << shift) >> 1)) >> shift;

/** At most 5: 127 is 4 · 2⁵. */
function shiftOf(group: Int8Array): number {
  for (let shift = 0; ; shift++) {
    if (group.every((value) => shifted(value, shift) <= 7 && shifted(value, shift) >= -8)) return shift;
  }
}

export class CoarseReader {
  readonly code: CoarseCode;
  readonly #rows: Section;

  /** @throws VerbatimError `corrupt-segment` when the file is not of so many rows */
  constructor(container: Container, code: CoarseCode, startRows: number) {
    this.code = code;
    this.#rows = container.section("rows");
    if (this.#rows.length !== startRows * code.rowBytes)
      throw corrupt(this.#rows.where, `it is not of ${startRows} rows`);
  }

  async read(onRows: (firstRow: number, rows: Int8Array) => void, signal?: AbortSignal): Promise<void> {
    let row = 0;
    for await (const bytes of this.#rows.stream(this.code.rowBytes, signal)) {
      onRows(row, this.code.decode(bytes));
      row += bytes.length / this.code.rowBytes;
    }
  }

  /** Rows first … end − 1 as they are stored. */
  stored(first: number, end: number, signal?: AbortSignal): Promise<Uint8Array> {
    const { rowBytes } = this.code;
    return this.#rows.read(first * rowBytes, (end - first) * rowBytes, signal);
  }
}
