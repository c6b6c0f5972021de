/**
 * A deterministic encoder without a network, for search tests: no training, yet answers that make sense.
 *   H_i, G_j  the words *around* a token, nearer ones stronger, minus the word itself: what a question names is near its answer,
 *             and is not the answer
 *   c1, c2    a code of the sentence: a span inside one sentence has coherency 1, across two about 0
 *   n-grams   row i gives token t the weight 2 / (1 + |i − t|)
 *   terms     log(1 + 1.5 · count) of every word of the unit
 * Rows of stop words and punctuation are not kept. Words of fewer than four letters count a fifth in questions.
 */

import { VECTOR_SCALE } from "../../src/encode/pack.js";
import type {
  EncodedPassage,
  EncodedQuestion,
  EncodeOptions,
  Encoder,
  ModelInfo,
  NgramRows,
  PassageInput,
  TermWeights,
} from "../../src/encode/types.js";
import { throwIfAborted } from "../../src/errors.js";
import { WordPieceTokenizer } from "../../src/text/wordpiece/tokenizer.js";
import { isStopWord } from "../../src/text/words.js";
import { Random } from "../../src/vectors/random.js";
import { atPrecision } from "./at-precision.js";
import { SPECIALS, tinyModel, tinyVocabulary } from "./tiny-model.js";

const WINDOW = 8;
const START = 1;
const END = 2;

/** Encodes with the words of `texts` known; other words are spelled letter by letter, other scripts are [UNK]. */
export class TinyEncoder implements Encoder {
  readonly info: ModelInfo;
  readonly tokenizer: WordPieceTokenizer;
  /** One per id, computed once. */
  readonly #kinds: Array<{ isWord: boolean; mayAnswer: boolean; isInside: boolean; questionWeight: number }>;
  readonly #vectors: Record<typeof START | typeof END, Float32Array[]>;
  readonly #stop: number;

