/**
 * What each level stores, and that raising an index loses nothing, whatever else happens meanwhile.
 */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodeAgain } from "../../../test/support/encode-again.js";
import { madeUpModel, makePrepared } from "../../../test/support/made-up.js";
import { MemoryStorage } from "../../../test/support/memory-storage.js";
import { COMPONENTS } from "../format/components.js";
import { type IndexLevel, LEVELS } from "../format/level.js";
import { indexInfo, textBytes } from "../index-info.js";
import { checkIndex } from "../maintain/check.js";
import { repairIndex } from "../maintain/repair.js";
import { readManifest } from "../manifest/manifest.js";
import { openSnapshot } from "../open-snapshot.js";
import type { PreparedDocument } from "../types.js";
import type { UpgradeProgress } from "./upgrade.js";
import type { EncodeStored } from "./upgrade-segment.js";
import { openIndexWriter } from "./writer.js";

const model = madeUpModel;
const documents = makePrepared({ seed: 31, documents: 9 });

async function made(
  level: IndexLevel,
  { count = documents.length, ...options }: { count?: number; segmentPassages?: number; thinTerms?: number } = {},
): Promise<MemoryStorage> {
  const storage = new MemoryStorage();
  const writer = await openIndexWriter(storage, { model, level, autoCommit: false, ...options });
  for (const document of documents.slice(0, count)) await writer.add(document);
  await writer.commit();
  await writer.close();
  return storage;
}

/** Files by component, of every segment in order. */
async function filesOf(storage: MemoryStorage): Promise<Array<Record<string, string>>> {
  const snapshot = await openSnapshot(storage);
  await snapshot.close();
  const files = storage.files();
  return snapshot.manifest.segments.map((segment) =>
    Object.fromEntries(
      segment.files.map(({ name }) => [
        name.slice(segment.name.length + 1).replace(/-\d+$/, ""),
        Buffer.from(files.get(name)!).toString("base64"),
      ]),
    ),
  );
}

async function idsOf(storage: MemoryStorage): Promise<string[]> {
  const snapshot = await openSnapshot(storage);
  const ids: string[] = [];
  for (const segment of snapshot.segments)
    for (let d = 0; d < segment.documentCount; d++)
      if (!segment.isDeleted(d)) ids.push((await segment.readDocument(d)).id);
  await snapshot.close();
  return ids;
}

const whole = async (storage: MemoryStorage): Promise<void> =>
  expect((await checkIndex(storage)).problems.map(String)).toEqual([]);

describe("levels", () => {
  it("have the same texts, records and n-grams, and only their own files", async () => {
    const [full] = await filesOf(await made("full"));
    for (const level of LEVELS) {
      const storage = await made(level);
      await whole(storage);
      const [files] = await filesOf(storage);
      expect(Object.keys(files!)).toEqual([...COMPONENTS[level]]);
      for (const component of ["documents", "text", "tfidf"]) expect(files![component]).toBe(full![component]);
    }
    const [thin] = await filesOf(await made("thin", { thinTerms: model.termsPerUnit }));
    expect(thin!.terms).toBe(full!.terms);
  });

  it("thin keeps the largest term weights of every passage", async () => {
    const storage = await made("thin", { thinTerms: 3 });
    const snapshot = await openSnapshot(storage);
    expect(snapshot.manifest.thinTerms).toBe(3);
    const found = new Map<number, Array<[term: number, value: number]>>();
    for (let term = 0; term < model.vocabularySize; term++) {
      const [list] = await snapshot.segments[0]!.termPostings([term]);
      for (const [i, unit] of list?.units.entries() ?? [])
        found.set(unit, [...(found.get(unit) ?? []), [term, list!.values[i]!]]);
    }
    const passages = documents.flatMap((document) => document.passages);
    for (const [p, { encoded }] of passages.entries()) {
      const { terms, weights } = encoded.units[0]!;
      const largest = [...terms].map((term, i): [number, number] => [term, weights[i]!]);
      largest.sort(([a, x], [b, y]) => y - x || a - b).splice(3);
      expect(found.get(p)).toEqual(largest.sort(([a], [b]) => a - b).filter(([, value]) => value > 0));
    }
    await snapshot.close();
  });

  it("report what a segment does not store", async () => {
    const snapshot = await openSnapshot(await made("lexical"));
    const [segment] = snapshot.segments;
    await expect(segment!.readPassages([0])).rejects.toMatchObject({
      code: "invalid-argument",
      hint: "Run: verbatim upgrade --level full",
    });
    expect(await segment!.termPostings([12])).toEqual([undefined]);
    expect(segment!.columns.startRows.at(-1)).toBe(0);
    const { level, levels } = indexInfo(snapshot);
    expect({ level, levels }).toEqual({ level: "lexical", levels: { lexical: snapshot.passageCount } });
    const expected = documents.reduce((sum, { document }) => sum + Buffer.byteLength(document.text), 0);
    expect(await textBytes(snapshot)).toBe(expected);
    await snapshot.close();
  });

  it("belong to the index: another one is refused with a hint", async () => {
    const thin = await made("thin");
    await expect(openIndexWriter(thin, { level: "full" })).rejects.toMatchObject({
      hint: /verbatim upgrade --level full/,
    });
    await expect(openIndexWriter(thin, { level: "lexical" })).rejects.toMatchObject({ hint: /never taken away/ });
    await expect(openIndexWriter(thin, { thinTerms: 7 })).rejects.toMatchObject({ found: 64, expected: 7 });
    await expect(openIndexWriter(thin, { level: "fat" as IndexLevel })).rejects.toMatchObject({ found: "fat" });
    const writer = await openIndexWriter(thin);
    await expect(writer.upgrade({ level: "lexical", encode: encodeAgain([]) })).rejects.toMatchObject({
      code: "invalid-argument",
    });
    await writer.close();
  });
});

