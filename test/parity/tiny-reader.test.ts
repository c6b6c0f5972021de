/**
 * PyTorch = ONNX = TypeScript for a tiny random fp32 reader, from text to logits, without Python:
 * test/golden/tiny-reader/golden.json.
 */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openEncoder } from "../../adapters/node/models/encoder/encoder.js";
import { openReader } from "../../adapters/node/models/reader/reader.js";
import { type ReaderFile, readReaderFile } from "../../adapters/node/models/reader/reader-folder.js";
import { ReaderNetwork } from "../../adapters/node/models/reader/reader-network.js";
import { passageInput, titleTokens } from "../../src/encode/input.js";
import type { ReaderOutput } from "../../src/reader/types.js";
import { questionForReader, readerInputs } from "../../src/reader/windows.js";
import type { GoldenPair } from "./golden-pair.js";

const folder = fileURLToPath(new URL("../golden/tiny-reader", import.meta.url));
const encoderFolder = fileURLToPath(new URL("../golden/tiny-model", import.meta.url));
const TOLERANCE = 1e-4;

let info: ReaderFile;
let network: ReaderNetwork;
let golden: GoldenPair[];
let encoder: Awaited<ReturnType<typeof openEncoder>>;

beforeAll(async () => {
  info = await readReaderFile(folder);
  network = await ReaderNetwork.open(folder, info.files);
  golden = JSON.parse(await readFile(join(folder, "golden.json"), "utf8"));
  encoder = await openEncoder({ modelFolder: encoderFolder, threads: 1 });
});
afterAll(async () => {
  await network?.close();
  await encoder?.close();
});

function expectNear(found: ReaderOutput, pair: GoldenPair): void {
  for (const side of ["start", "end"] as const) {
    expect(found[side].length).toBe(pair.ids.length);
    for (const [t, exact] of pair[side].entries()) {
      expect(Math.abs(found[side][t]! - exact) / Math.max(1, Math.abs(exact))).toBeLessThan(TOLERANCE);
    }
  }
  expect(Math.abs(found.answer - pair.answer)).toBeLessThan(TOLERANCE);
}

const inputOf = ({ ids, questionTokens }: GoldenPair) => ({ ids: Uint16Array.from(ids), questionTokens });

describe("the tiny reader", () => {
  it("gets the same inputs from text", () => {
    expect(golden.length).toBe(10);
    const { tokenizer } = encoder;
    for (const pair of golden) {
      const tokens = tokenizer.tokenize(pair.text, { maxTokens: 200 });
      const titleIds = titleTokens(tokenizer, pair.title, encoder.info);
      const passage = passageInput(tokenizer, titleIds, { passage: { start: 0, end: pair.text.length, tokens } });
      const asked = tokenizer.tokenize(pair.question, { maxTokens: 62 });
      const question = questionForReader([tokenizer.clsId, ...asked.ids, tokenizer.sepId], info);
      const inputs = readerInputs(question, passage, info);
      expect(inputs).toHaveLength(1);
      expect([...inputs[0]!.ids]).toEqual(pair.ids);
      expect(inputs[0]).toMatchObject({ questionTokens: pair.questionTokens, firstToken: pair.firstToken });
    }
  });

  it("gives PyTorch's logits, also with several threads on one input", async () => {
    for (const pair of golden) expectNear(await network.read(inputOf(pair)), pair);
    const threaded = await ReaderNetwork.open(folder, info.files, 2);
    for (const pair of golden) expect(await threaded.read(inputOf(pair))).toEqual(await network.read(inputOf(pair)));
    await threaded.close();
  });

  it("gives them through worker threads, in order", async () => {
    const reader = await openReader({ folder, model: encoder.model, threads: 2 });
    try {
      const outputs = await reader.read(golden.map(inputOf));
      for (const [n, pair] of golden.entries()) expectNear(outputs[n]!, pair);
    } finally {
      await reader.close();
    }
  });

  it("never exceeds the bounds in its model.json", () => {
    for (const { start, end, answer } of golden) {
      expect(Math.max(...start)).toBeLessThanOrEqual(info.bounds.start);
      expect(Math.max(...end)).toBeLessThanOrEqual(info.bounds.end);
      expect(answer).toBeLessThanOrEqual(info.bounds.answer);
    }
    expect(info.interpolation.most).toBeLessThanOrEqual(info.bounds.start + info.bounds.end + 1e-6);
  });
});

describe("opening a reader", () => {
  it("reports a missing or damaged folder, another kind of model, and another vocabulary", async () => {
    const { model } = encoder;
    await expect(openReader({ folder: "/nowhere", model })).rejects.toMatchObject({ code: "model-missing" });
    await expect(openReader({ folder: encoderFolder, model })).rejects.toMatchObject({ code: "unsupported-format" });
    const files = { ...model.files, "vocab.txt": { bytes: 1, sha256: "another" } };
    await expect(openReader({ folder, model: { ...model, files } })).rejects.toMatchObject({ code: "model-mismatch" });
    await expect(openReader({ folder, model, threads: 0 })).rejects.toMatchObject({ code: "invalid-argument" });
  });

  it("refuses calls after it was closed, and ends aborted ones", async () => {
    const reader = await openReader({ folder, model: encoder.model, threads: 1 });
    const stop = new AbortController();
    const reading = reader.read(golden.map(inputOf), { signal: stop.signal });
    stop.abort();
    await expect(reading).rejects.toMatchObject({ code: "aborted" });
    await reader.close();
    await expect(reader.read([inputOf(golden[0]!)])).rejects.toMatchObject({ code: "invalid-argument" });
  });
});
