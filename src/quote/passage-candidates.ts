/**
 * The passages that may contain a quotation, from the postings of its words and pairs of words.
 *   score(p) = Σ_g idf(g) over the chosen n-grams g of the quotation that p contains
 */

import type { AllTfidfPostings } from "../search/score/postings.js";
import type { Searcher } from "../search/searcher.js";
import { idf } from "../text/bm25.js";
import { hash2gram, hashWord, isStopWord, words } from "../text/words.js";
import { TopK } from "../vectors/topk.js";

/** N-grams that are looked up, spread over the quotation. Pairs of rarer words come first. */
const MAX_GRAMS = 14;
/** With fewer pairs than this, single words are looked up as well. */
const ENOUGH_PAIRS = 4;
/** A longer list says little and costs a millisecond; it is used if there is no shorter one. */
const LONG_LIST = 20_000;
const MAX_CANDIDATES = 96;

/** Sums of the same weights in another order differ by less. */
const NEARLY_ALL = 0.999;

interface PassageCandidates {
  /** Numbers across all segments, highest score first. */
  passages: Array<{ id: number; score: number }>;
  /** The score of a passage that contains all n-grams that were looked up. */
  full: number;
  /** Whether no other passage can contain the quotation. */
  complete: boolean;
}

/** @param documents  numbers across all segments; others are left out */
export async function passageCandidates(
  searcher: Searcher,
  quotation: string,
  options: { documents?: ReadonlySet<number>; signal?: AbortSignal },
): Promise<PassageCandidates> {
  const { pairs, singles } = gramsOf(quotation);
  const chosen = spread(pairs, MAX_GRAMS);
  if (chosen.length < ENOUGH_PAIRS) chosen.push(...singles.slice(0, MAX_GRAMS - chosen.length));
  let found = await collect(searcher, chosen, options);
  if (found.passages.length === 0 && pairs.length >= ENOUGH_PAIRS) {
    found = await collect(searcher, singles.slice(0, MAX_GRAMS), options);
  }
  return found;
}

interface Grams {
  /** Buckets of pairs; those of two content words come first. */
  pairs: number[];
  /** Buckets of content words, the longest first. */
  singles: number[];
}

/** N-grams as indexed: of the text, and of the text with its hyphens closed up. */
function gramsOf(quotation: string): Grams {
  const plain = quotation.normalize("NFKC").replace(/[\u00ad\u200b-\u200f\u2060\ufeff]/gu, "");
  const joined = plain.replace(/(?<=\p{L})[-‐‑]\s*(?=\p{L})/gu, "");
  const strong = new Set<number>();
  const weak = new Set<number>();
  const singles = new Map<string, number>();
  for (const text of joined === plain ? [plain] : [plain, joined]) {
    let last: string | undefined;
    for (const { text: word } of words(text)) {
      const stops = isStopWord(word);
      if (!stops && !singles.has(word)) singles.set(word, hashWord(word));
      if (last !== undefined && !(stops && isStopWord(last))) {
        (stops || isStopWord(last) ? weak : strong).add(hash2gram(last, word));
      }
      last = word;
    }
  }
  const byLength = [...singles].sort(([a], [b]) => b.length - a.length);
  return { pairs: [...strong, ...weak], singles: byLength.map(([, bucket]) => bucket) };
}

/** At most `count` of the list, at even distances. */
function spread<T>(list: readonly T[], count: number): T[] {
  if (list.length <= count) return [...list];
  return Array.from({ length: count }, (_, n) => list[Math.floor((n * list.length) / count)]!);
}

async function collect(
  searcher: Searcher,
  buckets: readonly number[],
  { documents, signal }: { documents?: ReadonlySet<number>; signal?: AbortSignal },
): Promise<PassageCandidates> {
  const lists = await searcher.postings.tfidf(buckets, signal);
  const known = lists.filter(({ passage }) => passage.units.length > 0).sort(byLength);
  const used = known.filter(({ passage }, n) => n === 0 || passage.units.length <= LONG_LIST);
  const total = searcher.snapshot.passageCount;
  const { passageDocuments } = searcher.numbering;
  const live = searcher.allowed.live;
  const scores = new Map<number, number>();
  let full = 0;
  for (const { passage } of used) {
    const weight = idf(total, passage.live);
    full += weight;
    for (const unit of passage.units) {
      if (documents !== undefined && !documents.has(passageDocuments[unit]!)) continue;
      scores.set(unit, (scores.get(unit) ?? 0) + weight);
    }
  }
  const best = new TopK(Math.min(MAX_CANDIDATES, scores.size));
  for (const [unit, score] of scores) if (live.has(unit)) best.offer(unit, score);
  const { ids, scores: kept } = best.sorted();
  const passages = Array.from(ids, (id, n) => ({ id, score: kept[n]! }));
  const complete = known.length > 0 && (scores.size <= MAX_CANDIDATES || best.worst < NEARLY_ALL * full);
  return { passages, full, complete };
}

function byLength(a: AllTfidfPostings, b: AllTfidfPostings): number {
  return a.passage.units.length - b.passage.units.length;
}
