/** The dense stage through lists: the same candidates while all lists are opened, the same scores always. */

import { describe, expect, it } from "vitest";
import type { AskResult } from "../../src/ask/result.js";
import { VerbatimError } from "../../src/errors.js";
import { createKernel } from "../../src/kernel/kernel.js";
import { SearchSession } from "../../src/search/session.js";
import { centroidsFrom, centroidsText, LISTS, learnCentroids } from "../../src/vectors/centroids.js";
import { askable, askSession, textDocument } from "../support/ask.js";
import type { MemorySegment } from "../support/memory-segment.js";

const WORDS =
  "mill river tower lamp bridge keeper harbour stone wheel grain boat storm winter valley field light".split(" ");
const documents = Array.from({ length: 40 }, (_, n) => {
  const sentence = (s: number): string =>
    Array.from({ length: 9 }, (_, w) => WORDS[(n * 7 + s * 5 + w * (s + 3)) % 16]).join(" ");
  return textDocument(`d${n}`, Array.from({ length: 6 }, (_, s) => `${sentence(s)}.`).join(" "));
});

/** The same index with its rows in lists. */
async function listed(given: Awaited<ReturnType<typeof askable>>, probedRows = 0) {
  const { session, snapshot } = given;
  const { coarse } = session.model;
  const rows: number[] = [];
  for (const segment of snapshot.segments) await segment.readCoarse((_, values) => void rows.push(...values));
  const centroids = learnCentroids(Int8Array.from(rows), coarse);
  const coarseCentroids = centroidsText(centroids);
  const own = centroidsFrom(coarseCentroids, coarse);
  for (const segment of snapshot.segments) segment.centroids = own;
  const parts = { snapshot, kernel: createKernel(), tokenizer: session.tokenizer };
  return {
    rows: rows.length / coarse,
    session: new SearchSession({ ...parts, model: { ...session.model, coarseCentroids }, probedRows }),
  };
}

const QUESTIONS = ["which tower has a lamp?", "who crosses the bridge in winter?", "grain wheel"];

