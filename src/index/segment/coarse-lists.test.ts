/**
 * Inverted lists have the same rows however they are read, and the same bytes however a segment was
 * made.
 */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { documentsAtPrecision } from "../../../test/support/at-precision.js";
import { madeUpModel } from "../../../test/support/made-up.js";
import {
  centroidsOfMadeUp,
  coarseListingModel,
  listingModel,
  makeLarge,
  sharedCentroids,
} from "../../../test/support/many-rows.js";
import { MemoryStorage } from "../../../test/support/memory-storage.js";
import { BRANCHES, centroidsText, EVERY_LIST, LISTS, learnCentroids, listOf } from "../../vectors/centroids.js";
import { rowBytesOf, unpackNibbles } from "../../vectors/nibbles.js";
import { ByteWriter } from "../format/bytes.js";
import { openContainer } from "../format/container.js";
import { FORMAT_VERSION } from "../format/container-layout.js";
import { ContainerWriter } from "../format/container-writer.js";
import { checkIndex } from "../maintain/check.js";
import { repairIndex } from "../maintain/repair.js";
import type { ManifestModel } from "../manifest/manifest.js";
import { openSnapshot } from "../open-snapshot.js";
import type { PreparedDocument, SegmentReader } from "../types.js";
import { openIndexWriter } from "../write/writer.js";
import { CoarseCode, CoarseReader } from "./coarse.js";
import { LISTED_ROWS } from "./coarse-writer.js";

const large = makeLarge({ seed: 5, documents: 9 });

async function indexOf(
  documents: readonly PreparedDocument[],
  model: ManifestModel = listingModel,
  segmentPassages = 1000,
): Promise<MemoryStorage> {
  const storage = new MemoryStorage();
  const writer = await openIndexWriter(storage, { model, segmentPassages, autoCommit: false });
  for (const document of documentsAtPrecision(documents, model)) await writer.add(document);
  await writer.commit();
  await writer.close();
  return storage;
}

/** Bytes of the only segment's files. */
async function segmentBytes(storage: MemoryStorage): Promise<Record<string, string>> {
  const snapshot = await openSnapshot(storage);
  await snapshot.close();
  expect(snapshot.manifest.segments.length).toBe(1);
  const [{ name, files }] = snapshot.manifest.segments as [(typeof snapshot.manifest.segments)[number]];
  return Object.fromEntries(
    files.map((file) => [
      file.name.slice(name.length),
      Buffer.from(storage.files().get(file.name)!).toString("base64"),
    ]),
  );
}

async function readInOrder(segment: SegmentReader): Promise<Uint8Array> {
  const out = new Uint8Array(segment.startRowCount * rowBytesOf(madeUpModel.coarse, segment.coarseBits));
  const bytes = rowBytesOf(madeUpModel.coarse, segment.coarseBits);
  await segment.readCoarse((first, rows) => out.set(rows, first * bytes));
  return out;
}

