import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { madeUpModel, makePrepared } from "../../../test/support/made-up.js";
import type { EncodedQuestion, NgramRows } from "../../encode/types.js";
import { VerbatimError } from "../../errors.js";
import type { StoredPassage } from "../../index/types.js";
import { PlainKernel } from "../../kernel/plain-kernel.js";
import { openWasmKernel } from "../../kernel/wasm-kernel.js";
import { Random } from "../../vectors/random.js";
import { type PreparedQuestion, prepareQuestion } from "../prepare.js";
import { ngramMatches } from "./ngram-matches.js";
import { type PassageSpan, scoreSpans } from "./score-spans.js";

const plain = new PlainKernel();
const wasm = openWasmKernel()!;
const tokenizer = { padId: 0, clsId: 1, sepId: 2 };

function madeUpQuestion(seed: number, passage: StoredPassage): EncodedQuestion {
  const random = new Random(seed);
  const vector = (length: number) => Float32Array.from({ length }, () => 2 * random.next() - 1);
  const length = 3 + random.int(8);
  // Words of the passage, some of them twice, so that n-grams match.
  const from = random.int(Math.max(1, passage.ids.length - length));
  const ids = [1, ...passage.ids.subarray(from, from + length), ...passage.ids.subarray(from, from + 2), 2];
  const weights = () => Float32Array.from(ids, () => random.next());
  return {
    text: "made up",
    ids: Uint16Array.from(ids),
    start: vector(madeUpModel.dense),
    end: vector(madeUpModel.dense),
    coherency: vector(madeUpModel.coherency),
    offset: 0,
    startUnigrams: weights(),
    startBigrams: weights(),
    endUnigrams: weights(),
    endBigrams: weights(),
    terms: new Uint16Array(0),
    termWeights: new Float32Array(0),
    vector: vector(madeUpModel.vector),
  };
}

/** SPARC Eq. 2 as it is printed: a double sum over all pairs of question and passage n-grams. */
function naiveNgrams(
  passage: StoredPassage,
  encoded: EncodedQuestion,
  entry: { rows: NgramRows; row: number; width: 1 | 2; weights: Float32Array },
): number {
  const special = (id: number | undefined) => id === undefined || id <= 2;
  let sum = 0;
  for (let e = entry.rows.offsets[entry.row]!; e < entry.rows.offsets[entry.row + 1]!; e++) {
    const t = entry.rows.positions[e]!;
    for (let m = 0; m < encoded.ids.length; m++) {
      let matches = true;
      for (let w = 0; w < entry.width; w++) {
        matches &&= !special(encoded.ids[m + w]) && encoded.ids[m + w] === passage.ids[t + w];
      }
      if (matches) sum += (entry.rows.weights[e]! / madeUpModel.scales.ngram) * entry.weights[m]!;
    }
  }
  return sum * madeUpModel.weights.ngrams;
}

/** Every pair, dots by hand from the quantised vectors. */
function naiveSpans(
  passage: StoredPassage,
  question: PreparedQuestion,
  options: { maxAnswerTokens: number; isContinuation: (id: number) => boolean },
): PassageSpan[] {
  const { encoded } = question;
  const { ids, startPositions, endPositions } = passage;
  const dc = madeUpModel.coherency;
  const dot = (vectors: Int8Array, row: number, query: Int16Array) =>
    query.reduce((sum, q, d) => sum + q * vectors[row * query.length + d]!, 0);
  const spans: PassageSpan[] = [];
  for (const [i, start] of startPositions.entries()) {
    for (const [j, end] of endPositions.entries()) {
      if (end < start || end >= start + options.maxAnswerTokens) continue;
      if (start < passage.firstToken || end >= ids.length - 1) continue;
      if (options.isContinuation(ids[start]!)) continue;
      if (end + 1 < ids.length - 1 && options.isContinuation(ids[end + 1]!)) continue;
      const c = question.coherency.values.reduce(
        (sum, q, d) => sum + q * passage.startCoherency[i * dc + d]! * passage.endCoherency[j * dc + d]!,
        0,
      );
      const dense =
        dot(passage.startVectors, i, question.start.values) * question.start.perStep +
        question.offset +
        dot(passage.endVectors, j, question.end.values) * question.end.perStep +
        c * question.coherency.perStep;
      const ngram =
        naiveNgrams(passage, encoded, {
          rows: passage.startUnigrams,
          row: i,
          width: 1,
          weights: encoded.startUnigrams,
        }) +
        naiveNgrams(passage, encoded, { rows: passage.startBigrams, row: i, width: 2, weights: encoded.startBigrams }) +
        naiveNgrams(passage, encoded, { rows: passage.endUnigrams, row: j, width: 1, weights: encoded.endUnigrams }) +
        naiveNgrams(passage, encoded, { rows: passage.endBigrams, row: j, width: 2, weights: encoded.endBigrams });
      spans.push({ startPosition: start, endPosition: end, dense, ngram, score: dense + ngram });
    }
  }
  spans.sort((a, b) => b.score - a.score);
  const taken: PassageSpan[] = [];
  for (const span of spans) {
    if (!taken.some((t) => t.startPosition <= span.endPosition && span.startPosition <= t.endPosition))
      taken.push(span);
  }
  return taken;
}

