/** Questions with more terms and n-grams than a cluster accepts in one query. */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CandidateQuestion, fetchCandidates } from "../../adapters/opensearch/candidates.js";
import { filterQuery } from "../../adapters/opensearch/where.js";
import type { AskOptions } from "../../src/ask/options.js";
import { parseFilter } from "../../src/filter/parse.js";
import { questionGrams } from "../../src/search/score/tfidf.js";
import { type Both, loadBoth, makeCorpus, visible } from "../opensearch/corpus.js";
import { type FakeCluster, startFakeCluster } from "./fake-cluster.js";

const made = makeCorpus({ documents: 120, questions: 0, seed: 33 });
/** Equal documents, more than are fetched with the first ranking if few candidates are wanted. */
const copies = Array.from({ length: 6 }, (_, n) => ({ ...made.documents[0]!, id: `again-${n}` }));
const corpus = { ...made, documents: [...made.documents, ...copies] };
const QUESTION_LENGTH = 2000;

let cluster: FakeCluster;
let both: Both;
beforeAll(async () => {
  cluster = await startFakeCluster("docs");
  both = await loadBoth(corpus, cluster.address);
});
afterAll(async () => {
  await both?.close();
  await cluster?.close();
});

/** Texts of documents, so that nearly every n-gram occurs in the index. */
const textsFrom = (first: number): string =>
  corpus.documents
    .slice(first)
    .map(({ text }) => text.replace(/\s+/g, " "))
    .join(" ")
    .slice(0, QUESTION_LENGTH);

async function expectFoldersAnswers(question: string, options: AskOptions = {}): Promise<void> {
  const [expected, found] = [
    await both.folder.ask(question, { strategy: "sparse-first", ...options }),
    await both.cluster.ask(question, { strategy: "sparse-first", ...options }),
  ];
  expect(visible(found)).toEqual(visible(expected));
  expect(found.answers.length).toBeGreaterThan(0);
}

describe("a question of 2,000 characters", () => {
  it.each([0, 12, 40, 77])("copied from documents %i and following has the folder's answers and scores", async (n) => {
    const question = textsFrom(n);
    expect(questionGrams(question).length).toBeGreaterThan(430); // of two clauses each
    for (const options of [{}, { where: "ok = true" }, { advanced: { candidates: 70 } }]) {
      await expectFoldersAnswers(question, options);
    }
  });

  it("has them if the n-grams that did not fit decide which passages are fetched", async () => {
    const before = cluster.searches.length;
    await expectFoldersAnswers(textsFrom(0), { advanced: { candidates: 1 } });
    const decided = cluster.searches.slice(before).map((body) => JSON.stringify(body.query));
    expect(decided.filter((query) => query.includes('"ids"') && query.includes('"w.')).length).toBe(1);
    expect(decided.filter((query) => query.includes('"ids"') && query.includes('"g.')).length).toBe(1);
  });

  it("of Chinese characters, each of which is a word, is answered", async () => {
    const characters = String.fromCodePoint(...Array.from({ length: 1900 }, (_, n) => 0x4e00 + n));
    expect(questionGrams(characters).length).toBeGreaterThan(3000);
    await expectFoldersAnswers(`${characters} ${textsFrom(3).slice(0, 50)}`);
  });
});

describe("a query", () => {
  it.each([
    ["", 60, 560],
    ["", 400, 100],
    ["", 3000, 100],
    ['year in (1, 2, 3) or not (tag = "a" and tag != "b")', 60, 560],
  ])(
    "with filter %j and %i n-grams has at most 1,000 clauses, with the shares of at least %i documents",
    async (where, gramCount, leastShares) => {
      const shares: number[] = [];
      const search = async (_: string, body: { size: number; query: object }) => {
        const leaves = JSON.stringify(body.query).match(/"(term|range|rank_feature|ids)":/g)!.length;
        expect(leaves).toBeLessThanOrEqual(1000);
        const isOfDocuments = JSON.stringify(body.query).includes('"w.');
        if (!isOfDocuments) shares.push(JSON.stringify(body.query).match(/"doc":/g)?.length ?? 0);
        const hits = Array.from({ length: isOfDocuments ? body.size : 0 }, (_, n) => ({ _id: `doc${n}`, _score: 1 }));
        return { hits: { hits } };
      };
      const { info: model } = corpus.encoder;
      const asked = {
        connected: { connection: { search }, index: "docs.1", meta: { model: {} } },
        state: { documents: 5000, passages: 20_000, alone: 1000 },
        model: { ...model, weights: { ...model.weights, tfidf: 1 } },
        question: await corpus.encoder.encodeQuestion("one two three"),
        grams: Array.from({ length: gramCount }, (_, n) => [n, 1] as const),
        frequency: () => 3,
        filter: where === "" ? undefined : filterQuery(parseFilter(where)),
        ...{ count: 20, termsOnly: false, onRanked: () => {}, signal: undefined },
      } as unknown as CandidateQuestion;
      await fetchCandidates(asked, async () => []);
      expect(shares[0]).toBe(100);
      expect(Math.max(...shares)).toBeGreaterThanOrEqual(leastShares);
    },
  );
});
