/**
 * Inputs of the reader from question and passage: a long passage is split into windows, and their logits are joined.
 */

import { VerbatimError } from "../errors.js";
import type { ReaderInfo, ReaderInput, ReaderOutput } from "./types.js";

/** Tokens shared by neighbouring windows: at least the longest answer, so that each span is within one window. */
export const WINDOW_OVERLAP = 64;

/** A range [from, to) of a passage's tokens. */
interface Window {
  from: number;
  to: number;
}

/**
 * The fewest windows of at most `room` tokens that cover `tokens`, evenly spread. Neighbours share
 * at least `overlap` tokens, so every range of at most `overlap` tokens is within one window.
 * Without tokens, one empty window.
 * @throws VerbatimError `invalid-argument` if room ≤ overlap
 */
export function passageWindows(tokens: number, options: { room: number; overlap?: number }): Window[] {
  const { room, overlap = WINDOW_OVERLAP } = options;
  if (room <= overlap) {
    throw new VerbatimError(
      "invalid-argument",
      "The question and the title leave no room for the passage in the reader's input.",
      {
        found: room,
        expected: `more than ${overlap} tokens`,
        hint: "Ask a shorter question.",
      },
    );
  }
  if (tokens <= room) return [{ from: 0, to: tokens }];
  const count = Math.ceil((tokens - overlap) / (room - overlap));
  return Array.from({ length: count }, (_, k) => {
    const from = Math.floor((k * (tokens - room)) / (count - 1));
    return { from, to: from + room };
  });
}

export interface ReadablePassage {
  /** [CLS] title [SEP] passage [SEP]: the encoder's input. */
  ids: ArrayLike<number>;
  /** Position of the first passage token in `ids`. */
  firstToken: number;
  /** Tokens of the heading that the passage is below; they follow the title's. */
  heading?: ArrayLike<number>;
  /** What the reader sees in place of the passage's tokens, if that is not the same. */
  shown?: ShownTokens;
}

/** The tokens of a passage, in order, with others between them that no answer begins or ends with. */
export interface ShownTokens {
  ids: ArrayLike<number>;
  /** For each id, the number of the passage's token, or −1. */
  places: ArrayLike<number>;
}

/** An input, and the window of the shown tokens that it contains. */
interface WindowedInput extends ReaderInput {
  part: Window;
  /** For each token of the window, the number of the passage's token, or −1. */
  places: ArrayLike<number>;
  /** Position of the window's first token in `ids`. */
  firstToken: number;
}

/** [CLS] question [SEP], truncated to the reader's longest question. */
export function questionForReader(ids: ArrayLike<number>, info: ReaderInfo): Uint16Array {
  const max = info.maxQuestionTokens;
  const cut = Uint16Array.from(Array.from(ids).slice(0, max));
  if (ids.length > max) cut[max - 1] = ids[ids.length - 1]!;
  return cut;
}

/** [CLS] question [SEP] title heading [SEP] window [SEP] for each window of the passage. */
export function readerInputs(question: Uint16Array, passage: ReadablePassage, info: ReaderInfo): WindowedInput[] {
  const { ids, firstToken, heading = [] } = passage;
  const separator = ids[ids.length - 1]!;
  const title = Array.from({ length: firstToken - 2 }, (_, i) => ids[i + 1]!).concat(Array.from(heading), separator);
  const shown = passage.shown ?? asItIs(ownTokens(passage));
  const first = question.length + title.length;
  return passageWindows(shown.ids.length, { room: info.maxInputTokens - first - 1 }).map((part) => {
    const input = new Uint16Array(first + part.to - part.from + 1);
    input.set(question);
    input.set(title, question.length);
    for (let t = part.from; t < part.to; t++) input[first + t - part.from] = shown.ids[t]!;
    input[input.length - 1] = separator;
    const places = Array.from({ length: part.to - part.from }, (_, t) => shown.places[part.from + t]!);
    return { ids: input, questionTokens: question.length, part, places, firstToken: first };
  });
}

/** A passage's own tokens, without its title and the separator at its end. */
export function ownTokens({ ids, firstToken }: Pick<ReadablePassage, "ids" | "firstToken">): number[] {
  return Array.from({ length: ids.length - 1 - firstToken }, (_, t) => ids[firstToken + t]!);
}

function asItIs(own: readonly number[]): ShownTokens {
  return { ids: own, places: own.map((_, t) => t) };
}

/** A passage's logits: start and end per token of the passage's own text. */
export interface PassageLogits {
  start: Float32Array;
  end: Float32Array;
  answer: number;
}

/**
 * Joins the windows' logits. A token in several windows takes them from the one where its smaller
 * side has most context (Devlin et al. 2019, "max context" in their SQuAD code), ties from the
 * earlier one. The passage's answer logit is that of its best window.
 */
export function joinWindows(inputs: readonly WindowedInput[], outputs: readonly ReaderOutput[]): PassageLogits {
  const tokens = Math.max(0, ...inputs.flatMap(({ places }) => Array.from(places, (place) => place + 1)));
  const start = new Float32Array(tokens);
  const end = new Float32Array(tokens);
  const context = new Int32Array(tokens).fill(-1);
  let answer = Number.NEGATIVE_INFINITY;
  for (const [n, { places, firstToken }] of inputs.entries()) {
    const output = outputs[n]!;
    answer = Math.max(answer, output.answer);
    for (let t = 0; t < places.length; t++) {
      const place = places[t]!;
      const around = Math.min(t, places.length - 1 - t);
      if (place < 0 || around <= context[place]!) continue;
      context[place] = around;
      start[place] = output.start[firstToken + t]!;
      end[place] = output.end[firstToken + t]!;
    }
  }
  return { start, end, answer };
}
