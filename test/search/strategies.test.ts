/** Every strategy against the exhaustive one, on generated documents. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openSnapshot } from "../../src/index/open-snapshot.js";
import { openIndexWriter } from "../../src/index/write/writer.js";
import { createKernel } from "../../src/kernel/kernel.js";
import { PlainKernel } from "../../src/kernel/plain-kernel.js";
import type { SearchOptions } from "../../src/search/options.js";
import { prepareQuestion } from "../../src/search/prepare.js";
import { scoreAllPassages } from "../../src/search/score/passage-scorer.js";
import { scoreSpans } from "../../src/search/score/score-spans.js";
import { findSpans } from "../../src/search/search.js";
import { Searcher } from "../../src/search/searcher.js";
import type { StrategyName } from "../../src/search/strategies/names.js";
import type { Answer } from "../../src/search/types.js";
import { type Askable, askable, askSession, EVERY_PASSAGE, madeUpDocuments } from "../support/ask.js";
import { prepareDocument } from "../support/memory-segment.js";
import { MemoryStorage } from "../support/memory-storage.js";

const STRATEGIES: StrategyName[] = ["hybrid", "sparse-first", "dense-first", "exhaustive"];
const QUESTIONS = [
  "who founded the observatory in 1911?",
  "winter summer rain",
  "the captain sailed north with twelve men",
  "東京 café 😀",
];

/**
 * The score of every span that scoreSpans finds anywhere, by document, start and end; the best where passages
 * overlap.
 */
async function allSpanScores(
  index: Askable,
  question: string,
  maxAnswerTokens: number,
): Promise<Map<string, number[]>> {
  const { searcher, encoder } = index;
  const encoded = await encoder.encodeQuestion(question);
  const prepared = prepareQuestion(encoded, searcher);
  const sparse = await scoreAllPassages(searcher, encoded);
  const { firstPassages } = searcher.numbering;
  const scores = new Map<string, number[]>();
  for (const [s, segment] of index.snapshot.segments.entries()) {
    for (let p = 0; p < segment.passageCount; p++) {
      const { document, start, end } = segment.passage(p);
      const { id } = await segment.readDocument(document);
      const tokens = encoder.tokenizer.tokenize(await segment.readText(document, start, end));
      const [passage] = await segment.readPassages([p]);
      const { kernel, isContinuation } = searcher;
      for (const span of scoreSpans(passage!, prepared, { kernel, maxAnswerTokens, isContinuation })) {
        const from = start + tokens.starts[span.startPosition - passage!.firstToken]!;
        const to = start + tokens.ends[span.endPosition - passage!.firstToken]!;
        const at = firstPassages[s]! + p;
        const score = span.dense + span.ngram + sparse.terms[at]! + sparse.tfidf[at]! + sparse.vector[at]!;
        const key = `${id} ${from} ${to}`;
        scores.set(key, [...(scores.get(key) ?? []), score]);
      }
    }
  }
  return scores;
}

const essence = (answers: Answer[]) =>
  answers.map(({ documentId, start, end, text, score, parts }) => ({ documentId, start, end, text, score, parts }));

