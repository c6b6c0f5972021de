/** Sums of postings in the memory of the WASM kernel. */

import { VerbatimError } from "../errors.js";
import { type PassageSums, TOTALS_BLOCK, type Totals } from "./kernel.js";
import type { Block, WasmHeap, WasmScratch } from "./wasm-memory.js";

export interface SumExports {
  /** Each of so many becomes 1 / itself. */
  invert(floats: number, count: number): void;
  addShares(units: number, values: number, count: number, shares: number, sums: number): void;
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
}

type Part = "terms" | "passages" | "documents" | "owners" | "passageScales" | "documentScales" | "largest";
const SHARES_BYTES = 256 * 4;

export class WasmSums implements PassageSums {
  readonly #heap: WasmHeap;
  readonly #exports: SumExports;
  readonly #scratch: WasmScratch;
  readonly #counts: { passages: number; documents: number };
  #blocks: Record<Part, Block> | undefined;

  /** @param parts.scratch  the kernel's own */
  constructor(
    heap: WasmHeap,
    exports: SumExports,
    parts: { owners: Uint32Array; documents: number; scratch: WasmScratch },
  ) {
    const { owners, documents, scratch } = parts;
    const passages = owners.length;
    this.#heap = heap;
    this.#exports = exports;
    this.#scratch = scratch;
    this.#counts = { passages, documents };
    const [perPassage, perDocument] = [passages * 4, documents * 4];
    this.#blocks = heap.allocateAll({
      ...{ terms: perPassage, passages: perPassage, documents: perDocument, owners: perPassage },
      ...{ passageScales: perPassage, documentScales: perDocument, largest: Math.ceil(passages / TOTALS_BLOCK) * 4 },
    });
    new Uint32Array(heap.buffer, this.#own("owners"), passages).set(owners);
    this.#floats("passageScales", passages).fill(0);
    this.#floats("documentScales", documents).fill(0);
    this.clear();
  }

  setNorms(passages: Float32Array, documents: Float32Array): void {
    for (const [name, norms] of [
      ["passageScales", passages],
      ["documentScales", documents],
    ] as const) {
      this.#floats(name, norms.length).set(norms);
      this.#exports.invert(this.#own(name), norms.length);
    }
  }

  clear(): void {
    const { passages, documents } = this.#counts;
    this.#floats("terms", passages).fill(0);
    this.#floats("passages", passages).fill(0);
    this.#floats("documents", documents).fill(0);
  }

  add(
    to: "terms" | "passages" | "documents",
    { units, values }: { units: Uint32Array; values: Uint8Array },
    shares: Float32Array,
  ): void {
    const [unitsAt, valuesAt, sharesAt] = this.#scratch.layOut(units.byteLength, values.length, SHARES_BYTES) as [
      number,
      number,
      number,
    ];
    const { buffer } = this.#heap;
    new Uint32Array(buffer, unitsAt, units.length).set(units);
    new Uint8Array(buffer, valuesAt, values.length).set(values);
    new Float32Array(buffer, sharesAt, shares.length).set(shares);
    this.#exports.addShares(unitsAt, valuesAt, units.length, sharesAt, this.#own(to));
  }

  totals(): Totals {
    const { passages, documents } = this.#counts;
    this.#exports.totals(
      this.#own("terms"),
      this.#own("passages"),
      this.#own("passageScales"),
      this.#own("owners"),
      passages,
      this.#own("documents"),
      this.#own("documentScales"),
      documents,
      this.#own("largest"),
    );
    const blocks = Math.ceil(passages / TOTALS_BLOCK);
    return { sums: this.#floats("terms", passages), largest: this.#floats("largest", blocks) };
  }

  free(): void {
    for (const block of Object.values(this.#blocks ?? {})) this.#heap.release(block);
    this.#blocks = undefined;
  }

  #own(name: Part): number {
    if (this.#blocks === undefined) throw new VerbatimError("internal", "Freed sums are used.");
    return this.#blocks[name].address;
  }

  #floats(name: Part, count: number): Float32Array {
    return new Float32Array(this.#heap.buffer, this.#own(name), count);
  }
}
