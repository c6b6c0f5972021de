/**
 * Writer and reader together: what is added is read back, whatever the order of adding, replacing
 * and deleting.
 */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { madeUpModel, makePrepared } from "../../test/support/made-up.js";
import { MemoryStorage } from "../../test/support/memory-storage.js";
import { ngramCounts } from "../text/words.js";
import { documentContentHash } from "./format/content-hash.js";
import { checkIndex } from "./maintain/check.js";
import { openSnapshot } from "./open-snapshot.js";
import type { IndexSnapshot, PreparedDocument, SegmentReader } from "./types.js";
import { openIndexWriter } from "./write/writer.js";
import type { IndexWriterOptions } from "./write/writer-options.js";

const options: IndexWriterOptions = { model: madeUpModel };

async function build(
  documents: readonly PreparedDocument[],
  more: Partial<IndexWriterOptions> = {},
): Promise<MemoryStorage> {
  const storage = new MemoryStorage();
  const writer = await openIndexWriter(storage, { ...options, ...more });
  for (const document of documents) await writer.add(document);
  await writer.commit();
  await writer.close();
  return storage;
}

/** Live documents of a snapshot by id: segment, number, passages. */
async function liveDocuments(
  snapshot: IndexSnapshot,
): Promise<Map<string, { segment: SegmentReader; document: number; passages: number[] }>> {
  const live = new Map<string, { segment: SegmentReader; document: number; passages: number[] }>();
  for (const segment of snapshot.segments) {
    for (let document = 0; document < segment.documentCount; document++) {
      if (segment.isDeleted(document)) continue;
      const { id } = await segment.readDocument(document);
      expect(live.has(id)).toBe(false);
      const passages = [...segment.passageDocuments.keys()].filter((p) => segment.passageDocuments[p] === document);
      live.set(id, { segment, document, passages });
    }
  }
  return live;
}

async function expectHolds(storage: MemoryStorage, documents: readonly PreparedDocument[]): Promise<void> {
  const snapshot = await openSnapshot(storage, { expectModel: madeUpModel });
  const live = await liveDocuments(snapshot);
  expect([...live.keys()].sort()).toEqual(documents.map(({ document }) => document.id).sort());
  expect(snapshot.documentCount).toBe(documents.length);
  expect(snapshot.passageCount).toBe(documents.reduce((sum, { passages }) => sum + passages.length, 0));
  for (const prepared of documents) {
    const { segment, document, passages } = live.get(prepared.document.id)!;
    await expectDocument(segment, document, prepared);
    await expectPassages(segment, passages, prepared);
  }
  await snapshot.close();
  const { problems, ...report } = await checkIndex(storage);
  expect(problems.map(String)).toEqual([]);
  expect(report).toMatchObject({
    ok: true,
    documents: snapshot.documentCount,
    passages: snapshot.passageCount,
    bytes: snapshot.bytes,
  });
}

async function expectDocument(
  segment: SegmentReader,
  number: number,
  { document, passages }: PreparedDocument,
): Promise<void> {
  const { text, metadata = {}, ...rest } = document;
  const contentHash = documentContentHash(document);
  expect(await segment.readDocument(number)).toEqual({
    ...rest,
    metadata,
    contentHash,
    length: text.length,
    passageCount: passages.length,
  });
  expect(await segment.readText(number, 0, text.length)).toBe(text);
  const middle = text.length >> 1;
  expect(await segment.readText(number, middle, middle + 5)).toBe(text.slice(middle, middle + 5));
  for (const [bucket, count] of [...ngramCounts(text)].slice(0, 3)) {
    const [postings] = await segment.tfidfPostings([bucket]);
    expect(postings!.document.values[postings!.document.units.indexOf(number)]).toBe(count);
  }
}

async function expectPassages(
  segment: SegmentReader,
  numbers: number[],
  { document, passages }: PreparedDocument,
): Promise<void> {
  const stored = await segment.readPassages(numbers);
  const vectors: Int8Array[] = [];
  await segment.readVectors((first, rows) => {
    const { vector: width } = madeUpModel;
    for (let n = 0; n * width < rows.length; n++) vectors[first + n] = rows.slice(n * width, (n + 1) * width);
  });
  for (const [i, { start, end, encoded }] of passages.entries()) {
    const { units, vector, ...rest } = encoded;
    const number = numbers[i]!;
    expect(stored[i]).toEqual(rest);
    expect(vectors[number]).toEqual(vector);
    expect(segment.passage(number)).toMatchObject({ start, end });
    const { terms, weights } = units[0]!;
    for (const [t, term] of terms.entries()) {
      const [postings] = await segment.termPostings([term]);
      expect(postings!.values[postings!.units.indexOf(number)]).toBe(weights[t]);
    }
    for (const [bucket, count] of [...ngramCounts(document.text.slice(start, end))].slice(0, 3)) {
      const [postings] = await segment.tfidfPostings([bucket]);
      expect(postings!.passage.values[postings!.passage.units.indexOf(number)]).toBe(count);
    }
  }
}

describe("index", () => {
  it("gives back what was added, from one segment and from several", async () => {
    const documents = makePrepared({ seed: 1, documents: 12 });
    await expectHolds(await build(documents), documents);
    await expectHolds(await build(documents, { segmentPassages: 5 }), documents);
  });

  it("gives the same bytes for the same documents", async () => {
    const documents = makePrepared({ seed: 3, documents: 9 });
    const first = await build(documents, { segmentPassages: 6 });
    const second = await build(makePrepared({ seed: 3, documents: 9 }), { segmentPassages: 6 });
    expect(second.files()).toEqual(first.files());
  });

  it("is what a map would be after any adds, replacements, deletions and commits", async () => {
    const step = fc.oneof(
      { weight: 5, arbitrary: fc.record({ kind: fc.constant("add" as const), number: fc.nat(5), seed: fc.nat(3) }) },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant("delete" as const), number: fc.nat(5) }) },
      {
        weight: 1,
        arbitrary: fc.record({ kind: fc.constantFrom("commit" as const, "flush" as const, "reopen" as const) }),
      },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), fc.constantFrom(3, 1000), async (steps, segmentPassages) => {
        const storage = new MemoryStorage();
        const more = { ...options, segmentPassages, autoCommit: false };
        let writer = await openIndexWriter(storage, more);
        let truth = new Map<string, PreparedDocument>();
        let committed = new Map<string, PreparedDocument>();
        for (const action of steps) {
          if (action.kind === "add") {
            const [prepared] = makePrepared({ seed: action.seed, documents: 1, first: action.number });
            await writer.add(prepared!);
            truth.set(prepared!.document.id, prepared!);
          } else if (action.kind === "delete") {
            expect(writer.delete(`doc-${action.number}`)).toBe(truth.delete(`doc-${action.number}`));
          } else if (action.kind === "flush") await writer.flush();
          else if (action.kind === "commit") {
            await writer.commit();
            committed = new Map(truth);
          } else {
            await writer.close();
            truth = new Map(committed);
            writer = await openIndexWriter(storage, more);
          }
          expect(writer.documentCount).toBe(truth.size);
        }
        await writer.commit();
        await writer.close();
        await expectHolds(storage, [...truth.values()]);
      }),
      { numRuns: 60 },
    );
  });
});