describe("strategies", () => {
  it("give a span the same score whatever found it, parts that sum to it, and the document's own words", async () => {
    const cases = fc.record({
      seed: fc.nat({ max: 1_000_000 }),
      segments: fc.integer({ min: 1, max: 3 }),
      question: fc.constantFrom(...QUESTIONS),
      strategy: fc.constantFrom(...STRATEGIES),
      candidates: fc.integer({ min: 1, max: 6 }),
      maxAnswerTokens: fc.integer({ min: 1, max: 12 }),
    });
    await fc.assert(
      fc.asyncProperty(cases, async ({ seed, segments, question, strategy, candidates, maxAnswerTokens }) => {
        const documents = madeUpDocuments(seed, 12);
        const index = await askable(documents, { segments });
        const options: Partial<SearchOptions> = { strategy, maxAnswerTokens, topK: 8, explain: true };
        Object.assign(options, { candidates });
        const { answers } = await index.ask(question, options);
        const scores = await allSpanScores(index, question, maxAnswerTokens);
        for (const [n, answer] of answers.entries()) {
          const { text } = documents.find((document) => document.id === answer.documentId)!;
          expect(text.slice(answer.start, answer.end)).toBe(answer.text);
          expect(scores.get(`${answer.documentId} ${answer.start} ${answer.end}`)).toContain(answer.score);
          const { dense, ngram, terms, tfidf, vector } = answer.parts!;
          expect(dense + ngram + terms + tfidf + vector).toBe(answer.score);
          expect(answer.ngrams!.reduce((sum, match) => sum + match.weight, 0)).toBeCloseTo(ngram, 6);
          if (n > 0) expect(answers[n - 1]!.score).toBeGreaterThanOrEqual(answer.score);
        }
      }),
      { numRuns: 24 },
    );
  });

  it("answer the same for a model without vectors as for one whose vectors weigh nothing", async () => {
    const weights = { ngrams: 0.5, terms: 1, tfidf: 1, vector: 0 };
    const documents = madeUpDocuments(1, 16);
    const [without, unweighed] = [
      await askable(documents, { segments: 2, model: { vector: 0, weights } }),
      await askable(documents, { segments: 2, model: { weights } }),
    ];
    for (const question of QUESTIONS) {
      for (const strategy of STRATEGIES.filter((name) => name !== "dense-first")) {
        const [found, expected] = [
          await without.ask(question, { strategy }),
          await unweighed.ask(question, { strategy }),
        ];
        expect(found.answers).toEqual(expected.answers);
      }
    }
  });

  it("choose candidates by what their names say, as sorting all passages does", async () => {
    const differing = new Set<string>();
    for (let seed = 0; seed < 6; seed++) {
      const index = await askable(madeUpDocuments(seed, 16), { segments: 2 });
      for (const question of QUESTIONS) {
        const { terms, tfidf, vector } = await scoreAllPassages(
          index.searcher,
          await index.encoder.encodeQuestion(question),
        );
        const orders = {
          hybrid: { score: (p: number) => terms[p]! + tfidf[p]! + vector[p]!, least: 0 },
          "sparse-first": { score: (p: number) => terms[p]! + tfidf[p]!, least: 0 },
          "dense-first": { score: (p: number) => vector[p]!, least: Number.NEGATIVE_INFINITY },
        };
        const found: string[] = [];
        for (const [strategy, { score, least }] of Object.entries(orders)) {
          const expected = [...terms.keys()]
            .filter((p) => score(p) > least)
            .sort((a, b) => score(b) - score(a) || a - b)
            .slice(0, 4);
          const asked = { strategy: strategy as StrategyName, candidates: 4 };
          const { passages } = await findSpans(index.searcher, await index.encoder.encodeQuestion(question), asked);
          const { firstPassages } = index.searcher.numbering;
          const numbers = passages.map(({ segment, passage }) => firstPassages[segment]! + passage);
          // a passage without a span is chosen, and left out of the ranking
          expect(expected).toEqual(expect.arrayContaining(numbers));
          found.push(JSON.stringify(numbers.sort()));
        }
        if (new Set(found).size === 3) differing.add(question);
      }
    }
    expect(differing.size).toBeGreaterThan(0);
  });

  it("dense-first is refused for a model without passage vectors", async () => {
    const index = await askable(madeUpDocuments(1, 4), { model: { vector: 0 } });
    await expect(index.ask(QUESTIONS[0]!, { strategy: "dense-first" })).rejects.toMatchObject({
      code: "invalid-argument",
      message: expect.stringContaining("has none"),
    });
  });

  it("answer as the exhaustive one does when every passage is a candidate", async () => {
    const cases = fc.record({
      seed: fc.nat({ max: 1_000_000 }),
      segments: fc.integer({ min: 1, max: 3 }),
      question: fc.constantFrom(...QUESTIONS.slice(0, 3)),
    });
    await fc.assert(
      fc.asyncProperty(cases, async ({ seed, segments, question }) => {
        // Few words: every passage has one of the question's, so that sparse-first has reason to look at it.
        const index = await askable(madeUpDocuments(seed, 10, 60), { segments });
        const all = { ...EVERY_PASSAGE, topK: 10, explain: true };
        const oracle = await index.ask(question, { ...all, strategy: "exhaustive" });
        expect(oracle.answers.length).toBeGreaterThan(0);
        // a passage that nothing speaks for is no candidate of the others
        const sparse = await scoreAllPassages(index.searcher, await index.encoder.encodeQuestion(question));
        const speaks = sparse.terms.map((value, p) => value + sparse.tfidf[p]!);
        const strategies: StrategyName[] = ["dense-first"];
        if (speaks.every((sum) => sum > 0)) strategies.push("sparse-first");
        if (speaks.every((sum, p) => sum + sparse.vector[p]! > 0)) strategies.push("hybrid");
        for (const strategy of strategies) {
          const result = await index.ask(question, { ...all, strategy });
          expect(essence(result.answers)).toEqual(essence(oracle.answers));
          expect(result.answers).toEqual(oracle.answers);
          expect(result.passages).toEqual(oracle.passages);
        }
      }),
      { numRuns: 16 },
    );
  });

  it("answer the same for any division of the documents into segments", async () => {
    const documents = madeUpDocuments(7, 15);
    const [one, three] = [await askable(documents, { segments: 1 }), await askable(documents, { segments: 3 })];
    for (const question of QUESTIONS) {
      const options = { strategy: "exhaustive", topK: 10 } as const;
      const [a, b] = [await one.ask(question, options), await three.ask(question, options)];
      expect(essence(b.answers)).toEqual(essence(a.answers));
    }
  });

  it("answer the same with both kernels", async () => {
    const documents = madeUpDocuments(11, 15);
    const indexes = await Promise.all(
      [new PlainKernel(), createKernel()].map((kernel) => askable(documents, { kernel })),
    );
    for (const strategy of STRATEGIES) {
      for (const question of QUESTIONS) {
        const [a, b] = await Promise.all(indexes.map((index) => index.ask(question, { strategy, candidates: 5 })));
        expect(b!.answers).toEqual(a!.answers);
      }
    }
  });

  it("answer the same from files as from memory", async () => {
    const documents = madeUpDocuments(13, 15);
    const memory = await askable(documents, { deleted: ["doc-4"] });
    const storage = new MemoryStorage();
    const writer = await openIndexWriter(storage, { model: memory.encoder.info, segmentPassages: 6 });
    for (const document of documents) await writer.add(await prepareDocument(memory.encoder, document));
    await writer.commit();
    writer.delete("doc-4");
    await writer.commit();
    await writer.close();
    const snapshot = await openSnapshot(storage);
    expect(snapshot.segments.length).toBeGreaterThan(1);
    const { encoder } = memory;
    const searcher = new Searcher({
      snapshot,
      kernel: createKernel(),
      model: encoder.info,
      tokenizer: encoder.tokenizer,
    });
    for (const strategy of STRATEGIES) {
      for (const question of QUESTIONS) {
        const options = { strategy, topK: 10, explain: true } as const;
        const fromFiles = await askSession({ searcher, encoder }, question, options);
        expect(fromFiles.answers).toEqual((await memory.ask(question, options)).answers);
      }
    }
    searcher.close();
    await snapshot.close();
  });
});
