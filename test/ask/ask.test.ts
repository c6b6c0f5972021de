/** A question through phrase search, confidence and reader: what is read, when, and what comes out. */

import { describe, expect, it } from "vitest";
import { askSteps } from "../../src/ask/ask.js";
import type { AskResult } from "../../src/ask/result.js";
import type { Calibration } from "../../src/encode/types.js";
import type { Reader, ReaderInput } from "../../src/reader/types.js";
import { Searcher } from "../../src/search/searcher.js";
import { type Askable, type AskableOptions, askable, type FlatOptions, nested, textDocument } from "../support/ask.js";
import { FakeReader, type Logits } from "./fake-reader.js";

const TOWNS = ["Marle", "Skarn", "Orrin", "Vell", "Thorpe", "Ashby", "Dunmore", "Kettle"];
const MAYORS = [
  "Ada Quill",
  "Tom Brandt",
  "Ines Calder",
  "Otto Voss",
  "Mira Pelt",
  "Jan Roe",
  "Lena Holt",
  "Ruth Dale",
];
const documents = TOWNS.map((town, n) =>
  textDocument(
    `doc-${n}`,
    `😀 The mayor of the town of ${town} is ${MAYORS[n]}.\nThe bridge of ${town} crosses the river.`,
    town,
  ),
);
const QUESTION = "who is the mayor of the town of Skarn?";

/** Phrase search that is sure from a margin of 1 on. */
const byMargin: Calibration = {
  intercept: -1,
  features: { margin: { mean: 0, scale: 1, weight: 1 } },
  threshold: 0.5,
  about: {},
};
const never: Calibration = { intercept: -20, features: {}, threshold: 0.5, about: {} };
const always: Calibration = { intercept: 20, features: {}, threshold: 0.5, about: {} };

/** A reader that points at a word: its logits are high there and low elsewhere. */
function pointingAt(index: Askable, word: string): Logits {
  const [id] = index.encoder.tokenizer.tokenize(word).ids;
  return ({ ids, questionTokens }: ReaderInput) => {
    const logits = Float32Array.from(ids, (token, t) => (t >= questionTokens && token === id ? 6 : -6));
    return { start: logits, end: logits, answer: 2 };
  };
}

type Given = FlatOptions & { port?: Reader };

async function all(index: Askable, options: Given = {}, question = QUESTION): Promise<AskResult[]> {
  const { port, ...flat } = options;
  const encoded = await index.encoder.encodeQuestion(question);
  const results: AskResult[] = [];
  const request = { reader: port, options: nested({ minConfidence: 0, ...flat }) };
  for await (const { build, last } of askSteps(index.searcher, encoded, request)) {
    results.push(await build());
    if (last) break;
  }
  return results;
}
const ask = async (...given: Parameters<typeof all>): Promise<AskResult> => (await all(...given)).at(-1)!;
const open = (options: AskableOptions = {}): Promise<Askable> => askable(documents, options);
const calibrated = (calibration: Calibration): Promise<Askable> => open({ model: { calibration } });
const content = ({ steps: _steps, tookMs: _ms, reading, ...rest }: AskResult): object => ({
  ...rest,
  read: reading?.passages,
});