describe("scoreSpans", () => {
  it("is the triple loop over starts, ends and n-grams, with both kernels", () => {
    const cases = fc.record({
      seed: fc.nat(),
      maxAnswerTokens: fc.integer({ min: 1, max: 30 }),
      spansPerPassage: fc.integer({ min: 1, max: 8 }),
      inside: fc.constantFrom(0, 3),
    });
    fc.assert(
      fc.property(cases, ({ seed, maxAnswerTokens, spansPerPassage, inside }) => {
        const passage = makePrepared({ seed, documents: 1, kept: 0.7 })[0]!.passages[0]!.encoded;
        const question = prepareQuestion(
          { ...madeUpQuestion(seed, passage), offset: 0.75 },
          { model: madeUpModel, tokenizer },
        );
        const isContinuation = (id: number): boolean => inside > 0 && id % inside === 0;
        const options = { maxAnswerTokens, spansPerPassage, isContinuation };
        const spans = scoreSpans(passage, question, { ...options, kernel: plain });
        expect(scoreSpans(passage, question, { ...options, kernel: wasm })).toEqual(spans);
        const expected = naiveSpans(passage, question, options).slice(0, spansPerPassage);
        expect(spans.map(({ startPosition, endPosition }) => [startPosition, endPosition])).toEqual(
          expected.map(({ startPosition, endPosition }) => [startPosition, endPosition]),
        );
        for (const [n, span] of spans.entries()) {
          expect(span.dense).toBe(expected[n]!.dense);
          expect(span.ngram).toBeCloseTo(expected[n]!.ngram, 9);
          expect(span.score).toBe(span.dense + span.ngram);
          const matches = ngramMatches(passage, question, {
            ...span,
            textOf: (ids) => ids.map((id) => `w${id}`).join(" "),
          });
          expect(matches.reduce((sum, match) => sum + match.weight, 0)).toBeCloseTo(span.ngram, 9);
        }
      }),
      { numRuns: 150 },
    );
  });

  it("approximates the float scores", () => {
    const passage = makePrepared({ seed: 3, documents: 1 })[0]!.passages[0]!.encoded;
    const encoded = madeUpQuestion(3, passage);
    const question = prepareQuestion(encoded, { model: madeUpModel, tokenizer });
    const { scales, dense, coherency } = madeUpModel;
    for (const span of scoreSpans(passage, question, { kernel: plain, maxAnswerTokens: 20 })) {
      const i = passage.startPositions.indexOf(span.startPosition);
      const j = passage.endPositions.indexOf(span.endPosition);
      let exact = 0;
      for (let d = 0; d < dense; d++) {
        exact += (encoded.start[d]! * passage.startVectors[i * dense + d]!) / scales.start;
        exact += (encoded.end[d]! * passage.endVectors[j * dense + d]!) / scales.end;
      }
      for (let d = 0; d < coherency; d++) {
        const product = passage.startCoherency[i * coherency + d]! * passage.endCoherency[j * coherency + d]!;
        exact += (encoded.coherency[d]! * product) / (scales.coherencyStart * scales.coherencyEnd);
      }
      expect(Math.abs(span.dense - exact)).toBeLessThan(0.05);
    }
  });

  it("takes the first of equal spans", () => {
    const passage = makePrepared({ seed: 8, documents: 1, kept: 1 })[0]!.passages[0]!.encoded;
    const zero = { ...madeUpQuestion(8, passage) };
    for (const key of [
      "start",
      "end",
      "coherency",
      "startUnigrams",
      "startBigrams",
      "endUnigrams",
      "endBigrams",
    ] as const) {
      zero[key] = new Float32Array(zero[key].length);
    }
    const question = prepareQuestion(zero, { model: madeUpModel, tokenizer });
    const spans = scoreSpans(passage, question, { kernel: wasm, maxAnswerTokens: 20, spansPerPassage: 3 });
    const first = passage.firstToken;
    expect(spans.map((span) => [span.startPosition, span.endPosition, span.score])).toEqual([
      [first, first, 0],
      [first + 1, first + 1, 0],
      [first + 2, first + 2, 0],
    ]);
  });

  it("leaves the n-grams out on request, and finds nothing where no row was kept", () => {
    const passage = makePrepared({ seed: 4, documents: 1 })[0]!.passages[0]!.encoded;
    const encoded = madeUpQuestion(4, passage);
    const question = prepareQuestion(encoded, { model: madeUpModel, tokenizer, ngramWeight: 0 });
    for (const span of scoreSpans(passage, question, { kernel: wasm, maxAnswerTokens: 20 })) expect(span.ngram).toBe(0);
    const empty = makePrepared({ seed: 4, documents: 1, kept: 0 })[0]!.passages[0]!.encoded;
    expect(scoreSpans(empty, question, { kernel: wasm, maxAnswerTokens: 20 })).toEqual([]);
  });

  it("refuses a question of another model", () => {
    const passage = makePrepared({ seed: 4, documents: 1 })[0]!.passages[0]!.encoded;
    const encoded = { ...madeUpQuestion(4, passage), start: new Float32Array(48) };
    expect(() => prepareQuestion(encoded, { model: madeUpModel, tokenizer })).toThrow(VerbatimError);
  });
});
