/** From a document's passage to an input of the encoder. */

import { splitSentences } from "../text/sentences.js";
import type { WordPieceTokenizer } from "../text/wordpiece.js";
import type { ModelInfo, PassageInput } from "./types.js";

/** Positions that the passage's own tokens may take beside [CLS] title [SEP] … [SEP]. */
export function passageRoom(info: ModelInfo, titleTokens: number): number {
  return info.maxInputTokens - 3 - titleTokens;
}

/** A passage's tokens with offsets into its document: what `splitPassages` yields. */
export interface TokenisedPassage {
  start: number;
  end: number;
  tokens: { ids: ArrayLike<number>; starts: ArrayLike<number>; ends: ArrayLike<number>; count: number };
}

/** A passage that was cut before: its tokens again, with their places in the document. */
export function tokenisePassage(
  tokenizer: WordPieceTokenizer,
  text: string,
  { start, end }: { start: number; end: number },
): TokenisedPassage {
  const { ids, starts, ends, count } = tokenizer.tokenize(text.slice(start, end));
  const shifted = (offsets: ArrayLike<number>): Uint32Array =>
    Uint32Array.from({ length: count }, (_, i) => offsets[i]! + start);
  return { start, end, tokens: { ids, starts: shifted(starts), ends: shifted(ends), count } };
}

/**
 * [CLS] title [SEP] passage [SEP]; the title's tokens pool into the passage's term weights with the passage's own.
 * With `sentences`, each sentence of the passage is a unit of its own, without the title.
 * @param text the document's text; passage offsets refer to it, shifted by `textOffset`
 */
export function passageInput(
  tokenizer: WordPieceTokenizer,
  titleIds: ArrayLike<number>,
  options: { passage: TokenisedPassage; sentences?: { text: string; textOffset: number } },
): PassageInput {
  const { passage } = options;
  const { tokens } = passage;
  const firstToken = titleIds.length + 2;
  const ids = new Uint16Array(firstToken + tokens.count + 1);
  ids[0] = tokenizer.clsId;
  ids.set(Array.from(titleIds), 1);
  ids[firstToken - 1] = tokenizer.sepId;
  for (let i = 0; i < tokens.count; i++) ids[firstToken + i] = tokens.ids[i]!;
  ids[firstToken + tokens.count] = tokenizer.sepId;
  const units: PassageInput["units"] = [];
  if (options.sentences === undefined) {
    units.push({ from: 1, to: firstToken + tokens.count });
  } else {
    const { text, textOffset } = options.sentences;
    let token = 0;
    for (const sentence of splitSentences(text, passage.start - textOffset, passage.end - textOffset)) {
      const from = token;
      while (token < tokens.count && tokens.starts[token]! - textOffset < sentence.end) token++;
      if (token > from) units.push({ from: firstToken + from, to: firstToken + token });
    }
    const last = units.at(-1);
    if (last === undefined) units.push({ from: firstToken, to: firstToken + tokens.count });
    else last.to = firstToken + tokens.count;
  }
  return { ids, firstToken, units };
}

/** No question is longer, in UTF-16 units: its tokens are cut long before. */
const MOST_QUESTION_UNITS = 100_000;

/** [CLS] question [SEP], cut to `maxTokens` with both. */
export function questionInput(tokenizer: WordPieceTokenizer, question: string, maxTokens: number): Uint16Array {
  const { ids } = tokenizer.tokenize(question.slice(0, MOST_QUESTION_UNITS), { maxTokens: maxTokens - 2 });
  return Uint16Array.from([tokenizer.clsId, ...ids, tokenizer.sepId]);
}

/** The title's token ids, cut to the model's limit. */
export function titleTokens(tokenizer: WordPieceTokenizer, title: string, info: ModelInfo): ArrayLike<number> {
  const tokens = tokenizer.tokenize(title.slice(0, 2000));
  return tokens.ids.slice(0, Math.min(tokens.count, info.maxTitleTokens));
}