describe("asking without a reader", () => {
  it("has no confidence where nothing is calibrated, and no reading", async () => {
    const result = await ask(await open());
    expect(result).toMatchObject({ strategy: "hybrid", level: "full", kind: "spans" });
    expect(result.answers.length).toBeGreaterThan(0);
    expect(result.answers.every(({ confidence }) => confidence === undefined)).toBe(true);
    expect(result.reading).toBeUndefined();
  });

  it("gives a confidence that does not depend on how many answers are wanted", async () => {
    const calibration: Calibration = {
      ...byMargin,
      features: Object.fromEntries(
        ["score", "dense", "terms", "margin", "share", "agreement"].map((name) => [
          name,
          { mean: 1, scale: 3, weight: 0.4 },
        ]),
      ),
    };
    const index = await calibrated(calibration);
    const many = await ask(index, { topK: 30 });
    const confidence = many.answers.map((answer) => answer.confidence!);
    expect(confidence.length).toBeGreaterThan(5);
    expect(confidence[0]).toBeGreaterThan(0);
    for (const [n, one] of confidence.entries()) {
      expect(one).toBeLessThanOrEqual(confidence[Math.max(0, n - 1)]!);
      if (n > 0) expect(one).toBeLessThanOrEqual(1 - confidence[0]!);
    }
    for (const topK of [1, 2, 5]) {
      expect((await ask(index, { topK })).answers.map((answer) => answer.confidence)).toEqual(
        confidence.slice(0, topK),
      );
    }
  });

  it("is surer where several documents agree, and lists them", async () => {
    const calibration: Calibration = { ...byMargin, features: { agreement: { mean: 0, scale: 1, weight: 2 } } };
    const confidenceWith = async (copies: number): Promise<{ confidence: number; others: number }> => {
      const same = Array.from({ length: copies }, (_, n) =>
        textDocument(`copy-${n}`, `In Skarn, the mayor of the town is Tom Brandt. ${n}`),
      );
      const index = await askable([...documents.filter((_, n) => n !== 1), ...same], { model: { calibration } });
      const [first] = (await ask(index)).answers;
      expect(first!.text).toContain("Brandt");
      return {
        confidence: first!.confidence!,
        others: new Set(first!.evidence.map(({ documentId }) => documentId)).size,
      };
    };
    const [one, two, three] = [await confidenceWith(1), await confidenceWith(2), await confidenceWith(3)];
    expect([one.others, two.others, three.others]).toEqual([0, 1, 2]);
    expect(two.confidence).toBeGreaterThan(one.confidence);
    expect(three.confidence).toBeGreaterThan(two.confidence);
  });

  it("gives the best passages, whole, instead of an answer that is not sure enough", async () => {
    const index = await calibrated(never);
    const given = await ask(index);
    expect(given.answers).not.toEqual([]); // with a minimum of 0 every question has an answer
    const declined = await ask(index, { minConfidence: "calibrated" });
    expect(declined.answers).toEqual([]);
    expect(declined.noAnswer).toEqual({ confidence: given.answers[0]!.confidence, minConfidence: 0.5 });
    expect(declined.nearestPassages!.length).toBe(3);
    expect(declined.nearestPassages![0]!.documentId).toBe(given.answers[0]!.documentId);
    for (const { text, documentId, start, end, place } of declined.nearestPassages!) {
      const document = documents.find(({ id }) => id === documentId)!;
      expect(document.text.slice(start, end)).toBe(text);
      expect(text).toContain("mayor");
      expect(place.line).toBe(1);
    }
    expect(declined.passages).toEqual(given.passages);
    expect((await ask(index, { minConfidence: 0 })).answers).toEqual(given.answers);
    expect((await ask(await calibrated(always), { minConfidence: 0.99 })).answers).toHaveLength(5);
  });

  it("declines nothing when there is nothing, and says nothing of nearest passages", async () => {
    const index = await calibrated(never);
    // with vectors, some passage is always the nearest
    const nothing = { strategy: "sparse-first", filter: () => false } as const;
    const result = await ask(index, { minConfidence: "calibrated", ...nothing }, "xyzzy?");
    expect(result.answers).toEqual([]);
    expect(result.noAnswer).toBeUndefined();
  });

  it("refuses what it cannot do", async () => {
    const plain = await open();
    const reader = new FakeReader();
    const wrong: Given[] = [
      { reader: "on" },
      { strategy: "sparta-reader" },
      { strategy: "sparta-reader", reader: "off", port: reader },
      { reader: "auto", port: reader },
      { minConfidence: 0.3 },
      { minConfidence: 1.2 },
      { minConfidence: Number.NaN },
      { readerPassages: 0, port: reader },
      { budgetMs: 0, port: reader },
      { reader: "perhaps" as "on", port: reader },
    ];
    for (const options of wrong)
      await expect(ask(plain, options), JSON.stringify(options)).rejects.toMatchObject({ code: "invalid-argument" });
    const odd = await calibrated({ ...byMargin, features: { moon: { mean: 0, scale: 1, weight: 1 } } });
    await expect(ask(odd)).rejects.toMatchObject({ code: "unsupported-format" });
  });
});

