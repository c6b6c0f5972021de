/**
 * "Which passages have the start rows nearest to the question?" Asked with the question's vector in bytes, as the cluster keeps rows; what that
 * rounds away is bounded, and the passages that may belong among the best are ranked here by the exact products (src/search/strategies/dense-first.ts).
 */

import type { FetchedPassage } from "../../src/index/cluster/fetched-segment.js";
import { CoarseCode } from "../../src/index/segment/coarse.js";
import type { Place } from "./connected-index.js";
import { fetchPassages, passageOf } from "./record-cache.js";
import { FETCHED_AT_ONCE, FETCHED_FOR_ONE, MOST_HITS, searchHits } from "./search-page.js";

export interface DenseQuestion {
  place: Place;
  /** Largest norm of a row in the index. */
  reach: number;
  /** int16 [coarse] */
  query: Int16Array;
  /** Passages wanted. */
  count: number;
  /** Rows that a search through the graphs looks for; undefined: every row's product is taken. */
  rows: number | undefined;
  filter: object | undefined;
  signal: AbortSignal | undefined;
}

/** A vector in bytes: query ≈ factor · bytes, off by a vector of length `error`. */
export interface ByteQuery {
  bytes: number[];
  factor: number;
  error: number;
}

export function byteQuery(query: Int16Array): ByteQuery {
  const largest = query.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  const factor = Math.max(1, largest) / 127;
  const bytes = Array.from(query, (value) => Math.round(value / factor));
  const squares = bytes.reduce((sum, byte, d) => sum + (query[d]! - factor * byte) ** 2, 0);
  return { bytes, factor, error: Math.sqrt(squares) };
}

/** A cluster's score of an inner product, back. It is s + 1, or 1 / (1 − s) below 0. */
export const productOf = (score: number): number => (score >= 1 ? score - 1 : 1 - 1 / score);
const scoreOf = (product: number): number => (product >= 0 ? product + 1 : 1 / (1 - product));

/**
 * With every product: at least the `count` passages with the best rows. With graphs: about these.
 * @param known  fetched before: not fetched again
 * @returns what is new
 */
export async function fetchDense(asked: DenseQuestion, known: readonly FetchedPassage[]): Promise<FetchedPassage[]> {
  const { place, count, reach, signal } = asked;
  const { bytes, factor, error } = byteQuery(asked.query);
  const query = asked.rows === undefined ? everyRow(asked, bytes) : throughGraphs(asked, bytes, asked.rows);
  const size = Math.min(MOST_HITS, FETCHED_FOR_ONE * count);
  const fetched = new Map<string, FetchedPassage>();
  const ranked = new RankedRows(asked);
  const take = (passage: FetchedPassage): void => {
    fetched.set(`${passage.key}-${passage.number}`, passage);
    ranked.add(passage);
  };
  const first = await searchHits(asked, { size, query, _source: false, docvalue_fields: ["blob"] });
  for (const hit of first) take(passageOf(hit, place.meta.model));
  const slack = error * reach + factor * 1e-3;
  const isOut = (score: number): boolean => factor * productOf(score) + slack < ranked.least;
  if (asked.rows === undefined && first.length === size && !isOut(first.at(-1)!._score)) {
    const seen = new Set(first.map(({ _id }) => _id));
    const min_score = Math.max(0, scoreOf((ranked.least - slack) / factor) * (1 - 1e-6));
    const more = await searchHits(asked, { size: MOST_HITS, query, min_score, _source: false });
    const left = more.filter(({ _id }) => !seen.has(_id));
    for (let from = 0; from < left.length; from += FETCHED_AT_ONCE) {
      const ids = left.slice(from, from + FETCHED_AT_ONCE).flatMap(({ _id, _score }) => (isOut(_score) ? [] : [_id]));
      if (ids.length === 0) break;
      const how = { index: place.index, model: place.meta.model, signal };
      for (const passage of await fetchPassages(place.connection, ids, how)) take(passage);
    }
  }
  const there = new Set(known.map(({ key, number }) => `${key}-${number}`));
  return [...fetched].flatMap(([name, passage]) => (there.has(name) ? [] : [passage]));
}

/** The exact product of each passage's best row. */
class RankedRows {
  readonly #asked: DenseQuestion;
  readonly #best: number[] = [];

  constructor(asked: DenseQuestion) {
    this.#asked = asked;
  }

  add({ encoded, precision }: FetchedPassage): void {
    const { query, place } = this.#asked;
    const { model } = place.meta;
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

  /** Of the last one that is wanted; −∞ while there are fewer. */
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
  const k = Math.min(MOST_HITS, rows);
  return nested({ knn: { "rows.v": { vector: bytes, k, ...(filter === undefined ? {} : { filter }) } } });
}
