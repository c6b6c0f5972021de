import { describe, expect, it } from "vitest";
import { textDocument } from "../../test/support/ask.js";
import { TinyEncoder } from "../../test/support/tiny-encoder.js";
import { type IngestProgress, ingest } from "./ingest.js";

const text = (word: string, sentences: number): string =>
  `The ${word} bell rings at noon in the old tower. `.repeat(sentences);
const documents = [textDocument("first", text("first", 20)), textDocument("second", text("second", 40))];

/** A writer that takes `passages` of them and then fails. */
function failingAfter(passages: number): Parameters<typeof ingest>[1] {
  let left = passages;
  return {
    has: () => undefined,
    async add({ passages: stream }) {
      for await (const _ of stream) if (left-- === 0) throw new Error("full");
    },
  };
}

describe("ingest", () => {
  it("counts what is in: the passages of a document that was dropped are told on the way and taken back", async () => {
    const encoder = new TinyEncoder(documents.map((document) => document.text));
    const all = await ingest(documents, failingAfter(Number.POSITIVE_INFINITY), { encoder });
    const first = await ingest(documents.slice(0, 1), failingAfter(Number.POSITIVE_INFINITY), { encoder });
    expect(first.passages).toBeGreaterThan(1);
    expect(all.passages).toBeGreaterThan(first.passages + 2);
    const told: IngestProgress[] = [];
    const options = { encoder, onProgress: (progress: IngestProgress) => void told.push(progress) };
    await expect(ingest(documents, failingAfter(first.passages + 2), options)).rejects.toThrow("full");
    expect(Math.max(...told.map(({ passages }) => passages))).toBe(first.passages + 2);
    expect(told.at(-1)).toEqual(first);
  });
});
