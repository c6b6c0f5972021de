/** The kernel in WASM SIMD: src/kernel/assembly/index.ts, with its memory laid out from here. */

import { VerbatimError } from "../errors.js";
import { setBits } from "../kernel/nprobe.js";
import { type Centroids, EVERY_LIST, LISTS } from "../vectors/centroids.js";
import type { RowBits } from "../vectors/nibbles.js";
import { checkDots, checkPairs, checkScan } from "./argument-checks.js";
import type { Kernel, Matrix, PairRanges, PassageSums, ScanPart, TopRows } from "./kernel.js";
import { WasmMatrix } from "./wasm-matrix.js";
import { type Block, type GrowableMemory, WasmHeap, WasmScratch } from "./wasm-memory.js";
import { openWasmModule } from "./wasm-module.js";
import { type SumExports, WasmSums } from "./wasm-sums.js";

interface KernelExports extends SumExports {
  dots(vectors: number, rows: number, dim: number, query: number, out: number): void;
  pairDots(
    a: number,
    rows: number,
    b: number,
    dim: number,
    query: number,
    from: number,
    to: number,
    out: number,
  ): number;
  scan(
    row: number,
    rows: number,
    dim: number,
    bits: number,
    query: number,
    id: number,
    k: number,
    heap: number,
    filled: number,
  ): number;
  sortKeys(heap: number, filled: number): void;
  scanList(
    row: number,
    rows: number,
    dim: number,
    bits: number,
    query: number,
    ids: number,
    first: number,
    allowed: number,
    k: number,
    heap: number,
    filled: number,
  ): number;
}

/** @returns undefined where WASM SIMD is missing */
export function openWasmKernel(): WasmKernel | undefined {
  const opened = openWasmModule<KernelExports>();
  return opened && new WasmKernel(opened.memory, opened.exports);
}

/** Of each 16 numbers the 8 even ones, then the 8 odd ones: as rows of 4 bits a number come apart. */
function evensFirst(query: Int16Array): Int16Array {
  return query.map((_, d) => query[(d & ~15) + 2 * (d & 7) + ((d >> 3) & 1)]!);
}

interface MemoryViews {
  buffer: ArrayBuffer;
  int8: Int8Array;
  int16: Int16Array;
  int32: Int32Array;
  uint32: Uint32Array;
}

interface OwnPart extends ScanPart {
  matrix: WasmMatrix;
}

/** What says which rows of a listed part are allowed; undefined where all are, or where `ranges` are gone through. */
const bitsOf = ({ matrix, ranges }: OwnPart): Uint32Array | undefined =>
  matrix.firsts === undefined ? undefined : ranges;

class WasmKernel implements Kernel {
  readonly name = "wasm-simd";
  readonly #heap: WasmHeap;
  readonly #exports: KernelExports;
  /** Of the arguments and results of a call. */
  readonly #scratch: WasmScratch;
  #memory: MemoryViews | undefined;
  /** Where the centroids lie that were asked for last: a model's are the same for all of its indexes. */
  #centroids: { of: Centroids; block: Block } | undefined;

  constructor(memory: GrowableMemory, exports: KernelExports) {
    this.#exports = exports;
    this.#heap = new WasmHeap(memory);
    this.#scratch = new WasmScratch(this.#heap, 1024);
  }

