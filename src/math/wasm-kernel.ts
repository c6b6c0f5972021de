/** The kernel in WASM SIMD: src/math/kernel/assembly/index.ts, with its memory laid out from here. */

import { VerbatimError } from "../errors.js";
import { type Codebook, codeTables, sumTables } from "./codebook.js";
import { WASM_BASE64 } from "./kernel/wasm-bytes.js";
import type { Kernel, Matrix, PairRanges, QuickScan, ScanPart, TopRows } from "./kernel.js";
import { checkCodebook, checkDots, checkMatrix, checkPairs, checkQuick, checkRows, checkScan } from "./shapes.js";
import { type Block, type GrowableMemory, WasmHeap } from "./wasm-memory.js";

/** 4 GiB: all that 32-bit addresses reach. Nothing is reserved before it is used. */
const MAXIMUM_PAGES = 65_536;

interface KernelExports {
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
    query: number,
    id: number,
    k: number,
    heap: number,
    filled: number,
  ): number;
  sortKeys(heap: number, filled: number): void;
  encode(row: number, rows: number, dim: number, tables: number, codes: number): void;
  scanCodes(
    codes: number,
    from: number,
    to: number,
    pairs: number,
    tables: number,
    sums: number,
    first: number,
    k: number,
    heap: number,
    filled: number,
  ): number;
  rescore(addresses: number, ids: number, count: number, dim: number, query: number, k: number, heap: number): number;
}

/** Rows whose codes lie together. */
const CODED_ROWS = 32;

/** The part of the WebAssembly API that is used here. */
interface WebAssemblyApi {
  validate(bytes: Uint8Array): boolean;
  Memory: new (limits: { initial: number; maximum: number }) => GrowableMemory;
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object, imports: Record<string, Record<string, unknown>>) => { exports: unknown };
}

/** @returns undefined where WASM SIMD is missing */
export function openWasmKernel(): WasmKernel | undefined {
  const api = (globalThis as { WebAssembly?: WebAssemblyApi }).WebAssembly;
  const bytes = Uint8Array.from(atob(WASM_BASE64), (character) => character.charCodeAt(0));
  return api?.validate(bytes) ? new WasmKernel(api, bytes) : undefined;
}

interface MemoryViews {
  buffer: ArrayBuffer;
  int8: Int8Array;
  int16: Int16Array;
  int32: Int32Array;
  uint32: Uint32Array;
}

class WasmMatrix implements Matrix {
  readonly rows: number;
  readonly dim: number;
  readonly heap: WasmHeap;
  codebook: Codebook | undefined;
  readonly #encode: KernelExports["encode"];
  #block: Block | undefined;
  #codes: Block | undefined;

