/**
 * A single question is encoded in this thread, concurrent ones in workers too: the encoding is the
 * same.
 */

import { cp, mkdtemp, rm, truncate } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { openEncoder } from "../../adapters/node/models/encoder/encoder.js";

const modelFolder = join(fileURLToPath(new URL("../golden", import.meta.url)), "tiny-model");
const QUESTIONS = ["who founded the observatory?", "when?", "where is the old bridge, and who built it in 1850?"];

describe("a question", () => {
  it("has the same encoding alone as among others", async () => {
    const encoder = await openEncoder({ modelFolder, threads: 2 });
    const alone = [];
    for (const question of QUESTIONS) alone.push(await encoder.encodeQuestion(question));
    const together = await Promise.all(
      [...QUESTIONS, ...QUESTIONS].map((question) => encoder.encodeQuestion(question)),
    );
    expect(together).toEqual([...alone, ...alone]);
    await encoder.close();
  });

  it("fails with the same code alone and among others when a model file is damaged", async () => {
    const damaged = await mkdtemp(join(tmpdir(), "verbatim-model-"));
    await cp(modelFolder, damaged, { recursive: true });
    const encoder = await openEncoder({ modelFolder: damaged, threads: 1 });
    await truncate(join(damaged, "question.bin"), 100);
    const missing = {
      code: "model-missing",
      message: expect.stringContaining("question.bin"),
      hint: expect.any(String),
    };
    await expect(encoder.encodeQuestion("who?")).rejects.toMatchObject(missing);
    const together = ["who?", "when?", "where?"].map((question) => encoder.encodeQuestion(question));
    for (const refused of await Promise.allSettled(together)) {
      expect(refused).toMatchObject({ status: "rejected", reason: missing });
    }
    await encoder.close();
    await rm(damaged, { recursive: true });
  });

  it("is answered when the encoder closes meanwhile, and refused after that or when it is aborted", async () => {
    const encoder = await openEncoder({ modelFolder, threads: 1 });
    const stopped = encoder.encodeQuestion("who?", { signal: AbortSignal.abort() });
    await expect(stopped).rejects.toThrow(expect.objectContaining({ code: "aborted" }));
    const controller = new AbortController();
    const stoppedLater = encoder.encodeQuestion("who?", { signal: controller.signal });
    controller.abort();
    await expect(stoppedLater).rejects.toThrow(expect.objectContaining({ code: "aborted" }));
    expect((await encoder.encodeQuestion("who?")).text).toBe("who?");
    const underWay = encoder.encodeQuestion("who?");
    await encoder.close();
    expect((await underWay).text).toBe("who?");
    await expect(encoder.encodeQuestion("who?")).rejects.toThrow(expect.objectContaining({ code: "invalid-argument" }));
    await encoder.close();
  });
});
