/** The reader alone, over passages that another system has found. */

import { passageInput, questionInput, titleTokens } from "../../src/encode/input.js";
import type { Encoder } from "../../src/encode/types.js";
import { type RankedReadable, readPassages } from "../../src/reader/read-passages.js";
import type { Reader } from "../../src/reader/types.js";
import { questionForReader } from "../../src/reader/windows.js";
import type { Searcher } from "../../src/search/searcher.js";

/** Tokens of a found text that are read. */
const MAX_TOKENS = 4000;
const MAX_ANSWER_TOKENS = 20;

interface Parts {
  encoder: Pick<Encoder, "info" | "tokenizer">;
  reader: Reader;
  searcher: Pick<Searcher, "isContinuation">;
}

/** The reader's best answer in texts, best found first; "" without any. */
export async function readBest(
  question: string,
  found: ReadonlyArray<{ title: string; text: string }>,
  { encoder: { info, tokenizer }, reader, searcher }: Parts,
): Promise<string> {
  const ids = questionInput(tokenizer, question, info.maxQuestionTokens);
  const inputs = found.map(({ title, text }) => {
    const tokens = tokenizer.tokenize(text, { maxTokens: MAX_TOKENS });
    const passage = { start: 0, end: text.length, tokens };
    const { ids, firstToken } = passageInput(tokenizer, titleTokens(tokenizer, title, info), { passage });
    return { tokens, text, readable: { ids, firstToken, rank: 0 } satisfies RankedReadable };
  });
  const passages = inputs.map(({ readable }) => readable);
  const interpolation = { reader: 1, answer: reader.info.interpolation.answer, most: Number.POSITIVE_INFINITY };
  const options = { interpolation, maxAnswerTokens: MAX_ANSWER_TOKENS, isContinuation: searcher.isContinuation };
  let answer = "";
  for await (const { spans } of readPassages(reader, questionForReader(ids, reader.info), { passages, options })) {
    const [best] = spans;
    if (best === undefined) continue;
    const { tokens, text, readable } = inputs[best.passage]!;
    const place = (position: number): number => position - readable.firstToken;
    answer = text.slice(tokens.starts[place(best.startPosition)]!, tokens.ends[place(best.endPosition)]!);
  }
  return answer;
}
