import { cp, mkdtemp, open, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { PassageInput } from "../../../src/encode/types.js";
import { openEncoder } from "./encoder/encoder.js";
import { readModelFile } from "./encoder/model-folder.js";
import { openReader } from "./reader/reader.js";
import { verifyModelOnce } from "./verify-model.js";

const golden = fileURLToPath(new URL("../../../test/golden", import.meta.url));
/** [CLS] [SEP] two tokens [SEP] */
const PASSAGE: PassageInput = { ids: Uint16Array.of(2, 3, 10, 11, 3), firstToken: 2, units: [{ from: 2, to: 4 }] };
let folder: string;
let caches: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "verbatim-model-"));
  caches = join(folder, "caches");
  vi.stubEnv("XDG_CACHE_HOME", caches);
  await cp(join(golden, "tiny-model"), folder, { recursive: true });
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true });
});

/** Flips a bit in the middle of a file; size and inode stay. */
async function damage(name: string): Promise<void> {
  const path = join(folder, name);
  const bytes = await readFile(path);
  const at = bytes.length >> 1;
  const file = await open(path, "r+");
  await file.write(Uint8Array.of(bytes[at]! ^ 1), 0, 1, at);
  await file.close();
}

const damaged = (name: string) => ({
  code: "model-missing",
  message: expect.stringContaining(name),
  hint: expect.any(String),
});

describe("a model file with one flipped bit", () => {
  it.each(["encoder.onnx", "question.bin"])("fails questions, alone and among others: %s", async (name) => {
    await damage(name);
    const encoder = await openEncoder({ modelFolder: folder, threads: 1 });
    const asked = ["who?", "when?"].map((question) => encoder.encodeQuestion(question));
    for (const refused of await Promise.allSettled(asked)) {
      expect(refused).toMatchObject({ status: "rejected", reason: damaged(name) });
    }
    await encoder.close();
  });

  it.each(["encoder.onnx", "terms.onnx"])("fails passages: %s", async (name) => {
    await damage(name);
    const encoder = await openEncoder({ modelFolder: folder, threads: 1 });
    await expect(encoder.encodePassages([PASSAGE])).rejects.toMatchObject(damaged(name));
    await encoder.close();
  });

  it("fails when the encoder is opened, if it is in the vocabulary", async () => {
    await damage("vocab.txt");
    await expect(openEncoder({ modelFolder: folder, threads: 1 })).rejects.toMatchObject(damaged("vocab.txt"));
  });

  it("fails what the reader reads", async () => {
    const model = await readModelFile(folder);
    await cp(join(golden, "tiny-reader"), folder, { recursive: true });
    await damage("reader.onnx");
    const reader = await openReader({ folder, model, threads: 1 });
    const reading = reader.read([{ ids: Uint16Array.of(1, 2, 3), questionTokens: 2 }]);
    await expect(reading).rejects.toMatchObject(damaged("reader.onnx"));
    await reader.close();
  });
});

describe("the memory of verified files", () => {
  it("saves hashing a file that has not changed, for questions but not for passages", async () => {
    const { files } = await readModelFile(folder);
    const path = join(folder, "terms.onnx");
    const written = new Date(1_700_000_000_000);
    await utimes(path, written, written);
    await verifyModelOnce(folder, files);
    await damage("terms.onnx");
    await utimes(path, written, written); // as damage on the disk leaves it
    await verifyModelOnce(folder, files);
    const encoder = await openEncoder({ modelFolder: folder, threads: 1 });
    await expect(encoder.encodePassages([PASSAGE])).rejects.toMatchObject(damaged("terms.onnx"));
    await encoder.close();
    await utimes(path, written, new Date());
    await expect(verifyModelOnce(folder, files)).rejects.toMatchObject(damaged("terms.onnx"));
  });

  it("does without where it cannot be read or written", async () => {
    const { files } = await readModelFile(folder);
    await writeFile(caches, "a file, not a folder");
    await verifyModelOnce(folder, files);
    await verifyModelOnce(folder, files);
    await damage("question.bin");
    await expect(verifyModelOnce(folder, files)).rejects.toMatchObject(damaged("question.bin"));
  });
});
