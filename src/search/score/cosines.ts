import type { EncodedQuestion } from "../../encode/types.js";
import type { PassageSums } from "../../kernel/kernel.js";
import { rangeOf } from "../numbering.js";
import type { SegmentMatrices } from "../passage-vectors.js";
import { prepareVector } from "../prepare.js";
import type { Searcher } from "../searcher.js";

/** Largest magnitude of a stored vector's value. */
const LARGEST_VALUE = 128;

/** λ_v · cosine(question, passage), computed from the stored vectors where it is asked for. */
export class Cosines {
  readonly #vectors: SegmentMatrices;
  /** int16 [vector] */
  readonly #query: Int16Array;
  /** × an integer inner product is the part of the score. */
  readonly #perStep: number;

  private constructor(vectors: SegmentMatrices, { values, perStep }: { values: Int16Array; perStep: number }) {
    this.#vectors = vectors;
    this.#query = values;
    this.#perStep = perStep;
  }

  /** Waits for the vectors to be read; nothing if λ_v or the question's vector is 0. */
  static async read(
    searcher: Searcher,
    question: EncodedQuestion,
    signal: AbortSignal | undefined,
  ): Promise<Cosines | undefined> {
    if (searcher.model.vector === 0 || searcher.model.weights.vector === 0) return undefined;
    const prepared = prepareVector(question, searcher.model);
    if (prepared.values.every((value) => value === 0)) return undefined; // no network encoded the question
    return new Cosines(await searcher.vectors.loaded(signal), prepared);
  }

  /** λ_v < 0 */
  get isNegative(): boolean {
    return this.#perStep < 0;
  }

  /** Adds an upper bound of every passage's part to its sum. @returns the largest magnitude that a bound may have */
  addBoundsTo(sums: PassageSums): number {
    const { matrices, firstPassages } = this.#vectors;
    for (const [segment, matrix] of matrices.entries()) {
      if (matrix === undefined) continue;
      sums.addBounds(matrix, this.#query, { firstPassage: firstPassages[segment]!, perStep: this.#perStep });
    }
    const magnitude = this.#query.reduce((sum, value) => sum + Math.abs(value), 0);
    // the length of a part of a row is at most √dimensions · LARGEST_VALUE, that of the query at most `magnitude`
    return this.#perStep * LARGEST_VALUE * magnitude * (1 + Math.sqrt(this.#query.length));
  }

  /** Replaces the bounds in all totals above a limit by the parts themselves. */
  refineAbove(limit: number, sums: PassageSums): void {
    const { matrices, firstPassages } = this.#vectors;
    for (const [segment, matrix] of matrices.entries()) {
      if (matrix === undefined) continue;
      const to = { firstPassage: firstPassages[segment]!, perStep: this.#perStep };
      sums.refineAbove(limit, matrix, this.#query, to);
    }
  }

  /** The part of one passage, by global number; 0 without a stored vector. */
  of(passage: number): number {
    const { kernel, matrices, firstPassages } = this.#vectors;
    const segment = rangeOf(firstPassages, passage);
    const matrix = matrices[segment];
    if (matrix === undefined) return 0;
    return kernel.rowDot(matrix, passage - firstPassages[segment]!, this.#query) * this.#perStep;
  }

  /** Writes the parts of all passages. @param out  [passages], 0 before */
  writeAll(out: Float64Array): void {
    const { kernel, matrices, firstPassages } = this.#vectors;
    for (const [segment, matrix] of matrices.entries()) {
      if (matrix === undefined) continue;
      const dots = new Int32Array(matrix.rows);
      kernel.matrixDots(matrix, this.#query, dots);
      const first = firstPassages[segment]!;
      for (let row = 0; row < dots.length; row++) out[first + row] = dots[row]! * this.#perStep;
    }
  }
}
