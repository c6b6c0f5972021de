/** Coarse rows list by list: the same rows, whichever way they are read, and the same bytes, however a segment came about. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { madeUpModel } from "../../test/support/made-up.js";
import {
  centroidsOfMadeUp,
  coarseListingModel,
  listingModel,
  makeLarge,
  sharedCentroids,
} from "../../test/support/many-rows.js";
import { MemoryStorage } from "../../test/support/memory-storage.js";
import { centroidsText, EVERY_LIST, learnCentroids, listOf } from "../math/centroids.js";
import { rowBytesOf, unpackNibbles } from "../math/nibbles.js";
import { checkIndex } from "./check.js";
import { LISTED_ROWS } from "./coarse-writer.js";
import { FORMAT_VERSION } from "./container-layout.js";
import type { ManifestModel } from "./manifest.js";
import { repairIndex } from "./repair.js";
import { openSnapshot } from "./snapshot.js";
import type { PreparedDocument, SegmentReader } from "./types.js";
import { openIndexWriter } from "./writer.js";

const large = makeLarge({ seed: 5, documents: 9 });

async function indexOf(
  documents: readonly PreparedDocument[],
  model: ManifestModel = listingModel,
  segmentPassages = 1000,
): Promise<MemoryStorage> {
  const storage = new MemoryStorage();
  const writer = await openIndexWriter(storage, { model, segmentPassages, autoCommit: false });
  for (const document of documents) await writer.add(document);
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
  it("are those that lie one after another without them, each once, in the list of its nearest centroid", async () => {
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
      const seen = new Set<number>();
      const some = Uint16Array.of(900, 3, 4, 5, 70);
      for (const wanted of [some, EVERY_LIST]) {
        seen.clear();
        await lists.read(wanted, (list, numbers, stored) => {
          expect(wanted).toContain(list);
          expect(numbers.length).toBe(lists.firsts[list + 1]! - lists.firsts[list]!);
          for (const [n, row] of numbers.entries()) {
            seen.add(row);
            expect(listOf(centroidsOfMadeUp, values.subarray(row * coarse, (row + 1) * coarse))).toBe(list);
            expect(stored.subarray(n * bytes, (n + 1) * bytes)).toEqual(rows.subarray(row * bytes, (row + 1) * bytes));
          }
          expect([...numbers].sort((a, b) => a - b)).toEqual([...numbers]);
        });
      }
      expect(seen.size).toBe(segment.startRowCount);
      await Promise.all([listed!.close(), plain!.close()]);
    }
  });

  it("are not made of few rows, nor of a model without centroids", async () => {
    for (const storage of [await indexOf(large.slice(0, 2)), await indexOf(large, madeUpModel)]) {
      const snapshot = await openSnapshot(storage);
      expect(await snapshot.segments[0]!.coarseLists()).toBeUndefined();
      await snapshot.close();
      expect((await checkIndex(storage)).problems).toEqual([]);
    }
  });

  it("have, merged, the bytes of an index that was built afresh, whatever lay in lists before and whatever is deleted", async () => {
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
  }, 120_000);

  it("are merged without the model, where one segment has them", async () => {
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

  it("of another model's centroids take those of the first segment, merged", async () => {
    const foreign = centroidsText(
      learnCentroids(
        new Int8Array(4096).map((_, i) => (i * 31) % 127),
        madeUpModel.coarse,
      ),
    );
    const storage = await indexOf(large.slice(0, 4));
    const writer = await openIndexWriter(storage, { model: { ...madeUpModel, coarseCentroids: foreign } });
    for (const document of large.slice(4)) await writer.add(document);
    await writer.commit();
    await writer.close();
    const before = await openSnapshot(storage);
    const [first, second] = await Promise.all(before.segments.map((segment) => segment.coarseLists()));
    expect(first!.centroids).toBe(sharedCentroids);
    expect(second!.centroids).not.toBe(sharedCentroids);
    await before.close();
    const compacting = await openIndexWriter(storage);
    await compacting.compact();
    await compacting.close();
    expect((await checkIndex(storage)).problems.map(String)).toEqual([]);
    expect(await segmentBytes(storage)).toEqual(await segmentBytes(await indexOf(large)));
  });

  it("that were written without centroids are put in lists by `compact` of a writer that has the model", async () => {
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

  it("are made again when they are damaged, in lists where the model is known", async () => {
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

  it("do not take documents with them when other files are damaged, too", async () => {
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
