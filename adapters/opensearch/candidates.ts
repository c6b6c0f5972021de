/**
 * Fetches the candidate passages of a question. The cluster ranks by sums that are upper bounds of
 * the exact scores (src/search/score/sparse-query.ts). The best ranked passages are fetched and
 * scored exactly here, until no other passage can be among the best.
 *
 * In a document of several passages, the document's n-grams count for each passage. They are stored
 * once, in the document's record. The best matching documents are therefore found first, and their
 * share is sent with the query; the share of the next document bounds all others.
 */

import type { EncodedQuestion, ModelInfo } from "../../src/encode/types.js";
import type { FetchedGrams } from "../../src/index/cluster/fetched-segment.js";
import type { TfidfKind } from "../../src/index/types.js";
import { gramWeights, type WeightedTerm, weightedTerms } from "../../src/search/score/sparse-query.js";
import type { IndexState } from "./commit-number.js";
import type { ConnectedIndex } from "./connected-index.js";
import type { Hit } from "./connection.js";
import { keyOfPassage, recordId } from "./document-entries.js";
import { type ClusterPassage, fetchPassages, passageOf } from "./record-cache.js";
import { FETCHED_AT_ONCE, FETCHED_FOR_ONE, MAX_HITS, searchHits } from "./search-page.js";

/**
 * Number of documents whose share is sent with the query, and the number if that does not decide.
 */
const DOCUMENTS = 100;
const MAX_DOCUMENTS = 800;
/** Relative error of the cluster's float32 sums. */
const SLACK = 1e-5;

export interface CandidateQuestion {
  connected: ConnectedIndex;
  state: IndexState;
  model: ModelInfo;
  question: EncodedQuestion;
  grams: ReadonlyArray<readonly [bucket: number, count: number]>;
  frequency: (kind: TfidfKind, bucket: number) => number;
  /** Query that restricts the passages; undefined for all. */
  filter: object | undefined;
  /** Number of passages to return. */
  count: number;
  /** Score by terms only, as for `sparta-reader`. */
  termsOnly: boolean;
  /** Called with the first passages as soon as they are known. */
  onRanked: (passages: readonly ClusterPassage[]) => void;
  signal: AbortSignal | undefined;
}

/** Returns the exact scores of the fetched passages, in their order. */
type ScoreExactly = (fetched: Fetched) => Promise<number[]>;

/** Passages and n-gram counts fetched for a question. */
export interface Fetched {
  passages: ClusterPassage[];
  /** n-gram counts of documents with several passages, by document key. */
  grams: Map<string, FetchedGrams>;
}

interface Weighted {
  terms: readonly WeightedTerm[];
  passage: readonly number[];
  document: readonly number[];
}

/** Fetches at least the `count` best passages by sparse score; the result may contain others. */
export async function fetchCandidates(asked: CandidateQuestion, scoreExactly: ScoreExactly): Promise<Fetched> {
  const { count, connected, signal } = asked;
  const weights = weighted(asked);
  let documents = await bestDocuments(asked, weights, DOCUMENTS);
  let query = sumQuery(asked, weights, documents.shares);
  const size = Math.min(MAX_HITS, FETCHED_FOR_ONE * count);
  const first = await searchHits(asked, { size, query, _source: false, docvalue_fields: ["blob"] });
  const fetched: Fetched = { passages: first.map((hit) => passageOf(hit, connected.meta.model)), grams: new Map() };
  asked.onRanked(fetched.passages);
  await fetchGrams(asked, fetched);
  let least = 0;
  const isBelow = (bound: number): boolean => bound * (1 + SLACK) < least;
  if (first.length === size || documents.rest > 0) least = nthLargest(await scoreExactly(fetched), count);
  const { rest: unseen } = documents;
  if (
    unseen === 0
      ? first.length < size || isBelow(first.at(-1)!._score)
      : isBelow((first[size - 1]?._score ?? 0) + unseen)
  )
    return fetched;

  if (!isBelow(unseen)) {
    documents = await bestDocuments(asked, weights, MAX_DOCUMENTS);
    query = sumQuery(asked, weights, documents.shares);
  }
  const seen = new Set(first.map(({ _id }) => _id));
  const min_score = Math.max(0, least / (1 + SLACK) - documents.rest);
  const more = await searchHits(asked, { size: MAX_HITS, query, min_score, _source: false });
  const hits = more.filter(({ _id }) => !seen.has(_id));
  const bounds = await withDocuments(asked, { weights, documents, hits });
  for (let from = 0; from < bounds.length; from += FETCHED_AT_ONCE) {
    const batch = bounds.slice(from, from + FETCHED_AT_ONCE).filter(({ bound }) => !isBelow(bound));
    if (batch.length === 0) break;
    const ids = batch.map(({ id }) => id);
    fetched.passages.push(
      ...(await fetchPassages(connected.connection, ids, {
        index: connected.index,
        model: connected.meta.model,
        signal,
      })),
    );
    await fetchGrams(asked, fetched);
    least = nthLargest(await scoreExactly(fetched), count);
  }
  return fetched;
}

/** The `count`-th largest score; 0 if there are fewer, because a score of 0 is not a candidate. */
function nthLargest(scores: readonly number[], count: number): number {
  return Math.max(0, [...scores].sort((a, b) => b - a)[count - 1] ?? 0);
}

