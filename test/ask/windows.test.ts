/** Windows cover every token and every short stretch; joined, they say what one pass would. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  joinWindows,
  passageWindows,
  questionForReader,
  readerInputs,
  WINDOW_OVERLAP,
} from "../../src/reader/windows.js";
import { fakeInfo, noisyLogits } from "./fake-reader.js";

const sizes = fc
  .record({ overlap: fc.integer({ min: 0, max: 80 }), more: fc.integer({ min: 1, max: 500 }), tokens: fc.nat(4000) })
  .map(({ overlap, more, tokens }) => ({ overlap, room: overlap + more, tokens }));

describe("windows", () => {
  it("cover every stretch that is no longer than the overlap, none too long, none too many", () => {
    fc.assert(
      fc.property(sizes, ({ overlap, room, tokens }) => {
        const windows = passageWindows(tokens, { room, overlap });
        for (const { from, to } of windows) {
          expect(from).toBeGreaterThanOrEqual(0);
          expect(to).toBeLessThanOrEqual(tokens);
          expect(to - from).toBeLessThanOrEqual(room);
        }
        // every token, and every stretch of `overlap` tokens as a whole
        const length = Math.max(1, overlap);
        for (let first = 0; first < tokens; first++) {
          const last = Math.min(tokens, first + length);
          if (!windows.some(({ from, to }) => from <= first && last <= to)) {
            throw new Error(`[${first}, ${last}) is in no window of ${JSON.stringify(windows)}`);
          }
        }
        // one fewer could not share as much
        const fewest = tokens <= room ? 1 : Math.ceil((tokens - overlap) / (room - overlap));
        expect(windows).toHaveLength(fewest);
      }),
      { seed: 6, numRuns: 300 },
    );
  });

  it("say so when the question leaves no room", () => {
    expect(() => passageWindows(10, { room: 40, overlap: 40 })).toThrow(/no room/);
  });
});

describe("inputs of the reader", () => {
  it("are [CLS] question [SEP] title [SEP] passage [SEP], with the question's length", () => {
    const question = Uint16Array.from([2, 50, 51, 3]);
    const ids = Uint16Array.from([2, 9, 8, 3, 20, 21, 22, 3]);
    const [input, ...more] = readerInputs(question, { ids, firstToken: 4 }, fakeInfo);
    expect(more).toEqual([]);
    expect([...input!.ids]).toEqual([2, 50, 51, 3, 9, 8, 3, 20, 21, 22, 3]);
    expect(input).toMatchObject({ questionTokens: 4, firstToken: 7, part: { from: 0, to: 3 } });
  });

  it("may show other tokens between those of the passage, whose logits are then left out", () => {
    const question = Uint16Array.from([2, 50, 3]);
    const shown = { ids: [70, 20, 71, 72, 21, 23], places: [-1, 0, -1, -1, 1, 2] };
    const passage = { ids: Uint16Array.from([2, 9, 3, 20, 21, 22, 3]), firstToken: 3, shown };
    const inputs = readerInputs(question, passage, fakeInfo);
    expect(inputs.map(({ ids }) => [...ids])).toEqual([[2, 50, 3, 9, 3, 70, 20, 71, 72, 21, 23, 3]]);
    const at = Float32Array.from({ length: 12 }, (_, t) => t);
    const { start, end } = joinWindows(inputs, [{ start: at, end: at, answer: 0 }]);
    expect([[...start], [...end]]).toEqual([
      [6, 9, 10],
      [6, 9, 10],
    ]);
  });

  it("have no title where there is none", () => {
    const [input] = readerInputs(
      Uint16Array.from([2, 50, 3]),
      { ids: Uint16Array.from([2, 3, 20, 3]), firstToken: 2 },
      fakeInfo,
    );
    expect([...input!.ids]).toEqual([2, 50, 3, 3, 20, 3]);
  });

  it("keep the end of a question that is cut", () => {
    const long = Uint16Array.from([2, ...Array.from({ length: 100 }, (_, i) => i + 10), 3]);
    const cut = questionForReader(long, fakeInfo);
    expect(cut).toHaveLength(64);
    expect([cut[0], cut[62], cut[63]]).toEqual([2, 71, 3]);
    expect([...questionForReader(long.subarray(0, 10), fakeInfo)]).toEqual([...long.subarray(0, 10)]);
  });

  it("fit, and joined again give every token the logits of the whole, when a logit is the token's own", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 2000 }),
        fc.integer({ min: 3, max: 64 }),
        fc.nat(16),
        (tokens, asked, title) => {
          const question = Uint16Array.from({ length: asked }, (_, i) => 10 + i);
          const ids = Uint16Array.from({ length: title + 2 + tokens + 1 }, (_, i) => 100 + ((i * 7919) % 30_000));
          const passage = { ids, firstToken: title + 2 };
          const inputs = readerInputs(question, passage, fakeInfo);
          for (const input of inputs) expect(input.ids.length).toBeLessThanOrEqual(512);
          const joined = joinWindows(inputs, inputs.map(noisyLogits));
          const [whole] = readerInputs(question, passage, { ...fakeInfo, maxInputTokens: 10_000 });
          const { start, end } = noisyLogits(whole!);
          expect(joined.start).toEqual(start.slice(whole!.firstToken, -1));
          expect(joined.end).toEqual(end.slice(whole!.firstToken, -1));
          expect(joined.start).toHaveLength(tokens);
        },
      ),
      { seed: 6, numRuns: 40 },
    );
  });

  it("take a token from the window where it has most text around it", () => {
    const passage = { ids: Uint16Array.from({ length: 803 }, (_, i) => i), firstToken: 2 };
    const inputs = readerInputs(Uint16Array.from([1, 2, 3]), passage, fakeInfo);
    expect(inputs).toHaveLength(2);
    const joined = joinWindows(
      inputs,
      inputs.map(({ ids }, n) => ({
        start: new Float32Array(ids.length).fill(n),
        end: new Float32Array(ids.length).fill(-n),
        answer: n === 0 ? -2 : -3,
      })),
    );
    const [first, second] = inputs.map(({ part }) => part);
    const middle = (second!.from + first!.to) / 2;
    for (let t = 0; t < joined.start.length; t++) {
      if (Math.abs(t - middle) > 1) expect(joined.start[t]).toBe(t < middle ? 0 : 1);
    }
    expect(joined.answer).toBe(-2);
    expect(first!.to - second!.from).toBeGreaterThanOrEqual(WINDOW_OVERLAP);
  });
});
