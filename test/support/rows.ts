/** Rows for the kernel, of either number of bits, with what they say. */

import { CoarseCode } from "../../src/index/coarse.js";
import type { RowBits } from "../../src/math/nibbles.js";
import type { Random } from "../../src/math/random.js";

export interface DrawnRows {
  bits: RowBits;
  /** As a matrix takes them. */
  stored: Uint8Array;
  /** int8 [rows × dim] */
  values: Int8Array;
}

/** @param range  0 … 127: a small one makes ties; groups of a large one have different shifts where there are 4 bits */
export function drawRows(
  random: Random,
  rows: number,
  { dim, bits, range = 127 }: { dim: number; bits: RowBits; range?: number },
): DrawnRows {
  let most = range;
  const drawn = Int8Array.from({ length: rows * dim }, (_, i) => {
    if (i % 16 === 0) most = Math.min(range, 1 << random.int(8));
    return random.int(2 * most + 1) - most;
  });
  const code = new CoarseCode({ dense: dim, coarse: dim }, bits);
  const stored = code.encode(drawn);
  return { bits, stored, values: code.decode(stored) };
}
