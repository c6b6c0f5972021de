/** The span search against a plain oracle; stopping early against reading everything. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { interpolatedScore, likelyScore, logSigmoid } from "../../src/reader/interpolation.js";
import { compareRead, type RankedReadable, type ReadState, readPassages } from "../../src/reader/read-passages.js";
import { logSumExp, readerSpans } from "../../src/reader/spans.js";
import type { Interpolation } from "../../src/reader/types.js";
import { FakeReader, noise } from "./fake-reader.js";

const logits = fc.array(
  fc.tuple(fc.double({ min: -8, max: 8, noNaN: true }), fc.double({ min: -8, max: 8, noNaN: true })),
  {
    maxLength: 30,
  },
);

describe("the spans of a passage", () => {
  it("are those of a plain search, without overlap, and their mass is that of all spans", () => {
    fc.assert(
      fc.property(
        logits,
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 1, max: 6 }),
        fc.nat(1000),
        (pairs, longest, most, seed) => {
          const start = Float32Array.from(pairs, ([s]) => s);
          const end = Float32Array.from(pairs, ([, e]) => e);
          const mayStart = (t: number) => noise(seed, t) < 0.8;
          const mayEnd = (t: number) => noise(seed, t, 1) < 0.8;
          const all: Array<{ first: number; last: number; logit: number }> = [];
          for (let first = 0; first < start.length; first++) {
            for (let last = first; last < start.length; last++) {
              if (last - first < longest && mayStart(first) && mayEnd(last))
                all.push({ first, last, logit: start[first]! + end[last]! });
            }
          }
          const found = readerSpans(
            { start, end, answer: 0 },
            { maxAnswerTokens: longest, maxSpans: most, mayStart, mayEnd },
          );
          const left = [...all].sort((a, b) => b.logit - a.logit || a.first - b.first || a.last - b.last);
          const expected = [];
          while (left.length > 0 && expected.length < most) {
            const best = left.shift()!;
            expected.push(best);
            for (let i = left.length - 1; i >= 0; i--)
              if (left[i]!.first <= best.last && best.first <= left[i]!.last) left.splice(i, 1);
          }
          expect(found.best).toEqual(expected);
          const mass = all.reduce((sum, { logit }) => sum + Math.exp(logit), 0);
          if (all.length === 0) expect(found.logMass).toBe(Number.NEGATIVE_INFINITY);
          else expect(found.logMass).toBeCloseTo(Math.log(mass), 8);
        },
      ),
      { seed: 6, numRuns: 300 },
    );
  });

  it("weigh nothing too large for a number", () => {
    expect(logSumExp([1000, 1000])).toBeCloseTo(1000 + Math.log(2), 9);
    expect(logSigmoid(-1000)).toBe(-1000);
    expect(logSigmoid(1000)).toBe(-0);
  });
});

const interpolations = fc.record({
  reader: fc.constantFrom(0, 0.2, 0.5, 0.8, 0.95, 1),
  answer: fc.constantFrom(0, 0.3, 1),
  most: fc.constantFrom(-2, 2, 6, 9, 14),
});

const questions = fc.record({
  interpolation: interpolations,
  lanes: fc.integer({ min: 1, max: 4 }),
  seed: fc.nat(),
  count: fc.nat(15),
  spread: fc.constantFrom(0, 3, 20, 60),
});

function madeUp({ seed, count, spread }: { seed: number; count: number; spread: number }): RankedReadable[] {
  return Array.from({ length: count }, (_, n) => ({
    rank: Math.round(spread * noise(seed, n)),
    ids: Uint16Array.from(
      { length: 6 + Math.floor(30 * noise(seed, n, 1)) },
      (_, t) => 10 + Math.floor(500 * noise(seed, n, t, 2)),
    ),
    firstToken: 3,
  })).sort((a, b) => b.rank - a.rank);
}

async function states(
  reader: FakeReader,
  passages: RankedReadable[],
  interpolation: Interpolation,
  more: object = {},
): Promise<ReadState[]> {
  const all: ReadState[] = [];
  const options = { interpolation, maxAnswerTokens: 10, ...more };
  for await (const state of readPassages(reader, Uint16Array.from([2, 40, 41, 3]), { passages, options }))
    all.push(state);
  return all;
}

describe("reading passages", () => {
  it("stops without ever missing the first span of reading all", async () => {
    let stoppedEarly = 0;
    await fc.assert(
      fc.asyncProperty(questions, async ({ interpolation, lanes, ...made }) => {
        const passages = madeUp(made);
        const stopping = (await states(new FakeReader({ lanes }), passages, interpolation)).at(-1)!;
        const all = (await states(new FakeReader(), passages, { ...interpolation, likely: Number.NaN })).at(-1)!;
        expect(all.read).toBe(passages.length);
        expect(stopping.spans[0]).toEqual(all.spans[0]);
        expect(stopping.spans).toEqual(all.spans.filter(({ passage }) => passage < stopping.read));
        expect(stopping.ended).toBe(stopping.read < passages.length ? "early" : "all");
        if (stopping.read < passages.length) stoppedEarly++;
        // no span of what was left out could have scored more, whatever its logits
        for (const { rank } of passages.slice(stopping.read)) {
          expect(likelyScore(interpolation, rank)).toBeLessThanOrEqual(stopping.spans[0]!.score);
        }
      }),
      { seed: 6, numRuns: 400 },
    );
    expect(stoppedEarly).toBeGreaterThan(50);
  });

  it("stops earlier with a likely logit, at the first passage whose likely score is reached", async () => {
    let stoppedEarlier = 0;
    const given = fc.record({ questions, below: fc.constantFrom(0, 1, 5, 20) });
    await fc.assert(
      fc.asyncProperty(given, async ({ questions: { interpolation, lanes, ...made }, below }) => {
        const passages = madeUp(made);
        const likely = interpolation.most - below;
        const whole = (await states(new FakeReader({ lanes }), passages, interpolation)).at(-1)!;
        const steps = await states(new FakeReader({ lanes }), passages, { ...interpolation, likely });
        const last = steps.at(-1)!;
        expect(last.read).toBeLessThanOrEqual(whole.read);
        if (last.read < whole.read) stoppedEarlier++;
        for (const { read, spans } of steps) {
          const next = passages[read];
          if (next === undefined) continue;
          const wins = spans[0]!.score >= likelyScore({ ...interpolation, likely }, next.rank);
          expect(read === last.read).toBe(wins);
        }
      }),
      { seed: 7, numRuns: 400 },
    );
    expect(stoppedEarlier).toBeGreaterThan(50);
  });

  it("has a bound that no logits exceed", () => {
    const any = fc.double({ min: -1e6, max: 1e6, noNaN: true });
    fc.assert(
      fc.property(interpolations, any, any, any, (interpolation, rank, span, answer) => {
        expect(interpolatedScore(interpolation, rank, { span, answer })).toBeLessThanOrEqual(
          likelyScore(interpolation, rank),
        );
      }),
      { seed: 6, numRuns: 2000 },
    );
  });

  it("reports a state after every batch, each a better one or the same", async () => {
    const passages = madeUp({ seed: 5, count: 9, spread: 0 });
    const results = await states(new FakeReader({ lanes: 2 }), passages, { reader: 1, answer: 0, most: 100 });
    expect(results.map(({ read }) => read)).toEqual([2, 4, 6, 8, 9]);
    for (const [n, { spans }] of results.entries()) {
      if (n > 0) expect(compareRead(spans[0]!, results[n - 1]!.spans[0]!)).toBeLessThanOrEqual(0);
    }
    const { spans, logMass } = results.at(-1)!;
    expect(Math.exp(spans[0]!.logit - logMass)).toBeLessThan(1);
    expect(spans.reduce((sum, { logit }) => sum + Math.exp(logit - logMass), 0)).toBeLessThanOrEqual(1 + 1e-9);
  });

  it("begins no batch after the deadline, nor one that would end after it", async () => {
    let clock = 0;
    const reader = new FakeReader({ lanes: 1 });
    reader.before = () => {
      clock += 10;
    };
    const passages = madeUp({ seed: 5, count: 9, spread: 0 }).map((one) => ({
      ...one,
      ids: Uint16Array.from(one.ids).slice(0, 6),
    }));
    const now = () => clock;
    const interpolation = { reader: 1, answer: 0, most: 100 };
    const results = await states(reader, passages, interpolation, { now, deadline: 35 });
    expect(results.at(-1)).toMatchObject({ read: 3, ended: "budget" });
    expect(clock).toBe(30);
    clock = 100;
    expect(await states(reader, passages, interpolation, { now, deadline: 100 })).toMatchObject([
      { read: 0, ended: "budget", spans: [] },
    ]);
  });

  it("reads for the next question after one that took too long", async () => {
    let clock = 0;
    let cost = 600;
    const reader = new FakeReader({ lanes: 1 });
    reader.before = () => {
      clock += cost;
    };
    const passages = madeUp({ seed: 5, count: 3, spread: 0 });
    const interpolation = { reader: 1, answer: 0, most: 100 };
    const read = async () =>
      (await states(reader, passages, interpolation, { now: () => clock, deadline: clock + 500 })).at(-1)!;
    expect(await read()).toMatchObject({ read: 1, ended: "budget" });
    cost = 20;
    expect(await read()).toMatchObject({ read: 3, ended: "all" });
  });

  it("gives the same result with any number of lanes", async () => {
    await fc.assert(
      fc.asyncProperty(questions, async ({ interpolation, lanes, ...made }) => {
        const passages = madeUp(made);
        const one = (await states(new FakeReader({ lanes: 1 }), passages, interpolation)).at(-1)!;
        expect((await states(new FakeReader({ lanes }), passages, interpolation)).at(-1)).toEqual(one);
      }),
      { seed: 8, numRuns: 200 },
    );
  });

  it("ends when it is aborted", async () => {
    const stop = new AbortController();
    const reader = new FakeReader({ lanes: 1 });
    reader.before = () => stop.abort();
    const passages = madeUp({ seed: 5, count: 4, spread: 0 });
    await expect(
      states(reader, passages, { reader: 1, answer: 0, most: 100 }, { signal: stop.signal }),
    ).rejects.toMatchObject({ code: "aborted" });
    expect(reader.calls).toHaveLength(1);
  });

  it("of no passages gives no span", async () => {
    expect(await states(new FakeReader(), [], { reader: 1, answer: 0, most: 1 })).toMatchObject([
      { spans: [], read: 0, ended: "all" },
    ]);
  });

  it("begins and ends spans at words", async () => {
    const passages = madeUp({ seed: 8, count: 5, spread: 4 });
    const isContinuation = (id: number) => id % 3 === 0;
    const { spans } = (
      await states(
        new FakeReader(),
        passages,
        { reader: 0.5, answer: 0, most: 9, likely: Number.NaN },
        { isContinuation },
      )
    ).at(-1)!;
    expect(spans.length).toBeGreaterThan(5);
    for (const { passage, startPosition, endPosition } of spans) {
      const { ids, firstToken } = passages[passage]!;
      expect(startPosition).toBeGreaterThanOrEqual(firstToken);
      expect(endPosition).toBeLessThan(ids.length - 1);
      expect(isContinuation(ids[startPosition]!)).toBe(false);
      expect(isContinuation(ids[endPosition + 1]!)).toBe(false);
    }
  });
});
