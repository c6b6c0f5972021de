/**
 * Fetches the candidate passages of a question. The cluster ranks by sums that are upper bounds of
 * the exact scores (src/search/score/sparse-query.ts). The best ranked passages are fetched and
 * scored exactly here, until no other passage can be among the best.
 *
 * In a document of several passages, the document's n-grams count for each passage. They are stored
 * once, in the document's record. The best matching documents are therefore found first, and their
 * share is sent with the query; the share of the next document bounds all others.
 *
 * A cluster limits the clauses of a query. If a question has more n-grams than fit, the heaviest are
 * sent. An upper bound of what the others can add decides which passages need them.
 */

import type { EncodedQuestion, ModelInfo } from "../../src/encode/types.js";
import type { FetchedGrams } from "../../src/index/cluster/fetched-segment.js";
import type { TfidfKind } from "../../src/index/types.js";
import { gramWeights, type WeightedTerm, weightedTerms } from "../../src/search/score/sparse-query.js";
import type { IndexState } from "./commit-number.js";
import type { ConnectedIndex } from "./connected-index.js";
import type { Hit } from "./connection/connection.js";
import { isOfVersion, keyOfPassage, recordId } from "./document-entries.js";
import { type ClusterPassage, fetchPassages, passageOf } from "./record-cache.js";
import {
  anyOf,
  clausesOf,
  FETCHED_AT_ONCE,
  FETCHED_FOR_ONE,
  MAX_CLAUSES,
  MAX_HITS,
  searchHits,
} from "./search-page.js";

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
  /** By document key. The counts are those of documents with several passages. */
  grams: Map<string, FetchedGrams & { hash: string }>;
}

interface WeightedGram {
  bucket: number;
  /** × the n-gram's feature of a passage, and of a document, is its share of the score; > 0 */
  passage: number;
  document: number;
}

interface Weighted {
  terms: readonly WeightedTerm[];
  /**
   * The n-grams that occur in the index, heaviest first, in batches that fit into one query. The
   * first batch is sent with the terms.
   */
  batches: readonly WeightedGram[][];
  /** Upper bound on what the n-grams of all other batches add to a score. */
  left: number;
  /** Number of documents whose share fits into the query with the terms. */
  room: number;
}

/** Fetches at least the `count` best passages by sparse score; the result may contain others. */
export async function fetchCandidates(asked: CandidateQuestion, scoreExactly: ScoreExactly): Promise<Fetched> {
  const { count, connected, signal } = asked;
  const weights = weighted(asked);
  const { left } = weights;
  if (weights.terms.length === 0 && weights.batches.length === 0) return { passages: [], grams: new Map() };
  let documents = await bestDocuments(asked, weights, DOCUMENTS);
  let query = sumQuery(asked, weights, documents.shares);
  const size = Math.min(MAX_HITS, FETCHED_FOR_ONE * count);
  const first = await searchHits(asked, { size, query, _source: false, docvalue_fields: ["blob"] });
  const fetched: Fetched = { passages: first.map((hit) => passageOf(hit, connected.meta.model)), grams: new Map() };
  asked.onRanked(fetched.passages);
  await fetchDocuments(asked, fetched);
  let least = 0;
  const isBelow = (bound: number): boolean => bound * (1 + SLACK) < least;
  const unseen = documents.rest + left;
  if (first.length === size || unseen > 0) least = nthLargest(await scoreExactly(fetched), count);
  if (
    unseen === 0
      ? first.length < size || isBelow(first.at(-1)!._score)
      : isBelow((first[size - 1]?._score ?? 0) + unseen)
  )
    return fetched;

  if (documents.rest > 0 && !isBelow(unseen)) {
    documents = await bestDocuments(asked, weights, MAX_DOCUMENTS);
    query = sumQuery(asked, weights, documents.shares);
  }
  const seen = new Set(first.map(({ _id }) => _id));
  const min_score = Math.max(0, least / (1 + SLACK) - documents.rest - left);
  const more = await searchHits(asked, { size: MAX_HITS, query, min_score, _source: false });
  const hits = more.filter(({ _id }) => !seen.has(_id));
  const bounds = await boundsOf(asked, { weights, documents, hits });
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
    await fetchDocuments(asked, fetched);
    least = nthLargest(await scoreExactly(fetched), count);
  }
  return fetched;
}

