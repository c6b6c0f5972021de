/** A filter is applied before ranking: every strategy answers as if it ranked among the allowed documents alone. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { SearchOptions } from "../../src/search/options.js";
import { Searcher } from "../../src/search/searcher.js";
import type { StrategyName } from "../../src/search/strategies/names.js";
import type { DocumentFilter, FilterableDocument } from "../../src/search/types.js";
import type { Document } from "../../src/types.js";
import { Random } from "../../src/vectors/random.js";
import { type Askable, askable, EVERY_PASSAGE, textDocument } from "../support/ask.js";
import { MADE_UP_WORDS } from "../support/made-up.js";

const STRATEGIES: StrategyName[] = ["hybrid", "sparse-first", "dense-first", "exhaustive"];
const QUESTIONS = [
  "who founded the observatory in 1911?",
  "winter summer rain",
  "the captain sailed north with twelve men",
];

/** A few words only, so that every document has some of a question's; `group` and `number` are what filters look at. */
function madeUpDocuments(seed: number, count: number, words = 60): Document[] {
  const random = new Random(seed);
  return Array.from({ length: count }, (_, number) => {
    const text = Array.from({ length: 5 + random.int(80) }, (_, w) => {
      const word = MADE_UP_WORDS[random.int(words)]!;
      return w % 11 === 10 ? `${word}.` : word;
    }).join(" ");
    const metadata = { number, group: "abc"[random.int(3)]! };
    return { ...textDocument(`doc-${number}`, text, MADE_UP_WORDS[random.int(words)]!), metadata };
  });
}

/**
 * The passages of allowed documents, in the order of their score among all passages: what an exhaustive search says
 * without a filter.
 */
async function rankedAlone(index: Askable, question: string, filter: DocumentFilter): Promise<string[]> {
  const { passages } = await index.ask(question, { strategy: "exhaustive", rankedPassages: 10_000 });
  const taken = new Set<string>();
  for (const segment of index.snapshot.segments) {
    for (let d = 0; d < segment.documentCount; d++) {
      const record = await segment.readDocument(d);
      if (filter(record)) taken.add(record.id);
    }
  }
  return passages.filter(({ documentId }) => taken.has(documentId)).map((passage) => JSON.stringify(passage));
}

