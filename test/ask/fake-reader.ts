/** A reader without a network: untrained logits, equal for equal inputs. */

import type { Reader, ReaderInfo, ReaderInput, ReaderOutput } from "../../src/reader/types.js";

export const fakeInfo: ReaderInfo = {
  name: "fake",
  readerHash: "f00d".repeat(16),
  vocabularySize: 512,
  vocabularySha256: "0".repeat(64),
  maxInputTokens: 512,
  maxQuestionTokens: 64,
  maxTitleTokens: 16,
  interpolation: { reader: 0.6, answer: 0.5, most: 9 },
};

/** Uniform in [0, 1) of whole numbers. */
export function noise(...numbers: readonly number[]): number {
  let h = 0x811c9dc5;
  for (const n of numbers) {
    h = Math.imul(h ^ (n + 0x9e37), 0x01000193);
    h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d);
  }
  return ((h ^ (h >>> 13)) >>> 0) / 2 ** 32;
}

export type Logits = (input: ReaderInput) => ReaderOutput;

/**
 * Logits from −5 to 7, the answer's from −3 to 3, of the tokens and the question alone: a window gives a token what
 * the whole passage would.
 */
export const noisyLogits: Logits = ({ ids, questionTokens }) => {
  const question = [...ids.subarray(0, questionTokens)];
  const at = (side: number) => Float32Array.from(ids, (id) => 12 * noise(side, id, ...question) - 5);
  return { start: at(1), end: at(2), answer: 6 * noise(3, ids[ids.length - 2]!, ...question) - 3 };
};

export class FakeReader implements Reader {
  readonly info: ReaderInfo;
  readonly lanes: number;
  readonly #logits: Logits;
  /** Every call's inputs. */
  readonly calls: ReaderInput[][] = [];
  /** Called before each read. */
  before: () => void | Promise<void> = () => {};

  constructor(options: { info?: Partial<ReaderInfo>; lanes?: number; logits?: Logits } = {}) {
    this.info = { ...fakeInfo, ...options.info };
    this.lanes = options.lanes ?? 2;
    this.#logits = options.logits ?? noisyLogits;
  }

  async read(inputs: ReaderInput[]): Promise<ReaderOutput[]> {
    this.calls.push(inputs);
    await this.before();
    return inputs.map(this.#logits);
  }

  async close(): Promise<void> {}
}