  constructor(texts: Iterable<string>, changes: Partial<ModelInfo> = {}) {
    const vocabulary = tinyVocabulary(texts);
    this.tokenizer = new WordPieceTokenizer(vocabulary);
    this.info = { ...tinyModel, vocabularySize: vocabulary.length, ...changes };
    this.#kinds = vocabulary.map((token) => {
      const isWord = /[\p{L}\p{N}]/u.test(token) && !SPECIALS.includes(token);
      const questionWeight = !isWord ? 0 : token.length < 4 ? 0.2 : 1;
      return { isWord, mayAnswer: isWord && !isStopWord(token), isInside: token.startsWith("##"), questionWeight };
    });
    this.#vectors = { [START]: this.#unitVectors(START), [END]: this.#unitVectors(END) };
    this.#stop = vocabulary.indexOf(".");
  }

  async encodePassages(inputs: PassageInput[], options: EncodeOptions = {}): Promise<EncodedPassage[]> {
    throwIfAborted(options.signal);
    const { keepAll = false } = options;
    const encoded = inputs.map((input) => this.#encodePassage(input, keepAll));
    return keepAll ? encoded : encoded.map((passage) => atPrecision(passage, this.info));
  }

  async encodeQuestion(text: string, options: EncodeOptions = {}): Promise<EncodedQuestion> {
    throwIfAborted(options.signal);
    const { tokenizer, info } = this;
    const tokens = tokenizer.tokenize(text, { maxTokens: info.maxQuestionTokens - 2 });
    const ids = Uint16Array.from([tokenizer.clsId, ...tokens.ids, tokenizer.sepId]);
    const weights = Float32Array.from(ids, (id) => this.#kinds[id]!.questionWeight);
    const pairs = weights.map((weight, m) =>
      weight > 0 && (weights[m + 1] ?? 0) > 0 ? (weight + weights[m + 1]!) / 2 : 0,
    );
    const sum = (side: typeof START | typeof END): Float32Array => {
      const vector = new Float32Array(info.dense);
      for (const [m, id] of ids.entries()) this.#addTo(vector, id, { side, weight: weights[m]! });
      return vector;
    };
    const counts = new Map<number, number>();
    for (const id of tokens.ids) counts.set(id, (counts.get(id) ?? 0) + this.#kinds[id]!.questionWeight);
    const terms = Uint16Array.from([...counts.keys()].sort((a, b) => a - b));
    return {
      text,
      ids,
      start: sum(START),
      end: sum(END),
      coherency: new Float32Array(info.coherency).fill(1),
      offset: 0,
      vector: this.#vectorOf(tokens.ids),
      startUnigrams: weights,
      startBigrams: pairs,
      endUnigrams: weights,
      endBigrams: pairs,
      terms,
      termWeights: Float32Array.from(terms, (term) => counts.get(term)!),
    };
  }

  async close(): Promise<void> {}

  #isSpecial(id: number): boolean {
    return id === this.tokenizer.padId || id === this.tokenizer.clsId || id === this.tokenizer.sepId;
  }

  #isWord(id: number): boolean {
    return this.#kinds[id]!.isWord;
  }

  /** A unit vector of its own for every token, another for either side. */
  #unitVectors(side: number): Float32Array[] {
    return this.#kinds.map((_, id) => {
      const random = new Random(Math.imul(id + 1, 0x9e3779b1) ^ Math.imul(side, 0x85ebca6b));
      const vector = Float32Array.from({ length: this.info.dense }, () => 2 * random.next() - 1);
      const length = Math.hypot(...vector);
      return vector.map((x) => x / length);
    });
  }

  #addTo(
    target: Float32Array,
    id: number,
    { side, weight }: { side: typeof START | typeof END; weight: number },
  ): void {
    if (weight === 0) return;
    const vector = this.#vectors[side][id]!;
    for (let d = 0; d < target.length; d++) target[d]! += weight * vector[d]!;
  }

  #encodePassage(input: PassageInput, keepAll: boolean): EncodedPassage {
    const { ids, firstToken } = input;
    const { scales, coherency } = this.info;
    const own = Uint16Array.from({ length: ids.length - 1 - firstToken }, (_, n) => firstToken + n);
    const kept = keepAll ? own : own.filter((position) => this.#kinds[ids[position]!]!.mayAnswer);
    const vectors = (side: typeof START | typeof END, scale: number): Int8Array =>
      concatenate([...kept].map((position) => quantise(this.#around(ids, position, side), scale)));
    const codes = (scale: number): Int8Array =>
      concatenate(
        [...kept].map((position) => quantise(this.#sentenceCode(ids, position), scale)),
        coherency * kept.length,
      );
    const rows = (width: 1 | 2): NgramRows => this.#ngramRows(ids, kept, width);
    return {
      ids,
      firstToken,
      startPositions: kept,
      endPositions: kept.slice(),
      startVectors: vectors(START, scales.start),
      endVectors: vectors(END, scales.end),
      startCoherency: codes(scales.coherencyStart),
      endCoherency: codes(scales.coherencyEnd),
      startUnigrams: rows(1),
      startBigrams: rows(2),
      endUnigrams: rows(1),
      endBigrams: rows(2),
      units: input.units.map((unit) => this.#terms(ids.subarray(unit.from, unit.to))),
      vector: quantise(this.#vectorOf(ids.subarray(firstToken, ids.length - 1)), VECTOR_SCALE),
    };
  }

  /** Of length 1: texts with the same words are near, as far as they are not common words. */
  #vectorOf(ids: ArrayLike<number>): Float32Array {
    const sum = new Float32Array(this.info.dense);
    for (const id of Array.from(ids)) this.#addTo(sum, id, { side: START, weight: this.#kinds[id]!.questionWeight });
    const vector = sum.slice(0, this.info.vector);
    const length = Math.hypot(...vector);
    return length === 0 ? vector : vector.map((x) => x / length);
  }

  #sameWord(ids: Uint16Array, a: number, b: number): boolean {
    for (let t = Math.min(a, b) + 1; t <= Math.max(a, b); t++) {
      if (!this.#kinds[ids[t]!]!.isInside) return false;
    }
    return true;
  }

  #around(ids: Uint16Array, position: number, side: typeof START | typeof END): Float32Array {
    const vector = new Float32Array(this.info.dense);
    for (let t = Math.max(0, position - WINDOW); t <= Math.min(ids.length - 1, position + WINDOW); t++) {
      const weight = this.#sameWord(ids, t, position) ? -2 : 1 / (1 + Math.abs(t - position) / 4);
      if (this.#isWord(ids[t]!)) this.#addTo(vector, ids[t]!, { side, weight });
    }
    return vector;
  }

  #sentenceCode(ids: Uint16Array, position: number): Float32Array {
    let sentence = 0;
    for (let t = 0; t < position; t++) if (ids[t] === this.#stop) sentence++;
    const random = new Random(sentence + 77);
    const size = 1 / Math.sqrt(this.info.coherency);
    return Float32Array.from({ length: this.info.coherency }, () => (random.int(2) === 0 ? size : -size));
  }

  #ngramRows(ids: Uint16Array, kept: Uint16Array, width: 1 | 2): NgramRows {
    const { ngramsPerRow, scales } = this.info;
    const offsets = [0];
    const positions: number[] = [];
    const weights: number[] = [];
    for (const row of kept) {
      const near: Array<{ t: number; weight: number }> = [];
      for (let t = Math.max(1, row - WINDOW); t <= Math.min(ids.length - 1 - width, row + WINDOW); t++) {
        if (this.#sameWord(ids, t, row) || this.#isSpecial(ids[t]!) || this.#isSpecial(ids[t + width - 1]!)) continue;
        near.push({ t, weight: Math.round((scales.ngram * 2) / (1 + Math.abs(row - t))) });
      }
      near.sort((a, b) => b.weight - a.weight || a.t - b.t);
      for (const { t, weight } of near.slice(0, ngramsPerRow).sort((a, b) => a.t - b.t)) {
        positions.push(t);
        weights.push(weight);
      }
      offsets.push(positions.length);
    }
    return {
      offsets: Uint32Array.from(offsets),
      positions: Uint8Array.from(positions),
      weights: Uint8Array.from(weights),
    };
  }

  #terms(ids: Uint16Array): TermWeights {
    const counts = new Map<number, number>();
    for (const id of ids) if (this.#isWord(id)) counts.set(id, (counts.get(id) ?? 0) + 1);
    const terms = Uint16Array.from([...counts.keys()].sort((a, b) => a - b).slice(0, this.info.termsPerUnit));
    const weight = (term: number): number => this.info.scales.term * Math.log(1 + 1.5 * counts.get(term)!);
    return { terms, weights: Uint8Array.from(terms, (term) => Math.min(255, Math.round(weight(term)))) };
  }
}

function quantise(vector: Float32Array, scale: number): Int8Array {
  return Int8Array.from(vector, (x) => Math.max(-127, Math.min(127, Math.round(x * scale))));
}

function concatenate(parts: Int8Array[], length = parts.reduce((sum, part) => sum + part.length, 0)): Int8Array {
  const all = new Int8Array(length);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
