/** Accumulators for postings in plain TypeScript: the twin of src/kernel/wasm-sums.ts. */

import { checkBounds } from "./argument-checks.js";
import { partsOf, restLength, TOTALS_BLOCK } from "./bounds.js";
import type { BoundPlace, Matrix, PassageSums, Totals } from "./kernel.js";
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

  addBounds(matrix: Matrix, query: Int16Array, to: BoundPlace): void {
    const { terms } = this.#sums;
    const { values, rows, restLengths } = plainMatrix(matrix);
    checkBounds(matrix, query, { ...to, passages: terms.length });
    const part = { to: partsOf(query.length).head };
    const perStep = fround(to.perStep);
    const perLength = fround(to.perStep * restLength(query));
    for (let row = 0; row < rows; row++) {
      const exact = fround(fround(dotAt(values, row * query.length, query, part)) * perStep);
      terms[to.firstPassage + row]! += fround(exact + fround(restLengths[row]! * perLength));
    }
  }

  refineAbove(limit: number, matrix: Matrix, query: Int16Array, { firstPassage, perStep }: BoundPlace): void {
    const { terms: sums } = this.#sums;
    const { values, rows, restLengths } = plainMatrix(matrix);
    checkBounds(matrix, query, { firstPassage, perStep, passages: sums.length });
    const part = { from: partsOf(query.length).head };
    const length = restLength(query);
    for (let row = 0; row < rows; row++) {
      const passage = firstPassage + row;
      if (!(sums[passage]! > fround(limit))) continue;
      sums[passage]! -= (restLengths[row]! * length - dotAt(values, row * query.length, query, part)) * perStep;
    }
    this.#setLargest();
  }

  totals(): Totals {
    const { terms: sums, passages, documents } = this.#sums;
    const scales = this.#scales;
    for (let d = 0; d < documents.length; d++) documents[d]! *= scales.documents[d]!;
    for (let p = 0; p < sums.length; p++) {
      const own = fround(sums[p]! + fround(passages[p]! * scales.passages[p]!));
      sums[p] = own + documents[this.#owners[p]!]!;
    }
    this.#setLargest();
    return { sums, largest: this.#largest };
  }

  #setLargest(): void {
    for (const block of this.#largest.keys()) {
      const sums = this.#sums.terms.subarray(block * TOTALS_BLOCK, (block + 1) * TOTALS_BLOCK);
      this.#largest[block] = Math.max(...sums);
    }
  }

  free(): void {}
}
