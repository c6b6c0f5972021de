/** nDCG@10 of several rankings of the documents of a set. */

import { openSearcher } from "../../adapters/node/open-searcher.js";
import type { EncodedQuestion, Encoder } from "../../src/encode/types.js";
import { Bm25 } from "../../src/evaluate/bm25.js";
import { ndcgAt, type Ranked } from "../../src/evaluate/retrieval.js";
import type { SearchOptions } from "../../src/search/options.js";
import { rankByBestSpan, rankDocuments } from "../../src/search/rank-documents.js";
import { scoreAllPassages } from "../../src/search/score/passage-scorer.js";
import type { Searcher } from "../../src/search/searcher.js";
import type { RankingQuery, RankingSet } from "./ranking-set.js";

/** `default` ranks documents by their best span; `baseVector` needs a run of base_vectors.py. */
export const RANKINGS = ["default", "terms", "tfidf", "bm25", "baseVector"] as const;
export type Ranking = (typeof RANKINGS)[number];

/** Ids and scores of documents by query id, best first. */
export type Run = Record<string, [string, number][]>;

/**
 * @param options.index  folder of the index of the set's documents
 * @param options.base  the run of the base model's sentence vectors; without it they are left out
 * @returns nDCG@10 per query, in the order of the set, by ranking
 */
export async function measureRankings(
  { documents, queries, qrels }: RankingSet,
  options: { index: string; encoder: Encoder; base?: Run; signal?: AbortSignal },
): Promise<Map<Ranking, number[]>> {
  const { index, encoder, base, signal } = options;
  const bm25 = new Bm25(documents.map(({ title, text }) => `${title} ${text}`));
  const gains = new Map<Ranking, number[]>();
  const { searcher, close } = await openSearcher(index, encoder);
  try {
    for (const query of queries) {
      const encoded = await encoder.encodeQuestion(query.text, { signal });
      const lexical = bm25
        .search(query.text, documents.length)
        .map(({ document, score }) => ({ id: documents[document]!.id, score }));
      const rankings: Partial<Record<Ranking, Ranked[]>> = {
        default: await rankByBestSpan(searcher, encoded, filterOf(query)),
        ...(await bySparseParts(searcher, encoded, documents.length)),
        bm25: lexical,
      };
      if (base !== undefined) rankings.baseVector = base[query.id]!.map(([id, score]) => ({ id, score }));
      for (const [name, list] of Object.entries(rankings) as [Ranking, Ranked[]][]) {
        const inScope = list.filter(({ id }) => id.startsWith(query.scope));
        const gain = ndcgAt(inScope, qrels.get(query.id)!, 10);
        gains.set(name, [...(gains.get(name) ?? []), gain]);
      }
    }
  } finally {
    await close();
  }
  return gains;
}

async function bySparseParts(searcher: Searcher, encoded: EncodedQuestion, count: number) {
  const sparse = await scoreAllPassages(searcher, encoded);
  const terms = await rankDocuments(searcher, sparse.terms, { count });
  const tfidf = await rankDocuments(searcher, sparse.tfidf, { count });
  searcher.scratch.give(...Object.values(sparse));
  return { terms, tfidf };
}

/** The options that leave only documents of a query's contract or policy. */
function filterOf({ scope }: RankingQuery): Pick<SearchOptions, "filter" | "filterKey"> {
  return scope === "" ? {} : { filter: ({ id }) => id.startsWith(scope), filterKey: scope };
}
