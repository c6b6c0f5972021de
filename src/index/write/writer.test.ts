/** The writer's errors, commits and leftovers. */

import { describe, expect, it } from "vitest";
import { madeUpModel, makePrepared } from "../../../test/support/made-up.js";
import { MemoryStorage } from "../../../test/support/memory-storage.js";
import { documentContentHash } from "../format/content-hash.js";
import { checkIndex } from "../maintain/check.js";
import { openSnapshot } from "../open-snapshot.js";
import type { PreparedDocument } from "../types.js";
import { openIndexWriter } from "./writer.js";

const options = { model: madeUpModel };
const documents = makePrepared({ seed: 11, documents: 6, passages: [2, 2] });
const names = (storage: MemoryStorage) => [...storage.files().keys()];

async function built(): Promise<MemoryStorage> {
  const storage = new MemoryStorage();
  const writer = await openIndexWriter(storage, options);
  for (const document of documents.slice(0, 3)) await writer.add(document);
  await writer.commit();
  await writer.close();
  return storage;
}

describe("IndexWriter", () => {
  it("knows its documents and their content, committed or not", async () => {
    const writer = await openIndexWriter(await built(), options);
    expect(writer.has("doc-0")).toEqual({ contentHash: documentContentHash(documents[0]!.document) });
    expect(writer.has("doc-5")).toBeUndefined();
    await writer.add(documents[5]!);
    expect(writer.has("doc-5")).toEqual({ contentHash: documentContentHash(documents[5]!.document) });
    expect([writer.delete("doc-5"), writer.delete("doc-5"), writer.has("doc-5")]).toEqual([true, false, undefined]);
    await writer.close();
  });

  it("opens a file of documents once, however many are looked up, and closes it", async () => {
    const storage = await built();
    const opened = { documents: 0, inUse: 0 };
    const { open } = storage;
    storage.open = async (name) => {
      const source = await open.call(storage, name);
      if (!name.endsWith(".documents")) return source;
      opened.documents++;
      opened.inUse++;
      const close = async (): Promise<void> => {
        opened.inUse--;
        await source.close();
      };
      return { size: () => source.size(), read: (...given) => source.read(...given), close };
    };
    const writer = await openIndexWriter(storage, options);
    opened.documents = 0; // reading the ids opened it too
    const ids = ["doc-2", "doc-0", "doc-1", "doc-2"];
    const found = [...(await Promise.all(ids.map((id) => writer.find(id)))), await writer.find("doc-0")];
    expect(found.map((document) => document?.id)).toEqual([...ids, "doc-0"]);
    expect(opened).toEqual({ documents: 1, inUse: 1 });

    await writer.add(documents[3]!);
    await writer.commit();
    await writer.compact();
    expect((await writer.find("doc-3"))?.id).toBe("doc-3");
    expect(opened.inUse).toBe(1); // the merged segment's file, and no other
    await writer.close();
    expect(opened.inUse).toBe(0);
  });

  it("makes no second version without changes, and commits an empty index", async () => {
    const storage = new MemoryStorage();
    const writer = await openIndexWriter(storage, options);
    expect([await writer.commit(), await writer.commit()]).toEqual([1, 1]);
    await writer.close();
    const snapshot = await openSnapshot(storage);
    expect([snapshot.version, snapshot.documentCount, snapshot.segments]).toEqual([1, 0, []]);
    expect((await checkIndex(storage)).ok).toBe(true);
  });

  it("commits full segments as it goes, unless autoCommit is off", async () => {
    const versions = async (autoCommit: boolean) => {
      const writer = await openIndexWriter(new MemoryStorage(), { ...options, segmentPassages: 4, autoCommit });
      const seen: number[] = [];
      for (const document of documents) {
        await writer.add(document);
        seen.push(writer.version);
      }
      await writer.close();
      return seen;
    };
    expect(await versions(true)).toEqual([0, 1, 1, 2, 2, 3]);
    expect(await versions(false)).toEqual([0, 0, 0, 0, 0, 0]);
  });

  it("that starts empty replaces everything with its first commit, with another model, and nothing before", async () => {
    const storage = await built();
    const before = names(storage);
    const other = { model: { ...madeUpModel, passageModelHash: "f".repeat(64) }, startEmpty: true, segmentPassages: 2 };
    const unfinished = await openIndexWriter(storage, other);
    expect([unfinished.version, unfinished.documentCount]).toEqual([1, 0]);
    await unfinished.add(documents[4]!);
    expect(unfinished.version).toBe(1);
    await unfinished.close();
    expect(names(storage)).toEqual(before);

    const writer = await openIndexWriter(storage, other);
    await writer.add(documents[4]!);
    const old = await openSnapshot(storage, { expectModel: madeUpModel });
    expect([old.version, old.documentCount]).toEqual([1, 3]);
    expect(await writer.commit()).toBe(2);
    expect(await old.segments[0]!.readText(0, 0, 5)).toBe(documents[0]!.document.text.slice(0, 5));
    await old.close();
    await writer.add(documents[5]!);
    expect(writer.version).toBe(3); // full segments are committed again
    await writer.close();
    const snapshot = await openSnapshot(storage, { expectModel: other.model });
    expect(snapshot.documentCount).toBe(2);
    await snapshot.close();
    expect((await checkIndex(storage)).ok).toBe(true);
  });

  it("closes segments by bytes as well, and never splits a document", async () => {
    const storage = new MemoryStorage();
    const writer = await openIndexWriter(storage, { ...options, segmentBytes: 1 });
    for (const document of documents) await writer.add(document);
    await writer.commit();
    await writer.close();
    const snapshot = await openSnapshot(storage);
    expect(snapshot.segments.map((segment) => [segment.documentCount, segment.passageCount])).toEqual(
      documents.map(() => [1, 2]),
    );
  });

  it("drops a segment whose documents are all deleted, and keeps the files of the version before", async () => {
    const storage = await built();
    const writer = await openIndexWriter(storage, options);
    await writer.add(documents[4]!);
    for (const id of ["doc-0", "doc-1", "doc-2"]) writer.delete(id);
    await writer.commit();
    expect(names(storage)).toContain("s000001.text"); // version 1 still names it
    writer.delete("nothing");
    await writer.add(documents[5]!);
    await writer.commit();
    await writer.close();
    expect(names(storage).filter((name) => name.startsWith("s000001"))).toEqual([]);
    expect(names(storage).filter((name) => name.startsWith("manifest"))).toEqual([
      "manifest-2.json",
      "manifest-3.json",
    ]);
    expect((await openSnapshot(storage)).documentCount).toBe(2);
  });

  it("leaves no files behind when it is closed without a commit, and never touches other files", async () => {
    const storage = await built();
    await (await storage.create("my notes.txt")).close();
    await (await storage.create("s000009.text")).close(); // left by a crash
    const before = names(storage).filter((name) => name !== "s000009.text");
    const writer = await openIndexWriter(storage, options);
    await writer.add(documents[4]!);
    await writer.close();
    await writer.close();
    expect(names(storage)).toEqual(before);
  });

  it("refuses a second writer, and any call after close", async () => {
    const storage = await built();
    const writer = await openIndexWriter(storage, options);
    await expect(openIndexWriter(storage, options)).rejects.toMatchObject({ code: "index-locked" });
    await writer.close();
    await expect(writer.add(documents[4]!)).rejects.toMatchObject({ code: "invalid-argument" });
    expect(() => writer.delete("doc-0")).toThrow(/closed/);
    await (await openIndexWriter(storage, options)).close();
  });

  it("refuses another model; by default it keeps the index's", async () => {
    const storage = await built();
    const other = { ...madeUpModel, passageModelHash: "f00d".repeat(16) };
    await expect(openIndexWriter(storage, { model: other })).rejects.toMatchObject({
      code: "model-mismatch",
      hint: expect.stringMatching(/--rebuild/),
    });
    await expect(openSnapshot(storage, { expectModel: { ...other, name: "other" } })).rejects.toMatchObject({
      code: "model-mismatch",
      message: `The index was made with model ${madeUpModel.name}, but model other is loaded.`,
    });
    await expect(openSnapshot(storage, { expectModel: other })).rejects.toThrow(/another version of the model/);
    await expect(
      openIndexWriter(new MemoryStorage(), { model: { ...madeUpModel, passageModelHash: "x" } }),
    ).rejects.toThrow(/64 hex/);
  });

  it("a reader reports a missing index", async () => {
    await expect(openSnapshot(new MemoryStorage())).rejects.toMatchObject({
      code: "index-missing",
      hint: expect.stringContaining("verbatim index PATH --index"),
    });
  });
});

