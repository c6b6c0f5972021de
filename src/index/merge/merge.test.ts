/** A merged segment equals, byte for byte, the one that a writer makes of the same documents. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { madeUpModel, makePrepared } from "../../../test/support/made-up.js";
import { MemoryStorage } from "../../../test/support/memory-storage.js";
import { LEVELS } from "../format/level.js";
import { checkIndex } from "../maintain/check.js";
import { openSnapshot } from "../open-snapshot.js";
import type { PreparedDocument } from "../types.js";
import { type IndexWriter, openIndexWriter } from "../write/writer.js";
import { type MergeCandidate, pickCompact, pickTiered } from "./merge-policy.js";

const many = { model: madeUpModel, autoCommit: false };

/** Bytes of the segments' files in order, without segment names. */
async function segmentBytes(storage: MemoryStorage): Promise<Array<[component: string, bytes: string]>> {
  const snapshot = await openSnapshot(storage);
  const files = storage.files();
  await snapshot.close();
  return snapshot.manifest.segments.flatMap((segment) =>
    segment.files.map(({ name }): [string, string] => [
      name.slice(segment.name.length),
      Buffer.from(files.get(name)!).toString("base64"),
    ]),
  );
}

async function fresh(documents: readonly PreparedDocument[]): Promise<MemoryStorage> {
  const storage = new MemoryStorage();
  const writer = await openIndexWriter(storage, many);
  for (const document of documents) await writer.add(document);
  await writer.commit();
  await writer.close();
  return storage;
}

async function idsOf(writer: IndexWriter): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of writer.documents()) ids.push(id);
  return ids;
}

const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant("add" as const), number: fc.nat(7), seed: fc.nat(3) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("delete" as const), number: fc.nat(7) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("move" as const), number: fc.nat(7), to: fc.nat(9) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom("commit" as const, "compact" as const) }) },
);

const documentOf = (prefix: string, number: number): PreparedDocument =>
  makePrepared({ documents: 1, first: number, seed: 5, prefix })[0]!;

/** Renames files late, as a slow disk does. */
class SlowStorage extends MemoryStorage {
  override async rename(from: string, to: string): Promise<void> {
    await new Promise((done) => setTimeout(done, 5));
    return super.rename(from, to);
  }
}

