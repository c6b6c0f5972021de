/** How often each source of candidates finds a question's own paragraph, alone and without the others. */

import { openSearcher } from "../../adapters/node/open-searcher.js";
import { rankDocuments } from "../../src/search/rank-documents.js";
import { scoreAllPassages } from "../../src/search/score/passage-scorer.js";
import type { PapersContext } from "./context.js";
import type { BuiltCorpus } from "./corpora.js";
import { meanOf } from "./figures.js";
import type { QuestionSet } from "./systems.js";
import type { Figure } from "./types.js";

/** What ranks paragraphs, with its name in the table. */
export const SOURCES = {
  vector: "passage vectors alone",
  terms: "terms alone",
  tfidf: "tf-idf alone",
  sparse: "terms, tf-idf and passage vectors together",
} as const;

export type Source = keyof typeof SOURCES;

/** 1-based ranks of the right paragraph, 0 where it is not among the first 100, per question. */
export type ParagraphRanks = Record<Source, number[]>;

const DEPTH = 100;

/** Ranks the documents of an index for every question; a document's score is that of its best passage. */
export async function paragraphRanks(
  { questions }: QuestionSet,
  corpus: BuiltCorpus,
  { models, io }: PapersContext,
): Promise<ParagraphRanks> {
  const encoder = await models.encoder();
  const { searcher, close } = await openSearcher(corpus.index, encoder);
  const ranks: ParagraphRanks = { vector: [], terms: [], tfidf: [], sparse: [] };
  try {
    for (const question of questions) {
      const gold = question.goldPassages ?? [];
      const encoded = await encoder.encodeQuestion(question.question, { signal: io.signal });
      const { terms, tfidf, vector } = await scoreAllPassages(searcher, encoded);
      const rank = async (scores: Float64Array): Promise<number> => {
        const ranked = await rankDocuments(searcher, scores, { count: DEPTH, signal: io.signal });
        return 1 + ranked.findIndex(({ id }) => gold.includes(id));
      };
      ranks.vector.push(await rank(vector));
      ranks.terms.push(await rank(terms));
      ranks.tfidf.push(await rank(tfidf));
      for (let p = 0; p < terms.length; p++) terms[p]! += tfidf[p]! + vector[p]!;
      ranks.sparse.push(await rank(terms));
      searcher.scratch.give(terms, tfidf, vector);
    }
  } finally {
    await close();
  }
  return ranks;
}

/** Shares of questions, in percent, whose paragraph is the first, among ten and among a hundred. */
export function paragraphFigures(ranks: readonly number[]): Record<string, Figure> {
  const among = (count: number): Figure =>
    meanOf(
      ranks.map((rank) => Number(rank > 0 && rank <= count)),
      100,
    );
  return { "paragraph first": among(1), "among 10": among(10), "among 100": among(DEPTH) };
}
