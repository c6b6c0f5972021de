/**
 * The dense stage in a cluster: finds the passages whose start vectors are nearest to the question.
 * The cluster compares int8 vectors; the rounding error is bounded, and passages that may be among
 * the best are ranked here by exact products (src/search/strategies/dense-first.ts).
 */

import type { FetchedPassage } from "../../src/index/cluster/fetched-segment.js";
import { CoarseCode } from "../../src/index/segment/coarse.js";
import type { ConnectedIndex } from "./connected-index.js";
import { type ClusterPassage, fetchPassages, passageOf } from "./record-cache.js";
import { FETCHED_AT_ONCE, FETCHED_FOR_ONE, MAX_HITS, searchHits } from "./search-page.js";

export interface DenseQuestion {
  connected: ConnectedIndex;
  /** Largest norm of a start vector in the index. */
  reach: number;
  /** The question's start vector, int16 [coarse]. */
  query: Int16Array;
  /** Number of passages to return. */
  count: number;
  /** Number of rows that a graph search returns; undefined to compare every row. */
  rows: number | undefined;
  filter: object | undefined;
  signal: AbortSignal | undefined;
}

/** A quantised vector: query ≈ factor · bytes, with an error vector of length `error`. */
interface ByteQuery {
  bytes: number[];
  factor: number;
  error: number;
}

function byteQuery(query: Int16Array): ByteQuery {
  const largest = query.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  const factor = Math.max(1, largest) / 127;
  const bytes = Array.from(query, (value) => Math.round(value / factor));
  const squares = bytes.reduce((sum, byte, d) => sum + (query[d]! - factor * byte) ** 2, 0);
  return { bytes, factor, error: Math.sqrt(squares) };
}

/** Inverts the cluster's score of an inner product s, which is s + 1, or 1 / (1 − s) for s < 0. */
const productOf = (score: number): number => (score >= 1 ? score - 1 : 1 - 1 / score);
const scoreOf = (product: number): number => (product >= 0 ? product + 1 : 1 / (1 - product));

/**
 * Fetches at least the `count` passages with the best rows; with graphs, approximately these.
 * @param known  passages that are already fetched
 * @returns the newly fetched passages
 */
export async function fetchDense(asked: DenseQuestion, known: readonly FetchedPassage[]): Promise<ClusterPassage[]> {
  const { connected, count, reach, signal } = asked;
  const { bytes, factor, error } = byteQuery(asked.query);
  const query = asked.rows === undefined ? everyRow(asked, bytes) : throughGraphs(asked, bytes, asked.rows);
  const size = Math.min(MAX_HITS, FETCHED_FOR_ONE * count);
  const fetched = new Map<string, ClusterPassage>();
  const ranked = new RankedRows(asked);
  const take = (passage: ClusterPassage): void => {
    fetched.set(`${passage.key}-${passage.number}`, passage);
    ranked.add(passage);
  };
  const first = await searchHits(asked, { size, query, _source: false, docvalue_fields: ["blob"] });
  for (const hit of first) take(passageOf(hit, connected.meta.model));
  const slack = error * reach + factor * 1e-3;
  const isOut = (score: number): boolean => factor * productOf(score) + slack < ranked.least;
  if (asked.rows === undefined && first.length === size && !isOut(first.at(-1)!._score)) {
    const seen = new Set(first.map(({ _id }) => _id));
    const min_score = Math.max(0, scoreOf((ranked.least - slack) / factor) * (1 - 1e-6));
    const more = await searchHits(asked, { size: MAX_HITS, query, min_score, _source: false });
    const left = more.filter(({ _id }) => !seen.has(_id));
    for (let from = 0; from < left.length; from += FETCHED_AT_ONCE) {
      const ids = left.slice(from, from + FETCHED_AT_ONCE).flatMap(({ _id, _score }) => (isOut(_score) ? [] : [_id]));
      if (ids.length === 0) break;
      const how = { index: connected.index, model: connected.meta.model, signal };
      for (const passage of await fetchPassages(connected.connection, ids, how)) take(passage);
    }
  }
  const there = new Set(known.map(({ key, number }) => `${key}-${number}`));
  return [...fetched].flatMap(([name, passage]) => (there.has(name) ? [] : [passage]));
}

/** The exact product of the best row of each passage. */
class RankedRows {
  readonly #asked: DenseQuestion;
  readonly #best: number[] = [];

  constructor(asked: DenseQuestion) {
    this.#asked = asked;
  }

  add({ encoded, precision }: FetchedPassage): void {
    const { query, connected } = this.#asked;
    const { model } = connected.meta;
    const code = new CoarseCode(model, precision.coarseBits);
    const rows = code.rounded(encoded.startVectors);
    let best = Number.NEGATIVE_INFINITY;
    for (let at = 0; at < rows.length; at += model.coarse) {
      let sum = 0;
      for (let d = 0; d < model.coarse; d++) sum += query[d]! * rows[at + d]!;
      best = Math.max(best, sum);
    }
    this.#best.push(best);
  }

  /** The `count`-th largest product; −∞ if there are fewer. */
  get least(): number {
    return this.#best.sort((a, b) => b - a)[this.#asked.count - 1] ?? Number.NEGATIVE_INFINITY;
  }
}

const nested = (query: object): object => ({ nested: { path: "rows", score_mode: "max", query } });

function everyRow({ filter }: DenseQuestion, bytes: number[]): object {
  const params = { field: "rows.v", query_value: bytes, space_type: "innerproduct" };
  const script = { lang: "knn", source: "knn_score", params };
  const scored = nested({ script_score: { query: { match_all: {} }, script } });
  return filter === undefined ? scored : { bool: { must: [scored], filter: [filter] } };
}

function throughGraphs({ filter }: DenseQuestion, bytes: number[], rows: number): object {
  const k = Math.min(MAX_HITS, rows);
  return nested({ knn: { "rows.v": { vector: bytes, k, ...(filter === undefined ? {} : { filter }) } } });
}
