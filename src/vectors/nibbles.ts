/**
 * Rows of 4 bits per value, as the index stores and the kernel scans them (docs/index-format.md §6.2).
 * A row of `dim` values:
 *   a 4-bit shift for each 16 values, the first in the low bits: ⌈⌈dim / 16⌉ / 2⌉ bytes
 *   4-bit values in two's complement, the first in the low bits: ⌈dim / 2⌉ bytes
 * The decoded value is min(127, value · 2^shift).
 */

/** Values that share a shift. */
const GROUP = 16;

/** Bits per value: plain int8, or 4 bits with shifts. */
export type RowBits = 4 | 8;

/** Bytes of the shifts at the start of a 4-bit row. */
export const shiftBytes = (dim: number): number => (Math.ceil(dim / GROUP) + 1) >> 1;

export const rowBytesOf = (dim: number, bits: RowBits): number =>
  bits === 8 ? dim : shiftBytes(dim) + ((dim + 1) >> 1);

/** @param bytes  whole rows @returns int8 [rows × dim]; for 8 bits, a view of the same bytes */
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
