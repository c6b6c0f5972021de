/** Builds encoder inputs from passages and questions. */

import type { Tokenizer } from "../text/tokenizer.js";
import type { ModelInfo, PassageInput } from "./types.js";

/** The longest encoder input that an index can store: positions are bytes. */
export const MAX_INPUT_TOKENS = 256;

/** Number of passage tokens that fit into [CLS] title [SEP] passage [SEP]. */
export function passageRoom(info: ModelInfo, titleTokens: number): number {
  return info.maxInputTokens - 3 - titleTokens;
}

/** A passage's tokens with offsets into its document, as `splitPassages` yields them. */
export interface TokenisedPassage {
  start: number;
  end: number;
  tokens: { ids: ArrayLike<number>; starts: ArrayLike<number>; ends: ArrayLike<number>; count: number };
}

/** Tokenises a known passage again, with offsets into the document. */
export function tokenisePassage(
  tokenizer: Tokenizer,
  text: string,
  { start, end }: { start: number; end: number },
): TokenisedPassage {
  const { ids, starts, ends, count } = tokenizer.tokenize(text.slice(start, end));
  const shifted = (offsets: ArrayLike<number>): Uint32Array =>
    Uint32Array.from({ length: count }, (_, i) => offsets[i]! + start);
  return { start, end, tokens: { ids, starts: shifted(starts), ends: shifted(ends), count } };
}

/** [CLS] title [SEP] passage [SEP]: one unit of term weights, the title's tokens included. */
export function passageInput(
  tokenizer: Tokenizer,
  titleIds: ArrayLike<number>,
  { passage }: { passage: TokenisedPassage },
): PassageInput {
  const { tokens } = passage;
  const firstToken = titleIds.length + 2;
  const ids = new Uint16Array(firstToken + tokens.count + 1);
  ids[0] = tokenizer.clsId;
  ids.set(Array.from(titleIds), 1);
  ids[firstToken - 1] = tokenizer.sepId;
  for (let i = 0; i < tokens.count; i++) ids[firstToken + i] = tokens.ids[i]!;
  ids[firstToken + tokens.count] = tokenizer.sepId;
  return { ids, firstToken, units: [{ from: 1, to: firstToken + tokens.count }] };
}

/** UTF-16 units of a question that are tokenised; far more than the model can use. */
export const MAX_QUESTION_UNITS = 100_000;

/** Whether a question has more tokens than the model reads. */
export function isTooLong(tokenizer: Tokenizer, question: string, maxTokens: number): boolean {
  const room = maxTokens - 2; // [CLS] and [SEP]
  if (question.length <= room) return false; // a token has at least one unit
  return tokenizer.tokenize(question.slice(0, MAX_QUESTION_UNITS), { maxTokens: room + 1 }).count > room;
}

/** [CLS] question [SEP], truncated to `maxTokens` in total. */
export function questionInput(tokenizer: Tokenizer, question: string, maxTokens: number): Uint16Array {
  const { ids } = tokenizer.tokenize(question.slice(0, MAX_QUESTION_UNITS), { maxTokens: maxTokens - 2 });
  return Uint16Array.from([tokenizer.clsId, ...ids, tokenizer.sepId]);
}

/** The title's token ids, truncated to the model's limit. */
export function titleTokens(tokenizer: Tokenizer, title: string, info: ModelInfo): ArrayLike<number> {
  const tokens = tokenizer.tokenize(title.slice(0, 2000));
  return tokens.ids.slice(0, Math.min(tokens.count, info.maxTitleTokens));
}