describe("coarse rows in lists", () => {
  it("hold every row exactly once, in the list of its nearest centroid", async () => {
    for (const model of [listingModel, coarseListingModel]) {
      const [listed, plain] = await Promise.all(
        [model, { ...model, coarseCentroids: undefined }].map(async (one) =>
          openSnapshot(await indexOf(large, one as ManifestModel)),
        ),
      );
      const [segment, other] = [listed!.segments[0]!, plain!.segments[0]!];
      expect(listed!.formatVersion).toBe(FORMAT_VERSION);
      expect(segment.startRowCount).toBeGreaterThanOrEqual(LISTED_ROWS);
      expect(await other.coarseLists()).toBeUndefined();
      const rows = await readInOrder(other);
      expect(await readInOrder(segment)).toEqual(rows);
      const lists = (await segment.coarseLists())!;
      expect(lists.centroids).toBe(sharedCentroids);
      const { coarse } = madeUpModel;
      const values = unpackNibbles(rows, coarse, segment.coarseBits);
      const bytes = rowBytesOf(coarse, segment.coarseBits);
      const nearest = Array.from({ length: segment.startRowCount }, (_, row) =>
        listOf(centroidsOfMadeUp, values.subarray(row * coarse, (row + 1) * coarse)),
      );
      const seen = new Set<number>();
      const some = Uint16Array.of(900, 3, 4, 5, 70);
      for (const wanted of [some, EVERY_LIST]) {
        seen.clear();
        await lists.read(wanted, (list, numbers, stored) => {
          expect(wanted).toContain(list);
          expect(numbers.length).toBe(lists.firsts[list + 1]! - lists.firsts[list]!);
          // an assertion per list: one per row would take most of the test's time
          const expected = new Uint8Array(stored.length);
          for (const [n, row] of numbers.entries())
            expected.set(rows.subarray(row * bytes, (row + 1) * bytes), n * bytes);
          expect(Buffer.compare(stored, expected)).toBe(0);
          expect([...numbers].filter((row) => nearest[row] !== list)).toEqual([]);
          expect([...numbers].sort((a, b) => a - b)).toEqual([...numbers]);
          for (const row of numbers) seen.add(row);
        });
      }
      expect(seen.size).toBe(segment.startRowCount);
      await Promise.all([listed!.close(), plain!.close()]);
    }
  });

  it("are not used for few rows, nor without centroids", async () => {
    for (const storage of [await indexOf(large.slice(0, 2)), await indexOf(large, madeUpModel)]) {
      const snapshot = await openSnapshot(storage);
      expect(await snapshot.segments[0]!.coarseLists()).toBeUndefined();
      await snapshot.close();
      expect((await checkIndex(storage)).problems).toEqual([]);
    }
  });

  it("have the bytes of a newly built index after a merge, whatever had lists before and whatever is deleted", async () => {
    const cases = fc.record({
      segmentPassages: fc.constantFrom(1, 45, 60),
      gone: fc.uniqueArray(fc.nat(8), { maxLength: 8 }),
      compactFirst: fc.boolean(),
      storage: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(cases, async ({ segmentPassages, gone, compactFirst, storage: coarsely }) => {
        const model = coarsely ? coarseListingModel : listingModel;
        const storage = await indexOf(large, model, segmentPassages);
        const writer = await openIndexWriter(storage, { model });
        if (compactFirst) await writer.compact();
        for (const number of gone) writer.delete(`doc-${number}`);
        await writer.compact({ full: true });
        await writer.close();
        expect((await checkIndex(storage)).problems.map(String)).toEqual([]);
        const left = large.filter((_, n) => !gone.includes(n));
        expect(await segmentBytes(storage)).toEqual(await segmentBytes(await indexOf(left, model)));
      }),
      { numRuns: 12 },
    );
  });

  it("are merged without the model if one segment has them", async () => {
    const storage = await indexOf(large.slice(0, 5));
    const adding = await openIndexWriter(storage, { model: listingModel });
    for (const document of large.slice(5, 7)) await adding.add(document);
    await adding.close().catch(() => {});
    const again = await openIndexWriter(storage, { model: listingModel });
    for (const document of large.slice(5, 7)) await again.add(document);
    await again.commit();
    await again.close();
    const writer = await openIndexWriter(storage);
    await writer.compact();
    await writer.close();
    expect(await segmentBytes(storage)).toEqual(await segmentBytes(await indexOf(large.slice(0, 7))));
  });

  it("get the model's centroids in a merge, or those of the first segment if no model is loaded", async () => {
    const foreign = centroidsText(
      learnCentroids(
        new Int8Array(4096).map((_, i) => (i * 31) % 127),
        madeUpModel.coarse,
      ),
    );
    for (const model of [listingModel, undefined]) {
      const [first, second] = model === undefined ? [listingModel.coarseCentroids, foreign] : [foreign, foreign];
      const storage = await indexOf(large.slice(0, 4), { ...madeUpModel, coarseCentroids: first });
      const writer = await openIndexWriter(storage, { model: { ...madeUpModel, coarseCentroids: second } });
      for (const document of large.slice(4)) await writer.add(document);
      await writer.commit();
      await writer.close();
      const compacting = await openIndexWriter(storage, { model });
      expect(await compacting.compact()).toMatchObject({ merged: 2 });
      expect(await compacting.compact()).toMatchObject({ merged: 0 });
      await compacting.close();
      expect((await checkIndex(storage)).problems.map(String)).toEqual([]);
      expect(await segmentBytes(storage)).toEqual(await segmentBytes(await indexOf(large)));
    }
  });

  it("are created by `compact` for rows written without centroids, if the writer has the model", async () => {
    const storage = await indexOf(large, madeUpModel);
    const unknowing = await openIndexWriter(storage);
    expect(await unknowing.compact()).toMatchObject({ merged: 0 });
    await unknowing.close();
    const writer = await openIndexWriter(storage, { model: listingModel });
    expect(await writer.compact()).toMatchObject({ merged: 1, segmentsAfter: 1 });
    expect(await writer.compact()).toMatchObject({ merged: 0 });
    await writer.close();
    expect(await segmentBytes(storage)).toEqual(await segmentBytes(await indexOf(large)));
  });

  it("are rebuilt when they are damaged, if the model is known", async () => {
    for (const model of [listingModel, undefined]) {
      const storage = await indexOf(large);
      const name = [...storage.files().keys()].find((file) => file.endsWith(".coarse"))!;
      const before = await segmentBytes(storage);
      storage.flipBit(name, 5000 * 8);
      expect((await checkIndex(storage)).problems.map(({ file }) => file)).toContain(name);
      await repairIndex(storage, model === undefined ? {} : { model });
      expect((await checkIndex(storage)).problems.map(String)).toEqual([]);
      const snapshot = await openSnapshot(storage);
      expect((await snapshot.segments[0]!.coarseLists()) !== undefined).toBe(model !== undefined);
      expect(snapshot.documentCount).toBe(large.length);
      await snapshot.close();
      if (model !== undefined) expect(await segmentBytes(storage)).toEqual(before);
    }
  });

  it("do not cause the loss of documents when other files are damaged as well", async () => {
    const storage = await indexOf(large);
    const files = storage.files();
    const named = (component: string) => [...files.keys()].find((file) => file.endsWith(component))!;
    storage.flipBit(named(".coarse"), 90_000 * 8);
    storage.flipBit(named(".phrases"), (files.get(named(".phrases"))!.length >> 1) * 8);
    const { documentsToReadAgain } = await repairIndex(storage, {});
    expect(documentsToReadAgain.length).toBe(1);
    expect((await checkIndex(storage)).problems.map(String)).toEqual([]);
    const snapshot = await openSnapshot(storage);
    expect(snapshot.documentCount).toBe(large.length - 1);
    await snapshot.close();
  });
});

describe("a file with invalid lists", () => {
  const { coarse } = madeUpModel;
  const code = new CoarseCode({ dense: coarse, coarse }, 8);
  const ROWS = 20;

  /** Rows 0 … 19: the even ones in list 7, the odd ones in list 900. */
  function good() {
    const table = new ByteWriter();
    const numbers = new ByteWriter();
    for (let list = 0; list < LISTS; list++) {
      const before = numbers.length;
      const first = list === 7 ? 0 : 1;
      const count = list === 7 || list === 900 ? ROWS / 2 : 0;
      for (let n = 0; n < count; n++) numbers.varint(n === 0 ? first : 1);
      table.varint(count);
      table.varint(numbers.length - before);
    }
    const rows = new Uint8Array(ROWS * coarse).map((_, i) => i % 251);
    const centroids = new Uint8Array((BRANCHES + LISTS) * coarse).map((_, i) => i % 239);
    return { rows, numbers: numbers.bytes().slice(), lists: table.bytes().slice(), centroids };
  }

  async function open(sections: Record<string, Uint8Array>): Promise<CoarseReader> {
    const storage = new MemoryStorage();
    const { passageModelHash } = madeUpModel;
    const writer = await ContainerWriter.create(storage, "s000001.coarse", { component: "coarse", passageModelHash });
    for (const [name, bytes] of Object.entries(sections)) await writer.section(name, 512, bytes);
    const file = await writer.finish();
    await storage.syncDirectory();
    const container = await openContainer(storage, file, { component: "coarse", passageModelHash });
    return new CoarseReader(container, code, ROWS);
  }

  it("is read where it is right", async () => {
    const { rows, ...rest } = good();
    const reader = await open({ rows, ...rest });
    const lists = (await reader.lists())!;
    const seen: Array<[number, number[]]> = [];
    await lists.read(EVERY_LIST, (list, numbers) => seen.push([list, [...numbers]]));
    const even = Array.from({ length: ROWS / 2 }, (_, n) => 2 * n);
    expect(seen).toEqual([
      [7, even],
      [900, even.map((row) => row + 1)],
    ]);
    const { rows: inOrder, owners } = await reader.stored(3, 6);
    expect([...owners!]).toEqual([900, 7, 900]);
    expect(inOrder).toEqual(
      Uint8Array.from([11, 2, 12].flatMap((at) => [...rows.subarray(at * coarse, (at + 1) * coarse)])),
    );
  });

  const changed = (name: "numbers" | "lists", at: number, by: (byte: number) => number): Record<string, Uint8Array> => {
    const sections = good();
    sections[name][at] = by(sections[name][at]!);
    return sections;
  };

  it.each([
    ["more rows than there are", changed("lists", 14, () => 11)],
    ["fewer rows", changed("lists", 14, () => 9)],
    ["numbers that end elsewhere", changed("lists", 15, () => 11)],
    ["a table with extra bytes", { ...good(), lists: Uint8Array.of(...good().lists, 0) }],
    ["a table that is cut short", { ...good(), lists: good().lists.subarray(1) }],
    ["too few centroids", { ...good(), centroids: good().centroids.subarray(1) }],
    ["no numbers", { rows: good().rows, lists: good().lists, centroids: good().centroids }],
  ])("is refused: %s", async (_, sections) => {
    const opening = open(sections).then((reader) => reader.lists());
    await expect(opening).rejects.toMatchObject({ code: "corrupt-segment" });
  });

  it.each([
    ["a number out of range", changed("numbers", 9, () => 100)],
    ["a number that runs on into the next list", changed("numbers", 9, (byte) => byte | 128)],
    ["a last number that runs past the end", changed("numbers", 19, (byte) => byte | 128)],
  ])("is refused when it is read: %s", async (_, sections) => {
    const lists = (await (await open(sections)).lists())!;
    await expect(lists.read(EVERY_LIST, () => {})).rejects.toMatchObject({ code: "corrupt-segment" });
  });

  it("is refused when its rows are brought in order: one in two lists, one in none", async () => {
    const reader = await open(changed("numbers", 10, () => 0)); // list 900 begins with row 0
    await expect(reader.stored(0, ROWS)).rejects.toThrow(/in two lists/);
    const gap = await open(changed("numbers", 19, () => 0)); // … and has row 18 in place of 19
    await expect(gap.stored(0, ROWS)).rejects.toMatchObject({ code: "corrupt-segment" });
  });
});
