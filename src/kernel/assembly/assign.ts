/** The nearest centroid of rows (src/vectors/centroids.ts). */

import { dot4 } from "./int8-rows";
import { clampShifted, evens, odds, shiftAt, shiftBytes } from "./nibble-rows";
import { rowBytesOf } from "./rows";

/**
 * The nearest of `count` centroids (a multiple of 4) to a row widened to int16: the largest
 * 2 · row · c − |c|², ties to the first.
 */
function nearest(centroids: usize, norms: usize, count: usize, row: usize, dim: usize): usize {
  let found: usize = 0;
  let best = i32.MIN_VALUE;
  for (let c: usize = 0; c < count; c += 4) {
    const twice = i32x4.shl(dot4(centroids + c * dim, row, dim), 1);
    const four = i32x4.sub(twice, v128.load(norms + (c << 2)));
    if (!v128.any_true(i32x4.gt_s(four, i32x4.splat(best)))) continue;
    for (let lane: usize = 0; lane < 4; lane++) {
      const score =
        lane === 0
          ? i32x4.extract_lane(four, 0)
          : lane === 1
            ? i32x4.extract_lane(four, 1)
            : lane === 2
              ? i32x4.extract_lane(four, 2)
              : i32x4.extract_lane(four, 3);
      if (score <= best) continue;
      best = score;
      found = c + lane;
    }
  }
  return found;
}

/** Widens a row to int16. */
function widen(row: usize, dim: usize, bits: i32, wide: usize): void {
  const numbers = row + shiftBytes(dim);
  for (let d: usize = 0; d < dim; d += 16) {
    const to = wide + (d << 1);
    if (bits === 8) {
      v128.store(to, v128.load8x8_s(row + d));
      v128.store(to, v128.load8x8_s(row + d, 8), 16);
      continue;
    }
    const shift = shiftAt(row, d);
    const eight = v128.load8x8_s(numbers + (d >> 1));
    const even = clampShifted(evens(eight), shift);
    const odd = clampShifted(odds(eight), shift);
    v128.store(to, v128.shuffle<i16>(even, odd, 0, 8, 1, 9, 2, 10, 3, 11));
    v128.store(to, v128.shuffle<i16>(even, odd, 4, 12, 5, 13, 6, 14, 7, 15), 16);
  }
}

/**
 * Writes the list of each of `rows` rows as u16. `centroids` holds `branches` top-level centroids, then
 * `branches` × `branches` of the lists; `norms` their squared norms in the same order. `wide` is room
 * for one row of int16.
 */
export function assign(
  row: usize,
  rows: usize,
  dim: usize,
  bits: i32,
  centroids: usize,
  norms: usize,
  branches: usize,
  wide: usize,
  lists: usize,
): void {
  const bytes = rowBytesOf(dim, bits);
  const below = centroids + branches * dim;
  const belowNorms = norms + (branches << 2);
  for (let r: usize = 0; r < rows; r++, row += bytes, lists += 2) {
    widen(row, dim, bits, wide);
    const first = nearest(centroids, norms, branches, wide, dim) * branches;
    const list = first + nearest(below + first * dim, belowNorms + (first << 2), branches, wide, dim);
    store<u16>(lists, <u16>list);
  }
}
