/** Generated documents with random vectors: deterministic input for index and search tests. */

import type { EncodedPassage, ModelInfo, NgramRows, TermWeights } from "../../src/encode/types.js";
import type { PreparedDocument } from "../../src/index/types.js";
import { type Random, seededRandom } from "./random.js";

const CLS = 1;
const SEP = 2;
const FIRST_WORD = 10;

/** One token a word; its id is its place in the list plus 10. */
export const MADE_UP_WORDS = (
  "the of and observatory was founded by Ines Calder in 1911 after long years a hill river bridge stands over town market fish " +
  "every morning people bring bread salt cedar wood old new tower clock strikes seven winter summer rain falls on stone roofs " +
  "captain sailed north with twelve men charts stars comet seen first from garden teacher wrote letters daughter museum keeps " +
  "them under glass engine steam coal train crosses valley café naïve Zürich Łódź 東京 😀 e=mc² x1"
).split(" ");

export const madeUpModel: ModelInfo = {
  name: "made-up",
  passageModelHash: "5eed".repeat(16),
  questionModelHash: "ca11".repeat(16),
  vocabularySize: 512,
  dense: 32,
  coherency: 16,
  vector: 16,
  maxInputTokens: 256,
  maxTitleTokens: 16,
  maxQuestionTokens: 64,
  scales: { start: 40, end: 40, coherencyStart: 40, coherencyEnd: 40, ngram: 50, term: 60 },
  weights: { ngrams: 1, terms: 1.5, tfidf: 0.1, vector: 2 },
  filter: { start: 0, end: 0 },
  ngramsPerRow: 4,
  termsPerUnit: 32,
};

export interface MadeUpOptions {
  /** Same seed and options, same documents. */
  seed: number;
  documents: number;
  /** Passages of a document, from … to; default [1, 3]. */
  passages?: readonly [number, number];
  /** Words of a passage, from … to; default [5, 40]. */
  words?: readonly [number, number];
  /** Share of tokens that keep a start (end) row; default 0.4. */
  kept?: number;
  /** Ids are `<prefix><number>`; default "doc-". */
  prefix?: string;
  /** Number of the first document; default 0. */
  first?: number;
  model?: ModelInfo;
}

/**
 * Documents with encoded passages. Each depends on seed and its own number only, so a subset of a larger set is the
 * same documents.
 */
export function makePrepared(options: MadeUpOptions): PreparedDocument[] {
  const first = options.first ?? 0;
  return Array.from({ length: options.documents }, (_, i) => makeDocument(first + i, options));
}

function makeDocument(number: number, options: MadeUpOptions): PreparedDocument {
  const { passages: [fewest, most] = [1, 3], words: [shortest, longest] = [5, 40], prefix = "doc-" } = options;
  const random = seededRandom(Math.imul(options.seed + 1, 0x9e3779b1) ^ Math.imul(number + 1, 0x85ebca6b));
  const title = `${random.pick(MADE_UP_WORDS)} ${random.pick(MADE_UP_WORDS)}`;
  let text = "";
  const passages: PreparedDocument["passages"] = [];
  for (let p = random.whole(fewest, most); p > 0; p--) {
    const start = text.length;
    const words = Array.from({ length: random.whole(shortest, longest) }, () => random.pick(MADE_UP_WORDS));
    text += words.map((word, i) => (i % 9 === 8 ? `${word}.` : word)).join(" ");
    passages.push({ start, end: text.length, encoded: encode({ title, words }, random, options) });
    if (p > 1) text += "\n\n";
  }
  return {
    document: {
      id: `${prefix}${number}`,
      title,
      text,
      source: `/made/up/${prefix}${number}.txt`,
      map: {
        kind: "text",
        segments: passages.map(({ start }, i) => ({ start, line: 1 + i * 2, linear: true, byte: start })),
      },
      // the first word of each passage of every second document
      ...(number % 2 === 0
        ? { headings: passages.map(({ start }, i) => ({ start, end: text.indexOf(" ", start), level: 1 + (i % 2) })) }
        : {}),
      metadata: { number, tag: random.pick(["a", "b", "c"]) },
    },
    passages,
  };
}

const idOf = (word: string) => FIRST_WORD + MADE_UP_WORDS.indexOf(word);

function encode(input: { title: string; words: string[] }, random: Random, options: MadeUpOptions): EncodedPassage {
  const { model = madeUpModel, kept = 0.4 } = options;
  const titleIds = input.title.split(" ").map(idOf);
  const wordIds = input.words.map(idOf);
  const ids = Uint16Array.from([CLS, ...titleIds, SEP, ...wordIds, SEP]);
  const firstToken = titleIds.length + 2;
  const keep = () => Uint16Array.from(wordIds.keys(), (i) => i + firstToken).filter(() => random.next() < kept);
  const vectors = (rows: number, columns: number) =>
    Int8Array.from({ length: rows * columns }, () => random.whole(-127, 127));
  const startPositions = keep();
  const endPositions = keep();
  const ngrams = (rows: number) => makeRows(rows, ids.length, { random, most: model.ngramsPerRow });
  return {
    ids,
    firstToken,
    startPositions,
    endPositions,
    startVectors: vectors(startPositions.length, model.dense),
    endVectors: vectors(endPositions.length, model.dense),
    startCoherency: vectors(startPositions.length, model.coherency),
    endCoherency: vectors(endPositions.length, model.coherency),
    startUnigrams: ngrams(startPositions.length),
    startBigrams: ngrams(startPositions.length),
    endUnigrams: ngrams(endPositions.length),
    endBigrams: ngrams(endPositions.length),
    units: [makeTerms(wordIds, random, model)],
    vector: makeVector(wordIds, model),
  };
}

function makeRows(rows: number, tokens: number, rest: { random: Random; most: number }): NgramRows {
  const { random, most } = rest;
  const offsets = [0];
  const positions: number[] = [];
  for (let row = 0; row < rows; row++) {
    const chosen = new Set(Array.from({ length: random.whole(0, most) }, () => random.whole(0, tokens - 1)));
    positions.push(...[...chosen].sort((a, b) => a - b));
    offsets.push(positions.length);
  }
  return {
    offsets: Uint32Array.from(offsets),
    positions: Uint8Array.from(positions),
    weights: Uint8Array.from(positions, () => random.whole(1, 255)),
  };
}

/** Its own generator: the other numbers do not depend on it. */
function makeVector(words: readonly number[], model: ModelInfo): Int8Array {
  const random = seededRandom(words.reduce((sum, id) => Math.imul(sum, 31) + id, 7));
  return Int8Array.from({ length: model.vector }, () => random.whole(-127, 127));
}

/** The unit's own words, and a few that it does not contain (what a term head adds by meaning). */
function makeTerms(words: readonly number[], random: Random, model: ModelInfo): TermWeights {
  const more = Array.from({ length: 4 }, () => random.whole(FIRST_WORD, FIRST_WORD + MADE_UP_WORDS.length - 1));
  const terms = [...new Set([...words, ...more])].slice(0, model.termsPerUnit).sort((a, b) => a - b);
  return { terms: Uint16Array.from(terms), weights: Uint8Array.from(terms, () => random.whole(1, 255)) };
}
