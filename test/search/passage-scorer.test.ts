/** The two sparse parts against their equations, written out over the documents. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Lru } from "../../src/search/lru.js";
import { prepareQuestion, scoreOwnVector } from "../../src/search/prepare.js";
import { PassageScorer, scoreAllPassages } from "../../src/search/score/passage-scorer.js";
import { ngramCounts } from "../../src/text/words.js";
import { type Askable, askable, madeUpDocuments, textDocument } from "../support/ask.js";
import { MADE_UP_WORDS } from "../support/made-up.js";

const documents = [
  textDocument("a", "The red fox saw the red hen. The hen ran to the barn. ".repeat(20), "Fox"),
  textDocument("b", "A barn is red. A fox is quick and a red fox is quicker.", "Barn"),
  textDocument("c", "The hen sleeps in the barn with another hen.", "Hen"),
  textDocument("d", "Ships sail on the sea.", "Ships"),
];
const question = "where did the red fox see the hen, the red hen?";

/** Passages of live documents in index order, with what a test wants to know of them. */
function livePassages(index: Askable, deleted: string[]) {
  return index.snapshot.segments.flatMap((segment, s) =>
    Array.from({ length: segment.passageCount }, (_, p) => {
      const { document, start, end } = segment.passage(p);
      return {
        s,
        p,
        document: documents.filter((_, d) => d % index.snapshot.segments.length === s)[document]!,
        start,
        end,
      };
    }).filter(({ document }) => !deleted.includes(document.id)),
  );
}

/** A document has the n-grams of its passages (docs/index-format.md §8). */
function summed(parts: ReadonlyArray<Map<number, number>>): Map<number, number> {
  const sums = new Map<number, number>();
  for (const part of parts) for (const [bucket, count] of part) sums.set(bucket, (sums.get(bucket) ?? 0) + count);
  return sums;
}

/** tfidf(u) of src/search/score/tfidf.ts over the counts of a list of units. */
function naiveTfidf(counts: ReadonlyArray<Map<number, number>>, asked: string): number[] {
  const grams = [...ngramCounts(asked)].map(([bucket, count]) => {
    const n = counts.filter((unit) => unit.has(bucket)).length;
    const idf = Math.log(1 + (counts.length - n + 0.5) / (n + 0.5));
    return { bucket, idf, weight: Math.log(1 + count) * idf };
  });
  const norm = Math.hypot(...grams.map(({ weight }) => weight));
  return counts.map((unit) => {
    const length = Math.hypot(...[...unit.values()].map((count) => Math.log(1 + count))) || 1;
    const sum = grams.reduce(
      (total, { bucket, idf, weight }) => total + weight * Math.log(1 + (unit.get(bucket) ?? 0)) * idf,
      0,
    );
    return sum / (length * norm);
  });
}

describe("scoreAllPassages", () => {
  for (const deleted of [[], ["b"]]) {
    for (const segments of [1, 2]) {
      it(`gives tf-idf as its equation says: ${segments} segments, deleted: ${deleted.join() || "none"}`, async () => {
        const index = await askable(documents, {
          segments,
          deleted,
          model: { weights: { ngrams: 1, terms: 1, tfidf: 0.25, vector: 0 } },
        });
        const scores = await scoreAllPassages(index.searcher, await index.encoder.encodeQuestion(question));
        const live = livePassages(index, deleted);
        expect(live.length).toBeGreaterThan(documents.length - deleted.length);
        const counts = live.map(({ document, start, end }) => ngramCounts(document.text.slice(start, end)));
        const passages = naiveTfidf(counts, question);
        const liveDocuments = documents.filter(({ id }) => !deleted.includes(id));
        const byDocument = naiveTfidf(
          liveDocuments.map((document) => summed(counts.filter((_, n) => live[n]!.document === document))),
          question,
        );
        for (const [n, { s, p, document }] of live.entries()) {
          const expected = 0.25 * (passages[n]! + byDocument[liveDocuments.indexOf(document)]!);
          expect(scores.tfidf[index.searcher.numbering.firstPassages[s]! + p]).toBeCloseTo(expected, 6);
        }
      });
    }
  }

  it("sums the weights of the question's terms", async () => {
    const index = await askable(documents, { model: { weights: { ngrams: 1, terms: 1.5, tfidf: 1, vector: 0 } } });
    const encoded = await index.encoder.encodeQuestion(question);
    const scores = await scoreAllPassages(index.searcher, encoded);
    const [segment] = index.snapshot.segments;
    const sums = new Float64Array(segment!.passageCount);
    for (const [n, term] of encoded.terms.entries()) {
      const [postings] = await segment!.termPostings([term]);
      for (const [k, unit] of postings?.units.entries() ?? []) {
        sums[unit]! += encoded.termWeights[n]! * (postings!.values[k]! / index.encoder.info.scales.term);
      }
    }
    for (const [p, sum] of sums.entries()) expect(scores.terms[p]).toBeCloseTo(1.5 * sum, 9);
  });
});