describe("dense-first through lists", () => {
  it("finds what a scan of all rows finds, over several segments and with a filter", async () => {
    const all = await askable(documents, { segments: 3 });
    const { encoder } = all;
    const exact = new Map<string, AskResult>();
    const filters = [undefined, ({ id }: { id: string }) => Number(id.slice(1)) % 3 === 1];
    const request = { strategy: "dense-first", denseRows: 100_000, denseCandidates: 20, topK: 50 } as const;
    for (const text of QUESTIONS)
      for (const [f, filter] of filters.entries())
        exact.set(`${text} ${f}`, await all.ask(text, { ...request, filter }));
    const { session: lists, rows } = await listed(all);
    expect(rows).toBeLessThan(request.denseRows);
    for (const [n] of lists.snapshot.segments.entries())
      expect((await lists.coarseRows(n)).centroids).toBe(lists.centroids);
    for (const text of QUESTIONS) {
      for (const [f, filter] of filters.entries()) {
        for (const denseShare of [1e-9, 1]) {
          // enough rows are wanted to open every list
          const found = await askSession({ session: lists, encoder }, text, { ...request, filter, denseShare });
          expect(found.answers).toEqual(exact.get(`${text} ${f}`)!.answers);
        }
        // few rows: some may be missing, none has another score
        const few = await askSession({ session: lists, encoder }, text, {
          ...request,
          filter,
          denseRows: 2,
          denseCandidates: 1,
          denseShare: 1e-9,
        });
        expect(few.answers.length).toBeGreaterThan(0);
        const { answers } = await all.ask(text, { strategy: "exhaustive", topK: 1000, filter });
        const scores = new Map(answers.map(({ text: words, score }) => [words, score]));
        for (const { text: words, score } of few.answers) expect(score).toBeLessThanOrEqual(scores.get(words)!);
      }
    }
    lists.close();
  });

  it("reads the lists that a question looks at, each once, however many ask at the same time", async () => {
    const all = await askable(documents);
    const { session: lists } = await listed(all);
    const read = countReads(all.snapshot.segments[0]!);
    const ask = () =>
      askSession({ session: lists, encoder: all.encoder }, QUESTIONS[0]!, {
        strategy: "dense-first",
        denseRows: 1,
        denseCandidates: 1,
        denseShare: 1e-9,
      });
    const [first, second] = await Promise.all([ask(), ask()]);
    expect(second!.answers).toEqual(first!.answers);
    const once = read.length;
    expect(once).toBeGreaterThan(0);
    expect(once).toBeLessThan(LISTS);
    expect(new Set(read).size).toBe(once);
    await ask();
    expect(read.length).toBe(once);
    await lists.warmUp();
    expect(new Set(read).size).toBe(LISTS);
    expect(read.length).toBe(LISTS);
    lists.close();
  });

  it("reads a list again that could not be read, and no other", async () => {
    const all = await askable(documents);
    const { session: lists } = await listed(all);
    const [segment] = all.snapshot.segments;
    const good = segment!.coarseLists.bind(segment);
    let fails = true;
    segment!.coarseLists = async () => {
      const stored = (await good())!;
      const read: typeof stored.read = async (...given) => {
        if (fails) throw new VerbatimError("io-error", "The disk is asleep.");
        await stored.read(...given);
      };
      return { ...stored, read };
    };
    const ask = () =>
      askSession({ session: lists, encoder: all.encoder }, QUESTIONS[1]!, {
        strategy: "dense-first",
        denseShare: 1e-9,
        denseRows: 3,
        denseCandidates: 3,
      });
    await expect(ask()).rejects.toMatchObject({ code: "io-error" });
    await expect(lists.warmUp()).rejects.toMatchObject({ code: "io-error" });
    fails = false;
    expect((await ask()).answers.length).toBeGreaterThan(0);
    lists.close();
  });

  it("leaves what is being read alone when the index is closed meanwhile", async () => {
    const { session: lists } = await listed(await askable(documents));
    await lists.coarseRows(0);
    const preparing = lists.warmUp();
    lists.close();
    await preparing.catch((error: unknown) => expect(error).toMatchObject({ code: "aborted" }));
  });

  it("scans rows in lists of other centroids than the model's as a whole", async () => {
    const all = await askable(documents, { segments: 2 });
    const exact = await all.ask(QUESTIONS[2]!, { strategy: "dense-first" });
    const { session: lists } = await listed(all);
    const { coarse } = lists.model;
    for (const segment of all.snapshot.segments)
      segment.centroids = learnCentroids(
        new Int8Array(40 * coarse).map((_, i) => (i * 37) % 100),
        coarse,
      );
    const found = await askSession({ session: lists, encoder: all.encoder }, QUESTIONS[2]!, {
      strategy: "dense-first",
      denseShare: 1e-9,
    });
    expect(found.answers).toEqual(exact.answers);
    lists.close();
  });

  it("leaves a small index, and one of a model without centroids, to the scan of all rows", async () => {
    const all = await askable(documents.slice(0, 3));
    const { session, snapshot } = all;
    const parts = { snapshot, kernel: createKernel(), tokenizer: session.tokenizer };
    expect(new SearchSession({ ...parts, model: session.model, probedRows: 0 }).centroids).toBeUndefined();
    const { session: small } = await listed(all, 250_000);
    expect(small.centroids).toBeUndefined();
    const broken = { ...session.model, coarseCentroids: "AAAA" };
    expect(() => new SearchSession({ ...parts, model: broken, probedRows: 0 })).toThrow(/centroids/);
  });

  it("refuses a share out of range", async () => {
    const { encoder, session } = await askable(documents.slice(0, 2));
    for (const denseShare of [0, -1, 1.5, Number.NaN]) {
      await expect(askSession({ session, encoder }, "lamp?", { denseShare })).rejects.toMatchObject({
        code: "invalid-argument",
      });
    }
  });
});

/** @returns a growing list of what is read */
function countReads(segment: MemorySegment): number[] {
  const read: number[] = [];
  const good = segment.coarseLists.bind(segment);
  segment.coarseLists = async () => {
    const stored = (await good())!;
    return {
      ...stored,
      read: (lists, ...rest) => {
        read.push(...lists);
        return stored.read(lists, ...rest);
      },
    };
  };
  return read;
}
