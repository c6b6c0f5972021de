/**
 * The one WASM instance of this thread. The kernel, the row and postings decoders, and the linear
 * layer share its memory, so a decoded row never has to leave it and come back.
 */

import { WASM_BASE64 } from "./wasm-bytes.js";
import { WasmHeap, WasmScratch } from "./wasm-memory.js";
import { MAXIMUM_PAGES, wasmModule, webAssembly } from "./web-assembly.js";

const INITIAL_SCRATCH_BYTES = 65_536;

/** Functions of assembly/index.ts. All numbers are addresses, counts or 32-bit values. */
interface WasmExports {
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
  invert(floats: number, count: number): void;
  addShares(units: number, values: number, count: number, shares: number, sums: number): void;
  setRows(rows: number, count: number, head: number, rest: number, heads: number, rests: number, lengths: number): void;
  matrixDots(heads: number, rests: number, rows: number, head: number, rest: number, query: number, out: number): void;
  addBounds(
    heads: number,
    rows: number,
    head: number,
    query: number,
    perStep: number,
    lengths: number,
    perLength: number,
    sums: number,
  ): void;
  refineAbove(
    limit: number,
    rests: number,
    rows: number,
    rest: number,
    query: number,
    length: number,
    perStep: number,
    lengths: number,
    sums: number,
    first: number,
    count: number,
    largest: number,
  ): void;
  totals(
    terms: number,
    passages: number,
    scales: number,
    owners: number,
    count: number,
    documents: number,
    documentScales: number,
    documentCount: number,
    largest: number,
  ): void;
  readPostings(
    bytes: number,
    length: number,
    count: number,
    ones: number,
    limit: number,
    units: number,
    values: number,
  ): number;
  unpackRows(
    source: number,
    bits: number,
    count: number,
    dim: number,
    steps: number,
    spreads: number,
    wanted: number,
    places: number,
    out: number,
  ): number;
  unpackNgrams(
    source: number,
    bits: number,
    tokens: number,
    rows: number,
    width: number,
    step: number,
    rowOf: number,
    weightOf: number,
    ends: number,
    next: number,
    offsets: number,
    positions: number,
    weights: number,
  ): number;
  linear(weight: number, bias: number, x: number, inputs: number, outputs: number, out: number): void;
}

export interface WasmInstance {
  readonly heap: WasmHeap;
  /** Arguments and results of one call. Every call overwrites those of the call before. */
  readonly scratch: WasmScratch;
  readonly exports: WasmExports;
}

let instance: WasmInstance | undefined;

/** @returns undefined where WASM SIMD is missing */
export function wasmInstance(): WasmInstance | undefined {
  if (instance !== undefined) return instance;
  const module = wasmModule(WASM_BASE64);
  if (module === undefined) return undefined;
  const { Memory, Instance } = webAssembly()!;
  const memory = new Memory({ initial: 2, maximum: MAXIMUM_PAGES });
  const { exports } = new Instance(module, { env: { memory } });
  const heap = new WasmHeap(memory);
  instance = { heap, scratch: new WasmScratch(heap, INITIAL_SCRATCH_BYTES), exports: exports as WasmExports };
  return instance;
}
