/** The dense stage through lists: the same candidates while all lists are opened, the same scores always. */

import { describe, expect, it } from "vitest";
import { centroidsText, learnCentroids } from "../../src/math/centroids.js";
import { createKernel } from "../../src/math/kernel.js";
import { search } from "../../src/search/search.js";
import { SearchSession } from "../../src/search/session.js";
import { askable, textDocument } from "../support/ask.js";

const WORDS =
  "mill river tower lamp bridge keeper harbour stone wheel grain boat storm winter valley field light".split(" ");
const documents = Array.from({ length: 40 }, (_, n) => {
  const sentence = (s: number): string =>
    Array.from({ length: 9 }, (_, w) => WORDS[(n * 7 + s * 5 + w * (s + 3)) % 16]).join(" ");
  return textDocument(`d${n}`, Array.from({ length: 6 }, (_, s) => `${sentence(s)}.`).join(" "));
});

async function listed(given: Awaited<ReturnType<typeof askable>>, listedRows = 0) {
  const { session, snapshot } = given;
  const { coarse } = session.model;
  const rows: number[] = [];
  for (const segment of snapshot.segments) await segment.readCoarse((_, values) => void rows.push(...values));
  const coarseCentroids = centroidsText(learnCentroids(Int8Array.from(rows), coarse));
  const parts = { snapshot, kernel: createKernel(), tokenizer: session.tokenizer };
  return {
    rows: rows.length / coarse,
    session: new SearchSession({ ...parts, model: { ...session.model, coarseCentroids }, listedRows }),
  };
}

const QUESTIONS = ["which tower has a lamp?", "who crosses the bridge in winter?", "grain wheel"];

describe("dense-first through lists", () => {
  it("finds what a scan of all rows finds, over several segments and with a filter", async () => {
    const all = await askable(documents, { segments: 3 });
    const { encoder, session } = all;
    const { session: lists, rows } = await listed(all);
    for (const [n] of session.snapshot.segments.entries()) await lists.coarseMatrix(n);
    await lists.arrange();
    expect((await lists.coarseMatrix(1)).centroids).toBe(lists.centroids);
    for (const text of QUESTIONS) {
      const question = await encoder.encodeQuestion(text);
      for (const filter of [undefined, ({ id }: { id: string }) => Number(id.slice(1)) % 3 === 1]) {
        const every = { strategy: "dense-first", denseRows: rows, denseCandidates: 20, topK: 50, filter } as const;
        const exact = await search(session, question, every);
        for (const probe of [1, 1e-9]) {
          // so many rows are wanted that every list is opened
          expect((await search(lists, question, { ...every, probe })).answers).toEqual(exact.answers);
        }
        // few rows: some may be missing, none has another score
        const few = await search(lists, question, { ...every, denseRows: 2, denseCandidates: 1, probe: 1e-9 });
        expect(few.answers.length).toBeGreaterThan(0);
        const { answers } = await search(session, question, { strategy: "exhaustive", topK: 1000, filter });
        const scores = new Map(answers.map(({ text: words, score }) => [words, score]));
        for (const { text: words, score } of few.answers) expect(score).toBeLessThanOrEqual(scores.get(words)!);
      }
    }
    lists.close();
  });

  it("puts the rows in lists after a few questions, and answers while it does", async () => {
    const all = await askable(documents);
    const { session: lists } = await listed(all);
    const [first, ...others] = await Promise.all(QUESTIONS.map((text) => all.encoder.encodeQuestion(text)));
    const ask = () => search(lists, first!, { strategy: "dense-first", probe: 1 });
    const before = await ask();
    const matrix = await lists.coarseMatrix(0);
    for (const question of others) await search(lists, question, { strategy: "hybrid" });
    while (matrix.centroids === undefined) {
      expect((await ask()).answers).toEqual(before.answers);
      await new Promise((resolve) => setTimeout(resolve, 0)); // storage in memory leaves no time to others
    }
    expect((await ask()).answers).toEqual(before.answers);
    lists.close();
  });

  it("puts all rows in lists when it is prepared, whatever was asked", async () => {
    const { session: lists } = await listed(await askable(documents));
    await lists.prepare();
    for (const segment of lists.snapshot.segments.keys())
      expect((await lists.coarseMatrix(segment)).centroids).toBe(lists.centroids);
    lists.close();
  });

  it("stops when the index is closed meanwhile", async () => {
    const { session: lists } = await listed(await askable(documents));
    await lists.coarseMatrix(0);
    const arranging = lists.arrange();
    lists.close();
    await arranging;
  });

  it("leaves a small index, and one of a model without centroids, to the scan of all rows", async () => {
    const all = await askable(documents.slice(0, 3));
    const { session, snapshot } = all;
    const parts = { snapshot, kernel: createKernel(), tokenizer: session.tokenizer };
    expect(new SearchSession({ ...parts, model: session.model, listedRows: 0 }).centroids).toBeUndefined();
    const { session: small } = await listed(all, 250_000);
    expect(small.centroids).toBeUndefined();
    const broken = { ...session.model, coarseCentroids: "AAAA" };
    expect(() => new SearchSession({ ...parts, model: broken, listedRows: 0 })).toThrow(/centroids/);
  });

  it("refuses a share out of range", async () => {
    const { encoder, session } = await askable(documents.slice(0, 2));
    const question = await encoder.encodeQuestion("lamp?");
    for (const probe of [0, -1, 1.5, Number.NaN]) {
      await expect(search(session, question, { probe })).rejects.toMatchObject({ code: "invalid-argument" });
    }
  });
});
