/** `exact` against the exhaustive strategy: the same answers, of fewer passages, by bounds that hold. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { EncodedQuestion } from "../../src/encode/types.js";
import { openSnapshot } from "../../src/index/open-snapshot.js";
import { openIndexWriter } from "../../src/index/write/writer.js";
import { createKernel } from "../../src/kernel/kernel.js";
import { PlainKernel } from "../../src/kernel/plain-kernel.js";
import { upperBounds } from "../../src/search/limits.js";
import { resolveOptions } from "../../src/search/options.js";
import { prepareQuestion } from "../../src/search/prepare.js";
import { scorePassage } from "../../src/search/score/score-passage.js";
import { SparseQuestion } from "../../src/search/score/sparse.js";
import { findSpans, search } from "../../src/search/search.js";
import { SearchSession } from "../../src/search/session.js";
import type { Answer, SearchOptions } from "../../src/search/types.js";
import { askable, madeUpDocuments } from "../support/ask.js";
import { prepareDocument } from "../support/memory-segment.js";
import { MemoryStorage } from "../support/memory-storage.js";
import { coarsely } from "../support/storage-precision.js";
import { TinyEncoder } from "../support/tiny-encoder.js";

const QUESTIONS = ["who founded the observatory in 1911?", "winter summer rain", "the captain sailed north", "東京 😀"];

const essence = (answers: Answer[]) =>
  answers.map(({ documentId, start, end, text, score, parts }) => ({ documentId, start, end, text, score, parts }));

/** An index in files, kept as coarsely as can be. */
async function coarseIndex(seed: number) {
  const documents = madeUpDocuments(seed, 24);
  const encoder = new TinyEncoder(
    documents.flatMap(({ title, text }) => [title, text]),
    { storage: coarsely },
  );
  const storage = new MemoryStorage();
  const writer = await openIndexWriter(storage, { model: encoder.info, termUnit: "passage", segmentPassages: 9 });
  for (const document of documents) await writer.add(await prepareDocument(encoder, document, {}));
  await writer.commit();
  writer.delete("doc-3");
  await writer.commit();
  await writer.close();
  const snapshot = await openSnapshot(storage);
  const { info: model, tokenizer } = encoder;
  return { encoder, snapshot, session: new SearchSession({ snapshot, kernel: createKernel(), model, tokenizer }) };
}

const PARTS = {
  start: ["start"],
  end: ["end"],
  coherency: ["coherency"],
  startNgrams: ["startUnigrams", "startBigrams"],
  endNgrams: ["endUnigrams", "endBigrams"],
} as const;

/** The question with one part alone: no slack of another part hides a bound that is too small. */
function onlyPart(encoded: EncodedQuestion, part: keyof typeof PARTS): EncodedQuestion {
  const one: EncodedQuestion = { ...encoded, text: "", terms: new Uint16Array(0), termWeights: new Float32Array(0) };
  const kept: readonly string[] = PARTS[part];
  for (const name of Object.values(PARTS).flat())
    if (!kept.includes(name)) one[name] = new Float32Array(one[name].length);
  return one;
}

/** Every passage's best span is at most the passage's bound; what has no bound has no span or is not allowed. */
async function expectBounds(session: SearchSession, encoded: EncodedQuestion, given: Partial<SearchOptions> = {}) {
  const options = resolveOptions({ exact: true, ...given });
  const question = prepareQuestion(encoded, session);
  const sparse = await SparseQuestion.read(session, encoded);
  const bounds = await upperBounds({ session, question, sparse, allowed: session.allowed.live, options });
  const { kernel, isContinuation, numbering } = session;
  let tight = 0;
  for (const [s, segment] of session.snapshot.segments.entries()) {
    for (let p = 0; p < segment.passageCount; p++) {
      const number = numbering.firstPassages[s]! + p;
      if (segment.isDeleted(segment.passageDocuments[p]!)) {
        expect(bounds[number]).toBe(Number.NEGATIVE_INFINITY);
        continue;
      }
      const [stored] = await segment.readPassages([p]);
      const { maxAnswerTokens } = options;
      const [best] = scorePassage(stored!, question, { kernel, isContinuation, maxAnswerTokens });
      if (best === undefined) continue;
      const { terms, tfidf } = sparse.of(number);
      const score = best.score + terms + tfidf;
      expect(score).toBeLessThanOrEqual(bounds[number]!);
      if (bounds[number]! < score + 3 * Math.abs(score) + 20) tight++;
    }
  }
  return tight;
}

