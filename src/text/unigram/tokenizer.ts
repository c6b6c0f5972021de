import { VerbatimError } from "../../errors.js";
import type { TokenizeOptions, Tokenizer } from "../tokenizer.js";
import { enlarged, TokenBuffer, type Tokens } from "../tokens.js";
import { Trie } from "../trie.js";
import { SPECIAL_PIECES, UNIGRAM_IDS, type UnigramVocabulary } from "./file.js";
import { UnigramNormalizer } from "./normalizer.js";

/** Begins every word. A text's own "▁" normalises to a space. */
const WORD_MARK = 0x2581;
const SPACE = 0x20;
/** Cost of an unknown character beyond that of the rarest piece: 10 nats, as in SentencePiece. */
const UNKNOWN_PENALTY = 10 * 2048;
/** Units of a word that are read before they are segmented. */
const BLOCK = 1024;
const NO_PIECE = -1;

/** Letters, digits and marks of scripts that put spaces between words. */
const STARTS_IN_WORD =
  /^(?![\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}ー])[\p{L}\p{N}\p{M}]/u;
const ENDS_IN_WORD =
  /(?![\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}ー])[\p{L}\p{N}\p{M}]$/u;

/**
 * SentencePiece's Unigram with offsets: normalise, divide at white space, put "▁" before each word, and find the
 * pieces of each word with the smallest sum of costs, by Viterbi. Of equally cheap pieces that end at one place, the
 * longest wins. Characters without a piece are unknown; neighbours of them form one token. Ids and offsets equal
 * those of Hugging Face `tokenizers` (0.23.3) on the same pieces, and ids those of `sentencepiece` (0.2.3).
 *
 * Costs are integers, so the result is exact. A "▁" that is a token by itself is empty, at the start of its
 * word. Not safe to call again while it runs (it does not yield). O(text · longest piece)
 */
export class UnigramTokenizer implements Tokenizer {
  readonly vocabularySize: number;
  readonly padId = UNIGRAM_IDS.pad;
  readonly unknownId = UNIGRAM_IDS.unknown;
  readonly clsId = UNIGRAM_IDS.cls;
  readonly sepId = UNIGRAM_IDS.sep;
  readonly maskId = UNIGRAM_IDS.mask;

  readonly #pieces: readonly string[];
  readonly #costs: Uint16Array;
  readonly #unknownCost: number;
  readonly #trie: Trie;
  /** [0x10000] The node of each first unit, or −1. */
  readonly #roots: Int32Array;
  readonly #longest: number;
  readonly #normalizer: UnigramNormalizer;
  /** By piece: 1 if it may begin inside a word, 2 if a word may continue after it, 4 for "▁". */
  readonly #edges: Uint8Array;

  // The current word after normalisation, from the last certain boundary on, and where each unit comes from.
  #units = new Uint16Array(BLOCK);
  #starts = new Uint32Array(BLOCK);
  #ends = new Uint32Array(BLOCK);
  #length = 0;
  // The best way to each position of the word: its cost, and the last piece and its start.
  #best = new Float64Array(BLOCK + 1);
  #piece = new Int32Array(BLOCK + 1);
  #from = new Int32Array(BLOCK + 1);
  /** The last token is an unknown one of the current word. */
  #afterUnknown = false;
  readonly #tokens = new TokenBuffer();

