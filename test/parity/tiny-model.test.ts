/**
 * PyTorch = ONNX = TypeScript for a tiny random fp32 model, from text to quantised rows, without
 * Python: test/golden/tiny-model/golden.json.
 */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openEncoder } from "../../adapters/node/models/encoder/encoder.js";
import { type ModelFile, readModelFile } from "../../adapters/node/models/encoder/model-folder.js";
import { Network } from "../../adapters/node/models/encoder/network.js";
import { passageInput, titleTokens } from "../../src/encode/input.js";
import type { PassageInput } from "../../src/encode/types.js";

interface GoldenPassage {
  title: string;
  text: string;
  ids: number[];
  rows: number[];
  start: number[];
  end: number[];
  coherency: number[];
  vector: number[];
  keep: number[];
  ngrams: number[];
  terms: number[];
  topTerms: number[];
  topWeights: number[];
}
interface GoldenQuestion {
  text: string;
  ids: number[];
  start: number[];
  end: number[];
  coherency: number[];
  vector: number[];
  ngrams: number[];
}

const folder = fileURLToPath(new URL("../golden/tiny-model", import.meta.url));
const TOLERANCE = 1e-4;

let model: ModelFile;
let network: Network;
let golden: { passages: GoldenPassage[]; questions: GoldenQuestion[] };
let encoder: Awaited<ReturnType<typeof openEncoder>>;

beforeAll(async () => {
  model = await readModelFile(folder);
  network = await Network.open(folder, model);
  golden = JSON.parse(await readFile(join(folder, "golden.json"), "utf8"));
  encoder = await openEncoder({ modelFolder: folder, threads: 1 });
});
afterAll(() => encoder?.close());

function largestDifference(found: ArrayLike<number>, expected: ArrayLike<number>): number {
  expect(found.length).toBe(expected.length);
  let worst = 0;
  for (let i = 0; i < found.length; i++)
    worst = Math.max(worst, Math.abs(found[i]! - expected[i]!) / Math.max(1, Math.abs(expected[i]!)));
  return worst;
}

function pick(values: Float32Array, rows: number[], width: number): number[] {
  return rows.flatMap((row) => [...values.subarray(row * width, (row + 1) * width)]);
}

function inputOf(passage: GoldenPassage): PassageInput {
  const title = titleTokens(encoder.tokenizer, passage.title, encoder.info);
  const tokens = encoder.tokenizer.tokenize(passage.text, { maxTokens: 200 });
  return passageInput(encoder.tokenizer, title, { passage: { start: 0, end: passage.text.length, tokens } });
}

describe("the tiny model", () => {
  it("makes the same inputs from text", () => {
    for (const passage of golden.passages) expect([...inputOf(passage).ids]).toEqual(passage.ids);
  });

  it("gives PyTorch's outputs for passages", async () => {
    for (const passage of golden.passages) {
      const { rows } = passage;
      const length = passage.ids.length;
      const out = await network.run(Uint16Array.from(passage.ids));
      expect(largestDifference(pick(out.start, rows, model.dense), passage.start)).toBeLessThan(TOLERANCE);
      expect(largestDifference(pick(out.end, rows, model.dense), passage.end)).toBeLessThan(TOLERANCE);
      expect(largestDifference(pick(out.coherency, rows, 2 * model.coherency), passage.coherency)).toBeLessThan(
        TOLERANCE,
      );
      expect(largestDifference(out.vector, passage.vector)).toBeLessThan(TOLERANCE);
      expect(largestDifference(pick(out.keep, rows, 2), passage.keep)).toBeLessThan(TOLERANCE);
      expect(largestDifference(pick(out.terms, rows, model.term), passage.terms)).toBeLessThan(TOLERANCE);
      // the golden n-grams have a zero diagonal and no bigram at the last token; the graph leaves
      // both to the packer
      const masked = [0, 1, 2, 3].flatMap((plane) =>
        rows.flatMap((row) =>
          Array.from({ length }, (_, t) => {
            const hidden = t === row || (plane % 2 === 1 && t === length - 1);
            return hidden ? 0 : out.ngrams[(plane * length + row) * length + t]!;
          }),
        ),
      );
      expect(largestDifference(masked, passage.ngrams)).toBeLessThan(TOLERANCE);
      const weights = await network.termWeights(out.terms, length, Uint16Array.from(passage.ids));
      expect(
        largestDifference(
          passage.topTerms.map((term) => weights[term]!),
          passage.topWeights,
        ),
      ).toBeLessThan(TOLERANCE);
    }
  });

  it("gives PyTorch's outputs for questions, through the worker threads", async () => {
    for (const question of golden.questions) {
      const found = await encoder.encodeQuestion(question.text);
      expect([...found.ids]).toEqual(question.ids);
      expect(largestDifference(found.start, question.start)).toBeLessThan(TOLERANCE);
      expect(largestDifference(found.end, question.end)).toBeLessThan(TOLERANCE);
      expect(largestDifference(found.coherency, question.coherency)).toBeLessThan(TOLERANCE);
      expect(largestDifference(found.vector, question.vector)).toBeLessThan(TOLERANCE);
      const length = question.ids.length;
      const planes = [found.startUnigrams, found.startBigrams, found.endUnigrams, found.endBigrams];
      for (const [plane, weights] of planes.entries()) {
        for (let t = 1; t < length - 1; t++) {
          const bigramWithSep = plane % 2 === 1 && t === length - 2;
          const expected = bigramWithSep ? 0 : question.ngrams[plane * length + t]!;
          expect(Math.abs(weights[t]! - expected)).toBeLessThan(TOLERANCE);
        }
        expect(weights[0]).toBe(0);
        expect(weights[length - 1]).toBe(0);
      }
    }
  });

  it("packs rows within half a step of PyTorch's", async () => {
    for (const passage of golden.passages) {
      const [packed] = await encoder.encodePassages([inputOf(passage)], { keepAll: true });
      for (const [k, row] of passage.rows.entries()) {
        const at = packed!.startPositions.indexOf(row);
        if (at < 0) continue; // [CLS], title and [SEP] rows are never kept
        for (let d = 0; d < model.dense; d++) {
          const exact = Math.max(-127, Math.min(127, passage.start[k * model.dense + d]! * model.scales.start));
          expect(Math.abs(packed!.startVectors[at * model.dense + d]! - exact)).toBeLessThanOrEqual(0.5 + 1e-2);
        }
      }
      expect(packed!.startPositions.length).toBe(passage.ids.length - 1 - packed!.firstToken);
    }
  });

  it("gives the same bytes however inputs are batched and whichever thread runs them", async () => {
    const inputs = golden.passages.map(inputOf);
    const together = await encoder.encodePassages(structuredClone(inputs));
    const two = await openEncoder({ modelFolder: folder, threads: 2 });
    try {
      const apart = await Promise.all(structuredClone(inputs).map((input) => two.encodePassages([input])));
      expect(apart.map((list) => list[0])).toEqual(together);
    } finally {
      await two.close();
    }
  });
});
