/**
 * Validates what callers pass to the writer before anything is written, so that invalid arrays
 * never become a damaged index.
 */

import { MAX_INPUT_TOKENS } from "../../encode/input.js";
import { areRowsRounded, precisionOf, roundNgramWeight } from "../../encode/precision.js";
import type { EncodedPassage, NgramRows } from "../../encode/types.js";
import { VerbatimError } from "../../errors.js";
import type { Document } from "../../types.js";
import type { IndexLevel } from "../format/level.js";
import type { ManifestModel } from "../manifest/manifest.js";
import type { PassageNgrams } from "../segment/ngrams.js";
import type { PreparedPassage } from "../types.js";

/** Dimensions whose inner products are exact (src/vectors/quantise.ts). */
const MAX_VECTOR = 512;

interface PassageRules {
  model: Pick<ManifestModel, "dense" | "coherency" | "vector" | "vocabularySize" | "storage">;
  /** Default `full`; at `lexical` a passage needs no vector. */
  level?: IndexLevel;
}

function invalid(what: string): VerbatimError {
  return new VerbatimError("invalid-argument", `The document cannot be stored: ${what}.`);
}

/** @throws VerbatimError `invalid-argument` */
export function validateModel(model: ManifestModel): void {
  if (!/^[0-9a-f]{64}$/.test(model.passageModelHash)) throw invalid("passageModelHash is not 64 hex digits");
  for (const name of ["vocabularySize", "dense", "coherency"] as const) {
    if (!Number.isSafeInteger(model[name]) || model[name] < 1) throw invalid(`the model's ${name} is ${model[name]}`);
  }
  if (!(model.vector >= 0 && model.vector % 16 === 0 && model.vector <= MAX_VECTOR))
    throw invalid(`the model's vector is ${model.vector}, not a multiple of 16 from 0 to ${MAX_VECTOR}`);
  precisionOf(model);
}

/** @throws VerbatimError `invalid-argument` */
export function validateDocument(document: Document): void {
  if (document.id === "") throw invalid("its id is empty");
  let before = 0;
  for (const [i, segment] of document.map.segments.entries()) {
    if (!Number.isSafeInteger(segment.start) || segment.start < before)
      throw invalid(`segment ${i} of its map begins at ${segment.start}, after ${before}`);
    before = segment.start;
    for (const field of ["line", "page", "byte"] as const) {
      const value = segment[field];
      if (value !== undefined && !(Number.isSafeInteger(value) && value >= 0))
        throw invalid(`segment ${i} of its map has ${field} ${value}`);
    }
  }
}

/** @throws VerbatimError `invalid-argument`, for the first violation */
export function validatePassage(passage: PreparedPassage, textLength: number, options: PassageRules): void {
  const { start, end, encoded } = passage;
  const { model, level = "full" } = options;
  const starts = encoded.startPositions.length;
  const ends = encoded.endPositions.length;
  if (!(Number.isSafeInteger(start) && start >= 0 && start <= end && end <= textLength)) {
    throw invalid(`a passage spans ${start} … ${end} of ${textLength} UTF-16 units`);
  }
  const expectLength = (name: "startVectors" | "endVectors" | "startCoherency" | "endCoherency", expected: number) => {
    const found = encoded[name].length;
    if (found !== expected) throw invalid(`${name} has ${found} numbers, its rows have ${expected}`);
  };
  expectLength("startVectors", starts * model.dense);
  expectLength("endVectors", ends * model.dense);
  expectLength("startCoherency", starts * model.coherency);
  expectLength("endCoherency", ends * model.coherency);
  if (level !== "lexical" && encoded.vector.length !== model.vector)
    throw invalid(`the passage's vector has ${encoded.vector.length} numbers, not ${model.vector}`);
  for (const name of LISTS) {
    const { offsets, positions, weights } = encoded[name];
    const rows = name.startsWith("start") ? starts : ends;
    const fits = offsets.length === rows + 1 && offsets[0] === 0 && offsets.at(-1) === positions.length;
    if (!fits || weights.length !== positions.length) throw invalid(`${name} is not of ${rows} rows`);
  }
  validateTokens(encoded, { model, fail: invalid });
  if (encoded.units.length > 1) throw invalid(`a passage has ${encoded.units.length} lists of term weights, not one`);
  for (const { terms, weights } of encoded.units) {
    if (terms.length !== weights.length)
      throw invalid(`a passage has ${terms.length} terms and ${weights.length} weights`);
    if (!ascends(terms, model.vocabularySize)) throw invalid(`terms do not ascend below ${model.vocabularySize}`);
  }
  validatePrecision(encoded, model);
}

