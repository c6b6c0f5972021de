/**
 * Compares the shipped int8 readers with PyTorch's fp32 logits. A reader that is not installed is
 * skipped: readers are optional.
 */

import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { modelFolderFor } from "../../adapters/node/models/choice.js";
import { openEncoder } from "../../adapters/node/models/encoder/encoder.js";
import { readModelFile, vocabularyFile } from "../../adapters/node/models/encoder/model-folder.js";
import {
  installedReaderFolder,
  type ReaderFile,
  readReaderFile,
} from "../../adapters/node/models/reader/reader-folder.js";
import { ReaderNetwork } from "../../adapters/node/models/reader/reader-network.js";
import { verifyModel } from "../../adapters/node/models/verify-model.js";
import { questionInput } from "../../src/encode/input.js";
import type { GoldenPair } from "./golden-pair.js";

const READERS = [
  { name: "verbatim-reader-en", model: "en", megabytes: [26, 32], licences: /MIT/ },
  { name: "verbatim-reader-multi", model: "multi", megabytes: [40, 55], licences: /MIT/ },
] as const;

describe.each(READERS)("the shipped reader $name", ({ name, model, megabytes, licences }) => {
  const folder = fileURLToPath(new URL(`../../models/${name}`, import.meta.url));
  const goldenFile = fileURLToPath(new URL(`../golden/${name}.json`, import.meta.url));
  const missing = [join(folder, "model.json"), goldenFile].filter((path) => !existsSync(path));

  describe.skipIf(missing.length > 0)(missing.length > 0 ? `is not installed: ${missing.join(", ")}` : "", () => {
    let info: ReaderFile;
    let network: ReaderNetwork;
    let golden: GoldenPair[];

    beforeAll(async () => {
      info = await readReaderFile(folder);
      network = await ReaderNetwork.open(folder, info.files);
      golden = JSON.parse(await readFile(goldenFile, "utf8"));
    });
    afterAll(() => network?.close());

    it("is undamaged, as large as documented, and belongs to the encoder with its vocabulary", async () => {
      await verifyModel(folder, info.files);
      const [least, most] = megabytes;
      expect(info.files["reader.onnx"].bytes).toBeGreaterThan(least * 1e6);
      expect(info.files["reader.onnx"].bytes).toBeLessThan(most * 1e6);
      const encoder = await readModelFile(await modelFolderFor({ model }));
      expect(info.vocabularySha256).toBe(vocabularyFile(encoder).sha256);
      expect(await installedReaderFolder(encoder)).toBe(folder);
      expect(info.name).toBe(name);
      expect(info.notice).toMatch(licences);
    });

    it("is close to PyTorch's logits of the passage, and never exceeds their bounds", async () => {
      expect(golden.length).toBeGreaterThanOrEqual(10);
      const correlations: number[] = [];
      for (const { ids, questionTokens, firstToken, start, end, answer, question, text } of golden) {
        const found = await network.read({ ids: Uint16Array.from(ids), questionTokens });
        const where = `${question} / ${text.slice(0, 30)}`;
        for (const [got, exact, bound] of [
          [found.start, start, info.bounds.start],
          [found.end, end, info.bounds.end],
        ] as const) {
          expect(Math.max(...got)).toBeLessThanOrEqual(bound);
          const inside = exact.slice(firstToken, -1);
          if (inside.length <= 8) continue;
          correlations.push(correlation([...got.slice(firstToken, -1)], inside));
          // lowest for a passage about something else, whose logits are all low
          expect(correlations.at(-1), where).toBeGreaterThan(0.97);
        }
        expect(Math.abs(found.answer - answer), where).toBeLessThan(1);
      }
      const sum = correlations.reduce((all, one) => all + one, 0);
      expect(sum / correlations.length).toBeGreaterThan(0.995);
    });

    it("was trained on questions as the encoder's tokenizer divides them", async () => {
      const { tokenizer, close } = await openTokenizer(model);
      for (const { question, ids, questionTokens } of golden)
        expect(ids.slice(0, questionTokens), question).toEqual([...questionInput(tokenizer, question, 64)]);
      await close();
    });
  });
});

async function openTokenizer(model: "en" | "multi") {
  const encoder = await openEncoder({ model, threads: 1 });
  return { tokenizer: encoder.tokenizer, close: () => encoder.close() };
}

/** Compares deviations from the mean: a shift of all logits changes no probability. */
function correlation(a: readonly number[], b: readonly number[]): number {
  const mean = (list: readonly number[]): number => list.reduce((sum, x) => sum + x, 0) / list.length;
  const [ma, mb] = [mean(a), mean(b)];
  const sum = (f: (x: number, y: number) => number): number => a.reduce((s, x, i) => s + f(x - ma, b[i]! - mb), 0);
  return sum((x, y) => x * y) / Math.sqrt(sum((x) => x * x) * sum((_, y) => y * y));
}
