/** Accumulators for postings in WASM memory; src/kernel/plain-sums.ts is the twin. */

import { VerbatimError } from "../errors.js";
import { checkBounds } from "./argument-checks.js";
import { restLength, TOTALS_BLOCK } from "./bounds.js";
import type { BoundPlace, Matrix, PassageSums, Totals } from "./kernel.js";
import { SharedMatrix } from "./shared-rows.js";
import type { WasmInstance } from "./wasm-instance.js";
import { wasmMatrix } from "./wasm-matrix.js";
import type { Block } from "./wasm-memory.js";

type Part = "terms" | "passages" | "documents" | "owners" | "passageScales" | "documentScales" | "largest";
const SHARES_BYTES = 256 * 4;
const { fround } = Math;

export class WasmSums implements PassageSums {
  readonly #wasm: WasmInstance;
  readonly #counts: { passages: number; documents: number };
  #blocks: Record<Part, Block> | undefined;

  constructor(wasm: WasmInstance, { owners, documents }: { owners: Uint32Array; documents: number }) {
    const { heap } = wasm;
    const passages = owners.length;
    this.#wasm = wasm;
    this.#counts = { passages, documents };
    const [perPassage, perDocument] = [passages * 4, documents * 4];
    this.#blocks = heap.allocateAll({
      terms: perPassage,
      passages: perPassage,
      documents: perDocument,
      owners: perPassage,
      passageScales: perPassage,
      documentScales: perDocument,
      largest: Math.ceil(passages / TOTALS_BLOCK) * 4,
    });
    heap.views.uint32.set(owners, this.#addressOf("owners") >>> 2);
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
      this.#wasm.exports.invert(this.#addressOf(name), norms.length);
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
    const { heap, scratch } = this.#wasm;
    const sizes = [units.byteLength, values.length, SHARES_BYTES];
    const [unitsAt, valuesAt, sharesAt] = scratch.reserve(...sizes) as [number, number, number];
    const { uint8, uint32, float32 } = heap.views;
    uint32.set(units, unitsAt >>> 2);
    uint8.set(values, valuesAt);
    float32.set(shares, sharesAt >>> 2);
    this.#wasm.exports.addShares(unitsAt, valuesAt, units.length, sharesAt, this.#addressOf(to));
  }

  addBounds(matrix: Matrix, query: Int16Array, to: BoundPlace): void {
    checkBounds(matrix, query, { ...to, passages: this.#counts.passages });
    const perLength = to.perStep * restLength(query);
    if (matrix instanceof SharedMatrix) {
      this.#addShared(matrix, query, { ...to, perLength });
      return;
    }
    const { heads, lengths, head } = wasmMatrix(matrix).parts();
    const queryAt = this.#place(query);
    const sumsAt = this.#addressOf("terms") + to.firstPassage * 4;
    this.#wasm.exports.addBounds(heads, matrix.rows, head, queryAt, to.perStep, lengths, perLength, sumsAt);
  }

  /** As `addBounds` of the assembly, whose instance cannot see the shared memory. */
  #addShared(matrix: SharedMatrix, query: Int16Array, to: BoundPlace & { perLength: number }): void {
    const [perStep, perLength] = [fround(to.perStep), fround(to.perLength)];
    const terms = this.#floats("terms", this.#counts.passages);
    const { restLengths } = matrix;
    matrix.eachHeadDots(query, (firstRow, dots) => {
      const first = to.firstPassage + firstRow;
      for (let n = 0; n < dots.length; n++) {
        const exact = fround(fround(dots[n]!) * perStep);
        terms[first + n]! += fround(exact + fround(restLengths[firstRow + n]! * perLength));
      }
    });
  }

  refineAbove(limit: number, matrix: Matrix, query: Int16Array, to: BoundPlace): void {
    const { passages } = this.#counts;
    checkBounds(matrix, query, { ...to, passages });
    if (matrix instanceof SharedMatrix) {
      this.#refineShared(limit, matrix, query, to);
      return;
    }
    const { rests, lengths, head, rest } = wasmMatrix(matrix).parts();
    const restAt = this.#place(query) + 2 * head;
    this.#wasm.exports.refineAbove(
      limit,
      ...([rests, matrix.rows, rest, restAt, restLength(query), to.perStep, lengths] as const),
      ...([this.#addressOf("terms"), to.firstPassage, passages, this.#addressOf("largest")] as const),
    );
  }

  /** As `refineAbove` of the assembly. */
  #refineShared(limit: number, matrix: SharedMatrix, query: Int16Array, { firstPassage, perStep }: BoundPlace): void {
    const { sums, largest } = this.#views();
    const restDot = matrix.restDots(query);
    const length = restLength(query);
    const end = firstPassage + matrix.rows;
    for (let block = Math.floor(firstPassage / TOTALS_BLOCK); block * TOTALS_BLOCK < end; block++) {
      if (!(largest[block]! > fround(limit))) continue;
      const from = Math.max(firstPassage, block * TOTALS_BLOCK);
      const to = Math.min(end, (block + 1) * TOTALS_BLOCK);
      for (let passage = from; passage < to; passage++) {
        if (!(sums[passage]! > fround(limit))) continue;
        const row = passage - firstPassage;
        sums[passage]! -= (matrix.restLengths[row]! * length - restDot(row)) * perStep;
      }
      largest[block] = Math.max(...sums.subarray(block * TOTALS_BLOCK, (block + 1) * TOTALS_BLOCK));
    }
  }

  totals(): Totals {
    const { passages, documents } = this.#counts;
    this.#wasm.exports.totals(
      this.#addressOf("terms"),
      this.#addressOf("passages"),
      this.#addressOf("passageScales"),
      this.#addressOf("owners"),
      passages,
      this.#addressOf("documents"),
      this.#addressOf("documentScales"),
      documents,
      this.#addressOf("largest"),
    );
    return this.#views();
  }

  free(): void {
    for (const block of Object.values(this.#blocks ?? {})) this.#wasm.heap.release(block);
    this.#blocks = undefined;
  }

  #views(): Totals {
    const { passages } = this.#counts;
    const blocks = Math.ceil(passages / TOTALS_BLOCK);
    return { sums: this.#floats("terms", passages), largest: this.#floats("largest", blocks) };
  }

  /** @returns the query's address in the scratch */
  #place(query: Int16Array): number {
    const { heap, scratch } = this.#wasm;
    const [address] = scratch.reserve(query.byteLength) as [number];
    heap.views.int16.set(query, address >>> 1);
    return address;
  }

  #addressOf(name: Part): number {
    if (this.#blocks === undefined) throw new VerbatimError("internal", "Passage sums were used after free().");
    return this.#blocks[name].address;
  }

  #floats(name: Part, count: number): Float32Array {
    return new Float32Array(this.#wasm.heap.buffer, this.#addressOf(name), count);
  }
}