describe("an upgrade", () => {
  it("gives the bytes of an index that was built at its level", async () => {
    for (const [from, to] of [
      ["lexical", "thin"],
      ["lexical", "full"],
      ["thin", "full"],
    ] as const) {
      const storage = await made(from, { segmentPassages: 4 });
      const writer = await openIndexWriter(storage, { model });
      const report = await writer.upgrade({ level: to, encode: encodeAgain(documents) });
      await writer.close();
      const passages = documents.reduce((sum, document) => sum + document.passages.length, 0);
      expect(report).toMatchObject({ documents: 9, documentsTotal: 9, passages, passagesTotal: passages });
      await whole(storage);
      expect(await filesOf(storage)).toEqual(await filesOf(await made(to, { segmentPassages: 4 })));
    }
  });

  it("leaves the index usable, keeps the order, and resumes after a stop", async () => {
    const storage = await made("lexical");
    const stop = new AbortController();
    const seen: string[][] = [];
    const again = encodeAgain(documents);
    let calls = 0;
    const encode: EncodeStored = (stored, options) => {
      if (++calls === 4) stop.abort();
      return again(stored, options);
    };
    const writer = await openIndexWriter(storage, { model });
    const run = writer.upgrade({ level: "full", encode, batchPassages: 2, signal: stop.signal });
    await expect(run).rejects.toMatchObject({ code: "aborted" });
    await writer.close();
    await whole(storage);
    expect(await idsOf(storage)).toEqual(documents.map(({ document }) => document.id));
    const halfway = await openSnapshot(storage);
    expect(halfway.manifest.level).toBe("full");
    expect(halfway.segments.map(({ level }) => level)).toEqual(["full", "full", "full", "lexical"]);
    await halfway.close();
    const next = await openIndexWriter(storage, { model });
    const { version } = next;
    await next.upgrade({
      ...{ level: "full", encode: again, batchPassages: 2 },
      onProgress: ({ documents: done }) => seen.push([String(done)]),
    });
    expect(next.version).toBeGreaterThan(version + 1); // several commits
    expect(seen.length).toBeGreaterThan(2);
    await next.compact({ full: true });
    await next.close();
    expect(await filesOf(storage)).toEqual(await filesOf(await made("full")));
  });

  it("loses nothing that is added, changed, moved and deleted meanwhile", async () => {
    const storage = await made("lexical");
    const [changed] = makePrepared({ seed: 32, documents: 1, first: 2 });
    const [added] = makePrepared({ seed: 31, documents: 1, first: 40 });
    const writer = await openIndexWriter(storage, { model });
    const again = encodeAgain([...documents, changed!, added!]);
    let busy: Promise<unknown> = Promise.resolve();
    let calls = 0;
    const encode: EncodeStored = async function* (stored, options) {
      const mine = ++calls;
      for await (const one of again(stored, options)) {
        yield one;
        if (mine !== 1) continue;
        writer.delete("doc-0"); // in this batch
        writer.delete("doc-8"); // not in this batch
        busy = Promise.all([
          writer.add(changed!),
          writer.add(added!),
          writer.move([{ from: "doc-1", to: { id: "moved", source: "elsewhere" } }]),
        ]);
      }
    };
    await writer.upgrade({ level: "full", encode, batchPassages: 4 });
    await busy;
    await writer.upgrade({ level: "full", encode, batchPassages: 4 }); // moved while it was lexical
    await writer.commit();
    await whole(storage);
    expect((await idsOf(storage)).sort()).toEqual(
      ["doc-2", "doc-3", "doc-4", "doc-40", "doc-5", "doc-6", "doc-7", "moved"].sort(),
    );
    const snapshot = await openSnapshot(storage);
    expect(new Set(snapshot.segments.map(({ level }) => level))).toEqual(new Set(["full"]));
    const texts = new Map<string, string>();
    for (const segment of snapshot.segments)
      for (let d = 0; d < segment.documentCount; d++) {
        const { id, length } = await segment.readDocument(d);
        if (!segment.isDeleted(d)) texts.set(id, await segment.readText(d, 0, length));
      }
    expect(texts.get("doc-2")).toBe(changed!.document.text);
    await snapshot.close();
    await writer.close();
  });

  it("reports, when it stops, only what was committed", async () => {
    const storage = await made("lexical");
    const writer = await openIndexWriter(storage, { model });
    const stop = new AbortController();
    const reports: UpgradeProgress[] = [];
    const onProgress = (now: UpgradeProgress): void => {
      reports.push(now);
      if (now.passages >= 3) stop.abort();
    };
    const options = { level: "full", encode: encodeAgain(documents), signal: stop.signal, onProgress } as const;
    await expect(writer.upgrade(options)).rejects.toMatchObject({ code: "aborted" });
    await writer.close();
    expect(Math.max(...reports.map(({ passages }) => passages))).toBe(3);
    const { documents: raised, passages, tokens, documentsTotal } = reports.at(-1)!;
    expect({ raised, passages, documentsTotal }).toEqual({ raised: 0, passages: 0, documentsTotal: documents.length });
    expect(tokens).toBeGreaterThan(0);
    const snapshot = await openSnapshot(storage);
    expect(snapshot.segments.map(({ level }) => level)).toEqual(["lexical"]);
    await snapshot.close();
  });

  it("is unchanged when a batch fails, and the writer stays usable", async () => {
    const storage = await made("thin");
    const before = await filesOf(storage);
    const writer = await openIndexWriter(storage, { model });
    const encode: EncodeStored = async function* (stored) {
      for await (const { document } of stored) yield { document, passages: [] };
      throw new Error("the encoder is gone");
    };
    await expect(writer.upgrade({ level: "full", encode })).rejects.toThrow("the encoder is gone");
    expect(await filesOf(storage)).toEqual(before);
    expect([...storage.files().keys()].filter((name) => name.startsWith("s000002"))).toEqual([]);
    await writer.upgrade({ level: "full", encode: encodeAgain(documents) });
    await writer.close();
    expect(await filesOf(storage)).toEqual(await filesOf(await made("full")));
  });

  const step = fc.oneof(
    { weight: 6, arbitrary: fc.record({ kind: fc.constant("add" as const), number: fc.nat(7), seed: fc.nat(3) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("delete" as const), number: fc.nat(7) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("move" as const), number: fc.nat(7), to: fc.nat(9) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom("commit" as const, "compact" as const) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("upgrade" as const), level: fc.constantFrom(...LEVELS) }) },
  );

  it("among any other changes ends with the bytes of a newly built index", async () => {
    const cases = fc.record({
      steps: fc.array(step, { maxLength: 20 }),
      level: fc.constantFrom(...LEVELS),
      segmentPassages: fc.constantFrom(1, 3, 1000),
      batchPassages: fc.constantFrom(1, 4, 1000),
    });
    await fc.assert(
      fc.asyncProperty(cases, async ({ steps, level, segmentPassages, batchPassages }) => {
        const rules = { model, autoCommit: false };
        const storage = new MemoryStorage();
        const writer = await openIndexWriter(storage, { ...rules, level, segmentPassages });
        const truth = new Map<string, PreparedDocument>();
        const encode = encodeAgain([0, 1, 2, 3].flatMap((seed) => makePrepared({ seed, documents: 8 })));
        for (const action of steps) {
          if (action.kind === "add") {
            const [one] = makePrepared({ seed: action.seed, documents: 1, first: action.number });
            await writer.add(one!);
            truth.delete(one!.document.id);
            truth.set(one!.document.id, one!);
          } else if (action.kind === "delete") {
            expect(writer.delete(`doc-${action.number}`)).toBe(truth.delete(`doc-${action.number}`));
          } else if (action.kind === "move") {
            const [from, id] = [`doc-${action.number}`, `doc-${action.to}`];
            await writer.move([{ from, to: { id, source: "moved" } }]);
            const moved = truth.get(from);
            if (moved === undefined) continue;
            truth.delete(from);
            truth.delete(id);
            truth.set(id, { ...moved, document: { ...moved.document, id, source: "moved" } });
          } else if (action.kind === "upgrade") {
            const isLower = LEVELS.indexOf(action.level) < LEVELS.indexOf(writer.level);
            const done = writer.upgrade({ level: action.level, encode, batchPassages });
            if (isLower) await expect(done).rejects.toMatchObject({ code: "invalid-argument" });
            else await done;
          } else await writer[action.kind]();
        }
        await writer.commit();
        await whole(storage);
        expect((await idsOf(storage)).sort()).toEqual([...truth.keys()].sort());
        await writer.upgrade({ level: "full", encode, batchPassages });
        await writer.compact({ full: true });
        await writer.close();
        await whole(storage);
        const fresh = new MemoryStorage();
        const builder = await openIndexWriter(fresh, rules);
        const order = await idsOf(storage);
        expect(order.sort()).toEqual([...truth.keys()].sort());
        for (const id of await idsOf(storage)) await builder.add(truth.get(id)!);
        await builder.commit();
        await builder.close();
        expect(await filesOf(storage)).toEqual(await filesOf(fresh));
      }),
      { numRuns: 60 },
    );
  });
});