/** The `count`-th largest score; 0 if there are fewer, because a score of 0 is not a candidate. */
function nthLargest(scores: readonly number[], count: number): number {
  return Math.max(0, [...scores].sort((a, b) => b - a)[count - 1] ?? 0);
}

function weighted(asked: CandidateQuestion): Weighted {
  const { model, question, grams, frequency, state, filter, termsOnly } = asked;
  const lambda = termsOnly ? 0 : model.weights.tfidf;
  const of = (kind: TfidfKind, total: number) =>
    gramWeights(grams, { lambda, total, frequency: (bucket) => frequency(kind, bucket) });
  const [passage, document] = [of("passage", state.passages), of("document", state.documents)];
  const terms = weightedTerms(question, model);
  const heaviest = grams
    .map(([bucket], n) => ({ bucket, passage: passage[n]!, document: document[n]! }))
    .filter((gram) => gram.passage > 0 && frequency("passage", gram.bucket) > 0)
    .sort((a, b) => b.passage + b.document - (a.passage + a.document));
  // the terms, the filter, and the kind of a passage
  const others = terms.length + clausesOf(filter) + 1;
  const perGram = Math.max(1, gramFeatures([{ bucket: 0, passage: 1, document: 1 }], state).length);
  const perQuery = Math.max(1, Math.floor((MAX_CLAUSES - others - DOCUMENTS) / perGram));
  const batches: WeightedGram[][] = [];
  for (let from = 0; from < heaviest.length; from += perQuery) batches.push(heaviest.slice(from, from + perQuery));
  const room = Math.max(0, MAX_CLAUSES - others - perGram * (batches[0]?.length ?? 0));
  return { terms, batches, left: largestSum(batches.slice(1).flat()), room };
}

/**
 * Upper bound on what the n-grams add to a score. The features log(1 + tf) / |u| of a passage, or of
 * its document, have the norm 1 at most: Σ w_g · x_g ≤ |w|.
 */
function largestSum(grams: readonly WeightedGram[]): number {
  const norm = (weightOf: (gram: WeightedGram) => number): number =>
    Math.sqrt(grams.reduce((sum, gram) => sum + weightOf(gram) ** 2, 0));
  return norm(({ passage }) => passage) + norm(({ document }) => document);
}

const feature = (field: string, boost: number): object => ({ rank_feature: { field, boost, linear: {} } });

/** The n-grams of passages, as clauses. */
const gramFeatures = (grams: readonly WeightedGram[], { alone, passages }: IndexState): object[] =>
  grams.flatMap(({ bucket, passage, document }) => [
    ...(alone > 0 ? [feature(`a.${bucket}`, passage + document)] : []),
    ...(alone < passages ? [feature(`g.${bucket}`, passage)] : []),
  ]);

/** A query for the sum of the passages' features and the shares of the given documents. */
function sumQuery(
  { filter, state }: CandidateQuestion,
  { terms, batches }: Weighted,
  shares: ReadonlyMap<string, number>,
): object {
  const should = terms.map(({ term, weight }) => feature(`t.${term}`, weight));
  should.push(...gramFeatures(batches[0] ?? [], state));
  if (shares.size > 0) {
    const byShare = [...shares].map(([doc, boost]) => ({ constant_score: { filter: { term: { doc } }, boost } }));
    // only passages: a record has the same key
    should.push({ bool: { filter: [{ term: { kind: "passage" } }], must: [anyOf(byShare)] } });
  }
  return { bool: { should, minimum_should_match: 1, ...(filter === undefined ? {} : { filter: [filter] }) } };
}

/** True if there are documents whose n-grams are stored only in their records. */
const hasShares = ({ state }: CandidateQuestion, { batches }: Weighted): boolean =>
  batches.length > 0 && state.alone < state.passages;

const shareQuery = (grams: readonly WeightedGram[]): object =>
  anyOf(grams.map(({ bucket, document }) => feature(`w.${bucket}`, document)));

interface Documents {
  shares: ReadonlyMap<string, number>;
  /** Upper bound on the share of any other document, of the n-grams that are sent. */
  rest: number;
}