describe("a default minimum confidence", () => {
  it("replaces the model's own, gives way to the question's, and does not concern strategies without one", async () => {
    const index = await calibrated(never);
    expect((await ask(index, { minConfidence: undefined, defaultMinConfidence: 0 })).answers).not.toEqual([]);
    expect((await ask(index, { minConfidence: undefined, defaultMinConfidence: 0.9 })).noAnswer?.minConfidence).toBe(
      0.9,
    );
    expect((await ask(index, { minConfidence: 0, defaultMinConfidence: 0.9 })).answers).not.toEqual([]);
    const byWords = { strategy: "lexical", minConfidence: undefined, defaultMinConfidence: 0.9 } as const;
    expect((await ask(index, byWords)).answers).not.toEqual([]);
  });
});

describe("asking with a reader", () => {
  it("gives the exact place of what the reader points at", async () => {
    const index = await open();
    const reader = new FakeReader({
      logits: pointingAt(index, "Brandt"),
      info: { interpolation: { reader: 1, answer: 0, most: 100 } },
    });
    const every = { reader: "on", readerPassages: 10 } as const;
    const { answers, reading, strategy } = await ask(index, { port: reader, ...every, explain: true, topK: 3 });
    const [first] = answers;
    expect(strategy).toBe("hybrid");
    expect(first!.text).toBe("Brandt");
    expect(first!.documentId).toBe("doc-1");
    const { text } = documents[1]!;
    expect(text.slice(first!.start, first!.end)).toBe("Brandt");
    expect(first!.startByte).toBe(Buffer.byteLength(text.slice(0, first!.start)));
    expect(first!.startCodePoint).toBe([...text.slice(0, first!.start)].length);
    expect(first!.context).toContain("mayor");
    expect(first!.parts).toEqual({ dense: 0, ngram: 0, terms: 0, tfidf: 0, vector: 0, reader: first!.score });
    expect(reading).toMatchObject({ passages: 8, ended: "all" });
  });

  it("has parts that sum to the score, also when phrase search counts", async () => {
    const index = await open();
    const { answers } = await ask(index, { port: new FakeReader(), reader: "on", explain: true, topK: 20 });
    expect(answers.length).toBeGreaterThan(5);
    for (const { parts, score } of answers) {
      const { dense, ngram, terms, tfidf, vector, reader } = parts!;
      expect(dense + ngram + terms + tfidf + vector + reader!).toBeCloseTo(score, 9);
      expect(terms).not.toBe(0);
    }
  });

  it("reads the best passages first, and no more than were wanted", async () => {
    const index = await open();
    const reader = new FakeReader({ lanes: 2, info: { interpolation: { reader: 1, answer: 0, most: 100 } } });
    const { passages, reading } = await ask(index, { port: reader, reader: "on", readerPassages: 5 });
    expect(reading).toMatchObject({ passages: 5, ended: "all" });
    expect(reader.calls.map((inputs) => inputs.length)).toEqual([2, 2, 1]);
    const read = reader.calls.flat().map(({ ids, questionTokens }) => {
      const title = [...ids.subarray(questionTokens)].map((id) => index.encoder.tokenizer.tokenOf(id));
      return TOWNS.findIndex((town) => title[0] === town.toLowerCase());
    });
    expect(read.map((n) => `doc-${n}`)).toEqual(passages.slice(0, 5).map(({ documentId }) => documentId));
  });

  it("never reads what a filter leaves out, nor answers from it", async () => {
    const index = await open();
    const reader = new FakeReader({ logits: pointingAt(index, "Brandt") });
    const filter = ({ id }: { id: string }): boolean => id !== "doc-1";
    for (const strategy of ["hybrid", "sparta-reader"] as const) {
      const { answers } = await ask(index, { port: reader, reader: "on", filter, strategy, topK: 50 });
      expect(answers.length).toBeGreaterThan(0);
      expect(answers.some(({ documentId }) => documentId === "doc-1")).toBe(false);
    }
  });

  it("yields the answer so far: first phrase search's, then after every batch; the last is what asking once gives", async () => {
    const index = await open();
    const make = (): FakeReader =>
      new FakeReader({ lanes: 3, info: { interpolation: { reader: 1, answer: 0, most: 100 } } });
    const every = { reader: "on", readerPassages: 10 } as const;
    const steps = await all(index, { port: make(), ...every });
    expect(steps.map(({ reading }) => reading?.passages)).toEqual([undefined, 3, 6, 8]);
    expect(content(steps[0]!)).toEqual(content(await ask(index)));
    expect(content(steps.at(-1)!)).toEqual(content(await ask(index, { port: make(), ...every })));
    const few = await all(index, { port: make(), reader: "on" });
    expect(few.map(({ reading }) => reading?.passages)).toEqual([undefined, 3, 4]); // four, where nothing else is said
    const scores = steps.slice(1).map(({ answers }) => answers[0]!.score);
    expect(scores).toEqual([...scores].sort((a, b) => a - b));
  });

  it("in auto reads only when phrase search is unsure; and auto is the default once both are calibrated", async () => {
    const info = { calibration: always, readBelow: 0.5 };
    for (const [calibration, reads] of [
      [never, true],
      [always, false],
    ] as const) {
      const index = await calibrated(calibration);
      for (const readerMode of ["auto", undefined] as const) {
        const reader = new FakeReader({ info });
        const { reading, answers } = await ask(index, { port: reader, reader: readerMode });
        expect(reader.calls.length > 0).toBe(reads);
        expect(reading !== undefined).toBe(reads);
        expect(answers[0]!.confidence).toBeGreaterThan(0.9); // the reader's, where it has read
      }
      const reader = new FakeReader({ info });
      await ask(index, { port: reader, reader: "off" });
      expect(reader.calls).toEqual([]);
      for (const readBelow of [0, 1]) {
        const asked = new FakeReader({ info });
        expect((await ask(index, { port: asked, readBelow })).reading !== undefined).toBe(readBelow === 1);
      }
      for (const readBelow of [-0.1, 1.1, Number.NaN])
        await expect(ask(index, { port: reader, readBelow })).rejects.toMatchObject({ code: "invalid-argument" });
    }
    const uncalibrated = new FakeReader();
    expect((await ask(await calibrated(never), { port: uncalibrated })).reading).toBeUndefined();
  });

  it("keeps to its time: what is not begun in time is not read, and phrase search answers if nothing was", async () => {
    const index = await open();
    let clock = 0;
    const { snapshot, kernel, model, tokenizer } = index.searcher;
    const searcher = new Searcher({ snapshot, kernel, model, tokenizer, now: () => clock });
    const timed = { ...index, searcher };
    const slow = (): FakeReader => {
      const reader = new FakeReader({ lanes: 1, info: { interpolation: { reader: 1, answer: 0, most: 100 } } });
      reader.before = () => {
        clock += 100;
      };
      return reader;
    };
    const some = await ask(timed, { port: slow(), reader: "on", budgetMs: 250 });
    expect(some.reading).toMatchObject({ ended: "budget", passages: 2 });
    const reader = slow();
    const encoded = await index.encoder.encodeQuestion(QUESTION);
    const late: AskResult[] = [];
    const spent = { totalMs: 300, steps: {} };
    const request = { reader, spent, options: { reader: "on", budgetMs: 250 } } as const;
    for await (const { build } of askSteps(searcher, encoded, request)) late.push(await build());
    expect(reader.calls).toEqual([]);
    expect(late.at(-1)!.reading).toMatchObject({ passages: 0, ended: "budget" });
    expect(late.at(-1)!.answers).toEqual((await ask(index)).answers);
  });

  it("leaves the answer to phrase search where it finds the question's own words alone", async () => {
    const index = await calibrated(always);
    const port = new FakeReader({
      lanes: 1,
      info: { interpolation: { reader: 1, answer: 0, most: 100 }, calibration: never },
      logits: pointingAt(index, "mayor"),
    });
    const read = await ask(index, { reader: "on", readerPassages: 1, port });
    expect(read.reading?.passages).toBe(1);
    expect(read.answers.map(({ text }) => text)).toEqual(
      (await ask(index, { reader: "off" })).answers.map(({ text }) => text),
    );
    expect(read.answers[0]!.confidence).toBeGreaterThan(0.9); // phrase search's own
  });

  it("declines by the reader's own confidence", async () => {
    const index = await calibrated(always);
    const reader = new FakeReader({ info: { calibration: never } });
    const result = await ask(index, { port: reader, reader: "on", minConfidence: "calibrated" });
    expect(result.answers).toEqual([]);
    expect(result.noAnswer!.confidence).toBeLessThan(0.01);
    expect(result.nearestPassages).toHaveLength(3);
  });

  it("computes the reader's features: surer of a passage that it points at alone", async () => {
    const index = await open();
    const sure = new FakeReader({ logits: pointingAt(index, "Brandt") });
    const both = ["Brandt", "river"].map((word) => pointingAt(index, word));
    const unsure = new FakeReader({
      logits: (input) => {
        const [one, other] = both.map((pointing) => pointing(input).start);
        const weak = one!.map((logit, t) => Math.max(logit, other![t]!) / 12);
        return { start: weak, end: weak, answer: -2 };
      },
    });
    const featuresWith = async (reader: Reader) =>
      (await ask(index, { port: reader, reader: "on", features: true })).features!;
    const [a, b] = [await featuresWith(sure), await featuresWith(unsure)];
    for (const name of ["logit", "passage", "score", "margin", "probability"])
      expect(a[name]).toBeGreaterThan(b[name]!);
    expect(Object.keys(a).sort()).toEqual([
      "agreement",
      "logit",
      "margin",
      "passage",
      "phrase",
      "probability",
      "score",
    ]);
  });
});