  constructor({ pieces, costs, rules }: UnigramVocabulary) {
    const known = pieces.map((piece, id) => (id < SPECIAL_PIECES ? "" : piece));
    this.#pieces = pieces;
    this.#costs = costs;
    this.vocabularySize = pieces.length;
    this.#unknownCost = costs.reduce((most, cost) => Math.max(most, cost), 0) + UNKNOWN_PENALTY;
    this.#longest = known.reduce((most, { length }) => Math.max(most, length), 2);
    this.#trie = new Trie(known);
    this.#roots = Int32Array.from({ length: 0x10000 }, (_, unit) => this.#trie.child(0, unit));
    this.#normalizer = new UnigramNormalizer(rules);
    this.#edges = Uint8Array.from(
      known,
      (piece) => (STARTS_IN_WORD.test(piece) ? 1 : 0) | (ENDS_IN_WORD.test(piece) ? 2 : 0) | (piece === "▁" ? 4 : 0),
    );
  }

  /** A piece begins inside a word if it and the piece before it are letters or digits, or after a lone "▁". */
  isContinuation(id: number, before: number): boolean {
    const edge = this.#edges[before]!;
    return edge > 3 || (edge > 1 && (this.#edges[id]! & 1) !== 0);
  }

  /** @throws VerbatimError `invalid-argument` if the id is not in the vocabulary */
  tokenOf(id: number): string {
    const token = this.#pieces[id];
    if (token !== undefined) return token;
    throw new VerbatimError("invalid-argument", `There is no token ${id} in the vocabulary.`, {
      found: id,
      expected: `0 to ${this.vocabularySize - 1}`,
    });
  }

  textOf(ids: readonly number[]): string {
    const text = ids.map((id) => this.tokenOf(id)).join("");
    return text.replaceAll("▁", " ").trim();
  }

  tokenize(text: string, { from = 0, to = text.length, maxTokens = Infinity }: TokenizeOptions = {}): Tokens {
    const normalizer = this.#normalizer;
    const end = Math.min(to, text.length);
    this.#tokens.count = 0;
    this.#length = 0;
    this.#afterUnknown = false;
    let inWord = false;
    // One token too many shows that the last one wanted is complete.
    for (let at = Math.max(0, from); at < end && this.#tokens.count <= maxTokens; ) {
      const single = normalizer.single(text.charCodeAt(at), at + 1 < end ? text.charCodeAt(at + 1) : 0);
      if (single === SPACE) {
        if (inWord) this.#endWord();
        inWord = false;
        at++;
      } else if (single >= 0) {
        if (!inWord) this.#add(WORD_MARK, at, at);
        inWord = true;
        this.#add(single, at, at + 1);
        at++;
      } else {
        normalizer.read(text, at, end);
        const next = at + normalizer.length;
        const { result } = normalizer;
        for (let i = 0; i < result.length; i++) {
          const unit = result.charCodeAt(i);
          if (unit === SPACE) {
            if (inWord) this.#endWord();
            inWord = false;
          } else {
            if (!inWord) this.#add(WORD_MARK, at, at);
            inWord = true;
            this.#add(unit, at, next);
          }
        }
        at = next;
      }
    }
    if (inWord && this.#tokens.count <= maxTokens) this.#endWord();
    return this.#tokens.take(maxTokens, this.vocabularySize);
  }

  #add(unit: number, start: number, end: number): void {
    if (this.#length === this.#units.length) this.#makeRoom();
    const length = this.#length;
    this.#units[length] = unit;
    this.#starts[length] = start;
    this.#ends[length] = end;
    this.#length = length + 1;
  }

  /**
   * Segments what no further character can change, and keeps the rest; enlarges the arrays if that frees too little.
   */
  #makeRoom(): void {
    const certain = this.#segment(this.#length - this.#longest);
    if (certain > 0) {
      this.#emit(certain);
      this.#units.copyWithin(0, certain, this.#length);
      this.#starts.copyWithin(0, certain, this.#length);
      this.#ends.copyWithin(0, certain, this.#length);
      this.#length -= certain;
    }
    if (2 * certain >= this.#units.length) return;
    const size = 2 * this.#units.length;
    this.#units = enlarged(this.#units, new Uint16Array(size));
    this.#starts = enlarged(this.#starts, new Uint32Array(size));
    this.#ends = enlarged(this.#ends, new Uint32Array(size));
    this.#best = new Float64Array(size + 1);
    this.#piece = new Int32Array(size + 1);
    this.#from = new Int32Array(size + 1);
  }

  #endWord(): void {
    this.#segment(this.#length);
    this.#emit(this.#length);
    this.#length = 0;
    this.#afterUnknown = false;
  }

  /**
   * Finds the best pieces that begin before `limit`.
   * @returns the last position up to `limit` that no piece crosses, so that later characters cannot change what is
   *   before it
   */
  #segment(limit: number): number {
    const units = this.#units;
    const length = this.#length;
    const best = this.#best;
    const piece = this.#piece;
    const from = this.#from;
    const costs = this.#costs;
    const trie = this.#trie;
    piece.fill(NO_PIECE, 0, length + 1);
    best[0] = 0;
    let reach = 0;
    let certain = 0;
    for (let start = 0; start < limit; ) {
      if (reach === start) certain = start;
      const unit = units[start]!;
      const width = isPair(unit, start + 1 < length ? units[start + 1]! : 0) ? 2 : 1;
      const cost = best[start]!;
      let known = false;
      let node = this.#roots[unit]!;
      for (let end = start + 1; node >= 0; node = trie.child(node, units[end]!), end++) {
        const id = trie.valueAt(node);
        if (id >= 0) {
          const sum = cost + costs[id]!;
          if (piece[end] === NO_PIECE || sum < best[end]!) {
            best[end] = sum;
            piece[end] = id;
            from[end] = start;
          }
          if (end - start === width) known = true;
          if (end > reach) reach = end;
        }
        if (end === length) break;
      }
      const next = start + width;
      if (!known) {
        const sum = cost + this.#unknownCost;
        if (piece[next] === NO_PIECE || sum < best[next]!) {
          best[next] = sum;
          piece[next] = this.unknownId;
          from[next] = start;
        }
        if (next > reach) reach = next;
      }
      start = next;
    }
    return reach === limit ? limit : certain;
  }

  /** Adds the tokens of the first `length` units; no piece crosses that position. */
  #emit(length: number): void {
    const piece = this.#piece;
    const from = this.#from;
    // Turn the chain of starts into a chain of ends.
    let end = length;
    let next = -1;
    while (end > 0) {
      const start = from[end]!;
      from[end] = next;
      next = end;
      end = start;
    }
    for (let start = 0; start < length; start = next, next = from[next]!) {
      const id = piece[next]!;
      const last = this.#ends[next - 1]!;
      if (id === this.unknownId && this.#afterUnknown) this.#tokens.extendLast(last);
      else this.#tokens.push(id, this.#starts[start]!, last);
      this.#afterUnknown = id === this.unknownId;
    }
  }
}

const isPair = (high: number, low: number): boolean => (high & 0xfc00) === 0xd800 && (low & 0xfc00) === 0xdc00;
