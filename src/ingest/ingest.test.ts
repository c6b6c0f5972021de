import { describe, expect, it, vi } from "vitest";
import { textDocument } from "../../test/support/ask.js";
import { MemoryStorage } from "../../test/support/memory-storage.js";
import { TinyEncoder } from "../../test/support/tiny-encoder.js";
import * as contentHash from "../index/format/content-hash.js";
import { openSnapshot } from "../index/open-snapshot.js";
import { openIndexWriter } from "../index/write/writer.js";
import type { Document } from "../types.js";
import { type IngestProgress, ingest } from "./ingest.js";

vi.mock("../index/format/content-hash.js", async (original) => {
  const actual = await original<typeof contentHash>();
  return { ...actual, documentContentHash: vi.fn(actual.documentContentHash) };
});

const text = (word: string, sentences: number): string =>
  `The ${word} bell rings at noon in the old tower. `.repeat(sentences);
const documents = [textDocument("first", text("first", 20)), textDocument("second", text("second", 40))];

const documentHash = (id: string): string =>
  contentHash.documentContentHash(textDocument(id, "The bell rings at noon."));

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
  it("reports the passages of the current document as it grows, and leaves out a document that was dropped", async () => {
    const encoder = new TinyEncoder(documents.map((document) => document.text));
    const all = await ingest(documents, failingAfter(Number.POSITIVE_INFINITY), { encoder });
    const first = await ingest(documents.slice(0, 1), failingAfter(Number.POSITIVE_INFINITY), { encoder });
    expect(first.passages).toBeGreaterThan(1);
    expect(all.passages).toBeGreaterThan(first.passages + 2);
    const reported: IngestProgress[] = [];
    const options = { encoder, onProgress: (progress: IngestProgress) => void reported.push(progress) };
    await expect(ingest(documents, failingAfter(first.passages + 2), options)).rejects.toThrow("full");
    expect(Math.max(...reported.map(({ passages }) => passages))).toBe(first.passages + 2);
    expect(reported.at(-1)).toEqual(first);
  });

  it("hashes the content of each added document once, and stores that hash", async () => {
    const storage = new MemoryStorage();
    const encoder = new TinyEncoder(documents.map((document) => document.text));
    const writer = await openIndexWriter(storage, { model: encoder.info });
    vi.mocked(contentHash.documentContentHash).mockClear();
    await ingest(documents, writer, { encoder });
    await writer.commit();
    await writer.close();
    expect(vi.mocked(contentHash.documentContentHash)).toHaveBeenCalledTimes(documents.length);
    const snapshot = await openSnapshot(storage);
    const records = await Promise.all(documents.map((_, d) => snapshot.segments[0]!.readDocument(d)));
    expect(records.map((record) => record.contentHash)).toEqual(documents.map(contentHash.documentContentHash));
    await snapshot.close();
  });

  it("asks for at most one document more after the signal, of those that are new and those that are not", async () => {
    const encoder = new TinyEncoder(["The bell rings at noon."]);
    for (const contentHash of [undefined, documentHash]) {
      const stop = new AbortController();
      let taken = 0;
      const endless = function* (): Generator<Document> {
        for (;;) {
          if (++taken === 1000) stop.abort();
          yield textDocument(`${taken}`, "The bell rings at noon.");
        }
      };
      const writer: Parameters<typeof ingest>[1] = {
        has: (id) => (contentHash === undefined ? undefined : { contentHash: contentHash(id) }),
        async add({ passages }) {
          for await (const _ of passages);
        },
      };
      await expect(ingest(endless(), writer, { encoder, signal: stop.signal })).rejects.toMatchObject({
        code: "aborted",
      });
      expect(taken).toBeLessThanOrEqual(1001);
    }
  });

  it.each([
    ["are unchanged", (i: number) => i % 1000],
    ["occur twice", () => 0],
  ])("lets a signal from outside end it while all documents %s", async (_, number) => {
    const stop = new AbortController();
    const encoder = new TinyEncoder([]);
    const endless = function* (): Generator<Document> {
      for (let i = 0; ; i++) yield textDocument(`${number(i)}`, "The bell rings at noon.");
    };
    const unchanged = { has: (id: string) => ({ contentHash: documentHash(id) }), add: async () => {} };
    setTimeout(() => stop.abort(), 0); // without a turn of the event loop, it never fires
    const ingesting = ingest(endless(), unchanged, { encoder, signal: stop.signal });
    await expect(ingesting).rejects.toMatchObject({ code: "aborted" });
  });

  it("gives a text that is hashed in parts the hash of the whole", async () => {
    const long = textDocument("long", `The bell rings at noon.${"\n".repeat(1 << 20)}The tower is old.`);
    const storage = new MemoryStorage();
    const encoder = new TinyEncoder(["The bell rings at noon.", "The tower is old."]);
    const writer = await openIndexWriter(storage, { model: encoder.info });
    await ingest([long], writer, { encoder });
    expect(writer.has("long")?.contentHash).toBe(contentHash.documentContentHash(long));
    await writer.close();
  });
});
