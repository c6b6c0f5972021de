import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MemoryStorage } from "../../test/support/memory-storage.js";
import { openContainer } from "./container.js";
import { ContainerWriter } from "./container-writer.js";
import { TextReader, TextWriter } from "./text.js";
import { PIECE_UNITS } from "./text-pieces.js";

const options = { component: "text" as const, passageModelHash: "ab".repeat(32) };

async function store(texts: readonly string[]): Promise<{ reader: TextReader; storage: MemoryStorage }> {
  const storage = new MemoryStorage();
  const writer = new TextWriter(await ContainerWriter.create(storage, "s000001.text", options));
  for (const text of texts) await writer.add(text);
  const container = await openContainer(storage, await writer.finish(), options);
  return { reader: new TextReader(container, texts.length), storage };
}

/** Any UTF-16 units at all, unpaired surrogates too; long enough to need several pieces when repeated. */
const anyText = fc
  .tuple(fc.array(fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("\ud800", "\udc00", "😀", "é"))), fc.nat(400))
  .map(([parts, times]) => parts.join("").repeat(times));

describe("text", () => {
  it("gives back every stretch of every text", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyText, { maxLength: 4 }),
        fc.array(fc.tuple(fc.nat(30_000), fc.nat(30_000))),
        async (texts, cuts) => {
          const { reader } = await store(texts);
          for (const [i, text] of texts.entries()) {
            expect(await reader.read(i, 0, text.length)).toBe(text);
            for (const [from, to] of cuts)
              expect(await reader.read(i, from, to)).toBe(text.slice(from, Math.max(from, to)));
          }
        },
      ),
      { numRuns: 40 },
    );
  });

  it("never cuts a surrogate pair: both neighbours of a piece's end are whole", async () => {
    const text = `${"x".repeat(PIECE_UNITS - 1)}😀${"y".repeat(PIECE_UNITS)}`;
    const { reader } = await store([text]);
    expect(await reader.read(0, PIECE_UNITS - 1, PIECE_UNITS + 1)).toBe("😀");
    expect(await reader.read(0, 0, text.length)).toBe(text);
  });

  it("reads a few kB for an answer in a long text, and nothing for the next one beside it", async () => {
    const words = Array.from({ length: 400_000 }, (_, i) => `word${(i * 7919) % 10_007}`).join(" ");
    const { reader, storage } = await store([words]);
    const middle = words.length >> 1;
    await reader.read(0, 0, 1); // the piece table
    const before = storage.counts.get("read")!;
    expect(await reader.read(0, middle, middle + 200)).toBe(words.slice(middle, middle + 200));
    expect(await reader.read(0, middle + 50, middle + 100)).toBe(words.slice(middle + 50, middle + 100));
    expect(storage.counts.get("read")! - before).toBeLessThanOrEqual(2);
  });
});
