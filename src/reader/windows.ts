/** From question and passage to inputs of the reader: windows where a passage is too long, and their logits put together again. */

import { VerbatimError } from "../errors.js";
import type { ReaderInfo, ReaderInput, ReaderOutput } from "./types.js";

/** Tokens that neighbouring windows share: at least the longest answer, so that every span lies wholly in a window. */
export const WINDOW_OVERLAP = 64;

/** A stretch [from, to) of a passage's tokens. */
export interface Window {
  from: number;
  to: number;
}

/**
 * The fewest windows of at most `room` tokens that cover `tokens`, evenly spread; neighbours share at least `overlap`. So every token
 * is in a window, and so is every stretch of at most `overlap` tokens as a whole. One empty window for no tokens.
 * @throws VerbatimError `invalid-argument` if room ≤ overlap
 */
export function passageWindows(tokens: number, options: { room: number; overlap?: number }): Window[] {
  const { room, overlap = WINDOW_OVERLAP } = options;
  if (room <= overlap) {
    throw new VerbatimError("invalid-argument", "The question and title leave the reader no room for the passage.", {
      found: room,
      expected: `more than ${overlap} tokens`,
      hint: "Ask a shorter question.",
    });
  }
  if (tokens <= room) return [{ from: 0, to: tokens }];
  const count = Math.ceil((tokens - overlap) / (room - overlap));
  return Array.from({ length: count }, (_, k) => {
    const from = Math.floor((k * (tokens - room)) / (count - 1));
    return { from, to: from + room };
  });
}

export interface ReadablePassage {
  /** [CLS] title [SEP] passage [SEP], as the encoder had it. */
  ids: ArrayLike<number>;
  /** Position of the first passage token in `ids`. */
  firstToken: number;
}

/** An input with the window of the passage's tokens that it holds. */
export interface WindowedInput extends ReaderInput {
  part: Window;
  /** Position of the window's first token in `ids`. */
  firstToken: number;
}

/** [CLS] question [SEP] as the reader takes it: too long a question loses its end. */
export function questionForReader(ids: ArrayLike<number>, info: ReaderInfo): Uint16Array {
  const most = info.maxQuestionTokens;
  const cut = Uint16Array.from(Array.from(ids).slice(0, most));
  if (ids.length > most) cut[most - 1] = ids[ids.length - 1]!;
  return cut;
}

/** [CLS] question [SEP] title [SEP] window [SEP], once for every window of the passage. */
export function readerInputs(question: Uint16Array, passage: ReadablePassage, info: ReaderInfo): WindowedInput[] {
  const { ids, firstToken } = passage;
  const separator = ids[ids.length - 1]!;
  const title = Array.from({ length: firstToken - 1 }, (_, i) => ids[i + 1]!); // title [SEP]
  const tokens = ids.length - 1 - firstToken;
  const first = question.length + title.length;
  return passageWindows(tokens, { room: info.maxInputTokens - first - 1 }).map((part) => {
    const input = new Uint16Array(first + part.to - part.from + 1);
    input.set(question);
    input.set(title, question.length);
    for (let t = part.from; t < part.to; t++) input[first + t - part.from] = ids[firstToken + t]!;
    input[input.length - 1] = separator;
    return { ids: input, questionTokens: question.length, part, firstToken: first };
  });
}

/** A passage's logits: one of each kind for every token of the passage itself. */
export interface PassageLogits {
  start: Float32Array;
  end: Float32Array;
  answer: number;
}

/**
 * A token of several windows takes its logits from the one where it has most text on its poorer side (Devlin et al. 2019, their SQuAD
 * code: "max context"), ties from the earlier one. The passage answers as well as its best window does.
 */
export function joinWindows(inputs: readonly WindowedInput[], outputs: readonly ReaderOutput[]): PassageLogits {
  const tokens = Math.max(...inputs.map(({ part }) => part.to));
  const start = new Float32Array(tokens);
  const end = new Float32Array(tokens);
  const context = new Int32Array(tokens).fill(-1);
  let answer = Number.NEGATIVE_INFINITY;
  for (const [n, { part, firstToken }] of inputs.entries()) {
    const output = outputs[n]!;
    answer = Math.max(answer, output.answer);
    for (let t = part.from; t < part.to; t++) {
      const around = Math.min(t - part.from, part.to - 1 - t);
      if (around <= context[t]!) continue;
      context[t] = around;
      start[t] = output.start[firstToken + t - part.from]!;
      end[t] = output.end[firstToken + t - part.from]!;
    }
  }
  return { start, end, answer };
}
