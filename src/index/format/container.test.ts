import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MemoryStorage } from "../../../test/support/memory-storage.js";
import { type Container, type ContainerOptions, openContainer } from "./container.js";
import { encodeHeader, FORMAT_VERSION } from "./container-layout.js";
import { ContainerWriter, type FileEntry } from "./container-writer.js";
import { crc32c } from "./crc32c.js";

const passageModelHash = "ab".repeat(32);
const options = { component: "text" as const, passageModelHash };

interface Made {
  name: string;
  blockSize: number;
  bytes: Uint8Array;
}

async function write(storage: MemoryStorage, sections: readonly Made[]): Promise<FileEntry> {
  const writer = await ContainerWriter.create(storage, "s000001.text", options);
  for (const { name, blockSize, bytes } of sections) {
    writer.beginSection(name, blockSize);
    for (let at = 0; at < bytes.length; at += 700) await writer.append(bytes.subarray(at, at + 700));
  }
  return writer.finish();
}

const made = fc.array(
  fc.record({ blockSize: fc.constantFrom(512, 1024), bytes: fc.uint8Array({ maxLength: 3000, size: "max" }) }),
  { maxLength: 4 },
);
const named = (sections: Array<Omit<Made, "name">>): Made[] =>
  sections.map((section, i) => ({ name: `part-${i}`, ...section }));

describe("container", () => {
  it("gives back any range of any section", async () => {
    await fc.assert(
      fc.asyncProperty(made, fc.array(fc.tuple(fc.nat(3000), fc.nat(3000))), async (parts, cuts) => {
        const sections = named(parts);
        const storage = new MemoryStorage();
        const container = await openContainer(storage, await write(storage, sections), options);
        for (const { name, bytes } of sections) {
          const section = container.section(name);
          expect(await section.readAll()).toEqual(bytes);
          const ranges = cuts.map(([a, b]) => {
            const offset = Math.min(a, bytes.length);
            return { offset, length: Math.min(b, bytes.length - offset) };
          });
          const read: Uint8Array[] = [];
          await section.visitMany(ranges, (n, found) => {
            read[n] = found.slice();
          });
          for (const [i, { offset, length }] of ranges.entries())
            expect(read[i]).toEqual(bytes.subarray(offset, offset + length));
        }
        await container.close();
      }),
      { numRuns: 50 },
    );
  });

  it("reads ranges that are close together with one read, and checks a block once", async () => {
    const storage = new MemoryStorage();
    const bytes = Uint8Array.from({ length: 200_000 }, (_, i) => i * 7);
    const container = await openContainer(
      storage,
      await write(storage, [{ name: "a", blockSize: 512, bytes }]),
      options,
    );
    const section = container.section("a");
    const before = storage.counts.get("read")!;
    const visit = (...offsets: number[]): Promise<void> =>
      section.visitMany(
        offsets.map((offset) => ({ offset, length: 100 })),
        () => {},
      );
    await visit(10, 5000, 12_000);
    expect(storage.counts.get("read")! - before).toBe(1);
    await visit(0, 100_000);
    expect(storage.counts.get("read")! - before).toBe(3);
    storage.flipBit("s000001.text", (64 + 20) * 8); // changes a block after it was checked
    expect((await section.read(20, 1))[0]).toBe(bytes[20]! ^ 1);
  });

  it("names file, section and block of a flipped bit, and the others are still read", async () => {
    const storage = new MemoryStorage();
    const bytes = new Uint8Array(5000).fill(1);
    const file = await write(storage, [
      { name: "a", blockSize: 512, bytes: bytes.subarray(0, 100) },
      { name: "b", blockSize: 1024, bytes },
    ]);
    storage.flipBit(file.name, (64 + 100 + 2 * 1024 + 7) * 8 + 3);
    const container = await openContainer(storage, file, options);
    const section = container.section("b");
    await expect(section.read(2050, 10)).rejects.toMatchObject({
      code: "corrupt-segment",
      where: 's000001.text, section "b", block 2',
    });
    expect(await section.read(0, 2048)).toEqual(bytes.subarray(0, 2048));
    expect(await section.damagedBlocks(() => {})).toEqual([2]);
    await expect(container.section("a").readAll()).resolves.toHaveLength(100);
  });

  it("has the same content id for the same bytes only", async () => {
    const id = async (bytes: Uint8Array) =>
      (await write(new MemoryStorage(), [{ name: "a", blockSize: 512, bytes }])).id;
    expect(await id(Uint8Array.of(1, 2))).toBe(await id(Uint8Array.of(1, 2)));
    expect(await id(Uint8Array.of(1, 2))).not.toBe(await id(Uint8Array.of(1, 3)));
    expect(await id(Uint8Array.of(1, 2))).toMatch(/^[0-9a-f]{32}$/);
  });

  it("refuses a short read, ranges outside, missing sections", async () => {
    const storage = new MemoryStorage();
    const file = await write(storage, [{ name: "a", blockSize: 512, bytes: new Uint8Array(1000) }]);
    const container = await openContainer(storage, file, options);
    const section = container.section("a");
    for (const [offset, length] of [
      [-1, 1],
      [0, 1001],
      [1000, 1],
      [Number.NaN, 1],
    ] as const) {
      await expect(section.read(offset, length)).rejects.toMatchObject({ code: "corrupt-segment" });
    }
    expect(() => container.section("b")).toThrow(/"b" is missing/);
    storage.shortReads = 100;
    await expect(section.read(0, 600)).rejects.toMatchObject({ code: "io-error", found: 100, expected: 1000 });
  });

  it("distinguishes another format version, model and file from damage", async () => {
    const storage = new MemoryStorage();
    const file = await write(storage, [{ name: "a", blockSize: 512, bytes: new Uint8Array(10) }]);
    const open = (patch: (header: DataView) => void, more: Partial<ContainerOptions> = {}): Promise<Container> => {
      const bytes = storage.files().get(file.name)!;
      const header = bytes.subarray(0, 64);
      patch(new DataView(header.buffer));
      new DataView(header.buffer).setUint32(60, crc32c(header, 0, 60), true);
      return openContainer(MemoryStorage.of(new Map([[file.name, bytes]])), file, { ...options, ...more });
    };
    await expect(open((header) => header.setUint16(10, FORMAT_VERSION + 1, true))).rejects.toMatchObject({
      code: "unsupported-format",
      found: FORMAT_VERSION + 1,
      expected: FORMAT_VERSION,
    });
    await expect(open((header) => header.setUint32(12, 4, true))).rejects.toMatchObject({ code: "unsupported-format" });
    await expect(open(() => {}, { passageModelHash: "cd".repeat(32) })).rejects.toMatchObject({
      code: "model-mismatch",
    });
    // A later version that says it can be read is read; only the thorough check sees that the bytes
    // changed.
    await (await open((header) => header.setUint16(8, FORMAT_VERSION + 1, true))).close();
    await expect(open((header) => header.setUint16(8, FORMAT_VERSION + 1, true), { verifyId: true })).rejects.toThrow(
      /content id/,
    );
    await expect(openContainer(storage, { ...file, id: "0".repeat(32) }, options)).rejects.toThrow(
      /not the file that the manifest names/,
    );
    await expect(openContainer(storage, { ...file, bytes: 1 }, options)).rejects.toMatchObject({
      found: file.bytes,
      expected: 1,
    });
    expect(encodeHeader("tombstones", passageModelHash)).toHaveLength(64);
  });
});