describe("add", () => {
  const good = documents[3]!;
  const encoded = good.passages[0]!.encoded;
  const bad: Array<[string, PreparedDocument]> = [
    ["empty id", { ...good, document: { ...good.document, id: "" } }],
    ["span outside", { ...good, passages: [{ ...good.passages[0]!, end: good.document.text.length + 1 }] }],
    ["vectors too short", withEncoded({ startVectors: encoded.startVectors.subarray(1) })],
    ["positions that descend", withEncoded({ endPositions: encoded.endPositions.slice().reverse() })],
    [
      "n-grams of other rows",
      withEncoded({ startUnigrams: encoded.endBigrams, startPositions: encoded.startPositions.subarray(0, 0) }),
    ],
    ["an id outside of the vocabulary", withEncoded({ ids: encoded.ids.map(() => 512) })],
    ["two units", withEncoded({ units: [encoded.units[0]!, encoded.units[0]!] })],
    [
      "map out of order",
      { ...good, document: { ...good.document, map: { kind: "text", segments: [{ start: 9 }, { start: 3 }] } } },
    ],
  ];

  function withEncoded(change: Partial<typeof encoded>): PreparedDocument {
    return { ...good, passages: [{ ...good.passages[0]!, encoded: { ...encoded, ...change } }] };
  }

  it.each(bad)("refuses %s, changes nothing, and stays usable", async (_, document) => {
    const storage = await built();
    const writer = await openIndexWriter(storage, options);
    await expect(writer.add(document)).rejects.toMatchObject({ code: "invalid-argument" });
    expect(writer.documentCount).toBe(3);
    await writer.add(good);
    await writer.commit();
    await writer.close();
    const snapshot = await openSnapshot(storage);
    expect([snapshot.documentCount, snapshot.segments[1]!.documentCount]).toEqual([4, 1]);
  });

  it("takes passages one by one; when they fail halfway, the old document stays and the writer stays usable", async () => {
    const storage = await built();
    const writer = await openIndexWriter(storage, options);
    const { document, passages } = makePrepared({ seed: 12, documents: 1, first: 1, passages: [3, 3] })[0]!;
    async function* half() {
      yield passages[0]!;
      throw new Error("the encoder is gone");
    }
    await expect(writer.add({ document, passages: half() })).rejects.toThrow("the encoder is gone");
    expect(writer.has("doc-1")).toEqual({ contentHash: documentContentHash(documents[1]!.document) });
    async function* whole() {
      yield* passages;
    }
    await writer.add({ document: { ...document, id: "other" }, passages: whole() });
    await writer.commit();
    await writer.close();
    const snapshot = await openSnapshot(storage);
    expect([snapshot.documentCount, snapshot.passageCount]).toEqual([4, 9]);
    expect(await checkIndex(storage)).toMatchObject({ problems: [] });
  });

  it("stops at the signal; what was added can still be committed", async () => {
    const controller = new AbortController();
    const storage = await built();
    const writer = await openIndexWriter(storage, { ...options, signal: controller.signal });
    await writer.add(documents[4]!);
    controller.abort();
    await expect(writer.add(documents[5]!)).rejects.toMatchObject({ code: "aborted" });
    expect(await writer.commit()).toBe(2);
    await writer.close();
    expect((await openSnapshot(storage)).documentCount).toBe(4);
  });

  it("runs overlapping calls one after the other", async () => {
    const storage = new MemoryStorage();
    const writer = await openIndexWriter(storage, options);
    await Promise.all([...documents.map((document) => writer.add(document)), writer.commit()]);
    await writer.close();
    expect((await openSnapshot(storage)).documentCount).toBe(documents.length);
  });

  it("keeps documents without passages, without text, and with odd names", async () => {
    const storage = new MemoryStorage();
    const writer = await openIndexWriter(storage, options);
    const plain = { source: "", map: { kind: "text" as const, segments: [] } };
    const odd = ["", "\ud800", "😀".repeat(5000), "\0", "x".repeat(20_000)];
    for (const [i, text] of odd.entries()) {
      await writer.add({
        document: { ...plain, id: `id${i}${odd[i]}`, title: text, text, metadata: { list: ["a", "b"], yes: true } },
        passages: [],
      });
    }
    await writer.commit();
    await writer.close();
    const [segment] = (await openSnapshot(storage)).segments;
    for (const [i, text] of odd.entries()) {
      expect(await segment!.readText(i, 0, text.length)).toBe(text);
      expect(await segment!.readDocument(i)).toMatchObject({
        id: `id${i}${text}`,
        title: text,
        length: text.length,
        passageCount: 0,
      });
    }
    expect((await checkIndex(storage)).problems).toEqual([]);
  });
});
