/** Questions with "a phrase" or -word: which passages may answer, for every way of asking. */

import { describe, expect, it } from "vitest";
import type { Index } from "../../src/api/index-handle.js";
import { openIndex } from "../../src/api/open-index.js";
import { openWriter } from "../../src/api/writer.js";
import type { AskOptions } from "../../src/ask/options.js";
import { restrictionText } from "../../src/ask/restriction-text.js";
import { STRATEGY_NAMES } from "../../src/search/strategies/names.js";
import { textDocument } from "../support/ask.js";
import { MemoryStorage } from "../support/memory-storage.js";
import { TinyEncoder } from "../support/tiny-encoder.js";
import { FakeReader } from "./fake-reader.js";

const pumps = Array.from({ length: 60 }, (_, n) =>
  textDocument(`pump-${n}`, `The pump of station ${n} moves water. The pump runs on current, and the pump is loud.`),
);
const others = [
  textDocument("barn", "The keeper lives in the red barn on the hill. A red, old barn stands elsewhere."),
  textDocument("red", "Here the red paint is kept; the barn is green."),
  textDocument("print", "The work of the co-\noperative is well known. They use an e-mail list for ﬁnal news."),
  textDocument("stop", "Hamlet asked in the hall whether to be or not to be."),
  textDocument("cafe", "The CAFÉ serves “Ann’s best” cake."),
  textDocument("symbols", "By № 5 of the list, the Acme™ mixer takes 1½ cups at 20 ℃. It is from Oʼneill."),
];
const info = { interpolation: { reader: 1, answer: 0, most: 100 } };

async function opened(documents = [...pumps, ...others]): Promise<Index> {
  const encoder = new TinyEncoder(documents.map(({ text }) => text));
  const storage = new MemoryStorage();
  const writer = await openWriter({ storage, encoder });
  await writer.add(documents);
  await writer.commit();
  await writer.close();
  return openIndex({ storage, encoder, reader: new FakeReader({ info }), correctsSpelling: false });
}

async function found(question: string, options: AskOptions = {}, index?: Index): Promise<string[]> {
  const { answers } = await (index ?? (await opened())).ask(question, { topK: 100, ...options });
  return [
    ...new Set(answers.flatMap(({ documentId, evidence }) => [documentId, ...evidence.map((e) => e.documentId)])),
  ].sort();
}

describe("a phrase in quotation marks", () => {
  it.each(STRATEGY_NAMES)("leaves only its passages with the strategy %s, however low they rank", async (strategy) => {
    expect(await found('which pump of the station moves water near the "red barn"?', { strategy })).toEqual(["barn"]);
  });

  it.each([
    ['the "RED Barn"', ["barn"]],
    ['the "barn red"', []],
    ['"red" "barn"', ["barn", "red"]],
    ['"the red barn," he said', ["barn"]],
    ['the "cooperative" list', ["print"]],
    ['the "cooperative is well-known" list', ["print"]],
    ['the "email" list', ["print"]],
    ['"final news"', ["print"]],
    ["„café serves“", ["cafe"]],
    ['the "cafe"', []],
    ['"Ann\'s best" cake', ["cafe"]],
    ['the pump "to be or not to be"', ["stop"]],
    ['what does the "Acme™ mixer" take', ["symbols"]],
    ['a mixer at "20 ℃"', ["symbols"]],
    ['a mixer at "21 ℃"', []],
    ['a mixer takes "1½ cups"', ["symbols"]],
    ['the mixer of "№ 5"', ["symbols"]],
    ['the mixer of "O\'Neill"', ["symbols"]],
    ['"is not in the documents"', []],
  ])("decides by the words of %s", async (question, ids) => {
    expect(await found(question)).toEqual(ids);
  });

  it("is encoded without its marks", async () => {
    const { question, restriction, searchedFor } = await (await opened()).ask('where is the "red barn"?');
    expect(question).toBe('where is the "red barn"?');
    expect(searchedFor).toBeUndefined();
    expect(restriction).toEqual({ phrases: ["red barn"], excluded: [] });
  });

  it("is found among hundreds of passages with the same words in another order", async () => {
    const noise = Array.from({ length: 300 }, (_, n) =>
      textDocument(`noise-${n}`, `Barn red ${n}. The barn; red barns, red. Barn.`),
    );
    const index = await opened([...noise, others[0]!]);
    for (const strategy of STRATEGY_NAMES)
      expect(await found('barn "the red barn"', { strategy }, index)).toEqual(["barn"]);
  });

  it("is explained when no passage has it", async () => {
    const index = await opened();
    const missing = async (question: string, options: AskOptions = {}) =>
      (await index.ask(question, options)).restriction?.missing;
    expect(await missing('the "red bard" pump')).toEqual(["red bard"]);
    expect(await missing('the "red barn" and "pump"')).toEqual([]);
    expect(await missing('the "red barn" -keeper')).toEqual([]);
    expect(await missing('the "red barn"', { filter: ({ id }) => id !== "barn" })).toEqual(["red barn"]);
    expect(await missing('the "red barn"')).toBeUndefined();
  });

  it.each(STRATEGY_NAMES)("of function words is searched in the best-ranked passages (%s)", async (strategy) => {
    const ask = async (question: string, phrasePassages: number) =>
      (await opened()).ask(question, { strategy, advanced: { phrasePassages } });
    const all = await ask('the hall "to be or not to be"', 1000);
    expect(all.answers.map(({ documentId }) => documentId)).toEqual(["stop"]);
    expect(all.restriction).toEqual({ phrases: ["to be or not to be"], excluded: [] });
    if (strategy === "exhaustive") {
      // every passage is a candidate, in no order, so there is no limit
      expect((await ask('the hall "to be or not to be"', 1)).answers).toEqual(all.answers);
      return;
    }
    const some = await ask('Hamlet asked in the hall "to be or not to be"', 10);
    expect(some.answers.map(({ documentId }) => documentId)).toEqual(["stop"]);
    const none = await ask('Hamlet asked in the hall "to be or to be"', 1);
    expect(none.answers).toEqual([]);
    expect(none.restriction).toMatchObject({ missing: [], searchedPassages: expect.any(Number) });
    expect(restrictionText(none.restriction!)).toMatch(
      /^None of the \d+ best-ranked passages is with “to be or to be”: these words cannot be looked up\./,
    );
  });

  it("is text when operators are off", async () => {
    const { answers, restriction } = await (await opened()).ask('pump "red barn"', { operators: false, topK: 50 });
    expect(restriction).toBeUndefined();
    expect(answers.some(({ documentId }) => documentId.startsWith("pump"))).toBe(true);
  });
});

describe("an excluded word", () => {
  it.each(STRATEGY_NAMES)(
    "leaves its passages out with the strategy %s, even if all the best have it",
    async (strategy) => {
      const ids = await found("the pump in red paint -pump", { strategy });
      expect(ids).toContain("red");
      expect(ids.filter((id) => id.startsWith("pump"))).toEqual([]);
    },
  );

  it("works together with a phrase and a filter", async () => {
    expect(await found('the "red" paint -keeper')).toEqual(["red"]);
    expect(await found('the "red" paint', { filter: ({ id }) => id === "barn" })).toEqual(["barn"]);
    expect(await found('the red paint -"the barn"', { filter: ({ id }) => id === "barn" || id === "red" })).toEqual([
      "barn",
    ]);
  });

  it("is left out of the question", async () => {
    await expect((await opened()).ask("-pump")).rejects.toThrow("only excluded words");
  });
});