describe("a filter", () => {
  it("gives every strategy with room for all the answers of the exhaustive one, whose passages are the allowed ones with the same scores", async () => {
    const cases = fc.record({
      seed: fc.nat({ max: 1_000_000 }),
      segments: fc.integer({ min: 1, max: 3 }),
      question: fc.constantFrom(...QUESTIONS),
      group: fc.constantFrom("a", "b", "c", "ab", "none"),
      deleted: fc.subarray(["doc-0", "doc-3", "doc-7"]),
    });
    await fc.assert(
      fc.asyncProperty(cases, async ({ seed, segments, question, group, deleted }) => {
        const index = await askable(madeUpDocuments(seed, 12), { segments, deleted });
        const filter: DocumentFilter = ({ metadata }) => group.includes(String(metadata.group));
        const all = { ...EVERY_PASSAGE, topK: 10, explain: true };
        const oracle = await index.ask(question, { ...all, strategy: "exhaustive", filter });
        expect(oracle.passages.map((passage) => JSON.stringify(passage))).toEqual(
          await rankedAlone(index, question, filter),
        );
        const allowedIds = new Set(oracle.passages.map(({ documentId }) => documentId));
        for (const answer of oracle.answers) {
          for (const place of [answer, ...answer.evidence]) expect(allowedIds).toContain(place.documentId);
        }
        const dense = await index.ask(question, { ...all, strategy: "dense-first", filter });
        expect(dense.answers).toEqual(oracle.answers);
        expect(dense.passages).toEqual(oracle.passages);
        const others: StrategyName[] = ["sparse-first", "hybrid"];
        for (const strategy of others) {
          const found = await index.ask(question, { ...all, strategy, filter });
          if (found.passages.length === oracle.passages.length) expect(found.answers).toEqual(oracle.answers);
          for (const passage of found.passages) expect(oracle.passages).toContainEqual(passage);
        }
      }),
      { numRuns: 24 },
    );
  });

  it("finds what an index finds whose other documents are deleted, by every strategy with little room", async () => {
    // A deletion changes document frequencies, a filter does not: without tf-idf nothing but the filter can make a difference.
    for (let seed = 0; seed < 12; seed++) {
      const documents = madeUpDocuments(seed, 16);
      const isAllowed = (id: string) => (Number(id.slice(4)) * 7 + seed) % 3 === 0;
      const deleted = documents.filter(({ id }) => !isAllowed(id)).map(({ id }) => id);
      const model = { weights: { ngrams: 1, terms: 1.5, tfidf: 0, vector: 1 } };
      const filtered = await askable(documents, { segments: 2, model });
      const alone = await askable(documents, { segments: 2, model, deleted });
      for (const strategy of STRATEGIES) {
        for (const question of QUESTIONS) {
          const few = { strategy, candidates: 3, topK: 4, explain: true };
          const a = await filtered.ask(question, { ...few, filter: ({ id }) => isAllowed(id) });
          const b = await alone.ask(question, few);
          expect(a.answers).toEqual(b.answers);
          expect(a.passages).toEqual(b.passages);
        }
      }
    }
  });

  it("finds the one document that it takes, however far its vectors are behind all others", async () => {
    const documents = madeUpDocuments(3, 40);
    const index = await askable(documents, { segments: 3 });
    const narrow = { strategy: "dense-first", candidates: 1 } as const;
    const found = new Set<string>();
    for (const { id } of documents) {
      const { passages } = await index.ask(QUESTIONS[0]!, { ...narrow, filter: (document) => document.id === id });
      for (const { documentId } of passages) found.add(documentId);
      expect(new Set(passages.map(({ documentId }) => documentId)).size).toBeLessThanOrEqual(1);
    }
    expect(found.size).toBeGreaterThan(35); // all that have a row at all
  });

  it("that takes nothing finds nothing", async () => {
    const index = await askable(madeUpDocuments(5, 8), { segments: 2 });
    for (const strategy of STRATEGIES) {
      const { answers, passages } = await index.ask(QUESTIONS[0]!, { strategy, filter: () => false });
      expect([answers, passages]).toEqual([[], []]);
    }
  });

  it("is called once for each live document, with what it may look at, and again only when it is another", async () => {
    const index = await askable(madeUpDocuments(9, 10), { segments: 2, deleted: ["doc-4"] });
    const seen: FilterableDocument[] = [];
    const filter: DocumentFilter = (document) => seen.push(document) > 0;
    for (const strategy of STRATEGIES) await index.ask(QUESTIONS[0]!, { strategy, filter });
    expect(seen.map(({ id }) => id).sort()).toEqual(
      Array.from({ length: 10 }, (_, n) => `doc-${n}`).filter((id) => id !== "doc-4"),
    );
    for (const document of seen) expect(Object.keys(document).sort()).toEqual(["id", "metadata", "source", "title"]);
    await Promise.all(QUESTIONS.map((question) => index.ask(question, { filter: (d) => filter(d), filterKey: "one" })));
    await index.ask(QUESTIONS[0]!, { filter: () => false, filterKey: "one" });
    expect(seen).toHaveLength(18);
  });

  it("does not change what is found without it", async () => {
    const index = await askable(madeUpDocuments(2, 10), { segments: 2 });
    const before = await index.ask(QUESTIONS[0]!);
    await index.ask(QUESTIONS[0]!, { filter: ({ id }) => id === "doc-1" });
    expect((await index.ask(QUESTIONS[0]!)).answers).toEqual(before.answers);
    expect((await index.ask(QUESTIONS[0]!, { filter: () => true })).answers).toEqual(before.answers);
  });

  it("is not remembered if it throws or is aborted, and other callers continue", async () => {
    const index = await askable(madeUpDocuments(1, 600), { segments: 2 });
    const broken = () => {
      throw new Error("no such field");
    };
    const ask = (filter: DocumentFilter, signal?: AbortSignal) =>
      index.ask(QUESTIONS[0]!, { filter, filterKey: "key", ...(signal === undefined ? {} : { signal }) });
    await expect(ask(broken)).rejects.toThrow("no such field");
    const controller = new AbortController();
    const { allowed } = index.searcher;
    const stopped = allowed.of(() => true, { key: "wait", signal: controller.signal });
    const waiting = allowed.of(() => true, { key: "wait" });
    controller.abort();
    await expect(stopped).rejects.toThrow(expect.objectContaining({ code: "aborted" }));
    expect((await waiting).bits!.every((bit) => bit === 1)).toBe(true);
    expect((await ask(() => true)).answers.length).toBeGreaterThan(0);
  });

  it("must be a function; a key needs a filter", async () => {
    const { searcher, ask } = await askable(madeUpDocuments(1, 2));
    expect(searcher).toBeInstanceOf(Searcher);
    const wrong = [{ filter: "a = 1" as unknown as DocumentFilter }, { filterKey: "x" }] satisfies Array<
      Partial<SearchOptions>
    >;
    for (const options of wrong) {
      await expect(ask("the", options)).rejects.toThrow(expect.objectContaining({ code: "invalid-argument" }));
    }
  });
});
