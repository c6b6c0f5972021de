/**
 * The SIMD kernel (AssemblyScript; compiled by scripts/build-kernel.mjs, not by tsc).
 * src/kernel/plain-kernel.ts is its twin.
 *
 * It allocates nothing: the caller places every array in the imported memory and passes addresses.
 * Vectors are int8 rows of `dim` (a multiple of 16), queries int16. i16x8.extend widens 8 int8,
 * i32x4.dot_i16x8_s multiplies them by 8 query values and adds pairs: 16 int8 products in 4
 * instructions. No sum can overflow: see src/vectors/quantise.ts.
 */

export { addBounds, dots, matrixDots, pairDots, refineAbove, setRows } from "./int8-rows";
export { linear } from "./linear";
export { unpackNgrams } from "./ngram-lists";
export { addShares, invert, totals } from "./sums";
export { unpackRows } from "./unpack-rows";
export { readPostings } from "./varints";
