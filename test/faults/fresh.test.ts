/**
 * After any sequence of adds, updates, deletes, moves, merges and commits, an index answers like
 * one built from the remaining documents: the same answers, the same scores to the last bit. Uses
 * the public API and an encoder without a network.
 */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Index } from "../../src/api/index-handle.js";
import { openIndex } from "../../src/api/open-index.js";
import { openWriter, type Writer } from "../../src/api/writer.js";
import { documentContentHash } from "../../src/index/format/content-hash.js";
import type { Storage } from "../../src/index/ports.js";
import type { StrategyName } from "../../src/search/strategies/names.js";
import type { Answer } from "../../src/search/types.js";
import type { Document } from "../../src/types.js";
import { EVERY_PASSAGE, nested, textDocument } from "../support/ask.js";
import { MADE_UP_WORDS } from "../support/made-up.js";
import { MemoryStorage } from "../support/memory-storage.js";
import { seededRandom } from "../support/random.js";
import { TinyEncoder } from "../support/tiny-encoder.js";

const encoder = new TinyEncoder(MADE_UP_WORDS);
const RUNS = process.env.VERBATIM_FAULTS === "whole" ? 500 : 25;
const QUESTIONS = ["who founded the observatory in 1911?", "winter summer rain", "the captain sailed north"];
/** Approximate strategies with room for every passage of a small index, and the oracle. */
const STRATEGIES: StrategyName[] = ["exhaustive", "hybrid", "sparse-first", "dense-first"];
const EVERYTHING = nested({ ...EVERY_PASSAGE, topK: 20, explain: true });

/** Few words, so that texts, n-grams and scores repeat. */
function made(number: number, seed: number): Document {
  const random = seededRandom(number * 1000 + seed);
  const words = Array.from({ length: random.whole(4, 60) }, (_, i) => {
    const word = MADE_UP_WORDS[random.whole(0, 40)]!;
    return i % 11 === 10 ? `${word}.` : word;
  });
  return textDocument(`doc-${number}`, words.join(" "), random.pick(MADE_UP_WORDS));
}

async function answersOf(storage: Storage, strategies: readonly StrategyName[]): Promise<unknown> {
  const index = await openIndex({ storage, encoder });
  try {
    return await answersIn(index, strategies);
  } finally {
    await index.close();
  }
}

async function answersIn(index: Index, strategies: readonly StrategyName[]): Promise<unknown> {
  const found: unknown[] = [];
  for (const strategy of strategies) {
    for (const question of QUESTIONS) {
      const { answers } = await index.ask(question, { ...EVERYTHING, strategy });
      found.push(
        answers.map(({ documentId, source, start, end, text, score, parts, evidence }: Answer) => {
          return { documentId, source, start, end, text, score, parts, evidence };
        }),
      );
    }
  }
  const { documents, passages, phrases, tokens } = index.info;
  return { documents, passages, phrases, tokens, found };
}

async function fresh(documents: readonly Document[]): Promise<MemoryStorage> {
  const storage = new MemoryStorage();
  const writer = await openWriter({ storage, encoder });
  await writer.add(documents);
  await writer.commit();
  await writer.close();
  return storage;
}

async function inOrder(writer: Writer, truth: ReadonlyMap<string, Document>): Promise<Document[]> {
  const documents: Document[] = [];
  for await (const { id } of writer.documents()) documents.push(truth.get(id)!);
  return documents;
}

/** The source alone does not count: a moved document that is added again under its old source stays where it is. */
function isUnchanged(document: Document, known: Document | undefined): boolean {
  return known !== undefined && documentContentHash(document) === documentContentHash(known);
}

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constantFrom("add" as const, "update" as const), n: fc.nat(6), seed: fc.nat(3) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("delete" as const),
      n: fc.nat(6),
      by: fc.constantFrom("id", "predicate"),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("move" as const), n: fc.nat(6), seed: fc.nat(9) }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constantFrom("commit" as const, "compact" as const, "reopen" as const) }),
  },
);

const ADDED_AGAIN_AFTER_A_MOVE = [
  { kind: "add" as const, n: 4, seed: 2 },
  { kind: "move" as const, n: 4, seed: 4 },
  { kind: "add" as const, n: 4, seed: 2 },
];