  constructor(heap: WasmHeap, encode: KernelExports["encode"], { rows, dim }: { rows: number; dim: number }) {
    checkMatrix(rows, dim);
    this.rows = rows;
    this.dim = dim;
    this.heap = heap;
    this.#encode = encode;
    this.#block = heap.allocate(rows * dim);
    new Int8Array(heap.buffer, this.#block.address, rows * dim).fill(0); // the block may have been used before
  }

  get address(): number {
    if (this.#block === undefined) throw new VerbatimError("internal", "A freed matrix is used.");
    return this.#block.address;
  }

  /** Of the codes. */
  get codesAddress(): number {
    if (this.#codes === undefined) throw new VerbatimError("internal", "A matrix has no codes.");
    return this.#codes.address;
  }

  set(firstRow: number, values: Int8Array): void {
    checkRows(this, firstRow, values);
    new Int8Array(this.heap.buffer).set(values, this.address + firstRow * this.dim);
    this.#giveCodesUp();
  }

  encode(codebook: Codebook): void {
    checkCodebook(this, codebook);
    this.#giveCodesUp();
    const { rows, dim, heap } = this;
    const tables = codeTables(codebook);
    const tablesBlock = heap.allocate(tables.length);
    try {
      // codes of rows that are not there are made of whatever the block held; no scan looks at them
      this.#codes = heap.allocate(Math.ceil(rows / CODED_ROWS) * CODED_ROWS * (dim >> 2));
      new Uint8Array(heap.buffer).set(tables, tablesBlock.address);
      this.#encode(this.address, rows, dim, tablesBlock.address, this.#codes.address);
      this.codebook = codebook;
    } finally {
      heap.release(tablesBlock);
    }
  }

  #giveCodesUp(): void {
    if (this.#codes !== undefined) this.heap.release(this.#codes);
    this.#codes = undefined;
    this.codebook = undefined;
  }

  free(): void {
    this.#giveCodesUp();
    if (this.#block !== undefined) this.heap.release(this.#block);
    this.#block = undefined;
  }
}

class WasmKernel implements Kernel {
  readonly name = "wasm-simd";
  readonly #heap: WasmHeap;
  readonly #exports: KernelExports;
  /** Arguments and results of one call; grows to the largest call. */
  #scratch: Block;
  #memory: MemoryViews | undefined;

  constructor(api: WebAssemblyApi, bytes: Uint8Array) {
    const memory = new api.Memory({ initial: 1, maximum: MAXIMUM_PAGES });
    this.#exports = new api.Instance(new api.Module(bytes), { env: { memory } }).exports as KernelExports;
    this.#heap = new WasmHeap(memory);
    this.#scratch = this.#heap.allocate(1024);
  }

  createMatrix(rows: number, dim: number): Matrix {
    return new WasmMatrix(this.#heap, this.#exports.encode, { rows, dim });
  }

  scanTopK(parts: readonly ScanPart[], query: Int16Array, k: number, quick?: QuickScan): TopRows {
    const total = checkScan(parts, query, k);
    const count = Math.min(k, total);
    if (count === 0) return { rows: new Uint32Array(0), scores: new Int32Array(0) };
    if (quick !== undefined) return this.#scanCodes(parts, query, { ...quick, k: count, total });
    const dim = query.length;
    const [queryAt, heapAt] = this.#layOut(query.byteLength, count * 8) as [number, number];
    new Int16Array(this.#heap.buffer, queryAt, dim).set(query);
    let filled = 0;
    for (const { matrix, firstRow, ranges } of this.#own(parts)) {
      for (let r = 0; r < ranges.length; r += 2) {
        const from = ranges[r]!;
        const at = matrix.address + from * dim;
        filled = this.#exports.scan(at, ranges[r + 1]! - from, dim, queryAt, firstRow + from, count, heapAt, filled);
      }
    }
    return this.#sorted(heapAt, count);
  }

  /** The candidates by codes, ascending, then their whole products. */
  #scanCodes(
    parts: readonly ScanPart[],
    query: Int16Array,
    { codebook, candidates, k, total }: QuickScan & { k: number; total: number },
  ): TopRows {
    checkQuick(parts, { codebook, candidates });
    const chosen = Math.min(candidates, total);
    const count = Math.min(k, chosen);
    const dim = query.length;
    const tables = sumTables(codebook, query);
    const [queryAt, tablesAt, sumsAt, nearAt, addressesAt, idsAt, heapAt] = this.#layOut(
      query.byteLength,
      tables.length,
      2 * CODED_ROWS,
      chosen * 8,
      chosen * 4,
      chosen * 4,
      count * 8,
    ) as [number, number, number, number, number, number, number];
    const { int16, uint32 } = this.#views();
    int16.set(query, queryAt >>> 1);
    new Uint8Array(this.#heap.buffer, tablesAt).set(tables);
    const own = this.#own(parts);
    let filled = 0;
    for (const { matrix, firstRow, ranges } of own) {
      if (matrix.rows === 0) continue;
      const { codesAddress } = matrix;
      for (let r = 0; r < ranges.length; r += 2) {
        const [from, to] = [ranges[r]!, ranges[r + 1]!];
        filled = this.#exports.scanCodes(
          codesAddress,
          from,
          to,
          dim >> 1,
          tablesAt,
          sumsAt,
          firstRow,
          chosen,
          nearAt,
          filled,
        );
      }
    }
    const ids = new Uint32Array(chosen);
    for (let n = 0; n < chosen; n++) ids[n] = ~uint32[(nearAt >>> 2) + 2 * n]!;
    ids.sort();
    let part = 0;
    for (let n = 0; n < chosen; n++) {
      while (ids[n]! >= own[part]!.firstRow + own[part]!.matrix.rows) part++;
      const { matrix, firstRow } = own[part]!;
      uint32[(addressesAt >>> 2) + n] = matrix.address + (ids[n]! - firstRow) * dim;
    }
    uint32.set(ids, idsAt >>> 2);
    this.#exports.rescore(addressesAt, idsAt, chosen, dim, queryAt, count, heapAt);
    return this.#sorted(heapAt, count);
  }

  #own(parts: readonly ScanPart[]): Array<{ matrix: WasmMatrix; firstRow: number; ranges: Uint32Array }> {
    return parts.map(({ matrix, firstRow, ranges = Uint32Array.of(0, matrix.rows) }) => {
      if (matrix instanceof WasmMatrix && matrix.heap === this.#heap) return { matrix, firstRow, ranges };
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
    const [queryAt, vectorsAt, outAt] = this.#layOut(query.byteLength, vectors.length, out.byteLength) as [
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
    const [queryAt, aAt, bAt, fromAt, toAt, outAt] = this.#layOut(
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

  /** Aligned addresses of consecutive parts in the scratch block. */
  #layOut(...bytes: number[]): number[] {
    const aligned = bytes.map((part) => Math.ceil(part / 16) * 16);
    const total = aligned.reduce((sum, part) => sum + part, 0);
    if (total > this.#scratch.bytes) {
      const larger = this.#heap.allocate(2 * total);
      this.#heap.release(this.#scratch);
      this.#scratch = larger;
    }
    let next = this.#scratch.address;
    return aligned.map((part) => {
      const at = next;
      next += part;
      return at;
    });
  }
}
