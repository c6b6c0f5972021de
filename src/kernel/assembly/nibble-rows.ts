/** Rows of 4 bits per value (src/vectors/nibbles.ts): dots with a query of int16. */

import { sums } from "./int8-rows";

/** From this shift on, a value may exceed 127 and has to be clamped. */
const CLAMP_SHIFT: i32 = 5;

/** The even ones of 16 4-bit values whose 8 bytes were widened to int16. */
export function evens(bytes: v128): v128 {
  return i16x8.shr_s(i16x8.shl(bytes, 12), 12);
}

export function odds(bytes: v128): v128 {
  return i16x8.shr_s(bytes, 4);
}

export function clampShifted(values: v128, shift: i32): v128 {
  return i16x8.min_s(i16x8.shl(values, shift), i16x8.splat(127));
}

/** Partial sums of 16 values · the query, whose even values come first. */
function groupOfNibbles(bytes: v128, shift: i32, even: v128, odd: v128): v128 {
  if (shift >= CLAMP_SHIFT) {
    return i32x4.add(
      i32x4.dot_i16x8_s(clampShifted(evens(bytes), shift), even),
      i32x4.dot_i16x8_s(clampShifted(odds(bytes), shift), odd),
    );
  }
  return i32x4.shl(i32x4.add(i32x4.dot_i16x8_s(evens(bytes), even), i32x4.dot_i16x8_s(odds(bytes), odd)), shift);
}

export function shiftBytes(dim: usize): usize {
  return ((dim >> 4) + 1) >> 1;
}

export function shiftAt(row: usize, d: usize): i32 {
  return (<i32>load<u8>(row + (d >> 5)) >> <i32>(((d >> 4) & 1) << 2)) & 15;
}

export function dotNibbles(row: usize, query: usize, dim: usize): i32 {
  const numbers = row + shiftBytes(dim);
  let sum = i32x4.splat(0);
  for (let d: usize = 0; d < dim; d += 16) {
    const q = query + (d << 1);
    const bytes = v128.load8x8_s(numbers + (d >> 1));
    sum = i32x4.add(sum, groupOfNibbles(bytes, shiftAt(row, d), v128.load(q), v128.load(q, 16)));
  }
  return (
    i32x4.extract_lane(sum, 0) + i32x4.extract_lane(sum, 1) + i32x4.extract_lane(sum, 2) + i32x4.extract_lane(sum, 3)
  );
}

/** Bytes of a row of 16 values. */
const NIBBLES_16: usize = 9;

/** Partial sums of a row of 16 values. */
function nibbles16(row: usize, q0: v128, q1: v128): v128 {
  return groupOfNibbles(v128.load8x8_s(row, 1), <i32>load<u8>(row) & 15, q0, q1);
}

export function fourOfNibbles16(row: usize, q0: v128, q1: v128): v128 {
  return sums(
    nibbles16(row, q0, q1),
    nibbles16(row + NIBBLES_16, q0, q1),
    nibbles16(row + 2 * NIBBLES_16, q0, q1),
    nibbles16(row + 3 * NIBBLES_16, q0, q1),
  );
}

/** Partial sums of a row of 32 values: two groups of 16. */
function nibbles32(row: usize, q0: v128, q1: v128, q2: v128, q3: v128): v128 {
  const shifts: i32 = <i32>load<u8>(row);
  const low = v128.load8x8_s(row, 1);
  const high = v128.load8x8_s(row, 9);
  return i32x4.add(groupOfNibbles(low, shifts & 15, q0, q1), groupOfNibbles(high, shifts >> 4, q2, q3));
}

/** Bytes of a row of 32 values. */
const NIBBLES_32: usize = 17;

export function fourOfNibbles32(row: usize, q0: v128, q1: v128, q2: v128, q3: v128): v128 {
  return sums(
    nibbles32(row, q0, q1, q2, q3),
    nibbles32(row + NIBBLES_32, q0, q1, q2, q3),
    nibbles32(row + 2 * NIBBLES_32, q0, q1, q2, q3),
    nibbles32(row + 3 * NIBBLES_32, q0, q1, q2, q3),
  );
}