/**
 * The encoder rounds passages to the model's storage precision; anything finer would be lost
 * silently.
 * @throws VerbatimError `invalid-argument`
 */
function validatePrecision(encoded: EncodedPassage, model: PassageRules["model"]): void {
  const { storage, dense, coherency } = model;
  if (storage === undefined) return;
  const { start, end, coherency: steps, ngramStep } = precisionOf(model);
  const areRounded =
    areRowsRounded(encoded.startVectors, { dim: dense, steps: start }) &&
    areRowsRounded(encoded.endVectors, { dim: dense, steps: end }) &&
    areRowsRounded(encoded.startCoherency, { dim: coherency, steps }) &&
    areRowsRounded(encoded.endCoherency, { dim: coherency, steps });
  if (!areRounded) throw invalid("its vectors are not rounded to the model's storage precision");
  for (const name of LISTS) {
    const { offsets, weights } = encoded[name];
    for (let row = 0; row + 1 < offsets.length; row++) {
      if (offsets[row + 1]! - offsets[row]! > storage.ngramsPerRow)
        throw invalid(`${name} has more than ${storage.ngramsPerRow} n-grams in a row`);
    }
    if (!weights.every((weight) => weight > 0 && weight === roundNgramWeight(weight, ngramStep)))
      throw invalid(`${name} is not rounded to the model's storage precision`);
  }
  for (const { terms } of encoded.units) {
    if (terms.length > storage.termsPerUnit)
      throw invalid(`it has ${terms.length} terms, the model stores ${storage.termsPerUnit}`);
  }
}

const LISTS = ["startUnigrams", "startBigrams", "endUnigrams", "endBigrams"] as const;

/**
 * Validates ids, positions and n-grams of a passage, before it is stored or after it was read.
 * @param options.fail  makes the error to throw
 */
export function validateTokens(
  passage: PassageNgrams & Pick<EncodedPassage, "startPositions" | "endPositions">,
  { model, fail }: { model: Pick<ManifestModel, "vocabularySize">; fail: (what: string) => Error },
): void {
  const tokens = passage.ids.length;
  const starts = passage.startPositions.length;
  const ends = passage.endPositions.length;
  if (tokens > MAX_INPUT_TOKENS)
    throw fail(`a passage has ${tokens} tokens; positions are bytes, so ${MAX_INPUT_TOKENS} is the limit`);
  if (passage.firstToken > tokens) throw fail(`firstToken is ${passage.firstToken} of ${tokens}`);
  if (!below(passage.ids, model.vocabularySize)) throw fail(`an id is not below ${model.vocabularySize}`);
  if (!ascends(passage.startPositions, tokens)) throw fail(`startPositions do not ascend below ${tokens}`);
  if (!ascends(passage.endPositions, tokens)) throw fail(`endPositions do not ascend below ${tokens}`);
  const rowsOf = { startUnigrams: starts, startBigrams: starts, endUnigrams: ends, endBigrams: ends };
  for (const name of LISTS) {
    const fault = faultOfRows(passage[name], rowsOf[name], tokens);
    if (fault) throw fail(`${name}${fault}`);
  }
}

function below(numbers: Uint16Array, limit: number): boolean {
  for (let i = 0; i < numbers.length; i++) if (numbers[i]! >= limit) return false;
  return true;
}

/** Whether the numbers strictly ascend, all below `limit`. */
function ascends(numbers: Uint8Array | Uint16Array, limit: number): boolean {
  let before = -1;
  for (const number of numbers) {
    if (number <= before) return false;
    before = number;
  }
  return before < limit;
}

function faultOfRows({ offsets, positions }: NgramRows, rows: number, tokens: number): string | undefined {
  for (let row = 0; row < rows; row++) {
    const end = offsets[row + 1]!;
    if (offsets[row]! > end) return ".offsets do not ascend";
    let before = -1; // not `ascends`: a large index has seventy million positions, and a loop over one array type is faster than one over two
    for (let i = offsets[row]!; i < end; i++) {
      const position = positions[i]!;
      if (position <= before) return `.positions do not ascend below ${tokens}`;
      before = position;
    }
    if (before >= tokens) return `.positions do not ascend below ${tokens}`;
  }
  return undefined;
}
