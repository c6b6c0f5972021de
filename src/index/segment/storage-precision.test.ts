/** What an index stores of a passage, and that merging loses nothing. */

import { describe, expect, it } from "vitest";
import { documentsAtPrecision } from "../../../test/support/at-precision.js";
import { madeUpModel, makePrepared } from "../../../test/support/made-up.js";
import { MemoryStorage } from "../../../test/support/memory-storage.js";
import { coarsely } from "../../../test/support/storage-precision.js";
import { coarsestPrecision, fullPrecision, precisionOf } from "../../encode/precision.js";
import type { EncodedPassage, StoragePrecision } from "../../encode/types.js";
import { checkIndex } from "../maintain/check.js";
import { openSnapshot } from "../open-snapshot.js";
import type { PreparedDocument, StoredPassage } from "../types.js";
import { openIndexWriter } from "../write/writer.js";

const model = { ...madeUpModel, storage: coarsely };

async function build(documents: readonly PreparedDocument[], perCommit: number): Promise<MemoryStorage> {
  const storage = new MemoryStorage();
  const writer = await openIndexWriter(storage, { model });
  for (const [n, document] of documents.entries()) {
    await writer.add(document);
    if (n % perCommit === perCommit - 1) await writer.commit();
  }
  await writer.commit();
  if (perCommit < documents.length) await writer.compact();
  await writer.close();
  return storage;
}

/** What is read back: everything the encoder gave, except term weights and the vector. */
function asStored({ units: _, vector: __, ...stored }: EncodedPassage): StoredPassage {
  return stored;
}

describe("an index with reduced storage precision", () => {
  const unrounded = makePrepared({ seed: 4, documents: 9 });
  const documents = documentsAtPrecision(unrounded, model);

  it("returns every value and term weight that it was given", async () => {
    const storage = await build(documents, 100);
    const snapshot = await openSnapshot(storage);
    const [segment] = snapshot.segments;
    const encoded = documents.flatMap(({ passages }) => passages.map((passage) => passage.encoded));
    const numbers = encoded.map((_, p) => p);
    for (const [p, stored] of (await segment!.readPassages(numbers)).entries()) {
      expect(stored).toEqual(asStored(encoded[p]!));
    }
    let terms = 0;
    for (let term = 0; term < model.vocabularySize; term++) {
      const [list] = await segment!.termPostings([term]);
      for (const [i, unit] of list?.units.entries() ?? []) {
        const { terms: all, weights } = encoded[unit]!.units[0]!;
        expect(list!.values[i]).toBe(weights[all.indexOf(term)]);
        terms++;
      }
    }
    const expected = encoded.map(({ units }) => units[0]!.terms.length);
    expect(terms).toBe(expected.reduce((sum, count) => sum + count, 0));
    await snapshot.close();
  });

  it("refuses passages that are finer than its precision", async () => {
    const writer = await openIndexWriter(new MemoryStorage(), { model });
    const [document] = unrounded;
    const finer = (changes: Partial<EncodedPassage>): PreparedDocument => ({
      ...documents[0]!,
      passages: documents[0]!.passages.map((passage) => ({ ...passage, encoded: { ...passage.encoded, ...changes } })),
    });
    const { startVectors, endUnigrams, units } = document!.passages[0]!.encoded;
    for (const changes of [{ startVectors }, { endUnigrams }, { units }])
      await expect(writer.add(finer(changes))).rejects.toMatchObject({ code: "invalid-argument" });
    await writer.close();
  });

  it("loses nothing when its segments are merged: the bytes are those of one segment", async () => {
    const [one, merged] = [await build(documents, 100), await build(documents, 2)];
    const files = (storage: MemoryStorage) =>
      [...storage.files()].filter(([name]) => name.startsWith("s")).map(([name, bytes]) => [name.split(".")[1], bytes]);
    expect(files(merged)).toEqual(files(one));
    expect((await checkIndex(merged)).problems.map(String)).toEqual([]);
  });

  it("merges with segments of full precision at its own, coarser steps", async () => {
    const { storage: _, ...plain } = model;
    const storage = new MemoryStorage();
    const fine = await openIndexWriter(storage, { model: plain });
    for (const document of unrounded.slice(0, 4)) await fine.add(document);
    await fine.commit();
    await fine.close();
    const writer = await openIndexWriter(storage, { model });
    for (const document of documents.slice(4)) await writer.add(document);
    await writer.compact();
    await writer.close();
    expect((await checkIndex(storage)).problems.map(String)).toEqual([]);
    const snapshot = await openSnapshot(storage);
    const [segment, ...others] = snapshot.segments;
    expect(others).toEqual([]);
    const encoded = documents.flatMap(({ passages }) => passages.map((passage) => passage.encoded));
    for (const [p, stored] of (await segment!.readPassages(encoded.map((_, p) => p))).entries()) {
      const kept = asStored(encoded[p]!);
      for (const name of ["startVectors", "endVectors", "startCoherency", "endCoherency"] as const)
        expect(stored[name]).toEqual(kept[name]);
    }
    await snapshot.close();
  });
});

describe("storage precision", () => {
  it("of of a model without `storage` keeps everything", () => {
    const { storage: _, ...plain } = model;
    expect(precisionOf(plain)).toEqual(fullPrecision(plain));
  });

  it("takes the larger step of each", () => {
    const other = { ...fullPrecision(model), start: Uint8Array.of(9, 3) };
    expect(coarsestPrecision([precisionOf(model), other])).toEqual({
      ...precisionOf(model),
      start: Uint8Array.of(9, 16),
    });
  });

  it.each<[string, Partial<StoragePrecision>]>([
    ["steps of another dimension", { start: [1] }],
    ["a step of 0", { end: [0, 1] }],
    ["a step of 65", { coherency: [65] }],
    ["an n-gram step of 255", { ngramStep: 255 }],
    ["no n-grams", { ngramsPerRow: 0 }],
    ["half a term", { termsPerUnit: 0.5 }],
  ])("is refused before anything is written: %s", async (_, wrong) => {
    const storage = new MemoryStorage();
    const bad = { ...model, storage: { ...coarsely, ...wrong } };
    await expect(openIndexWriter(storage, { model: bad })).rejects.toMatchObject({ code: "invalid-argument" });
    expect([...storage.files()]).toEqual([]);
  });
});
