/**
 * Damage of every kind: intact content is kept, losses are named, nothing is invented and deleted
 * documents stay deleted.
 */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { madeUpModel, makePrepared } from "../../../test/support/made-up.js";
import { MemoryStorage } from "../../../test/support/memory-storage.js";
import { VerbatimError } from "../../errors.js";
import { committedVersions } from "../manifest/manifest.js";
import { openSnapshot } from "../open-snapshot.js";
import type { PreparedDocument } from "../types.js";
import { openIndexWriter } from "../write/writer.js";
import { checkIndex } from "./check.js";
import { type RepairReport, repairIndex } from "./repair.js";

const documents = makePrepared({ seed: 21, documents: 12, passages: [1, 3] });
const DELETED = ["doc-1", "doc-5"];
const live = documents.filter(({ document }) => !DELETED.includes(document.id));

/**
 * Three segments, two of them with deletions; the version before lacks a deletion and a segment.
 */
async function made(): Promise<Map<string, Uint8Array>> {
  const storage = new MemoryStorage();
  const writer = await openIndexWriter(storage, { model: madeUpModel, autoCommit: false });
  const add = async (part: readonly PreparedDocument[]) => {
    for (const document of part) await writer.add(document);
    await writer.flush();
  };
  await add(documents.slice(0, 4));
  await add(documents.slice(4, 8));
  writer.delete("doc-1");
  await writer.commit();
  await add(documents.slice(8));
  writer.delete("doc-5");
  await writer.commit();
  await writer.close();
  return storage.files();
}

async function textsOf(storage: MemoryStorage): Promise<Map<string, string>> {
  const snapshot = await openSnapshot(storage);
  const texts = new Map<string, string>();
  for (const segment of snapshot.segments) {
    for (let d = 0; d < segment.documentCount; d++) {
      if (segment.isDeleted(d)) continue;
      const { id, length } = await segment.readDocument(d);
      expect(texts.has(id)).toBe(false);
      texts.set(id, await segment.readText(d, 0, length));
    }
  }
  await snapshot.close();
  return texts;
}

/** Compares a repaired index with the truth, then adds what was lost and expects everything. */
async function expectRepaired(storage: MemoryStorage, report: RepairReport): Promise<void> {
  expect((await checkIndex(storage)).problems.map(String)).toEqual([]);
  const found = await textsOf(storage);
  const lost = new Set(report.documentsToReadAgain.map(({ id }) => id));
  for (const [id, text] of found)
    expect(text).toBe(documents.find(({ document }) => document.id === id)!.document.text);
  if (!report.deletionsMayBeBack) for (const id of DELETED) expect(found.has(id)).toBe(false);
  const missing = live.filter(({ document }) => !found.has(document.id));
  const unnamed = missing.filter(({ document }) => !lost.has(document.id));
  if (report.droppedSegments.length === 0 || report.manifest === "whole")
    expect(unnamed.length).toBeLessThanOrEqual(report.unknownDocuments);
  expect(report.documents).toBe(found.size);
  const writer = await openIndexWriter(storage, { model: madeUpModel });
  for (const document of missing) await writer.add(document);
  for (const id of DELETED) writer.delete(id);
  await writer.compact({ full: true });
  await writer.close();
  expect((await checkIndex(storage)).problems.map(String)).toEqual([]);
  expect([...(await textsOf(storage)).keys()].sort()).toEqual(live.map(({ document }) => document.id).sort());
}