  createMatrix(rows: number, dim: number, bits: RowBits = 8): Matrix {
    return new WasmMatrix(this.#heap, { rows, dim, bits });
  }

  createListedMatrix(firsts: Uint32Array, dim: number, bits: RowBits): Matrix {
    return new WasmMatrix(this.#heap, { firsts, dim, bits });
  }

  createPassageSums(owners: Uint32Array, documents: number): PassageSums {
    return new WasmSums(this.#heap, this.#exports, { owners, documents, scratch: this.#scratch });
  }

  scanTopK(parts: readonly ScanPart[], query: Int16Array, k: number): TopRows {
    const count = Math.min(k, checkScan(parts, query, k));
    if (count === 0) return { rows: new Uint32Array(0), scores: new Int32Array(0) };
    const own = this.#own(parts);
    const dim = query.length;
    const bytes = (part: OwnPart): number => (bitsOf(part) === undefined ? 0 : (part.matrix.rows + 7) >> 3);
    const [plainAt, nibblesAt, heapAt, ...bitsAt] = this.#scratch.layOut(
      query.byteLength,
      query.byteLength,
      count * 8,
      ...own.map(bytes),
    ) as [number, number, number, ...number[]];
    new Int16Array(this.#heap.buffer, plainAt, dim).set(query);
    new Int16Array(this.#heap.buffer, nibblesAt, dim).set(evensFirst(query));
    const queryAt = { 4: nibblesAt, 8: plainAt };
    let filled = 0;
    // rows in their order first: they only beat what is worse, so an equal row with a smaller number must not come later
    for (const { matrix, firstRow, ranges = Uint32Array.of(0, matrix.rows) } of own) {
      if (matrix.firsts !== undefined) continue;
      for (let r = 0; r < ranges.length; r += 2) {
        const from = ranges[r]!;
        const { bits, rowBytes } = matrix;
        const at = matrix.address + from * rowBytes;
        const rows = ranges[r + 1]! - from;
        filled = this.#exports.scan(at, rows, dim, bits, queryAt[bits], firstRow + from, count, heapAt, filled);
      }
    }
    const listed = own.flatMap((part, n) =>
      part.matrix.firsts === undefined
        ? []
        : [{ ...part, lists: part.lists ?? EVERY_LIST, allowed: this.#allowed(part, bitsAt[n]!) }],
    );
    for (const { matrix, lists } of listed) matrix.checkSet(lists);
    const scanList = ({ matrix, firstRow, allowed }: (typeof listed)[number], list: number): void => {
      const at = matrix.listAt(list);
      if (at === undefined) return;
      const { rows, ids, count: size } = at;
      const { bits } = matrix;
      const queries = queryAt[bits];
      filled = this.#exports.scanList(rows, size, dim, bits, queries, ids, firstRow, allowed, count, heapAt, filled);
    };
    // the nearest lists of all parts first: what they give lets most other rows cost a comparison and no more
    const most = listed.reduce((largest, { lists }) => Math.max(largest, lists.length), 0);
    for (let n = 0; n < most; n++) {
      for (const part of listed) {
        const list = part.lists[n];
        if (list !== undefined) scanList(part, list);
      }
    }
    return this.#sorted(heapAt, filled);
  }

  /** A scan of the lists' centroids that keeps them all. */
  probeOrder(centroids: Centroids, query: Int16Array): Uint16Array {
    if (this.#centroids?.of !== centroids) {
      if (this.#centroids !== undefined) this.#heap.release(this.#centroids.block);
      this.#centroids = { of: centroids, block: this.#heap.allocate(centroids.lists.length) };
      new Int8Array(this.#heap.buffer).set(centroids.lists, this.#centroids.block.address);
    }
    const [queryAt, heapAt] = this.#scratch.layOut(query.byteLength, LISTS * 8) as [number, number];
    new Int16Array(this.#heap.buffer, queryAt, query.length).set(query);
    const { address } = this.#centroids.block;
    const filled = this.#exports.scan(address, LISTS, query.length, 8, queryAt, 0, LISTS, heapAt, 0);
    return Uint16Array.from(this.#sorted(heapAt, filled).rows);
  }

  /** @returns the address of the bits, 0 where every row is allowed */
  #allowed(part: OwnPart, at: number): number {
    const ranges = bitsOf(part);
    if (ranges === undefined) return 0;
    setBits(new Uint8Array(this.#heap.buffer, at, (part.matrix.rows + 7) >> 3), ranges);
    return at;
  }

  #own(parts: readonly ScanPart[]): OwnPart[] {
    return parts.map((part) => {
      const { matrix } = part;
      if (matrix instanceof WasmMatrix && matrix.heap === this.#heap) return { ...part, matrix };
      throw new VerbatimError("invalid-argument", "The matrix is another kernel's.");
    });
  }

  /** The keys of a full heap, best first: (score << 32) | (2³² − 1 − row), little-endian. */
  #sorted(heapAt: number, count: number): TopRows {
    this.#exports.sortKeys(heapAt, count);
    const keys = new Int32Array(this.#heap.buffer, heapAt, count * 2);
    return {
      rows: Uint32Array.from({ length: count }, (_, n) => ~keys[2 * n]!),
      scores: Int32Array.from({ length: count }, (_, n) => keys[2 * n + 1]!),
    };
  }

  dots(vectors: Int8Array, query: Int16Array, out: Int32Array): void {
    checkDots(vectors, query, out.length);
    const [queryAt, vectorsAt, outAt] = this.#scratch.layOut(query.byteLength, vectors.length, out.byteLength) as [
      number,
      number,
      number,
    ];
    const { int8, int16, int32 } = this.#views();
    int16.set(query, queryAt >>> 1);
    int8.set(vectors, vectorsAt);
    this.#exports.dots(vectorsAt, out.length, query.length, queryAt, outAt);
    out.set(int32.subarray(outAt >>> 2, (outAt >>> 2) + out.length));
  }

  pairDots(a: Int8Array, b: Int8Array, pairs: PairRanges): number {
    const count = checkPairs(a, b, pairs);
    const { query, from, to, out } = pairs;
    const [queryAt, aAt, bAt, fromAt, toAt, outAt] = this.#scratch.layOut(
      query.byteLength,
      a.length,
      b.length,
      from.byteLength,
      to.byteLength,
      count * 4,
    ) as [number, number, number, number, number, number];
    const { int8, int16, int32, uint32 } = this.#views();
    int16.set(query, queryAt >>> 1);
    int8.set(a, aAt);
    int8.set(b, bAt);
    uint32.set(from, fromAt >>> 2);
    uint32.set(to, toAt >>> 2);
    this.#exports.pairDots(aAt, from.length, bAt, query.length, queryAt, fromAt, toAt, outAt);
    out.set(int32.subarray(outAt >>> 2, (outAt >>> 2) + count));
    return count;
  }

  /** The whole memory as numbers; made anew only when it has grown, for a passage has three calls here. */
  #views(): MemoryViews {
    const { buffer } = this.#heap;
    if (this.#memory?.buffer !== buffer) {
      this.#memory = {
        buffer,
        int8: new Int8Array(buffer),
        int16: new Int16Array(buffer),
        int32: new Int32Array(buffer),
        uint32: new Uint32Array(buffer),
      };
    }
    return this.#memory;
  }
}
