/** The best rows of a matrix, in order (`scan`) or as lists of an inverted file (`scanList`). */

import { keyOf, offer4, replaceWorst, siftUp } from "./heap";
import { dot4 } from "./int8-rows";
import { fourOfNibbles16, fourOfNibbles32 } from "./nibble-rows";
import { dot4of32, dotOf, rowBytesOf } from "./rows";

/** Whether `fourOf` scores rows of this kind, with the query in registers. */
function isFast(dim: usize, bits: i32): bool {
  return dim === 32 || (dim === 16 && bits === 4);
}

/** Four consecutive rows · query. */
function fourOf(row: usize, dim: usize, bits: i32, q0: v128, q1: v128, q2: v128, q3: v128): v128 {
  if (dim === 16) return fourOfNibbles16(row, q0, q1);
  return bits === 8 ? dot4of32(row, q0, q1, q2, q3) : fourOfNibbles32(row, q0, q1, q2, q3);
}

/**
 * Offers `rows` consecutive rows, the first numbered `id`, to a heap of at most k keys (k × 8 bytes,
 * k ≥ 1) that holds `filled` keys. Returns the new number of keys. The threshold carries over from call
 * to call, so most rows cost one comparison. Row numbers ascend within and across calls, so a row that
 * only equals the worst kept one never replaces it.
 */
export function scan(
  row: usize,
  rows: usize,
  dim: usize,
  bits: i32,
  query: usize,
  id: usize,
  k: usize,
  heap: usize,
  filled: usize,
): usize {
  const end = id + rows;
  const bytes = rowBytesOf(dim, bits);
  for (; filled < k && id < end; row += bytes) siftUp(heap, filled++, keyOf(dotOf(row, query, dim, bits), id++));
  if (id === end) return filled;
  let worst = <i32>(load<i64>(heap) >> 32);
  let threshold = i32x4.splat(worst);
  if (isFast(dim, bits)) {
    const q0 = v128.load(query);
    const q1 = v128.load(query, 16);
    const q2 = dim === 16 ? q0 : v128.load(query, 32);
    const q3 = dim === 16 ? q1 : v128.load(query, 48);
    for (; id + 8 <= end; id += 8, row += bytes << 3) {
      const first = fourOf(row, dim, bits, q0, q1, q2, q3);
      const second = fourOf(row + (bytes << 2), dim, bits, q0, q1, q2, q3);
      if (!v128.any_true(i32x4.gt_s(i32x4.max_s(first, second), threshold))) continue;
      worst = offer4(heap, k, first, id, worst);
      worst = offer4(heap, k, second, id + 4, worst);
      threshold = i32x4.splat(worst);
    }
  }
  if (bits === 8) {
    for (; id + 4 <= end; id += 4, row += dim << 2) {
      const four = dot4(row, query, dim);
      if (!v128.any_true(i32x4.gt_s(four, threshold))) continue;
      worst = offer4(heap, k, four, id, worst);
      threshold = i32x4.splat(worst);
    }
  }
  for (; id < end; id++, row += bytes) {
    const score = dotOf(row, query, dim, bits);
    if (score > worst) worst = replaceWorst(heap, k, keyOf(score, id));
  }
  return filled;
}

/**
 * Offers one row to a full heap unless its bit in `allowed` is 0 (address 0: all rows are allowed).
 * Returns the worst kept score.
 */
function offerListed(heap: usize, k: usize, score: i32, id: usize, first: usize, allowed: usize, worst: i32): i32 {
  if (score < worst) return worst;
  if (allowed !== 0 && ((load<u8>(allowed + (id >> 3)) >> <u8>(id & 7)) & 1) === 0) return worst;
  const key = keyOf(score, first + id);
  return key > load<i64>(heap) ? replaceWorst(heap, k, key) : worst;
}

/** As `scan`, for rows of a list: in any order, numbered first + ids[…]. */
export function scanList(
  row: usize,
  rows: usize,
  dim: usize,
  bits: i32,
  query: usize,
  ids: usize,
  first: usize,
  allowed: usize,
  k: usize,
  heap: usize,
  filled: usize,
): usize {
  const bytes = rowBytesOf(dim, bits);
  let n: usize = 0;
  for (; filled < k && n < rows; n++, row += bytes) {
    const id = <usize>load<u32>(ids + (n << 2));
    if (allowed !== 0 && ((load<u8>(allowed + (id >> 3)) >> <u8>(id & 7)) & 1) === 0) continue;
    siftUp(heap, filled++, keyOf(dotOf(row, query, dim, bits), first + id));
  }
  if (n === rows) return filled;
  let worst = <i32>(load<i64>(heap) >> 32);
  let below = i32x4.splat(worst - 1);
  if (isFast(dim, bits)) {
    const q0 = v128.load(query);
    const q1 = v128.load(query, 16);
    const q2 = dim === 16 ? q0 : v128.load(query, 32);
    const q3 = dim === 16 ? q1 : v128.load(query, 48);
    for (; n + 4 <= rows; n += 4, row += bytes << 2) {
      const four = fourOf(row, dim, bits, q0, q1, q2, q3);
      if (!v128.any_true(i32x4.gt_s(four, below))) continue;
      const at = ids + (n << 2);
      worst = offerListed(heap, k, i32x4.extract_lane(four, 0), load<u32>(at), first, allowed, worst);
      worst = offerListed(heap, k, i32x4.extract_lane(four, 1), load<u32>(at, 4), first, allowed, worst);
      worst = offerListed(heap, k, i32x4.extract_lane(four, 2), load<u32>(at, 8), first, allowed, worst);
      worst = offerListed(heap, k, i32x4.extract_lane(four, 3), load<u32>(at, 12), first, allowed, worst);
      below = i32x4.splat(worst - 1);
    }
  }
  for (; n < rows; n++, row += bytes) {
    const score = dotOf(row, query, dim, bits);
    worst = offerListed(heap, k, score, load<u32>(ids + (n << 2)), first, allowed, worst);
  }
  return filled;
}