describe("repair", () => {
  it("loses nothing to a disk that fails once: what can be made again is, whatever operation it was", async () => {
    const damaged = new MemoryStorage();
    const writer = await openIndexWriter(damaged, { model: madeUpModel });
    for (const document of documents.slice(0, 2)) await writer.add(document);
    await writer.commit();
    await writer.close();
    damaged.flipBit("s000001.tfidf", 8 * 70);
    const files = damaged.files();
    const undisturbed = MemoryStorage.of(files);
    await repairIndex(undisturbed);
    const reported = new VerbatimError("io-error", "the disk does not answer");
    for (let at = 2; at <= undisturbed.operations; at++) {
      const storage = MemoryStorage.of(files);
      storage.failAt({ at, error: () => reported });
      const what = `operation ${at} (${undisturbed.log[at - 1]})`;
      try {
        const report = await repairIndex(storage);
        expect([report.rebuiltFiles, report.documents], what).toEqual([["s000001.tfidf"], 2]);
      } catch (error) {
        expect(error, what).toBe(reported);
        expect((await repairIndex(storage)).documents, what).toBe(2);
      }
    }
  });

  it("leaves an index alone that is whole", async () => {
    const files = await made();
    const storage = MemoryStorage.of(files);
    expect(await repairIndex(storage)).toMatchObject({ repaired: false, version: 2, manifest: "whole", problems: [] });
    expect(storage.files()).toEqual(files);
    await expect(repairIndex(new MemoryStorage())).rejects.toMatchObject({ code: "index-missing" });
  });

  it("makes tfidf again without losing anything, byte for byte", async () => {
    const files = await made();
    for (const links of [true, false]) {
      const storage = MemoryStorage.of(files);
      storage.links = links;
      storage.flipBit("s000001.tfidf", 8 * 100 + 1);
      await storage.remove("s000003.tfidf");
      const report = await repairIndex(storage);
      expect(report).toMatchObject({ repaired: true, version: 3, documentsToReadAgain: [], droppedSegments: [] });
      expect(report.rebuiltFiles).toEqual(["s000001.tfidf", "s000003.tfidf"]);
      const after = storage.files();
      expect(after.get("s000004.tfidf")).toEqual(files.get("s000001.tfidf"));
      expect(after.get("s000005.tfidf")).toEqual(files.get("s000003.tfidf"));
      expect(after.has("s000001.tfidf")).toBe(true); // kept for one commit
      await expectRepaired(storage, report);
    }
  });

  it("keeps the whole documents of a damaged segment and names the others", async () => {
    const storage = MemoryStorage.of(await made());
    const bytes = storage.files().get("s000002.phrases")!.length;
    storage.flipBit("s000002.phrases", (bytes >> 1) * 8);
    const report = await repairIndex(storage);
    expect(report).toMatchObject({ salvagedSegments: ["s000002"], droppedSegments: [], unknownDocuments: 0 });
    expect(report.documentsToReadAgain.length).toBeGreaterThan(0);
    expect(report.documentsToReadAgain[0]!.source).toMatch(/^\/made\/up\/doc-/);
    await expectRepaired(storage, report);
  });

  it("of any damage keeps what is whole, and what it drops it names", async () => {
    const files = await made();
    const names = [...files.keys()].filter((name) => name.startsWith("s"));
    const damage = fc.record({
      name: fc.constantFrom(...names),
      kind: fc.constantFrom("flip", "cut", "zeros", "missing", "empty"),
      at: fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(damage, { minLength: 1, maxLength: 3 }), async (faults) => {
        const damaged = new Map([...files].map(([name, bytes]) => [name, bytes.slice()]));
        for (const { name, kind, at } of faults) {
          const bytes = damaged.get(name);
          if (bytes === undefined || bytes.length === 0) continue;
          const place = Math.floor(at * bytes.length);
          if (kind === "flip") bytes[place]! ^= 1 << (place & 7);
          else if (kind === "zeros") bytes.fill(0, place, place + 512);
          else if (kind === "cut") damaged.set(name, bytes.slice(0, place));
          else if (kind === "empty") damaged.set(name, new Uint8Array(0));
          else damaged.delete(name);
        }
        const storage = MemoryStorage.of(damaged);
        const sound = (await checkIndex(storage)).ok;
        const report = await repairIndex(storage);
        expect(report.repaired).toBe(!sound);
        expect(report.problems.length > 0).toBe(!sound);
        await expectRepaired(storage, report);
      }),
      { numRuns: 60 },
    );
  });

  it("takes a damaged manifest's list, then the version's before, then the files; and says which", async () => {
    const files = await made();
    const damage = async (change: (storage: MemoryStorage) => Promise<void> | void): Promise<MemoryStorage> => {
      const storage = MemoryStorage.of(files);
      await change(storage);
      return storage;
    };
    const text = new TextDecoder().decode(files.get("manifest-2.json")!);
    const flipCount = 8 * (text.indexOf('"tokens": ') + 10); // replaces a digit by another
    const salvaged = await damage((storage) => storage.flipBit("manifest-2.json", flipCount));
    await expect(openSnapshot(salvaged)).rejects.toMatchObject({ code: "corrupt-manifest" });
    const first = await repairIndex(salvaged);
    expect(first).toMatchObject({
      manifest: "salvaged",
      version: 3,
      documentsToReadAgain: [],
      deletionsMayBeBack: false,
    });
    await expectRepaired(salvaged, first);
    const older = await damage((storage) => storage.flipBit("manifest-2.json", 8 * 3 + 6));
    const second = await repairIndex(older);
    expect(second).toMatchObject({ manifest: "older", version: 3, droppedSegments: [], deletionsMayBeBack: true });
    await expectRepaired(older, second);
    const gone = await damage(async (storage) => {
      await storage.remove("manifest-1.json");
      await storage.remove("manifest-2.json");
    });
    await expect(repairIndex(gone)).rejects.toMatchObject({ code: "corrupt-manifest", hint: expect.any(String) });
    const third = await repairIndex(gone, { model: madeUpModel });
    expect(third).toMatchObject({ manifest: "rebuilt", version: 3, documents: live.length });
    await expectRepaired(gone, third);
  });

  it("keeps what was committed when any bit of the manifest is wrong", async () => {
    const files = await made();
    const bits = files.get("manifest-2.json")!.length * 8;
    const origins = new Map<string, number>();
    for (let bit = 5; bit < bits; bit += 797) {
      const storage = MemoryStorage.of(files);
      storage.flipBit("manifest-2.json", bit);
      const report = await repairIndex(storage);
      origins.set(report.manifest, (origins.get(report.manifest) ?? 0) + 1);
      expect(report.documentsToReadAgain, `bit ${bit}`).toEqual([]);
      expect((await checkIndex(storage)).problems.map(String), `bit ${bit}`).toEqual([]);
      const found = await textsOf(storage);
      for (const { document } of live) expect(found.get(document.id), `bit ${bit}`).toBe(document.text);
      expect(committedVersions([...storage.files().keys()])[0]).toBe(3);
    }
    expect([...origins.keys()].sort()).toEqual(["older", "salvaged"]);
  });

  it("gives nothing up for an error that does not come again, and stops at one that does not end", async () => {
    const files = await made();
    const { VerbatimError } = await import("../../errors.js");
    const error = () => new VerbatimError("io-error", "the disk does not answer");
    const whole = MemoryStorage.of(files);
    await repairIndex(whole);
    for (let at = 1; at <= whole.operations; at += 7) {
      const storage = MemoryStorage.of(files);
      storage.failAt({ at, error });
      const report = await repairIndex(storage).catch(() => undefined);
      expect(report?.documentsToReadAgain ?? []).toEqual([]);
      expect((await textsOf(storage)).size, `operation ${at}`).toBe(live.length);
    }
  });
});
