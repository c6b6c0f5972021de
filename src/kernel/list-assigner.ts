/** "Which list does a row belong to?" For rows as they are stored, many at a time, while an index is written. */

import { BRANCHES, type Centroids, LISTS, listOf } from "../vectors/centroids.js";
import { type RowBits, rowBytesOf, unpackNibbles } from "../vectors/nibbles.js";
import { WasmHeap } from "./wasm-memory.js";
import { openWasmModule } from "./wasm-module.js";

interface AssignExports {
  assign(
    row: number,
    rows: number,
    dim: number,
    bits: number,
    centroids: number,
    norms: number,
    branches: number,
    wide: number,
    lists: number,
  ): void;
}

/** Rows that are assigned at once. */
const AT_ONCE = 1024;

export interface ListAssigner {
  /** @param rows  whole rows of `bits` @returns the list of each, 0 … LISTS − 1: the nearest centroid below the nearest top, as `listOf` */
  assign(rows: Uint8Array): Uint16Array;
}

const known = new WeakMap<Centroids, Partial<Record<RowBits, ListAssigner>>>();

/** In WASM SIMD, or as `plainAssigner` where it is missing. Made once: nothing is kept between calls, so all who ask share it. */
export function listAssigner(centroids: Centroids, bits: RowBits): ListAssigner {
  const made = known.get(centroids) ?? {};
  known.set(centroids, made);
  made[bits] ??= createAssigner(centroids, bits);
  return made[bits];
}

function createAssigner(centroids: Centroids, bits: RowBits): ListAssigner {
  const opened = openWasmModule<AssignExports>();
  if (opened === undefined) return plainAssigner(centroids, bits);
  const { memory, exports } = opened;
  const { dim, tops, lists, topNorms, listNorms } = centroids;
  const rowBytes = rowBytesOf(dim, bits);
  const heap = new WasmHeap(memory);
  const tables = heap.allocate((BRANCHES + LISTS) * dim);
  const norms = heap.allocate((BRANCHES + LISTS) * 4);
  const wide = heap.allocate(dim * 2);
  const rowsAt = heap.allocate(AT_ONCE * rowBytes + 16);
  const owners = heap.allocate(AT_ONCE * 2);
  const bytes = new Uint8Array(memory.buffer);
  new Int8Array(memory.buffer).set(tops, tables.address);
  new Int8Array(memory.buffer).set(lists, tables.address + BRANCHES * dim);
  new Int32Array(memory.buffer).set(topNorms, norms.address / 4);
  new Int32Array(memory.buffer).set(listNorms, norms.address / 4 + BRANCHES);
  return {
    assign(rows) {
      const found = new Uint16Array(rows.length / rowBytes);
      for (let at = 0; at < found.length; at += AT_ONCE) {
        const some = rows.subarray(at * rowBytes, (at + AT_ONCE) * rowBytes);
        const count = some.length / rowBytes;
        bytes.set(some, rowsAt.address);
        const [from, to] = [rowsAt.address, owners.address];
        exports.assign(from, count, dim, bits, tables.address, norms.address, BRANCHES, wide.address, to);
        found.set(new Uint16Array(memory.buffer, to, count), at);
      }
      return found;
    },
  };
}

export function plainAssigner(centroids: Centroids, bits: RowBits): ListAssigner {
  const { dim } = centroids;
  return {
    assign(rows) {
      const values = unpackNibbles(rows, dim, bits);
      return Uint16Array.from({ length: values.length / dim }, (_, row) =>
        listOf(centroids, values.subarray(row * dim, (row + 1) * dim)),
      );
    },
  };
}
