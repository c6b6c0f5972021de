/**
 * Compares each shipped int8 model with PyTorch's fp32 outputs on 20 inputs (12 passages, 8
 * questions) by cosine.
 */

import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { modelFolderFor } from "../../adapters/node/models/choice.js";
import { openEncoder } from "../../adapters/node/models/encoder/encoder.js";
import { type ModelFile, readModelFile } from "../../adapters/node/models/encoder/model-folder.js";
import { Network } from "../../adapters/node/models/encoder/network.js";
import { verifyModel } from "../../adapters/node/models/verify-model.js";

interface Golden {
  passages: Array<{
    title: string;
    text: string;
    ids: number[];
    rows: number[];
    start: number[];
    end: number[];
    coherency: number[];
    vector: number[];
    ngrams: number[];
    terms: number[];
    topTerms: number[];
    topWeights: number[];
  }>;
  questions: Array<{
    text: string;
    ids: number[];
    start: number[];
    end: number[];
    coherency: number[];
    vector: number[];
    ngrams: number[];
  }>;
}

const SHIPPED = [
  { name: "en", golden: "verbatim-en.json", bytes: [23e6, 31.5e6], licence: /Apache-2\.0/, near: 0.99 },
  { name: "multi", golden: "verbatim-multi.json", bytes: [55e6, 65e6], licence: /MIT/, near: 0.98 },
] as const;

function cosine(a: ArrayLike<number>, b: ArrayLike<number>): number {
  expect(a.length).toBe(b.length);
  let ab = 0;
  let aa = 0;
  let bb = 0;
  for (let i = 0; i < a.length; i++) {
    ab += a[i]! * b[i]!;
    aa += a[i]! ** 2;
    bb += b[i]! ** 2;
  }
  return ab / Math.sqrt(aa * bb);
}

function pick(values: Float32Array, rows: number[], width: number): number[] {
  return rows.flatMap((row) => [...values.subarray(row * width, (row + 1) * width)]);
}

describe.each(SHIPPED)("the shipped model $name", (shipped) => {
  let folder: string;
  let model: ModelFile;
  let network: Network;
  let golden: Golden;
  let encoder: Awaited<ReturnType<typeof openEncoder>>;
  /** As if an input had all scripts. */
  let all: Uint16Array;

  beforeAll(async () => {
    folder = await modelFolderFor({ model: shipped.name });
    model = await readModelFile(folder);
    all = Uint16Array.from({ length: model.vocabularySize }, (_, id) => id);
    network = await Network.open(folder, model);
    const path = fileURLToPath(new URL(`../golden/${shipped.golden}`, import.meta.url));
    golden = JSON.parse(await readFile(path, "utf8"));
    encoder = await openEncoder({ modelFolder: folder, threads: 1 });
  });
  afterAll(async () => {
    await encoder?.close();
    await network?.close();
  });

  it("is undamaged, and as large as documented", async () => {
    await verifyModel(folder, model.files);
    const bytes = Object.values(model.files).reduce((sum, file) => sum + file.bytes, 0);
    expect(bytes).toBeGreaterThan(shipped.bytes[0]);
    expect(bytes).toBeLessThan(shipped.bytes[1]);
    expect(model.notice).toMatch(shipped.licence);
    expect(model.vector).toBe(192);
  });

  it("is close to PyTorch on passages", async () => {
    expect(golden.passages.length + golden.questions.length).toBe(20);
    for (const passage of golden.passages) {
      const { rows } = passage;
      const length = passage.ids.length;
      const out = await network.run(Uint16Array.from(passage.ids));
      const where = passage.text.slice(0, 30);
      expect(cosine(pick(out.start, rows, model.dense), passage.start), `start of ${where}`).toBeGreaterThan(
        shipped.near,
      );
      expect(cosine(pick(out.end, rows, model.dense), passage.end), `end of ${where}`).toBeGreaterThan(shipped.near);
      // saturating integer products would give 0.99 to 0.997
      expect(cosine([...out.vector], passage.vector), `vector of ${where}`).toBeGreaterThan(0.999);
      expect(
        cosine(pick(out.coherency, rows, 2 * model.coherency), passage.coherency),
        `coherency of ${where}`,
      ).toBeGreaterThan(shipped.near);
      expect(cosine(pick(out.terms, rows, model.term), passage.terms), `terms of ${where}`).toBeGreaterThan(
        shipped.near,
      );
      const masked = [0, 1, 2, 3].flatMap((plane) =>
        rows.flatMap((row) =>
          Array.from({ length }, (_, t) => {
            const hidden = t === row || (plane % 2 === 1 && t === length - 1);
            return hidden ? 0 : out.ngrams[(plane * length + row) * length + t]!;
          }),
        ),
      );
      if (passage.ngrams.some((weight) => weight > 0)) {
        expect(cosine(masked, passage.ngrams), `n-grams of ${where}`).toBeGreaterThan(shipped.near);
      }
      const weights = await network.termWeights(out.terms, length, all);
      const found = passage.topTerms.map((term) => weights[term]!);
      expect(cosine(found, passage.topWeights), `term weights of ${where}`).toBeGreaterThan(shipped.near);
    }
  });

  it("computes terms of the scripts of an input only, with the same weights", async () => {
    const computed: number[] = [];
    for (const { ids } of golden.passages) {
      const input = Uint16Array.from(ids);
      const { terms } = await network.run(input);
      const everything = await network.termWeights(terms, ids.length, all);
      const weights = await network.termWeights(terms, ids.length, input);
      expect(weights.filter((weight, term) => weight !== 0 && weight !== everything[term])).toHaveLength(0);
      expect(ids.filter((id) => weights[id] !== everything[id])).toEqual([]);
      computed.push(
        weights.filter((weight) => weight !== 0).length / everything.filter((weight) => weight !== 0).length,
      );
    }
    if (model.termGroups === undefined) expect(Math.min(...computed)).toBe(1);
    else expect(Math.max(...computed)).toBeLessThan(0.95);
  });

  it("is close to PyTorch on questions", async () => {
    for (const question of golden.questions) {
      const found = await encoder.encodeQuestion(question.text);
      expect([...found.ids]).toEqual(question.ids);
      const vector = [...found.start, ...found.end, ...found.coherency];
      expect(cosine([...found.vector], question.vector), `vector of ${question.text}`).toBeGreaterThan(0.98);
      expect(
        cosine(vector, [...question.start, ...question.end, ...question.coherency]),
        question.text,
      ).toBeGreaterThan(shipped.near);
    }
  });
});