function weighted({ model, question, grams, frequency, state, termsOnly }: CandidateQuestion): Weighted {
  const lambda = termsOnly ? 0 : model.weights.tfidf;
  const of = (kind: TfidfKind, total: number) =>
    gramWeights(grams, { lambda, total, frequency: (bucket) => frequency(kind, bucket) });
  return {
    terms: weightedTerms(question, model),
    passage: of("passage", state.passages),
    document: of("document", state.documents),
  };
}

const feature = (field: string, boost: number): object => ({ rank_feature: { field, boost, linear: {} } });

/** A query for the sum of the passages' features and the shares of the given documents. */
function sumQuery(
  { grams, filter, state }: CandidateQuestion,
  { terms, passage, document }: Weighted,
  shares: ReadonlyMap<string, number>,
): object {
  const should = terms.map(({ term, weight }) => feature(`t.${term}`, weight));
  for (const [n, [bucket]] of grams.entries()) {
    const both = passage[n]! + document[n]!;
    if (both > 0 && state.alone > 0) should.push(feature(`a.${bucket}`, both));
    if (passage[n]! > 0 && state.alone < state.passages) should.push(feature(`g.${bucket}`, passage[n]!));
  }
  if (shares.size > 0) {
    const byShare = [...shares].map(([doc, boost]) => ({ constant_score: { filter: { term: { doc } }, boost } }));
    // only passages: a record has the same key
    should.push({ bool: { filter: [{ term: { kind: "passage" } }], must: [anyOf(byShare)] } });
  }
  return { bool: { should, minimum_should_match: 1, ...(filter === undefined ? {} : { filter: [filter] }) } };
}

const anyOf = (should: object[]): object => ({ bool: { should, minimum_should_match: 1 } });

/** True if there are documents whose n-grams are stored only in their records. */
const hasShares = ({ state, termsOnly, grams, model }: CandidateQuestion): boolean =>
  !termsOnly && grams.length > 0 && model.weights.tfidf > 0 && state.alone < state.passages;

function shareQuery({ grams }: CandidateQuestion, { document }: Weighted): object {
  return anyOf(grams.flatMap(([bucket], n) => (document[n]! > 0 ? [feature(`w.${bucket}`, document[n]!)] : [])));
}

interface Documents {
  shares: ReadonlyMap<string, number>;
  /** Upper bound on the share of any other document. */
  rest: number;
}

async function bestDocuments(asked: CandidateQuestion, weights: Weighted, count: number): Promise<Documents> {
  if (!hasShares(asked)) return { shares: new Map(), rest: 0 };
  const { filter } = asked;
  const must = [shareQuery(asked, weights)];
  const query = { bool: { must, ...(filter === undefined ? {} : { filter: [filter] }) } };
  const hits = await searchHits(asked, { size: count + 1, query, _source: false });
  const rest = hits.length > count ? hits.at(-1)!._score * (1 + SLACK) : 0;
  return { shares: new Map(hits.slice(0, count).map(({ _id, _score }) => [_id, _score])), rest };
}

interface Bound {
  id: string;
  bound: number;
}

/** Upper bounds on the hits' scores including their document's share, highest first. */
async function withDocuments(
  asked: CandidateQuestion,
  { weights, documents, hits }: { weights: Weighted; documents: Documents; hits: Hit[] },
): Promise<Bound[]> {
  const { shares, rest } = documents;
  const known = new Map<string, number>();
  const docs = [...new Set(hits.map(({ _id }) => keyOfPassage(_id)).filter((doc) => !shares.has(doc)))];
  if (rest > 0 && docs.length > 0) {
    const filter = [{ ids: { values: docs.map(recordId) } }];
    const query = { bool: { filter, must: [shareQuery(asked, weights)] } };
    for (const { _id, _score } of await searchHits(asked, { size: docs.length, query, _source: false }))
      known.set(_id, _score);
  }
  return hits
    .map(({ _id, _score }) => ({ id: _id, bound: _score + (known.get(keyOfPassage(_id)) ?? 0) }))
    .sort((a, b) => b.bound - a.bound);
}

/**
 * Fetches the counts of the question's n-grams in the documents with several passages that the
 * fetched passages belong to.
 */
export async function fetchGrams(asked: CandidateQuestion, { passages, grams: known }: Fetched): Promise<void> {
  const docs = [...new Set(passages.filter(({ alone }) => !alone).map(({ key }) => key))].filter(
    (key) => !known.has(key),
  );
  if (docs.length === 0) return;
  const should = asked.grams.map(([bucket]) => ({
    rank_feature: { field: `c.${bucket}`, linear: {}, _name: String(bucket) },
  }));
  const { connected, signal } = asked;
  const body = {
    size: docs.length,
    query: { bool: { filter: [{ ids: { values: docs.map(recordId) } }], should } },
    _source: ["record.norm"],
    track_total_hits: false,
  };
  const query = { include_named_queries_score: true };
  const reply = await connected.connection.search<{ record: { norm: number } }>(`/${connected.index}/_search`, body, {
    query,
    signal,
  });
  for (const { _id, _source, matched_queries: matched = {} } of reply.hits.hits) {
    const counts = new Map(Object.entries(matched).map(([bucket, count]) => [Number(bucket), count]));
    known.set(_id, { counts, norm: _source!.record.norm });
  }
}
