/** Assigns stored rows to inverted lists, many at a time, while an index is written. */

import { BRANCHES, type Centroids, listOf } from "../vectors/centroids.js";
import { type RowBits, rowBytesOf, unpackNibbles } from "../vectors/nibbles.js";
import { centroidTables } from "./centroid-tables.js";
import { type WasmInstance, wasmInstance } from "./wasm-instance.js";

/** Rows per WASM call. */
const BATCH = 1024;
/** The last row is read in whole vectors of 16 bytes. */
const PADDING = 16;

/**
 * The list of every row: the nearest centroid below the nearest top-level centroid, as `listOf`.
 * @param rows  whole rows of `bits`
 * @returns uint16 [rows], 0 … LISTS − 1
 */
export function assignLists(centroids: Centroids, bits: RowBits, rows: Uint8Array): Uint16Array {
  const wasm = wasmInstance();
  return wasm === undefined ? assignListsPlainly(centroids, bits, rows) : assignInWasm(wasm, { centroids, bits }, rows);
}

function assignInWasm(
  wasm: WasmInstance,
  { centroids, bits }: { centroids: Centroids; bits: RowBits },
  rows: Uint8Array,
): Uint16Array {
  const { heap, scratch, exports } = wasm;
  const { dim } = centroids;
  const rowBytes = rowBytesOf(dim, bits);
  const lists = new Uint16Array(rows.length / rowBytes);
  const { tops, norms } = centroidTables(wasm, centroids);
  const parts = [BATCH * rowBytes + PADDING, dim * 2, BATCH * 2];
  const [rowsAt, wideAt, listsAt] = scratch.reserve(...parts) as [number, number, number];
  const { uint8, uint16 } = heap.views;
  for (let first = 0; first < lists.length; first += BATCH) {
    const batch = rows.subarray(first * rowBytes, (first + BATCH) * rowBytes);
    const count = batch.length / rowBytes;
    uint8.set(batch, rowsAt);
    exports.assign(rowsAt, count, dim, bits, tops, norms, BRANCHES, wideAt, listsAt);
    lists.set(uint16.subarray(listsAt >>> 1, (listsAt >>> 1) + count), first);
  }
  return lists;
}

/** The twin in TypeScript. */
export function assignListsPlainly(centroids: Centroids, bits: RowBits, rows: Uint8Array): Uint16Array {
  const { dim } = centroids;
  const values = unpackNibbles(rows, dim, bits);
  return Uint16Array.from({ length: values.length / dim }, (_, row) =>
    listOf(centroids, values.subarray(row * dim, (row + 1) * dim)),
  );
}