describe("hybrid, exact", () => {
  it("answers as the exhaustive strategy does, whatever the index and the question", async () => {
    const cases = fc.record({
      seed: fc.nat({ max: 1_000_000 }),
      documents: fc.integer({ min: 1, max: 30 }),
      vocabulary: fc.constantFrom(30, 80),
      segments: fc.integer({ min: 1, max: 3 }),
      termUnit: fc.constantFrom("passage" as const, "sentence" as const),
      question: fc.constantFrom(...QUESTIONS),
      topK: fc.integer({ min: 1, max: 7 }),
      maxAnswerTokens: fc.constantFrom(1, 5, 20, 64),
      sparseCandidates: fc.integer({ min: 1, max: 4 }),
      deleted: fc.boolean(),
      filter: fc.boolean(),
      plain: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(cases, async ({ seed, documents, vocabulary, segments, termUnit, question, ...more }) => {
        const { deleted, filter, plain, ...options } = more;
        const index = await askable(madeUpDocuments(seed, documents, vocabulary), {
          segments,
          termUnit,
          deleted: deleted ? ["doc-0", "doc-5"] : [],
          kernel: plain ? new PlainKernel() : createKernel(),
        });
        const passes = filter ? ({ id }: { id: string }) => Number(id.slice(4)) % 2 === 1 : undefined;
        const given = { ...options, explain: true, filter: passes };
        const oracle = await index.ask(question, { ...given, strategy: "exhaustive" });
        for (let round = 0; round < 2; round++) {
          const { answers } = await index.ask(question, { ...given, exact: true });
          expect(essence(answers)).toEqual(essence(oracle.answers));
        }
      }),
      { numRuns: 40 },
    );
  }, 300_000);

  it("has bounds that no span exceeds, and that are no mere large numbers", async () => {
    let tight = 0;
    for (const seed of [1, 2, 3]) {
      const index = await askable(madeUpDocuments(seed, 20), { segments: 2, deleted: ["doc-2"] });
      for (const question of QUESTIONS) {
        for (const maxAnswerTokens of [1, 20, 64]) {
          const encoded = await index.encoder.encodeQuestion(question);
          tight += await expectBounds(index.session, encoded, { maxAnswerTokens });
          for (const part of Object.keys(PARTS) as Array<keyof typeof PARTS>) {
            await expectBounds(index.session, onlyPart(encoded, part), { maxAnswerTokens });
          }
        }
      }
    }
    expect(tight).toBeGreaterThan(100);
  }, 120_000);

  it("holds for rows that are kept coarsely, in files, with deletions", async () => {
    for (const seed of [4, 5]) {
      const { encoder, session, snapshot } = await coarseIndex(seed);
      expect(snapshot.segments.length).toBeGreaterThan(1);
      for (const question of QUESTIONS) {
        const encoded = await encoder.encodeQuestion(question);
        await expectBounds(session, encoded);
        const { coarse } = encoder.info;
        const start = onlyPart(encoded, "start");
        await expectBounds(session, start);
        await expectBounds(session, { ...start, start: start.start.map((x, d) => (d < coarse ? x : 0)) });
        for (const topK of [1, 5]) {
          const oracle = await search(session, encoded, { strategy: "exhaustive", topK, explain: true });
          const { answers } = await search(session, encoded, { exact: true, topK, explain: true });
          expect(essence(answers)).toEqual(essence(oracle.answers));
        }
      }
      session.close();
      await snapshot.close();
    }
  });

  it("scores fewer passages", async () => {
    const index = await askable(madeUpDocuments(6, 150), { segments: 2 });
    const scored = { exact: 0, all: 0 };
    for (const question of QUESTIONS) {
      const encoded = await index.encoder.encodeQuestion(question);
      const options = { topK: 1, sparseCandidates: 5 };
      scored.exact += (await findSpans(index.session, encoded, { ...options, exact: true })).scored;
      scored.all += (await findSpans(index.session, encoded, { ...options, strategy: "exhaustive" })).scored;
    }
    expect(scored.exact).toBeLessThan(0.9 * scored.all);
  });

  it("shares its bounds with the next version of the index", async () => {
    const index = await askable(madeUpDocuments(8, 12), { segments: 2 });
    await index.ask(QUESTIONS[0]!, { exact: true });
    const { snapshot, model, tokenizer, kernel } = index.session;
    const next = new SearchSession({ snapshot, model, tokenizer, kernel, before: index.session });
    expect(await next.bounds(1, 20)).toBe(await index.session.bounds(1, 12));
    expect(await next.bounds(1, 21)).not.toBe(await next.bounds(1, 20));
    next.close();
  });

  it("is of hybrid alone, and refuses what is neither true nor false", async () => {
    const index = await askable(madeUpDocuments(9, 3));
    const asked = (options: object) => index.ask(QUESTIONS[1]!, options);
    await expect(asked({ exact: true, strategy: "sparse-first" })).rejects.toMatchObject({ code: "invalid-argument" });
    await expect(asked({ exact: "yes" })).rejects.toMatchObject({ code: "invalid-argument" });
    const { answers } = await asked({ exact: true, strategy: "exhaustive" });
    expect(answers).toEqual((await asked({ strategy: "exhaustive" })).answers);
  });
});
