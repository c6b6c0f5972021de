import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { readModelFile } from "./model-folder.js";

const tinyModel = fileURLToPath(new URL("../../../../test/golden/tiny-model", import.meta.url));

it.each([0, 257, 512])(
  "refuses a model that takes inputs of %i tokens: an index stores positions as bytes",
  async (tokens) => {
    const folder = await mkdtemp(join(tmpdir(), "verbatim-model-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    await cp(tinyModel, folder, { recursive: true });
    const path = join(folder, "model.json");
    const model = JSON.parse(await readFile(path, "utf8"));
    expect((await readModelFile(folder)).maxInputTokens).toBeLessThanOrEqual(256);
    await writeFile(path, JSON.stringify({ ...model, maxInputTokens: tokens }));
    await expect(readModelFile(folder)).rejects.toMatchObject({ code: "unsupported-format", found: tokens });
  },
);