describe("an index after anything", () => {
  it("answers like one built from the remaining documents", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 18 }), async (steps) => {
        const storage = new MemoryStorage();
        let writer = await openWriter({ storage, encoder });
        let truth = new Map<string, Document>();
        let committed = new Map<string, Document>();
        await writer.commit();
        const follower = await openIndex({ storage, encoder }); // refreshes from version to version, and keeps what they share
        for (const action of steps) {
          if (action.kind === "add" || action.kind === "update") {
            const document = made(action.n, action.seed);
            await writer.add(document);
            if (!isUnchanged(document, truth.get(document.id))) truth.set(document.id, document);
          } else if (action.kind === "delete") {
            const id = `doc-${action.n}`;
            const which = action.by === "id" ? [id] : (document: { id: string }) => document.id === id;
            expect(await writer.delete(which)).toBe(truth.delete(id) ? 1 : 0);
          } else if (action.kind === "move") {
            const from = `doc-${action.n}`;
            const to = { id: `doc-${action.seed}`, source: `moved-${action.seed}.txt` };
            expect(await writer.move([{ from, to }])).toBe(truth.has(from) ? 1 : 0);
            const document = truth.get(from);
            if (!document) continue;
            truth.delete(from);
            truth.set(to.id, { ...document, ...to });
          } else if (action.kind === "reopen") {
            await writer.close();
            truth = new Map(committed);
            writer = await openWriter({ storage, encoder });
          } else {
            await writer[action.kind]();
            committed = new Map(truth);
            await follower.refresh();
            await follower.ask(QUESTIONS[0]!, EVERYTHING);
          }
        }
        await writer.commit();
        const documents = await inOrder(writer, truth);
        expect(documents.length).toBe(truth.size);
        const asFresh = await answersOf(await fresh(documents), STRATEGIES);
        expect(await answersOf(storage, STRATEGIES)).toEqual(asFresh);
        await follower.refresh();
        expect(await answersIn(follower, STRATEGIES)).toEqual(asFresh);
        await follower.close();
        await writer.compact({ full: true });
        expect(await answersOf(storage, STRATEGIES)).toEqual(asFresh);
        await writer.close();
      }),
      { numRuns: RUNS, examples: [[ADDED_AGAIN_AFTER_A_MOVE]] },
    );
    console.info(`fresh: ${RUNS} sequences of changes, each answers as a newly built index`);
  }, 21_600_000);
});

describe("a reader", () => {
  it("sees one version until it refreshes, and reads its own writes by their version", async () => {
    const storage = new MemoryStorage();
    const writer = await openWriter({ storage, encoder });
    await writer.add([made(1, 1), made(2, 1)]);
    const first = await writer.commit();
    const index = await openIndex({ storage, encoder, atLeastVersion: first });
    const before = await index.ask(QUESTIONS[0]!, EVERYTHING);
    await writer.delete(["doc-1"]);
    await writer.add([made(3, 1)]);
    const second = await writer.commit();
    await writer.compact({ full: true }); // and the old files are gone
    expect([writer.version > first, index.version, index.info.documents]).toEqual([true, first, 2]);
    expect((await index.ask(QUESTIONS[0]!, EVERYTHING)).answers).toEqual(before.answers);
    const asked = index.ask(QUESTIONS[1]!, EVERYTHING); // runs while the index changes
    const refreshed = await index.refresh({ atLeastVersion: second });
    expect(refreshed).toBe(writer.version);
    await expect(asked).resolves.toBeDefined();
    const ids = (await index.ask(QUESTIONS[0]!, EVERYTHING)).passages.map(({ documentId }) => documentId);
    expect(ids).not.toContain("doc-1");
    expect(await index.refresh()).toBe(refreshed);
    const late = { code: "invalid-argument", message: expect.stringContaining("version"), hint: expect.any(String) };
    await expect(index.refresh({ atLeastVersion: 99 })).rejects.toMatchObject(late);
    await expect(openIndex({ storage, encoder, atLeastVersion: 99 })).rejects.toMatchObject(late);
    expect(index.version).toBe(refreshed); // still open
    await writer.close();
    await index.close();
    await expect(index.refresh()).rejects.toMatchObject({ code: "invalid-argument" });
  });

  it("reads only what is new when it refreshes", async () => {
    const storage = new MemoryStorage();
    const writer = await openWriter({ storage, encoder, autoMerge: false });
    await writer.add([made(1, 1), made(2, 1)]);
    await writer.commit();
    const index = await openIndex({ storage, encoder });
    await index.ask(QUESTIONS[0]!, EVERYTHING);
    await writer.add([made(3, 1)]);
    await writer.delete(["doc-1"]);
    await writer.commit();
    storage.read.clear();
    await index.refresh();
    await index.ask(QUESTIONS[0]!, { ...EVERYTHING, strategy: "dense-first" });
    const again = [...storage.read.keys()].filter((name) => /^s000001\.(vectors|passages)$/.test(name));
    expect([again, storage.read.has("s000002.vectors")]).toEqual([[], true]);
    await index.close();
    await writer.close();
    expect(storage.openFiles).toBe(0);
  });

  it("keeps its version when refreshing fails", async () => {
    const storage = await fresh([made(1, 1)]);
    const index = await openIndex({ storage, encoder });
    const writer = await openWriter({ storage, encoder });
    await writer.add([made(2, 1)]);
    const version = await writer.commit();
    await writer.close();
    storage.flipBit(`manifest-${version}.json`, 800);
    await expect(index.refresh()).rejects.toMatchObject({ code: "corrupt-manifest" });
    expect((await index.ask(QUESTIONS[0]!)).answers.length).toBeGreaterThan(0);
    storage.flipBit(`manifest-${version}.json`, 800);
    expect(await index.refresh()).toBe(version);
    await index.close();
  });
});

it("a failing background merge is reported to onMergeError, and loses nothing", async () => {
  const storage = new MemoryStorage();
  const reported: unknown[] = [];
  const writer = await openWriter({ storage, encoder, onMergeError: (error) => reported.push(error) });
  const commits = 12; // more than make a tier
  for (let n = 0; n < commits; n++) {
    await writer.add([made(n, 1)]);
    await writer.commit();
    if (n === 0) storage.flipBit("s000001.text", 8 * 64); // the first byte after the header
  }
  await writer.close();
  expect(reported.length).toBeGreaterThan(0);
  for (const error of reported) expect(error).toMatchObject({ code: "corrupt-segment" });
  const index = await openIndex({ storage, encoder });
  expect(index.info.documents).toBe(commits);
  await index.close();
});
