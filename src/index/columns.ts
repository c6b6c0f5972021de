/** Columns of numbers as little-endian bytes and back, copied, so that neither alignment nor the machine's byte order matters. */

import { corrupt } from "./corrupt.js";

const TWO_32 = 0x1_0000_0000;

const littleEndian = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;

function copy(bytes: Uint8Array, width: number): ArrayBuffer {
  if (bytes.length % width !== 0)
    throw corrupt("a column of numbers", `${bytes.length} bytes are not whole numbers of ${width}`);
  const own = new Uint8Array(bytes); // a copy; `slice` of a Node Buffer would be a view
  if (!littleEndian) {
    for (let i = 0; i < own.length; i += width) own.subarray(i, i + width).reverse();
  }
  return own.buffer as ArrayBuffer;
}

/** Little-endian bytes as numbers, copied so that alignment never matters. `bytes.length` must be a multiple of the width. */
export const copyU16 = (bytes: Uint8Array): Uint16Array => new Uint16Array(copy(bytes, 2));
export const copyU32 = (bytes: Uint8Array): Uint32Array => new Uint32Array(copy(bytes, 4));
export const copyF32 = (bytes: Uint8Array): Float32Array => new Float32Array(copy(bytes, 4));

/** u64 columns as doubles. @throws VerbatimError `corrupt-segment` for 2⁵³ or more */
export function copyU64(bytes: Uint8Array, where: string): Float64Array {
  const halves = copyU32(bytes);
  const out = new Float64Array(halves.length / 2);
  let largest = 0;
  for (let i = 0, at = 0; i < out.length; i++, at += 2) {
    const high = halves[at + 1]!;
    if (high > largest) largest = high;
    out[i] = high * TWO_32 + halves[at]!;
  }
  if (largest >= 0x200000) throw corrupt(where, "a number is 2⁵³ or more");
  return out;
}

/** Numbers as little-endian bytes. */
export const fromU32 = (values: Uint32Array): Uint8Array =>
  new Uint8Array(copy(new Uint8Array(values.buffer, values.byteOffset, values.byteLength), 4));
export const fromF32 = (values: Float32Array): Uint8Array =>
  new Uint8Array(copy(new Uint8Array(values.buffer, values.byteOffset, values.byteLength), 4));
export const fromU16 = (values: Uint16Array): Uint8Array =>
  new Uint8Array(copy(new Uint8Array(values.buffer, values.byteOffset, values.byteLength), 2));
