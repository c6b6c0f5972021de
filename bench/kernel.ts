/**
 * How long do the inner loops of one question need, in the WASM kernel and in its TypeScript twin? Dimensions are those of
 * the shipped models.
 *
 *     npx tsx bench/kernel.ts [--rows 180000] [--passages 20]
 *
 * bounds   the sums of a question's terms over 180,000 passages: postings of 10 terms in a fifteenth of the passages each,
 *          upper bounds of the passage vectors' products, totals, and exact products where 2,000 passages may be better
 * dots     all products of the passage vectors with a question's
 * score    `scoreSpans` of 20 candidate passages of 70 start and 70 end rows
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
import { largestSums } from "../src/search/score/preselect.js";
import { scoreSpans } from "../src/search/score/score-spans.js";
import { Random } from "../src/vectors/random.js";

const { values: flags } = parseArgs({
  options: { rows: { type: "string", default: "180000" }, passages: { type: "string", default: "20" } },
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
  dense: 32,
  coherency: 16,
  vector: 192,
  maxInputTokens: 256,
  maxTitleTokens: 16,
  maxQuestionTokens: 64,
  scales: { start: 40, end: 40, coherencyStart: 40, coherencyEnd: 40, ngram: 50, term: 60 },
  weights: { ngrams: 1, terms: 1, tfidf: 1, vector: 0 },
  filter: { start: 0, end: 0 },
  ngramsPerRow: 20,
  termsPerUnit: 256,
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
const terms = Array.from({ length: 10 }, (_, term) => {
  const units = Uint32Array.from({ length: Math.floor(ROWS / 15) }, (_, n) => n * 15 + term);
  const values = Uint8Array.from(units, () => 1 + random.int(255));
  return { postings: { units, values }, shares: Float32Array.from({ length: 256 }, (_, value) => 0.01 * value) };
});
/** Vectors add at most about as much to a sum as the postings of two terms. */
const PER_STEP = 5 / (127 * 32_767 * Math.sqrt(model.vector));
const BETTER = 2000;

for (const kernel of kernels) {
  const repetitions = kernel.name === "wasm-simd" ? 40 : 5;
  const { vector: dim } = model;
  const matrix = kernel.createMatrix(ROWS, dim);
  const piece = bytes(10_000 * dim);
  for (let row = 0; row < ROWS; row += 10_000) {
    for (let n = 0; n < 1000; n++) piece[random.int(piece.length)] = random.int(255) - 127;
    matrix.set(row, piece.subarray(0, Math.min(10_000, ROWS - row) * dim));
  }
  const query = Int16Array.from({ length: dim }, () => random.int(65_535) - 32_767);
  const passageSums = kernel.createPassageSums(new Uint32Array(ROWS), 1);
  passageSums.setNorms(new Float32Array(ROWS).fill(1), new Float32Array(1).fill(1));
  const place = { firstPassage: 0, perStep: PER_STEP };
  measure(`bounds ${ROWS} × ${dim}, ${kernel.name}`, repetitions, () => {
    passageSums.clear();
    for (const { postings, shares } of terms) passageSums.add("terms", postings, shares);
    passageSums.addBounds(matrix, query, place);
    const { scores } = largestSums(passageSums.totals(), { count: BETTER, above: 0, isCandidate: () => true });
    passageSums.refineAbove(scores.at(-1)!, matrix, query, place);
  });
  passageSums.free();
  const out = new Int32Array(ROWS);
  measure(`dots ${ROWS} × ${dim}, ${kernel.name}`, repetitions, () => kernel.matrixDots(matrix, query, out));
  matrix.free();
  measure(`score ${PASSAGES} passages, ${kernel.name}`, 5 * repetitions, () => {
    for (const passage of passages) scoreSpans(passage, question, { kernel, maxAnswerTokens: 20 });
  });
}
