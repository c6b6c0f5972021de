/** What the rest of the engine needs of a tokenizer; WordPiece and Unigram implement it. */

import type { TokenOffsets, Tokens } from "./tokens.js";

export interface TokenizeOptions {
  /** First UTF-16 unit to read; default 0. Offsets remain relative to the whole text. */
  from?: number;
  /** End of the range to read; default the text's length. */
  to?: number;
  /** At most this many tokens; the rest of the text is not read. Default: no limit. */
  maxTokens?: number;
}

export interface Tokenizer {
  readonly vocabularySize: number;
  readonly padId: number;
  readonly unknownId: number;
  readonly clsId: number;
  readonly sepId: number;
  readonly maskId: number;
  /**
   * The tokens of a text in order, without special tokens: text that looks like one is plain text.
   * A token covers whole characters; neighbours overlap only if one character became several tokens.
   */
  tokenize(text: string, options?: TokenizeOptions): Tokens;
  /**
   * Where the tokens with these ids, the first ones of `tokenize(text)`, are in the text: much faster than
   * finding the tokens again. undefined if that is not certain; then tokenise.
   */
  place?(text: string, ids: ArrayLike<number>): TokenOffsets | undefined;
  /** True if `id` after the token `before` is inside a word: no answer begins at it or ends before it. */
  isContinuation(id: number, before: number): boolean;
  /** @throws VerbatimError `invalid-argument` if the id is not in the vocabulary */
  tokenOf(id: number): string;
  /** The normalised text of neighbouring tokens. */
  textOf(ids: readonly number[]): string;
}
