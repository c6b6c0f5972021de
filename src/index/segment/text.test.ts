import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MemoryStorage } from "../../../test/support/memory-storage.js";
import { openContainer } from "../format/container.js";
import { ContainerWriter, type FileEntry } from "../format/container-writer.js";
import { TextReader, TextWriter } from "./text.js";
import { PIECE_UNITS } from "./text-pieces.js";

const options = { component: "text" as const, passageModelHash: "ab".repeat(32) };

async function store(
  texts: readonly string[],
): Promise<{ reader: TextReader; storage: MemoryStorage; file: FileEntry }> {
  const storage = new MemoryStorage();
  const writer = new TextWriter(await ContainerWriter.create(storage, "s000001.text", options));
  for (const text of texts) await writer.add(text);
  const file = await writer.finish();
  const container = await openContainer(storage, file, options);
  return { reader: new TextReader(container, texts.length), storage, file };
}

/**
 * Arbitrary UTF-16 units, unpaired surrogates included; long enough to need several pieces when
 * repeated.
 */
const anyText = fc
  .tuple(fc.array(fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("\ud800", "\udc00", "😀", "é"))), fc.nat(400))
  .map(([parts, times]) => parts.join("").repeat(times));

describe("text", () => {
  it("returns every range of every text", async () => {
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

  it("never splits a surrogate pair between two pieces", async () => {
    const text = `${"x".repeat(PIECE_UNITS - 1)}😀${"y".repeat(PIECE_UNITS)}`;
    const { reader } = await store([text]);
    expect(await reader.read(0, PIECE_UNITS - 1, PIECE_UNITS + 1)).toBe("😀");
    expect(await reader.read(0, 0, text.length)).toBe(text);
  });

  it("reads a few kB for an answer in a long text, and nothing for the next one close to it", async () => {
    const words = Array.from({ length: 400_000 }, (_, i) => `word${(i * 7919) % 10_007}`).join(" ");
    const { reader, storage } = await store([words]);
    const middle = words.length >> 1;
    await reader.read(0, 0, 1); // the piece table
    const before = storage.counts.get("read")!;
    expect(await reader.read(0, middle, middle + 200)).toBe(words.slice(middle, middle + 200));
    expect(await reader.read(0, middle + 50, middle + 100)).toBe(words.slice(middle + 50, middle + 100));
    expect(storage.counts.get("read")! - before).toBeLessThanOrEqual(2);
  });

  it("is refused for a document with misplaced pieces, and readable for the others", async () => {
    const texts = ["short", "long ".repeat(4000), "last"]; // pieces 0, 1 … 3, 4
    const changes: Record<string, (words: Uint32Array) => void> = {
      "begins within": (words) => words.fill(7, 6, 7),
      "goes back": (words) => words.copyWithin(10, 6, 7),
      "leaves a gap": (words) => words.fill(3 * PIECE_UNITS, 10, 11),
      "ends before it begins": (words) => words.fill(0, 8, 9),
      "is too long": (words) => words.fill(2 ** 31, 11, 12),
    };
    for (const [what, change] of Object.entries(changes)) {
      const reader = await changed(texts, "pieces", change);
      await expect(reader.read(1, 0, 5), what).rejects.toMatchObject({ code: "corrupt-segment" });
      expect(await reader.read(0, 0, 5), what).toBe("short");
      expect(await reader.read(2, 0, 5), what).toBe("last");
    }
    const swapped = await changed(texts, "documents", (words) => words.fill(5, 1, 2));
    await expect(swapped.read(1, 0, 5)).rejects.toMatchObject({ code: "corrupt-segment" });
    expect(await swapped.read(2, 0, 5)).toBe("last");
  });

  it("is refused if the table does not match the bytes or the documents", async () => {
    const texts = ["short", "last"];
    const cut = await changed(texts, "pieces", (words) => words.fill(1, 8, 9));
    const fewer = await changed(texts, "documents", (words) => words.fill(1, 2, 3));
    for (const reader of [cut, fewer])
      for (const document of texts.keys())
        await expect(reader.read(document, 0, 1)).rejects.toMatchObject({ code: "corrupt-segment" });
  });
});

/** Texts in a file with valid checksums and one invalid table. */
async function changed(
  texts: readonly string[],
  table: "pieces" | "documents",
  change: (words: Uint32Array) => void,
): Promise<TextReader> {
  const { storage, file } = await store(texts);
  const sound = await openContainer(storage, file, options);
  const writer = await ContainerWriter.create(storage, "s000002.text", options);
  for (const section of sound.sections) {
    const words = Uint8Array.from(await section.readAll());
    if (section.entry.name === table) change(new Uint32Array(words.buffer));
    await writer.section(section.entry.name, section.entry.blockSize, words);
  }
  return new TextReader(await openContainer(storage, await writer.finish(), options), texts.length);
}
