/**
 * Checks that a segment's postings can be read and are in range, and that they give the stored
 * norms.
 */

import type { ListView } from "../format/postings-codec.js";
import type { KeyedPostings } from "../segment/keyed-postings.js";
import type { OpenSegment } from "../segment/segment-reader.js";
import type { TfidfKind } from "../types.js";
import type { SegmentCheck } from "./check-job.js";

const NGRAM_KEYS = 1 << 24;
const MAX_COUNT = 255;
/** log(1 + count)² of every count that a byte holds. */
const SQUARES = Float64Array.from({ length: MAX_COUNT + 1 }, (_, count) => Math.log1p(count) ** 2);
/** Norms are float32 of a double sum that is added in another order here. */
const NORM_TOLERANCE = 1e-5;

interface ListsCheck extends SegmentCheck {
  component: string;
  /** For messages. */
  name: string;
  /** Keys must be below it. */
  limit: number;
}

export function checkTerms(segment: OpenSegment, options: SegmentCheck): Promise<void> {
  const limit = options.manifest.model.vocabularySize;
  return checkLists(segment.terms, { ...options, component: "terms", name: "terms", limit }, () => {});
}

/** A single scan of the passages' lists computes the norms of passages and documents. */
export async function checkTfidf(segment: OpenSegment, options: SegmentCheck): Promise<void> {
  const documents = new Float64Array(segment.documentCount);
  const passages = new Float64Array(segment.passageCount);
  const rules = { ...options, component: "tfidf", limit: NGRAM_KEYS };
  const ofDocument = documentSquares(segment.passageDocuments, documents);
  await checkLists(segment.tfidf.lists, { ...rules, name: "n-grams of passages" }, (list) => {
    addSquares(passages, list);
    ofDocument(list);
  });
  await checkNorms(segment, { kind: "document", squares: documents }, options);
  await checkNorms(segment, { kind: "passage", squares: passages }, options);
}

/**
 * Checks that keys are in range and no value is 0. Decoding has checked that units ascend and are
 * in range.
 */
async function checkLists(
  postings: KeyedPostings,
  { component, name, limit, problem, signal }: ListsCheck,
  onList: (list: ListView) => void,
): Promise<void> {
  await postings.walk((key, list) => {
    if (key >= limit) problem(component, `${name}: key ${key} is not below ${limit}`);
    const { values, count } = list;
    for (let i = 0; i < count; i++) {
      if (values[i] !== 0) continue;
      problem(component, `${name}: key ${key} has a value of 0`);
      break;
    }
    onList(list);
  }, signal);
}

function addSquares(squares: Float64Array, { units, values, count }: ListView): void {
  for (let i = 0; i < count; i++) squares[units[i]!]! += SQUARES[values[i]!]!;
}

/**
 * A document's count is the sum of its passages' counts, at most 255 (docs/index-format.md §8); the
 * passages of a document are adjacent.
 */
function documentSquares(documentOf: Uint32Array, squares: Float64Array): (list: ListView) => void {
  return ({ units, values, count }) => {
    for (let i = 0; i < count; ) {
      const document = documentOf[units[i]!]!;
      let sum = values[i]!;
      for (i++; i < count && documentOf[units[i]!] === document; i++) sum += values[i]!;
      squares[document]! += SQUARES[Math.min(MAX_COUNT, sum)]!;
    }
  };
}

async function checkNorms(
  segment: OpenSegment,
  { kind, squares }: { kind: TfidfKind; squares: Float64Array },
  { problem }: SegmentCheck,
): Promise<void> {
  for (const [unit, norm] of (await segment.tfidfNorms(kind)).entries()) {
    const expected = squares[unit] === 0 ? 1 : Math.sqrt(squares[unit]!);
    if (!(Math.abs(norm - expected) <= NORM_TOLERANCE * expected))
      problem("tfidf", `the norm of ${kind} ${unit} is ${norm}, its n-grams give ${expected}`);
  }
}