describe("PassageScorer", () => {
  it("scores one passage, and finds the best, as the sums of all do: for any segments, deletions, weights and filters", async () => {
    let skipped = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          seed: fc.nat(1000),
          documents: fc.integer({ min: 1, max: 60 }),
          segments: fc.integer({ min: 1, max: 3 }),
          gone: fc.integer({ min: 2, max: 9 }),
          weights: fc.record({
            ngrams: fc.constant(1),
            terms: fc.constantFrom(0, 0.2, 3, -1),
            tfidf: fc.constantFrom(0, 0.25, 4),
            vector: fc.constantFrom(0, 1, 30, -2),
          }),
          dimensions: fc.constantFrom(16, 192), // of the latter, bounds are exact over a part
        }),
        // several questions per index: building it takes most of the time
        fc.array(
          fc.record({
            count: fc.integer({ min: 1, max: 20 }),
            modulus: fc.integer({ min: 1, max: 4 }),
            words: fc.array(fc.constantFrom(...MADE_UP_WORDS), { minLength: 1, maxLength: 12 }),
          }),
          { minLength: 5, maxLength: 5 },
        ),
        async ({ seed, documents: size, segments, gone, weights, dimensions }, questions) => {
          const texts = madeUpDocuments(seed, size);
          const deleted = texts.filter((_, n) => n % gone === 1).map(({ id }) => id);
          const index = await askable(texts, { segments, deleted, model: { weights, vector: dimensions, dense: 192 } });
          for (const { count, modulus, words } of questions) {
            const encoded = await index.encoder.encodeQuestion(words.join(" "));
            const isCandidate = (number: number) => number % modulus === 0;
            const asked = await PassageScorer.read(index.searcher, encoded);
            const { passageDocuments } = index.searcher.numbering;
            const parts = Array.from(passageDocuments, (_, number) => asked.of(number));
            let scored = 0;
            const counting = (number: number): boolean => {
              scored++;
              return isCandidate(number);
            };
            const best = asked.best(count, { isCandidate: counting });
            const byParts = (["words", "vectors"] as const).map((by) => ({
              by,
              found: asked.best(count, { by, isCandidate }),
            }));
            const all = asked.all();
            expect(parts).toEqual(
              parts.map((_, n) => ({ terms: all.terms[n], tfidf: all.tfidf[n], vector: all.vector[n] })),
            );
            expect(best).toEqual(asked.best(count, { isCandidate }));
            const expected = parts
              .map(({ terms, tfidf, vector }, n) => ({ n, score: terms + tfidf + vector }))
              .filter(({ n, score }) => score > 0 && isCandidate(n))
              .sort((a, b) => b.score - a.score || a.n - b.n)
              .slice(0, count);
            expect(Array.from(best.ids, (n, at) => ({ n, score: best.scores[at] }))).toEqual(expected);
            for (const { by, found } of byParts) {
              expect(found).toEqual(asked.best(count, { by, isCandidate })); // by the sums of all
              const scores = parts.map(({ terms, tfidf, vector }) => (by === "words" ? terms + tfidf : vector));
              const ranked = scores
                .map((score, n) => ({ n, score }))
                .filter(({ n, score }) => isCandidate(n) && (by === "words" ? score > 0 : weights.vector !== 0))
                .sort((a, b) => b.score - a.score || a.n - b.n)
                .slice(0, count);
              expect(Array.from(found.ids, (n, at) => ({ n, score: found.scores[at] }))).toEqual(ranked);
            }
            if (best.ids.length === count && scored < passageDocuments.length) skipped++;
            asked.release();
          }
        },
      ),
      { numRuns: 40, seed: 7 },
    );
    expect(skipped).toBeGreaterThan(10);
  });
});

describe("the nearest passages", () => {
  it("are those with the largest cosine, whatever is deleted", async () => {
    for (const deleted of [[], ["a"], ["a", "c"]]) {
      const index = await askable(documents, { deleted, segments: 2 });
      const { searcher } = index;
      const encoded = await index.encoder.encodeQuestion(question);
      const { vector: query } = prepareQuestion(encoded, searcher);
      const { firstPassages } = searcher.numbering;
      const best: Array<{ number: number; score: number }> = [];
      for (const { s, p } of livePassages(index, deleted)) {
        await searcher.segment(s).readVectors((first, rows) => {
          const own = rows.subarray((p - first) * query.values.length, (p - first + 1) * query.values.length);
          if (p >= first && own.length > 0)
            best.push({ number: firstPassages[s]! + p, score: scoreOwnVector(query, own) });
        });
      }
      best.sort((x, y) => y.score - x.score || x.number - y.number);
      const scorer = await PassageScorer.read(searcher, encoded);
      const isCandidate = (number: number): boolean => searcher.allowed.live.has(number);
      for (const count of [1, 2, 5]) {
        const found = scorer.best(count, { by: "vectors", isCandidate });
        expect([...found.ids]).toEqual(best.slice(0, count).map(({ number }) => number));
        for (const [n, score] of found.scores.entries()) expect(score).toBeCloseTo(best[n]!.score, 6);
      }
    }
  });
});

describe("Lru", () => {
  it("drops what was used longest ago, by cost", () => {
    const cache = new Lru<string, number[]>(5, (value) => value.length);
    cache.set("a", [1, 2]);
    cache.set("b", [1, 2]);
    cache.get("a");
    cache.set("c", [1, 2]);
    expect([cache.get("a"), cache.get("b"), cache.get("c")]).toEqual([[1, 2], undefined, [1, 2]]);
    cache.set("d", [1, 2, 3, 4, 5, 6]);
    expect(cache.get("d")).toBeUndefined(); // costs more than there is room for
  });
});
