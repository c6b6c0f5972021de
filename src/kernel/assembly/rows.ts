/** Rows of 4 or 8 bits per value. */

import { dot, sums } from "./int8-rows";
import { dotNibbles, shiftBytes } from "./nibble-rows";

export function rowBytesOf(dim: usize, bits: i32): usize {
  return bits === 8 ? dim : shiftBytes(dim) + (dim >> 1);
}

export function dotOf(row: usize, query: usize, dim: usize, bits: i32): i32 {
  return bits === 8 ? dot(row, query, dim) : dotNibbles(row, query, dim);
}

/** 16 products of half a row of 32 dimensions. A widening load is cheaper than a load and two widenings. */
function half(row: usize, low: v128, high: v128): v128 {
  return i32x4.add(i32x4.dot_i16x8_s(v128.load8x8_s(row), low), i32x4.dot_i16x8_s(v128.load8x8_s(row, 8), high));
}

/** `dot4` of rows of 32 dimensions, with the query in registers. */
export function dot4of32(row: usize, q0: v128, q1: v128, q2: v128, q3: v128): v128 {
  return sums(
    i32x4.add(half(row, q0, q1), half(row + 16, q2, q3)),
    i32x4.add(half(row + 32, q0, q1), half(row + 48, q2, q3)),
    i32x4.add(half(row + 64, q0, q1), half(row + 80, q2, q3)),
    i32x4.add(half(row + 96, q0, q1), half(row + 112, q2, q3)),
  );
}
