import { VerbatimError } from "../../errors.js";
import type { TokenizeOptions, Tokenizer } from "../tokenizer.js";
import { TokenBuffer, type TokenOffsets, type Tokens } from "../tokens.js";
import { Trie } from "../trie.js";
import {
  ALONE,
  classify,
  codePointWithin,
  DROPPED,
  KEPT_MARK,
  normalizeCodePoint,
  placeKeptMarks,
  SPACE,
  UNCLASSIFIED,
  WORD,
} from "./characters.js";

/** Longer words (in code points, after normalisation) become one unknown token, as in the reference. */
const MAX_WORD_CHARACTERS = 100;

/** The entries of a vocab.txt: one per line; the line number is the id. */
export function parseVocabulary(file: string): string[] {
  const lines = file.split(/\r?\n/);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/**
 * BERT's uncased WordPiece with offsets: clean, decompose, drop marks, lower-case, split at white space, punctuation
 * and ideographs, then repeatedly match the longest known piece from the left ("##" marks a piece inside a word). A
 * word that pieces cannot fully cover is one [UNK]. Ids and offsets equal those of Hugging Face `tokenizers`
 * (0.23.2).
 *
 * No special tokens are added, and text that looks like one is plain text: "[SEP]" in a document is "[", "sep", "]", so
 * no document can end its own passage. A mark that is dropped (the accent in "e" + U+0301) belongs to no token.
 * Not safe to call again while it runs (it does not yield, so only from inside itself); costs O(text).
 */
export class WordPieceTokenizer implements Tokenizer {
  readonly vocabularySize: number;
  readonly padId: number;
  readonly unknownId: number;
  readonly clsId: number;
  readonly sepId: number;
  readonly maskId: number;

  readonly #vocabulary: readonly string[];
  readonly #words: Trie;
  readonly #continuations: Trie;
  /** 1 for each id of a piece inside a word. */
  readonly #isInside: Uint8Array;
  readonly #classes = new Uint8Array(0x10000);
  readonly #units = new Uint16Array(0x10000);

  // The current word: units after normalisation, and the origin of each.
  readonly #word = new Uint16Array(2 * MAX_WORD_CHARACTERS + 2);
  readonly #wordStarts = new Uint32Array(2 * MAX_WORD_CHARACTERS + 2);
  readonly #wordEnds = new Uint32Array(2 * MAX_WORD_CHARACTERS + 2);
  #length = 0;
  #characters = 0;
  #lastEnd = 0;

  /** The tokens found so far in this call. */
  readonly #tokens = new TokenBuffer();

  /** @throws VerbatimError `model-mismatch` if a special token is not in the vocabulary */
  constructor(vocabulary: readonly string[]) {
    this.#vocabulary = vocabulary;
    this.vocabularySize = vocabulary.length;
    this.padId = specialId(vocabulary, "[PAD]");
    this.unknownId = specialId(vocabulary, "[UNK]");
    this.clsId = specialId(vocabulary, "[CLS]");
    this.sepId = specialId(vocabulary, "[SEP]");
    this.maskId = specialId(vocabulary, "[MASK]");
    this.#isInside = Uint8Array.from(vocabulary, (entry) => (entry.startsWith("##") ? 1 : 0));
    const isInside = (id: number): boolean => this.#isInside[id] === 1;
    this.#words = new Trie(vocabulary.map((entry, id) => (isInside(id) ? "" : entry)));
    this.#continuations = new Trie(vocabulary.map((entry, id) => (isInside(id) ? entry.slice(2) : "")));
  }

  /** True for a piece inside a word ("##ing"). */
  isContinuation(id: number): boolean {
    return this.#isInside[id] === 1;
  }

  /** @throws VerbatimError `invalid-argument` if the id is not in the vocabulary */
  tokenOf(id: number): string {
    const token = this.#vocabulary[id];
    if (token === undefined) {
      throw new VerbatimError("invalid-argument", `There is no token ${id} in the vocabulary.`, {
        found: id,
        expected: `0 to ${this.vocabularySize - 1}`,
      });
    }
    return token;
  }

  /** "amazon" for am ##azon; a piece that begins inside a word keeps its "##". */
  textOf(ids: readonly number[]): string {
    return ids
      .map((id) => this.tokenOf(id))
      .reduce((text, token) => (token.startsWith("##") ? text + token.slice(2) : `${text} ${token}`));
  }

  tokenize(text: string, { from = 0, to = text.length, maxTokens = Infinity }: TokenizeOptions = {}): Tokens {
    this.#tokens.count = 0;
    this.#clearWord();
    const classes = this.#classes;
    const end = Math.min(to, text.length);
    let i = Math.max(0, from);
    while (i < end && this.#tokens.count < maxTokens) {
      const unit = text.charCodeAt(i);
      const kind = classes[unit]!;
      if (kind === WORD) {
        this.#addUnit(this.#units[unit]!, i, i + 1);
        i++;
      } else if (kind === SPACE) {
        this.#endWord();
        i++;
      } else if (kind === ALONE) {
        this.#endWord();
        this.#addUnit(this.#units[unit]!, i, i + 1);
        this.#endWord();
        i++;
      } else if (kind === UNCLASSIFIED && (unit & 0xf800) !== 0xd800) {
        this.#learn(unit);
      } else {
        i = this.#readUncommon(text, i, end);
      }
    }
    if (this.#tokens.count < maxTokens) this.#endWord();
    return this.#tokens.take(maxTokens, this.vocabularySize);
  }

  /**
   * Spells the pieces along the text. Certain only for ASCII up to the last token, without unknown
   * words: there a word normalises unit by unit, and its pieces spell it.
   */
  place(text: string, ids: ArrayLike<number>): TokenOffsets | undefined {
    const starts = new Uint32Array(ids.length);
    const ends = new Uint32Array(ids.length);
    let at = 0;
    for (let t = 0; t < ids.length; t++) {
      const id = ids[t]!;
      const piece = this.#vocabulary[id];
      if (piece === undefined || id === this.unknownId) return undefined;
      const isInside = this.#isInside[id] === 1;
      if (!isInside) {
        const before = at;
        while (isAsciiSpace(text.charCodeAt(at))) at++;
        const joins =
          at === before && at > 0 && isAsciiWord(text.charCodeAt(at - 1)) && isAsciiWord(text.charCodeAt(at));
        if (joins) return undefined;
      }
      starts[t] = at;
      for (let c = isInside ? 2 : 0; c < piece.length; c++, at++) {
        const unit = text.charCodeAt(at);
        const lower = unit >= 65 && unit <= 90 ? unit + 32 : unit;
        if (lower !== piece.charCodeAt(c) || lower > 126) return undefined;
      }
      ends[t] = at;
    }
    return { starts, ends };
  }

  /** Fills the tables for one unit below the surrogates or above. */
  #learn(unit: number): void {
    const kind = classify(unit);
    this.#classes[unit] = kind;
    if (kind === WORD || kind === ALONE) this.#units[unit] = normalizeCodePoint(unit)[0]!.text.charCodeAt(0);
  }

  /** Handles characters beyond U+FFFF, expanding characters and runs of marks. Returns the next position. */
  #readUncommon(text: string, from: number, limit: number): number {
    const codePoint = codePointWithin(text, from, limit);
    const end = from + (codePoint > 0xffff ? 2 : 1);
    const kind = this.#classOf(codePoint);
    if (kind === DROPPED || kind === KEPT_MARK) return this.#readMarks(text, from, from, limit);
    const characters = normalizeCodePoint(codePoint);
    if (characters.at(-1)!.kind === KEPT_MARK) return this.#readMarks(text, from, end, limit);
    for (const character of characters) {
      if (character.kind === ALONE) this.#endWord();
      this.#addCharacter(character.text, from, end);
      if (character.kind === ALONE) this.#endWord();
    }
    return end;
  }

  /** A whole run of dropped characters and kept marks, seen up to `end`; most runs leave nothing. */
  #readMarks(text: string, from: number, seen: number, limit: number): number {
    let end = seen;
    let kept = seen > from;
    while (end < limit) {
      const codePoint = codePointWithin(text, end, limit);
      const kind = this.#classOf(codePoint);
      if (kind !== DROPPED && kind !== KEPT_MARK) break;
      kept ||= kind === KEPT_MARK;
      end += codePoint > 0xffff ? 2 : 1;
    }
    if (kept) {
      for (const mark of placeKeptMarks(text, from, end)) this.#addCharacter(mark.text, mark.start, mark.end);
    }
    return end;
  }

  #classOf(codePoint: number): number {
    if (codePoint > 0xffff) return classify(codePoint);
    if (this.#classes[codePoint] === UNCLASSIFIED) this.#learn(codePoint);
    return this.#classes[codePoint]!;
  }

  #addCharacter(character: string, start: number, end: number): void {
    this.#addUnit(character.charCodeAt(0), start, end);
    if (character.length === 2 && this.#characters <= MAX_WORD_CHARACTERS) {
      this.#characters--;
      this.#addUnit(character.charCodeAt(1), start, end);
    }
  }

  #addUnit(unit: number, start: number, end: number): void {
    this.#characters++;
    this.#lastEnd = end;
    if (this.#characters > MAX_WORD_CHARACTERS) return;
    const length = this.#length;
    this.#word[length] = unit;
    this.#wordStarts[length] = start;
    this.#wordEnds[length] = end;
    this.#length = length + 1;
  }

  #clearWord(): void {
    this.#length = 0;
    this.#characters = 0;
  }

  /** Splits the current word into pieces. */
  #endWord(): void {
    const length = this.#length;
    if (length === 0) return;
    const firstToken = this.#tokens.count;
    let known = this.#characters <= MAX_WORD_CHARACTERS;
    let trie = this.#words;
    for (let position = 0; known && position < length; ) {
      const id = trie.longest(this.#word, position, length);
      known = id >= 0;
      if (known) {
        this.#tokens.push(id, this.#wordStarts[position]!, this.#wordEnds[trie.matchEnd - 1]!);
        position = trie.matchEnd;
        trie = this.#continuations;
      }
    }
    if (!known) {
      this.#tokens.count = firstToken;
      this.#tokens.push(this.unknownId, this.#wordStarts[0]!, this.#lastEnd);
    }
    this.#clearWord();
  }
}

/** Tab, newline, carriage return, space. Other control characters are dropped, not spaces. */
const isAsciiSpace = (unit: number): boolean => unit === 32 || unit === 9 || unit === 10 || unit === 13;

/** Letters and digits; every other printable ASCII character is a word by itself. */
const isAsciiWord = (unit: number): boolean =>
  (unit >= 48 && unit <= 57) || (unit >= 65 && unit <= 90) || (unit >= 97 && unit <= 122);

function specialId(vocabulary: readonly string[], token: string): number {
  const id = vocabulary.indexOf(token);
  if (id < 0) {
    throw new VerbatimError("model-mismatch", `The vocabulary has no ${token}.`, {
      expected: token,
      hint: "Use the vocab.txt that came with the model.",
    });
  }
  return id;
}