async function bestDocuments(asked: CandidateQuestion, weights: Weighted, most: number): Promise<Documents> {
  if (!hasShares(asked, weights)) return { shares: new Map(), rest: 0 };
  const { filter } = asked;
  const count = Math.min(most, weights.room);
  const must = [shareQuery(weights.batches[0]!)];
  const query = { bool: { must, ...(filter === undefined ? {} : { filter: [filter] }) } };
  const hits = await searchHits(asked, { size: count + 1, query, _source: false });
  const rest = hits.length > count ? hits.at(-1)!._score * (1 + SLACK) : 0;
  return { shares: new Map(hits.slice(0, count).map(({ _id, _score }) => [_id, _score])), rest };
}

interface Bound {
  id: string;
  bound: number;
}

/**
 * Upper bounds on the hits' scores, highest first: with their document's share, and with the n-grams
 * that did not fit into the query.
 */
async function boundsOf(
  asked: CandidateQuestion,
  { weights, documents, hits }: { weights: Weighted; documents: Documents; hits: Hit[] },
): Promise<Bound[]> {
  const { shares, rest } = documents;
  const [sent = [], ...others] = weights.batches;
  /** By entry: a passage's sum, or a document's share. */
  const sums = new Map<string, number>();
  const add = async (values: string[], sum: object): Promise<void> => {
    if (values.length === 0) return;
    const query = { bool: { filter: [{ ids: { values } }], must: [sum] } };
    for (const { _id, _score } of await searchHits(asked, { size: values.length, query, _source: false }))
      sums.set(_id, (sums.get(_id) ?? 0) + _score);
  };
  const docs = hasShares(asked, weights) ? [...new Set(hits.map(({ _id }) => keyOfPassage(_id)))] : [];
  const records = docs.map(recordId);
  if (rest > 0) await add(docs.filter((doc) => !shares.has(doc)).map(recordId), shareQuery(sent));
  for (const grams of others) {
    await add(records, shareQuery(grams));
    const passages = hits.map(({ _id }) => _id);
    await add(passages, anyOf(gramFeatures(grams, asked.state)));
  }
  const bound = ({ _id, _score }: Hit): number =>
    _score + (sums.get(_id) ?? 0) + (sums.get(recordId(keyOfPassage(_id))) ?? 0);
  return hits.map((hit) => ({ id: hit._id, bound: bound(hit) })).sort((a, b) => b.bound - a.bound);
}

/**
 * Fetches the counts of the question's n-grams in the documents that the fetched passages belong to, and drops passages
 * that are not of a document's present version: while a document is being loaded, or if its run was cut off, the commit
 * of another run makes its first passages visible.
 */
export async function fetchDocuments(asked: CandidateQuestion, fetched: Fetched): Promise<void> {
  const { grams: known } = fetched;
  const docs = [...new Set(fetched.passages.map(({ key }) => key))].filter((key) => !known.has(key));
  if (docs.length === 0) return;
  const { grams, connected, signal } = asked;
  const path = `/${connected.index}/_search`;
  const fetch = async (part: CandidateQuestion["grams"]): Promise<void> => {
    const should = part.map(([bucket]) => ({
      rank_feature: { field: `c.${bucket}`, linear: {}, _name: String(bucket) },
    }));
    const body = {
      size: docs.length,
      query: { bool: { filter: [{ ids: { values: docs.map(recordId) } }], should } },
      _source: ["hash", "record.norm"],
      track_total_hits: false,
    };
    const query = { include_named_queries_score: true };
    type Found = { hash: string; record: { norm: number } };
    const reply = await connected.connection.search<Found>(path, body, { query, signal });
    for (const { _id, _source, matched_queries: matched = {} } of reply.hits.hits) {
      const counts = Object.entries(matched).map(([bucket, count]) => [Number(bucket), count] as const);
      const before = known.get(_id)?.counts ?? [];
      const { hash, record } = _source!;
      known.set(_id, { hash, counts: new Map([...before, ...counts]), norm: record.norm });
    }
  };
  const perQuery = MAX_CLAUSES - 1; // the ids are a clause
  await fetch(grams.slice(0, perQuery));
  for (let from = perQuery; from < grams.length; from += perQuery) await fetch(grams.slice(from, from + perQuery));
  fetched.passages = fetched.passages.filter(({ key, entry }) => isOfVersion(entry, known.get(key)?.hash ?? ""));
}