describe("repair of a lower level", () => {
  it("check finds a flipped bit in any file", async () => {
    for (const level of ["lexical", "thin"] as const) {
      const files = (await made(level)).files();
      for (const [name, bytes] of files) {
        if (!name.startsWith("s")) continue;
        for (const at of [3, bytes.length >> 1, bytes.length - 20]) {
          const damaged = MemoryStorage.of(files);
          damaged.flipBit(name, 8 * at);
          expect((await checkIndex(damaged)).problems.map(({ file }) => file)).toContain(name);
        }
      }
    }
  });

  it("rebuilds n-grams, salvages intact documents, and finds the levels without a manifest", async () => {
    const remade = await made("lexical");
    remade.flipBit("s000001.tfidf", 8 * 70);
    expect(await repairIndex(remade)).toMatchObject({ rebuiltFiles: ["s000001.tfidf"], documents: 9 });
    expect(await filesOf(remade)).toEqual(await filesOf(await made("lexical")));

    const long = makePrepared({ seed: 33, documents: 30, passages: [3, 3], words: [150, 200] }); // several blocks of text
    const salvaged = new MemoryStorage();
    const writer = await openIndexWriter(salvaged, { model, level: "thin" });
    for (const document of long) await writer.add(document);
    await writer.commit();
    await writer.close();
    salvaged.flipBit("s000001.text", 8 * 70);
    const report = await repairIndex(salvaged);
    expect(report.salvagedSegments).toEqual(["s000001"]);
    expect(report.documents).toBeGreaterThan(0);
    expect(report.documents + report.documentsToReadAgain.length).toBe(30);
    await whole(salvaged);
    expect((await readManifest(salvaged, report.version)).manifest.level).toBe("thin");

    for (const level of LEVELS) {
      const files = (await made(level)).files();
      const bare = MemoryStorage.of(new Map([...files].filter(([name]) => !name.startsWith("manifest-"))));
      const { version } = await repairIndex(bare, { model });
      const { manifest } = await readManifest(bare, version);
      expect(manifest.level).toBe(level);
      expect(await filesOf(bare)).toEqual(await filesOf(await made(level)));
    }
  });
});