describe("sparta-reader", () => {
  it("reads the passages that terms alone find, and only the reader scores", async () => {
    const index = await open();
    const reader = new FakeReader({ lanes: 4 });
    const { answers, passages, strategy } = await ask(index, {
      port: reader,
      strategy: "sparta-reader",
      readerPassages: 4,
      explain: true,
    });
    expect(strategy).toBe("sparta-reader");
    expect(passages[0]!.documentId).toBe("doc-1"); // the only one with "Skarn"
    const exhaustive = await index.ask(QUESTION, { strategy: "exhaustive", explain: true, topK: 1000 });
    const terms = new Map(exhaustive.answers.map(({ documentId, parts }) => [documentId, parts!.terms]));
    for (const { documentId, score } of passages) expect(score).toBeCloseTo(terms.get(documentId)!, 9);
    expect([...passages].sort((a, b) => b.score - a.score)).toEqual(passages);
    expect(reader.calls.flat()).toHaveLength(4);
    for (const { parts, score, confidence } of answers) {
      expect(parts).toEqual({ dense: 0, ngram: 0, terms: 0, tfidf: 0, vector: 0, reader: score });
      expect(confidence).toBeUndefined();
    }
  });

  it("finds nothing for words that no passage has", async () => {
    const index = await open();
    const reader = new FakeReader();
    const result = await ask(index, { port: reader, strategy: "sparta-reader" }, "☃");
    expect(result.answers).toEqual([]);
    expect(reader.calls).toEqual([]);
  });
});
