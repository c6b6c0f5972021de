/** The dense stage through 4-bit codes: the same candidates while codes choose all that matters, the same scores always. */

import { describe, expect, it } from "vitest";
import { codebookText, learnCodebook } from "../../src/math/codebook.js";
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

describe("dense-first through codes", () => {
  it("finds what a scan of all rows finds, over several segments and with a filter", async () => {
    const { encoder, session, snapshot } = await askable(documents, { segments: 3 });
    const { coarse } = session.model;
    const rows: number[] = [];
    for (const segment of snapshot.segments) await segment.readCoarse((_, values) => void rows.push(...values));
    const coarseCodebook = codebookText(learnCodebook(Int8Array.from(rows), coarse));
    const parts = { snapshot, kernel: createKernel(), tokenizer: session.tokenizer };
    const coded = new SearchSession({ ...parts, model: { ...session.model, coarseCodebook }, codedRows: 0 });
    expect(coded.codebook?.dim).toBe(coarse);
    expect(session.codebook).toBeUndefined();
    const exhaustive = { strategy: "exhaustive", topK: 1000 } as const;
    for (const text of ["which tower has a lamp?", "who crosses the bridge in winter?", "grain wheel"]) {
      const question = await encoder.encodeQuestion(text);
      for (const filter of [undefined, ({ id }: { id: string }) => Number(id.slice(1)) % 3 === 1]) {
        const all = {
          strategy: "dense-first",
          denseRows: rows.length / coarse,
          denseCandidates: 20,
          topK: 50,
          filter,
        } as const;
        const exact = await search(session, question, all);
        const found = await search(coded, question, all);
        expect(found.answers).toEqual(exact.answers);
        // few candidates: some may be missing, none has another score
        const few = await search(coded, question, { ...all, denseRows: 2, denseCandidates: 1 });
        expect(few.answers.length).toBeGreaterThan(0);
        const { answers } = await search(session, question, { ...exhaustive, filter });
        const scores = new Map(answers.map(({ text: words, score }) => [words, score]));
        for (const { text: words, score } of few.answers) expect(score).toBeLessThanOrEqual(scores.get(words)!);
      }
    }
    coded.close();
  });

  it("leaves a small index, and one of a model without a codebook, to the scan of all rows", async () => {
    const { session, snapshot } = await askable(documents.slice(0, 3));
    const parts = { snapshot, kernel: createKernel(), tokenizer: session.tokenizer };
    expect(new SearchSession({ ...parts, model: session.model, codedRows: 0 }).codebook).toBeUndefined();
    const coarseCodebook = codebookText(learnCodebook(new Int8Array(session.model.coarse * 20), session.model.coarse));
    expect(new SearchSession({ ...parts, model: { ...session.model, coarseCodebook } }).codebook).toBeUndefined();
    const broken = { ...session.model, coarseCodebook: "AAAA" };
    expect(() => new SearchSession({ ...parts, model: broken, codedRows: 0 })).toThrow(/codebook/);
  });
});
