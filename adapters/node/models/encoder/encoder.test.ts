/** What an encoder does after a model file could not be opened for a while. */

import { cp, rename } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { passageInput, titleTokens } from "../../../../src/encode/input.js";
import type { Encoder, PassageInput } from "../../../../src/encode/types.js";
import { temporaryFolder, tinyModel } from "../../../../test/cli/run-cli.js";
import { loadRuntime, type Runtime } from "../runtime.js";
import { openEncoder } from "./encoder.js";
import { readModelFile } from "./model-folder.js";
import { Network } from "./network.js";

const open: Array<{ close(): Promise<void> }> = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

async function copyOfModel(): Promise<string> {
  const folder = join(await temporaryFolder(), "model");
  await cp(tinyModel, folder, { recursive: true });
  return folder;
}

function inputOf({ tokenizer, info }: Encoder, text: string): PassageInput {
  const tokens = tokenizer.tokenize(text, { maxTokens: 50 });
  const passage = { start: 0, end: text.length, tokens };
  return passageInput(tokenizer, titleTokens(tokenizer, "", info), { passage });
}

it("an encoder whose thread could not open a file of the model works once it can", async () => {
  const folder = await copyOfModel();
  const encoder = await openEncoder({ modelFolder: folder, threads: 1 });
  open.push(encoder);
  const input = inputOf(encoder, "The observatory was founded in 1911.");
  const file = join(folder, "encoder.onnx");
  await rename(file, `${file}.away`);
  await expect(encoder.encodePassages([input])).rejects.toMatchObject({ code: "model-missing" });
  await rename(`${file}.away`, file);
  expect(await encoder.encodePassages([input])).toHaveLength(1);
});

it("a network that could not open its terms opens them for the next passage", async () => {
  const model = await readModelFile(tinyModel);
  const runtime = await loadRuntime();
  let failures = 1;
  const createSession: Runtime["createSession"] = async (path, options) => {
    if (path.endsWith("terms.onnx") && failures-- > 0) throw new Error("too many open files");
    return runtime.createSession(path, options);
  };
  const network = await Network.open(tinyModel, model, async () => ({ ...runtime, createSession }));
  open.push(network);
  const rows = new Float32Array(model.term);
  await expect(network.termWeights(rows, 1, new Uint16Array(1))).rejects.toThrow("too many open files");
  expect(await network.termWeights(rows, 1, new Uint16Array(1))).toHaveLength(model.vocabularySize);
});
