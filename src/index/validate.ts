/** Looks at what a caller hands to the writer before a byte of it is written: a wrong array must never become a damaged index. */

import type { EncodedPassage, NgramRows, TermWeights } from "../encode/types.js";
import { VerbatimError } from "../errors.js";
import type { Document } from "../types.js";
import type { ManifestModel } from "./manifest.js";
import type { PreparedDocument, TermUnit } from "./types.js";

export type PreparedPassage = PreparedDocument["passages"][number];

function invalid(what: string, details: { found?: unknown; expected?: unknown } = {}): VerbatimError {
  return new VerbatimError("invalid-argument", `The document cannot be stored: ${what}.`, details);
}

/** @throws VerbatimError `invalid-argument` */
export function validateModel(model: ManifestModel): void {
  if (!/^[0-9a-f]{64}$/.test(model.passageModelHash))
    throw invalid("passageModelHash is not 64 hex digits", { found: model.passageModelHash });
  for (const name of ["vocabularySize", "dense", "coarse", "coherency"] as const) {
    if (!Number.isSafeInteger(model[name]) || model[name] < 1) throw invalid(`the model's ${name} is ${model[name]}`);
  }
  if (model.coarse > model.dense) throw invalid(`the model has ${model.coarse} coarse of ${model.dense} dimensions`);
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

/** @throws VerbatimError `invalid-argument` naming the first thing that does not fit */
export function validatePassage(
  passage: PreparedPassage,
  textLength: number,
  options: { model: ManifestModel; termUnit: TermUnit },
): void {
  const { start, end, encoded } = passage;
  const { dense, coherency, vocabularySize } = options.model;
  if (!(Number.isSafeInteger(start) && start >= 0 && start <= end && end <= textLength)) {
    throw invalid(`a passage lies at ${start} … ${end} of ${textLength} UTF-16 units`);
  }
  const tokens = encoded.ids.length;
  const starts = encoded.startPositions.length;
  const ends = encoded.endPositions.length;
  if (tokens > 256) throw invalid(`a passage has ${tokens} tokens, a position fits a byte only up to 256`);
  if (encoded.firstToken > tokens) throw invalid(`firstToken is ${encoded.firstToken} of ${tokens}`);
  positionsAscend(encoded.startPositions, tokens, "startPositions");
  positionsAscend(encoded.endPositions, tokens, "endPositions");
  hasLength(encoded, "startVectors", starts * dense);
  hasLength(encoded, "endVectors", ends * dense);
  hasLength(encoded, "startCoherency", starts * coherency);
  hasLength(encoded, "endCoherency", ends * coherency);
  validateRows(encoded.startUnigrams, "startUnigrams", { rows: starts, tokens });
  validateRows(encoded.startBigrams, "startBigrams", { rows: starts, tokens });
  validateRows(encoded.endUnigrams, "endUnigrams", { rows: ends, tokens });
  validateRows(encoded.endBigrams, "endBigrams", { rows: ends, tokens });
  if (options.termUnit === "passage" && encoded.units.length > 1) {
    throw invalid(`a passage has ${encoded.units.length} units of term weights, the unit of this index is the passage`);
  }
  for (const unit of encoded.units) validateTerms(unit, vocabularySize);
}

function hasLength(
  encoded: EncodedPassage,
  name: "startVectors" | "endVectors" | "startCoherency" | "endCoherency",
  expected: number,
): void {
  if (encoded[name].length !== expected)
    throw invalid(`${name} has another length than its rows`, { found: encoded[name].length, expected });
}

function positionsAscend(positions: Uint16Array, tokens: number, name: string): void {
  for (let i = 0; i < positions.length; i++) {
    if (positions[i]! >= tokens || (i > 0 && positions[i]! <= positions[i - 1]!))
      throw invalid(`${name} do not ascend below ${tokens}`);
  }
}

function validateRows(list: NgramRows, name: string, expected: { rows: number; tokens: number }): void {
  const { offsets, positions, weights } = list;
  const fits = offsets.length === expected.rows + 1 && offsets[0] === 0 && offsets.at(-1) === positions.length;
  if (!fits || weights.length !== positions.length) throw invalid(`${name} is not of ${expected.rows} rows`);
  for (let row = 0; row < expected.rows; row++) {
    if (offsets[row]! > offsets[row + 1]!) throw invalid(`${name}.offsets do not ascend`);
    for (let i = offsets[row]!; i < offsets[row + 1]!; i++) {
      const descends = i > offsets[row]! && positions[i]! <= positions[i - 1]!;
      if (descends || positions[i]! >= expected.tokens)
        throw invalid(`${name}.positions do not ascend below ${expected.tokens}`);
    }
  }
}

function validateTerms({ terms, weights }: TermWeights, vocabularySize: number): void {
  if (terms.length !== weights.length) throw invalid("a unit has not as many weights as terms");
  for (let i = 0; i < terms.length; i++) {
    if (terms[i]! >= vocabularySize || (i > 0 && terms[i]! <= terms[i - 1]!))
      throw invalid(`terms do not ascend below ${vocabularySize}`);
  }
}