describe("merging", () => {
  it("keeps the files of documents that are added while an index is compacted", async () => {
    const storage = new SlowStorage();
    const writer = await openIndexWriter(storage, many);
    for (let number = 0; number < 3; number++) {
      await writer.add(documentOf("old-", number));
      await writer.commit();
    }
    let added = 0;
    let done = false;
    const adding = Array.from({ length: 3 }, async () => {
      while (!done) {
        const number = added++;
        await writer.add(documentOf("new-", number));
        await new Promise((turn) => setTimeout(turn, 1));
      }
    });
    expect((await writer.compact({ full: true })).merged).toBeGreaterThanOrEqual(3);
    done = true;
    await Promise.all(adding);
    await writer.commit();
    await writer.close();
    const snapshot = await openSnapshot(storage);
    expect(snapshot.documentCount).toBe(3 + added);
    await snapshot.close();
  });

  it("gives, after any changes, the bytes of an index built from the remaining documents", async () => {
    const cases = fc.record({
      steps: fc.array(step, { maxLength: 20 }),
      segmentPassages: fc.constantFrom(1, 3, 1000),
    });
    await fc.assert(
      fc.asyncProperty(cases, async ({ steps, segmentPassages }) => {
        const storage = new MemoryStorage();
        const writer = await openIndexWriter(storage, { ...many, segmentPassages });
        const truth = new Map<string, PreparedDocument>();
        for (const action of steps) {
          if (action.kind === "add") {
            const [made] = makePrepared({ seed: action.seed, documents: 1, first: action.number });
            await writer.add(made!);
            truth.set(made!.document.id, made!);
          } else if (action.kind === "delete") {
            const id = `doc-${action.number}`;
            expect(writer.delete(id)).toBe(truth.delete(id));
          } else if (action.kind === "move") {
            const from = `doc-${action.number}`;
            const to = { id: `doc-${action.to}`, source: `/moved/${action.to}`, metadata: { moved: true } };
            expect(await writer.move([{ from, to }])).toBe(truth.has(from) ? 1 : 0);
            const moved = truth.get(from);
            if (moved === undefined) continue;
            truth.delete(from);
            truth.set(to.id, { ...moved, document: { ...moved.document, ...to } });
          } else await writer[action.kind]();
          expect(writer.documentCount).toBe(truth.size);
        }
        expect((await idsOf(writer)).sort()).toEqual([...truth.keys()].sort());
        const order = await idsOf(writer);
        const { segmentsAfter } = await writer.compact({ full: true });
        expect(segmentsAfter).toBeLessThanOrEqual(1);
        expect(await idsOf(writer)).toEqual(order); // merging keeps the order
        await writer.close();
        expect((await checkIndex(storage)).problems.map(String)).toEqual([]);
        const documents = order.map((id) => truth.get(id)!);
        expect(await segmentBytes(storage)).toEqual(await segmentBytes(await fresh(documents)));
      }),
      { numRuns: 60 },
    );
  });

  it("applies deletions and replacements that happen while it runs", async () => {
    const documents = makePrepared({ seed: 7, documents: 6 });
    const [, , changed] = makePrepared({ seed: 8, documents: 3 });
    const storage = new MemoryStorage();
    const writer = await openIndexWriter(storage, { ...many, segmentPassages: 1 });
    for (const document of documents) await writer.add(document);
    await writer.commit();
    let reported = false;
    const compacting = writer.compact({
      onProgress: () => {
        if (reported) return;
        reported = true;
        writer.delete("doc-1");
        void writer.add(changed!);
      },
    });
    expect(await compacting).toMatchObject({ segmentsAfter: 1 }); // the new one is merged as well
    expect(reported).toBe(true);
    expect(writer.delete("doc-1")).toBe(false);
    await writer.compact({ full: true });
    await writer.close();
    const left = [0, 3, 4, 5].map((n) => documents[n]!);
    expect(await segmentBytes(storage)).toEqual(await segmentBytes(await fresh([...left, changed!])));
    expect(storage.files().size).toBe(8 + 1); // one segment and its manifest: compaction frees the disk space
  });

  it("stops when the signal fires, and leaves no files behind", async () => {
    const storage = new MemoryStorage();
    const writer = await openIndexWriter(storage, { ...many, segmentPassages: 1 });
    for (const document of makePrepared({ seed: 7, documents: 6 })) await writer.add(document);
    await writer.commit();
    const before = [...storage.files().keys()];
    const stop = new AbortController();
    const compacting = writer.compact({ signal: stop.signal, onProgress: () => stop.abort() });
    await expect(compacting).rejects.toMatchObject({ code: "aborted" });
    await expect(writer.compact({ maxBytes: 0 })).rejects.toMatchObject({ code: "invalid-argument" });
    expect([...storage.files().keys()]).toEqual(before);
    await writer.close();
    expect((await checkIndex(storage)).ok).toBe(true);
  });

  it("runs in the background, eight small segments at a time, and close waits for it", async () => {
    const storage = new MemoryStorage();
    const documents = makePrepared({ seed: 9, documents: 20 });
    for (const document of documents) {
      const writer = await openIndexWriter(storage, { ...many, autoMerge: true });
      await writer.add(document);
      await writer.commit();
      await writer.close();
    }
    const snapshot = await openSnapshot(storage);
    expect(snapshot.segments.length).toBeLessThanOrEqual(8);
    expect(snapshot.documentCount).toBe(20);
    const writer = await openIndexWriter(storage, many);
    await writer.compact();
    await writer.close();
    expect(await segmentBytes(storage)).toEqual(await segmentBytes(await fresh(documents)));
  });

  it("needs no model, and reports a missing index", async () => {
    const storage = await fresh(makePrepared({ seed: 3, documents: 4 }));
    const writer = await openIndexWriter(storage);
    expect(await writer.deleteWhere(({ metadata }) => (metadata.number as number) < 2)).toBe(2);
    expect(await writer.compact({ full: true })).toMatchObject({ merged: 1, removedDocuments: 2, segmentsAfter: 1 });
    await writer.close();
    await expect(openIndexWriter(new MemoryStorage())).rejects.toMatchObject({ code: "index-missing" });
  });
});

describe("the merge policies", () => {
  const candidate = fc
    .record({
      bytes: fc.nat(400_000_000),
      documents: fc.integer({ min: 1, max: 1000 }),
      share: fc.nat(100),
      level: fc.constantFrom(...LEVELS),
    })
    .map(({ share, ...one }): MergeCandidate => ({ ...one, deleted: Math.floor((one.documents * share) / 101) }));

  it("end: every merge leaves fewer segments or fewer deletions, within the budget", () => {
    const live = ({ bytes, documents, deleted }: MergeCandidate) =>
      Math.ceil((bytes * (documents - deleted)) / documents);
    const cases = fc.tuple(fc.array(candidate, { maxLength: 40 }), fc.integer({ min: 1, max: 2_000_000_000 }));
    for (const pick of [
      pickTiered,
      (all: MergeCandidate[], budget: { mostBytes: number }) => pickCompact(all, { ...budget, full: false }),
      (all: MergeCandidate[], budget: { mostBytes: number }) => pickCompact(all, { ...budget, full: true }),
    ]) {
      fc.assert(
        fc.property(cases, ([segments, mostBytes]) => {
          let now = segments;
          for (let merges = 0; ; merges++) {
            expect(merges).toBeLessThanOrEqual(2 * segments.length);
            const plan = pick(now, { mostBytes });
            if (plan === undefined) return;
            const parts = now.slice(plan.from, plan.to);
            const bytes = parts.reduce((sum, part) => sum + live(part), 0);
            expect(bytes).toBeLessThanOrEqual(mostBytes);
            const [level, ...others] = new Set(parts.map((part) => part.level));
            expect(others).toEqual([]);
            const documents = parts.reduce((sum, part) => sum + part.documents - part.deleted, 0);
            now = [...now.slice(0, plan.from), { bytes, documents, deleted: 0, level: level! }, ...now.slice(plan.to)];
          }
        }),
      );
    }
  });
});
