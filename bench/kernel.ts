/**
 * How long do the inner loops of one question need, in the WASM kernel and in its TypeScript twin?
 *
 *     npx tsx bench/kernel.ts [--rows 180000] [--passages 40]
 *
 * dots   the vectors of 180,000 passages with a question's, of 96 dimensions score  `scorePassage` of 40 candidate
 * passages of 70 start and 70 end rows: 128 dimensions, coherency 32, 16 n-grams per row and kind sparse λ-weighted
 * sums over the postings of 10 terms of 12,000 units each, into 40,000 passages
 *
 * Prints milliseconds per line: name, best, median of the repetitions.
 */

import { parseArgs } from "node:util";
import type { EncodedQuestion, ModelInfo, NgramRows } from "../src/encode/types.js";
import type { StoredPassage } from "../src/index/types.js";
import type { Kernel } from "../src/kernel/kernel.js";
import { PlainKernel } from "../src/kernel/plain-kernel.js";
import { openWasmKernel } from "../src/kernel/wasm-kernel.js";
import { prepareQuestion } from "../src/search/prepare.js";
import { scorePassage } from "../src/search/score/score-passage.js";
import { Random } from "../src/vectors/random.js";

const { values: flags } = parseArgs({
  options: { rows: { type: "string", default: "180000" }, passages: { type: "string", default: "40" } },
});
const ROWS = Number(flags.rows);
const PASSAGES = Number(flags.passages);
const TOKENS = 180;
const ROWS_PER_PASSAGE = 70;

const model: ModelInfo = {
  name: "bench",
  passageModelHash: "",
  questionModelHash: "",
  vocabularySize: 30_522,
  dense: 128,
  coherency: 32,
  vector: 96,
  maxInputTokens: 256,
  maxTitleTokens: 16,
  maxQuestionTokens: 64,
  scales: { start: 40, end: 40, coherencyStart: 40, coherencyEnd: 40, ngram: 50, term: 60 },
  weights: { ngrams: 1, terms: 1, tfidf: 1, vector: 0 },
  filter: { start: 0, end: 0 },
  ngramsPerRow: 16,
  termsPerUnit: 500,
};

const random = new Random(20_24);
const bytes = (length: number): Int8Array => Int8Array.from({ length }, () => random.int(255) - 127);
const floats = (length: number): Float32Array => Float32Array.from({ length }, () => 2 * random.next() - 1);

function ngramRows(rows: number): NgramRows {
  const offsets = Uint32Array.from({ length: rows + 1 }, (_, r) => r * model.ngramsPerRow);
  const positions = Uint8Array.from({ length: rows * model.ngramsPerRow }, (_, n) => (n % model.ngramsPerRow) * 10);
  return { offsets, positions, weights: Uint8Array.from(positions, () => 1 + random.int(255)) };
}

function passageOf(): StoredPassage {
  const kept = (): Uint16Array => {
    const positions = Array.from({ length: TOKENS - 10 }, (_, t) => t + 8).sort(() => random.next() - 0.5);
    return Uint16Array.from(positions.slice(0, ROWS_PER_PASSAGE)).sort();
  };
  return {
    ids: Uint16Array.from({ length: TOKENS }, () => 1000 + random.int(400)),
    firstToken: 8,
    startPositions: kept(),
    endPositions: kept(),
    startVectors: bytes(ROWS_PER_PASSAGE * model.dense),
    endVectors: bytes(ROWS_PER_PASSAGE * model.dense),
    startCoherency: bytes(ROWS_PER_PASSAGE * model.coherency),
    endCoherency: bytes(ROWS_PER_PASSAGE * model.coherency),
    startUnigrams: ngramRows(ROWS_PER_PASSAGE),
    startBigrams: ngramRows(ROWS_PER_PASSAGE),
    endUnigrams: ngramRows(ROWS_PER_PASSAGE),
    endBigrams: ngramRows(ROWS_PER_PASSAGE),
  };
}

function questionOf(): EncodedQuestion {
  const ids = Uint16Array.from([101, ...Array.from({ length: 14 }, () => 1000 + random.int(400)), 102]);
  const weights = (): Float32Array => floats(ids.length).map(Math.abs);
  return {
    text: "",
    ids,
    start: floats(model.dense),
    end: floats(model.dense),
    coherency: floats(model.coherency),
    offset: 0,
    startUnigrams: weights(),
    startBigrams: weights(),
    endUnigrams: weights(),
    endBigrams: weights(),
    terms: new Uint16Array(0),
    termWeights: new Float32Array(0),
    vector: new Float32Array(model.vector),
  };
}

function measure(name: string, repetitions: number, work: () => unknown): void {
  for (let n = 0; n < Math.min(20, repetitions); n++) work();
  const times = Array.from({ length: repetitions }, () => {
    const started = performance.now();
    work();
    return performance.now() - started;
  }).sort((a, b) => a - b);
  const median = times[repetitions >> 1]!;
  console.log(`${name.padEnd(44)} ${times[0]!.toFixed(2).padStart(9)} ${median.toFixed(2).padStart(9)}`);
}

const question = prepareQuestion(questionOf(), { model, tokenizer: { padId: 0, clsId: 101, sepId: 102 } });
const passages = Array.from({ length: PASSAGES }, passageOf);
const kernels: Kernel[] = [openWasmKernel() ?? new PlainKernel(), new PlainKernel()];
for (const kernel of kernels) {
  const isFast = kernel.name === "wasm-simd";
  const { vector: dim } = model;
  const matrix = kernel.createMatrix(ROWS, dim);
  const piece = bytes(10_000 * dim);
  for (let row = 0; row < ROWS; row += 10_000) {
    for (let n = 0; n < 1000; n++) piece[random.int(piece.length)] = random.int(255) - 127;
    matrix.set(row, piece.subarray(0, Math.min(10_000, ROWS - row) * dim));
  }
  const query = Int16Array.from({ length: dim }, () => random.int(65_535) - 32_767);
  const out = new Int32Array(ROWS);
  measure(`dots ${ROWS} × ${dim}, ${kernel.name}`, isFast ? 40 : 5, () => kernel.matrixDots(matrix, query, out));
  matrix.free();
  measure(`score ${PASSAGES} passages, ${kernel.name}`, isFast ? 200 : 50, () => {
    for (const passage of passages) scorePassage(passage, question, { kernel, maxAnswerTokens: 20 });
  });
}
const units = Uint32Array.from({ length: 12_000 }, (_, n) => n * 3);
const impacts = Uint8Array.from(units, () => 1 + random.int(255));
measure("sparse 10 × 12,000 postings, 40,000 passages", 200, () => {
  const sums = new Float64Array(40_000);
  for (let term = 0; term < 10; term++) for (let k = 0; k < units.length; k++) sums[units[k]!]! += 0.01 * impacts[k]!;
  return sums;
});
