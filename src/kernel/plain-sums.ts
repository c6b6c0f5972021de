/** Accumulators for postings in plain TypeScript: the twin of src/kernel/wasm-sums.ts. */

import { checkAddedBounds } from "./argument-checks.js";
import { exactDimensions, restLength } from "./bounds.js";
import { type Matrix, type PassageSums, TOTALS_BLOCK, type Totals } from "./kernel.js";
import { dotAt, plainMatrix } from "./plain-matrix.js";

const { fround } = Math;

export class PlainSums implements PassageSums {
  readonly #owners: Uint32Array;
  readonly #sums: Record<"terms" | "passages" | "documents", Float32Array>;
  readonly #largest: Float32Array;
  #scales: { passages: Float32Array; documents: Float32Array };

  constructor(owners: Uint32Array, documents: number) {
    const passages = owners.length;
    this.#owners = owners;
    this.#sums = {
      terms: new Float32Array(passages),
      passages: new Float32Array(passages),
      documents: new Float32Array(documents),
    };
    this.#scales = { passages: new Float32Array(passages), documents: new Float32Array(documents) };
    this.#largest = new Float32Array(Math.ceil(passages / TOTALS_BLOCK));
  }

  setNorms(passages: Float32Array, documents: Float32Array): void {
    const inverse = (norm: number): number => 1 / norm;
    this.#scales = { passages: passages.map(inverse), documents: documents.map(inverse) };
  }

  clear(): void {
    for (const sums of Object.values(this.#sums)) sums.fill(0);
  }

  add(
    to: "terms" | "passages" | "documents",
    { units, values }: { units: Uint32Array; values: Uint8Array },
    shares: Float32Array,
  ): void {
    const sums = this.#sums[to];
    for (let k = 0; k < units.length; k++) sums[units[k]!]! += shares[values[k]!]!;
  }

  addBounds(matrix: Matrix, query: Int16Array, to: { firstPassage: number; perStep: number }): void {
    const { terms } = this.#sums;
    const { values, rows, restLengths } = plainMatrix(matrix);
    checkAddedBounds(matrix, query, { ...to, passages: terms.length });
    const exact = { to: exactDimensions(query.length) };
    const perStep = fround(to.perStep);
    const perLength = fround(to.perStep * restLength(query));
    for (let row = 0; row < rows; row++) {
      const head = fround(fround(dotAt(values, row * query.length, query, exact)) * perStep);
      terms[to.firstPassage + row]! += fround(head + fround(restLengths[row]! * perLength));
    }
  }

  totals(): Totals {
    const { terms: sums, passages, documents } = this.#sums;
    const scales = this.#scales;
    this.#largest.fill(Number.NEGATIVE_INFINITY);
    for (let d = 0; d < documents.length; d++) documents[d]! *= scales.documents[d]!;
    for (let p = 0; p < sums.length; p++) {
      const own = fround(sums[p]! + fround(passages[p]! * scales.passages[p]!));
      sums[p] = own + documents[this.#owners[p]!]!;
      const block = Math.floor(p / TOTALS_BLOCK);
      this.#largest[block] = Math.max(this.#largest[block]!, sums[p]!);
    }
    return { sums, largest: this.#largest };
  }

  free(): void {}
}
