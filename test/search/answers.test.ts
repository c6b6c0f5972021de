/** What an answer says about its place, and how the engine behaves at the edges. */

import { describe, expect, it } from "vitest";
import { VerbatimError } from "../../src/errors.js";
import { Searcher } from "../../src/search/searcher.js";
import type { Answer } from "../../src/search/types.js";
import { askable, askSession, textDocument } from "../support/ask.js";
import { memorySnapshot } from "../support/memory-segment.js";

/** Offsets counted the slow way. */
function checkOffsets(answer: Answer, text: string): void {
  const { start, end } = answer;
  const before = text.slice(0, start);
  expect(text.slice(start, end)).toBe(answer.text);
  expect(answer.startByte).toBe(Buffer.byteLength(before));
  expect(answer.endByte).toBe(Buffer.byteLength(text.slice(0, end)));
  expect(answer.startCodePoint).toBe([...before].length);
  expect(answer.endCodePoint).toBe([...text.slice(0, end)].length);
  expect(answer.place.line).toBe(before.split("\n").length);
  expect(answer.context).toBe(text.slice(answer.contextStart, answer.contextEnd));
  expect(answer.context).toContain(answer.text);
}

describe("the place of an answer", () => {
  it("is right in UTF-16 units, bytes, code points and lines, beside emoji and Chinese", async () => {
    const text =
      "😀😀 Zürich has a tower.\n東京 has the café of Łódź. 🚀\nThe harbour master Ann Doe lives at 12 Quay 😀 street.\nHer café is in 東京 too.\nA tower 😀 is nearby.";
    const index = await askable([textDocument("odd", text)]);
    for (const question of ["where does the harbour master live?", "Zürich tower", "東京 café"]) {
      const { answers } = await index.ask(question, { topK: 20 });
      expect(answers.length).toBeGreaterThan(1);
      for (const answer of answers) checkOffsets(answer, text);
    }
  });

  it("is right far inside a long document, whose text is counted once and in pieces", async () => {
    const filler = `An 😀 line of words, é.${" ".repeat(80)}\n${"\n".repeat(90)}`;
    const text = `x\n${filler.repeat(1450)}The lighthouse keeper is Marta Vance.\n${filler.repeat(3)}`;
    expect(text.length).toBeGreaterThan(280_000);
    const index = await askable([textDocument("long", text)], { known: ["lighthouse keeper is Marta Vance"] });
    const segment = index.snapshot.segments[0]!;
    const readText = segment.readText.bind(segment);
    const lengths: number[] = [];
    segment.readText = async (document, from, to) => {
      lengths.push(to - from);
      return readText(document, from, to);
    };
    const ask = () => index.ask("who is the lighthouse keeper?", { strategy: "sparse-first", topK: 1 });
    const [answer] = (await ask()).answers;
    expect(answer!.context).toBe("The lighthouse keeper is Marta Vance.");
    checkOffsets(answer!, text);
    const sum = () => lengths.reduce((total, length) => total + length, 0);
    expect(sum()).toBeGreaterThan(280_000);
    expect(Math.max(...lengths)).toBeLessThanOrEqual(256 * 1024 + 1);
    lengths.length = 0;
    expect((await ask()).answers[0]).toEqual(answer);
    expect(sum()).toBeLessThan(200_000);
  });

  it("keeps the other places of an answer as evidence", async () => {
    const index = await askable([
      textDocument("a", "The mayor of the town is Ada Quill."),
      textDocument("b", "Everybody likes the mayor of the town, Ada Quill."),
      textDocument("c", "The river is long."),
    ]);
    const { answers } = await index.ask("who is the mayor of the town?", { strategy: "exhaustive", topK: 10 });
    const ada = answers.find((answer) => answer.text === "Ada")!;
    expect(
      ada.evidence
        .map(({ documentId }) => documentId)
        .concat(ada.documentId)
        .sort(),
    ).toEqual(["a", "b"]);
    expect(ada.evidence[0]!.score).toBeLessThanOrEqual(ada.score);
    expect(new Set(answers.map((answer) => answer.text.toLowerCase())).size).toBe(answers.length);
  });

  it("begins and ends at words", async () => {
    const text = "The lighthouse superintendent celebrated wonderfully.";
    const { answers } = await (await askable([textDocument("a", text)])).ask("lighthouse", { topK: 20 });
    expect(answers.length).toBeGreaterThan(0);
    for (const answer of answers) {
      expect(text.slice(0, answer.start)).toMatch(/(^|\W)$/);
      expect(text.slice(answer.end)).toMatch(/^(\W|$)/);
    }
  });

  it("includes the accents of decomposed text", async () => {
    const text = "The lighthouse keeper was José and his café (José) burned.".normalize("NFD");
    const { answers } = await (await askable([textDocument("a", text)])).ask("lighthouse keeper", { topK: 20 });
    expect(answers.map((answer) => answer.text.normalize("NFC"))).toContain("José");
    for (const answer of answers) {
      checkOffsets(answer, text);
      expect(text.slice(answer.end)).not.toMatch(/^\p{M}/u);
    }
  });
});

describe("the context of an answer in text without sentences", () => {
  it.each([
    ["emoji", `valve ${"a😀".repeat(900)} pressure`],
    ["words", "valve pressure rises quickly ".repeat(120)],
    ["Chinese", "阀门压力上升很快管道".repeat(150)],
  ])("begins and ends with whole characters and words: %s", async (_what, text) => {
    const index = await askable([textDocument("long", text)]);
    const { answers } = await index.ask("valve pressure 阀门 a😀", { topK: 20 });
    expect(answers.length).toBeGreaterThan(0);
    for (const { context, contextStart, contextEnd } of answers) {
      expect(text.slice(contextStart, contextEnd)).toBe(context);
      expect(Buffer.from(context).toString()).toBe(context); // no half of a pair
      const outside = text[contextStart - 1] ?? " ";
      if (/[a-z]/.test(context[0]!)) expect(outside).not.toMatch(/[a-z]/);
    }
  });
});

