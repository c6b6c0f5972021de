/**
 * Rows of 4 bits a number, as the index keeps and the kernel scans them (docs/index-format.md §6.2). A row of `dim` numbers:
 *   a shift for each 16 numbers, 4 bits each, the first in the low bits: ⌈⌈dim / 16⌉ / 2⌉ bytes
 *   the numbers, 4 bits each in two's complement, the first in the low bits: ⌈dim / 2⌉ bytes
 * A number is min(127, number · 2^shift).
 */

/** Numbers that share a shift. */
const GROUP = 16;

/** Bits of a number of a row: int8 as it is, or 4 bits with shifts. */
export type RowBits = 4 | 8;

/** Bytes before the numbers of a row of 4 bits a number. */
export const shiftBytes = (dim: number): number => (Math.ceil(dim / GROUP) + 1) >> 1;

export const rowBytesOf = (dim: number, bits: RowBits): number =>
  bits === 8 ? dim : shiftBytes(dim) + ((dim + 1) >> 1);

/** @param bytes  whole rows @returns int8 [rows × dim]; of 8 bits the bytes themselves */
export function unpackNibbles(bytes: Uint8Array, dim: number, bits: RowBits): Int8Array {
  if (bits === 8) return new Int8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const rowBytes = rowBytesOf(dim, bits);
  const rows = bytes.length / rowBytes;
  const numbersAt = shiftBytes(dim);
  const out = new Int8Array(rows * dim);
  for (let r = 0, at = 0, to = 0; r < rows; r++, at += rowBytes) {
    for (let d = 0; d < dim; d++) {
      const shift = (bytes[at + (d >> 5)]! >> (((d >> 4) & 1) * 4)) & 15;
      const number = (((bytes[at + numbersAt + (d >> 1)]! >> ((d & 1) * 4)) & 15) << 28) >> 28;
      out[to++] = Math.min(127, number << shift);
    }
  }
  return out;
}
