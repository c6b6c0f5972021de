/**
 * Question vectors as 16-bit integers, so that every inner product with stored int8 vectors is an exact 32-bit
 * integer.
 */

import { VerbatimError } from "../errors.js";

/**
 * Largest query value for a plain inner product with int8 rows. Bound: |Σ_d x_d q_d| ≤ 512 · 128 · 32767 =
 * 2,147,418,112 < 2³¹ for up to 512 dimensions.
 */
export const DENSE_MAXIMUM = 32767;

/**
 * Largest query value for the coherency sum with products of two int8 (each at most 128 · 128 = 16,384).
 * Bound: |Σ_d q_d x_d y_d| ≤ 64 · 16,384 · 2047 = 2,146,435,072 < 2³¹ for up to 64 dimensions.
 */
export const COHERENCY_MAXIMUM = 2047;

const DENSE_LIMIT = 512;
const COHERENCY_LIMIT = 64;

/** int16 values: x ≈ value / scale. */
interface QuantisedQuery {
  values: Int16Array;
  /** > 0 */
  scale: number;
}

/**
 * value = round(x · scale), scale = maximum / max|x| (1 for a zero vector), so |value| ≤ maximum and |x − value /
 * scale| ≤ 1 / (2 scale). Rounds half up (Math.round) on every platform.
 * @param vector  float [dim]; dim ≤ 512 for DENSE_MAXIMUM, ≤ 64 for COHERENCY_MAXIMUM, as the bounds above need
 * @throws VerbatimError `invalid-argument` for a value that is not finite, or too many dimensions
 */
export function quantiseQuery(vector: Float32Array, options: { maximum?: number } = {}): QuantisedQuery {
  const { maximum = DENSE_MAXIMUM } = options;
  const limit = maximum <= COHERENCY_MAXIMUM ? COHERENCY_LIMIT : DENSE_LIMIT;
  if (vector.length > limit) {
    throw new VerbatimError(
      "invalid-argument",
      `A query vector of ${vector.length} dimensions could overflow 32-bit sums.`,
      {
        expected: `at most ${limit}`,
        found: vector.length,
      },
    );
  }
  let largest = 0;
  for (const x of vector) largest = Math.max(largest, Math.abs(x));
  if (!Number.isFinite(largest)) {
    throw new VerbatimError("invalid-argument", "The question's vector has a value that is not a finite number.", {
      found: largest,
      hint: "Check the model files: the encoder gave NaN or infinity.",
    });
  }
  const values = new Int16Array(vector.length);
  // A denormal maximum would make the scale infinite: such a vector is zero for every purpose.
  const scale = largest > Number.MIN_VALUE * 2 ** 100 ? maximum / largest : 1;
  for (let d = 0; d < vector.length; d++) values[d] = Math.round(vector[d]! * scale);
  return { values, scale };
}