describe("at the edges", () => {
  const documents = [
    textDocument("one", "The cat sat on the mat in the harbour."),
    textDocument("two", "The cat ate the fish in the harbour."),
    textDocument("three", "The cat slept by the fire in the harbour."),
  ];

  it("a deleted document is never an answer, evidence or a count", async () => {
    const deleted = await askable(documents, { deleted: ["two"] });
    const without = await askable(
      documents.filter(({ id }) => id !== "two"),
      { known: documents.map(({ text }) => text) },
    );
    for (const strategy of ["hybrid", "sparse-first", "dense-first", "exhaustive"] as const) {
      const options = {
        strategy,
        topK: 10,
        candidates: 1,
        explain: true,
      } as const;
      const result = await deleted.ask("what did the cat eat in the harbour?", options);
      const expected = await without.ask("what did the cat eat in the harbour?", options);
      expect(result.answers.length).toBeGreaterThan(0);
      expect(result.answers).toEqual(expected.answers);
      expect(result.passages).toEqual(expected.passages);
    }
  });

  it("finds nothing when every document is deleted", async () => {
    const index = await askable(documents, { deleted: ["one", "two", "three"] });
    for (const strategy of ["hybrid", "sparse-first", "dense-first", "exhaustive"] as const) {
      expect((await index.ask("the cat", { strategy })).answers).toEqual([]);
    }
  });

  it("a corpus on one subject still answers: no idf is clipped to nothing", async () => {
    const index = await askable(documents, { model: { weights: { ngrams: 0, terms: 0, tfidf: 1, vector: 0 } } });
    const result = await index.ask("cat harbour", { strategy: "sparse-first", explain: true });
    expect(result.passages).toHaveLength(3); // each has both words
    for (const answer of result.answers) expect(answer.parts!.tfidf).toBeGreaterThan(0);
  });

  it("an empty index has no answers", async () => {
    const { encoder } = await askable([]);
    const snapshot = memorySnapshot([], encoder.info);
    const searcher = new Searcher({
      snapshot,
      kernel: (await askable([])).searcher.kernel,
      model: encoder.info,
      tokenizer: encoder.tokenizer,
    });
    expect(searcher.snapshot.passageCount).toBe(0);
    for (const index of [await askable([]), await askable([textDocument("empty", "")])]) {
      for (const strategy of ["hybrid", "sparse-first", "dense-first", "exhaustive"] as const) {
        const result = await index.ask("anything?", { strategy });
        expect(result.answers).toEqual([]);
        expect(result.passages).toEqual([]);
      }
    }
  });

  it("a question of unknown words, of marks or of nothing does no harm", async () => {
    const index = await askable(documents);
    for (const question of ["🚀🚀", "?!…", "東京 में קפה", "\u0000\u200b", "", "x".repeat(5000), "\ud800"]) {
      for (const strategy of ["hybrid", "sparse-first", "dense-first", "exhaustive"] as const) {
        const { answers } = await index.ask(question, { strategy });
        for (const answer of answers) expect(Number.isFinite(answer.score)).toBe(true);
      }
    }
    expect((await index.ask("🚀", { strategy: "sparse-first" })).answers).toEqual([]);
  });

  it("refuses options out of range", async () => {
    const index = await askable(documents);
    const wrong = [
      { topK: 0 },
      { topK: 1.5 },
      { maxAnswerTokens: 65 },
      { earlyStopFactor: -1 },
      { strategy: "best" as "hybrid" },
      { candidates: Number.NaN },
    ];
    for (const options of wrong) {
      await expect(index.ask("cat", options)).rejects.toThrow(expect.objectContaining({ code: "invalid-argument" }));
    }
  });

  it("stops when its signal fires", async () => {
    const index = await askable(documents);
    const signal = AbortSignal.abort();
    await expect(index.ask("cat", { signal })).rejects.toThrow(expect.objectContaining({ code: "aborted" }));
    const controller = new AbortController();
    const asking = index.ask("cat", { signal: controller.signal });
    controller.abort();
    await expect(asking).rejects.toThrow(VerbatimError);
    expect((await index.ask("cat")).answers.length).toBeGreaterThan(0);
  });

  it("says when the text is not the one that was indexed", async () => {
    const index = await askable(documents);
    const segment = index.snapshot.segments[0]!;
    const readText = segment.readText.bind(segment);
    segment.readText = async (...given) => (await readText(...given)).replace("cat", "fire");
    await expect(index.ask("cat")).rejects.toThrow(expect.objectContaining({ code: "corrupt-segment" }));
  });

  it("times its steps with the clock it is given", async () => {
    const { snapshot, searcher, encoder } = await askable(documents);
    let ticks = 0;
    const timed = new Searcher({
      snapshot,
      kernel: searcher.kernel,
      model: encoder.info,
      tokenizer: encoder.tokenizer,
      now: () => ticks++,
    });
    const { steps, tookMs } = await askSession({ searcher: timed, encoder }, "cat");
    expect(steps.encode + steps.terms + steps.dense + steps.read + steps.score + steps.text).toBe(tookMs);
    expect(tookMs).toBeGreaterThan(0);
  });

  it("refuses a model of other dimensions", async () => {
    const { snapshot, searcher, encoder } = await askable(documents);
    const model = { ...encoder.info, dense: 64 };
    const parts = { snapshot, kernel: searcher.kernel, model, tokenizer: encoder.tokenizer };
    expect(() => new Searcher(parts)).toThrow(expect.objectContaining({ code: "model-mismatch" }));
  });
});
