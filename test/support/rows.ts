/** Rows for the kernel, of either number of bits, with what they say. */

import { CoarseCode } from "../../src/index/segment/coarse.js";
import type { CoarseLists } from "../../src/index/types.js";
import type { Kernel, Matrix } from "../../src/kernel/kernel.js";
import { assignListsPlainly } from "../../src/kernel/list-assigner.js";
import { type Centroids, EVERY_LIST, LISTS } from "../../src/vectors/centroids.js";
import { type RowBits, rowBytesOf } from "../../src/vectors/nibbles.js";
import type { Random } from "../../src/vectors/random.js";

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

/** Rows as they are stored, brought into lists the plain way. */
export function inLists(
  stored: Uint8Array,
  { dim, bits, centroids }: { dim: number; bits: RowBits; centroids: Centroids },
): CoarseLists {
  const rowBytes = rowBytesOf(dim, bits);
  const owners = [...assignListsPlainly(centroids, bits, stored)];
  const members = Array.from({ length: LISTS }, (): number[] => []);
  for (const [row, list] of owners.entries()) members[list]!.push(row);
  const firsts = new Uint32Array(LISTS + 1);
  for (const [list, rows] of members.entries()) firsts[list + 1] = firsts[list]! + rows.length;
  return {
    centroids,
    firsts,
    async read(lists, onList) {
      for (const list of lists) {
        const numbers = Uint32Array.from(members[list]!);
        const rows = members[list]!.flatMap((row) => [...stored.subarray(row * rowBytes, (row + 1) * rowBytes)]);
        if (numbers.length > 0) onList(list, numbers, Uint8Array.from(rows));
      }
    },
  };
}

/** A matrix whose lists have all been set. */
export function listedMatrix(
  kernel: Kernel,
  stored: Uint8Array,
  shape: { dim: number; bits: RowBits; centroids: Centroids },
): Matrix {
  const lists = inLists(stored, shape);
  const matrix = kernel.createListedMatrix(lists.firsts, shape.dim, shape.bits);
  lists.read(EVERY_LIST, (list, numbers, rows) => matrix.setList(list, numbers, rows)); // at once: nothing is waited for
  return matrix;
}
