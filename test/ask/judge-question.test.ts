/** What a question is asked of, and what then counts as right. */

import { describe, expect, it } from "vitest";
import { type HiddenPart, judgeQuestion } from "../../adapters/cli/eval/judge-question.js";
import type { Index } from "../../src/api/index-handle.js";
import type { AskOptions } from "../../src/ask/options.js";
import type { OpenQuestion } from "../../src/evaluate/open-questions.js";

const documents = { "Tea#0": "black tea", "Tea#1": "the black tea", "Coffee#0": "arabica" };

/** Answers with the first document that it may ask. */
function index(): { index: Index; keys: Array<string | undefined> } {
  const keys: Array<string | undefined> = [];
  const ask = async (_question: string, { filter, advanced }: AskOptions): Promise<unknown> => {
    keys.push(advanced?.filterKey);
    const found = Object.entries(documents).find(([id]) => filter === undefined || filter({ id } as never));
    return { answers: found === undefined ? [] : [{ text: found[1], confidence: 0.5 }] };
  };
  return { index: { ask } as unknown as Index, keys };
}

const question = { id: "q", question: "Which tea?", answers: ["black tea"], goldPassages: ["Tea#0"] };
const ask = (hidden: HiddenPart, asked: OpenQuestion = question) => {
  const made = index();
  return judgeQuestion(made.index, asked, { hidden, options: {} }).then((judged) => ({
    ...made,
    judged,
  }));
};

describe("judgeQuestion", () => {
  it("asks everything: the gold passage answers", async () => {
    const { judged, keys } = await ask("nothing");
    expect(judged).toMatchObject({ answerable: true, right: 1, exactMatch: 1, article: "Tea", confidence: 0.5 });
    expect(keys).toEqual([undefined]);
  });

  it("without its passage: the article's other one answers, and may be right", async () => {
    expect((await ask("passage")).judged).toMatchObject({ answerable: false, right: 1, exactMatch: 1 });
    const other = await ask("passage", { ...question, goldPassages: ["Tea#0", "Tea#1"] });
    expect(other.judged).toMatchObject({ answerable: false, right: 0 });
    expect(other.keys[0]).toContain("Tea#1");
  });

  it("without its article nothing is right, whatever is said", async () => {
    const { judged } = await ask("article", { ...question, answers: ["arabica"] });
    expect(judged).toMatchObject({ answerable: false, right: 0, exactMatch: 0, confidence: 0.5 });
  });

  it("hides the document that a question names, by its whole id or the end of it", async () => {
    const named = { id: "q", question: "Which tea?", answers: ["black tea"] };
    const { judged, keys } = await ask("article", { ...named, document: "Tea" });
    expect(judged).toMatchObject({ answerable: false, right: 0, article: "Tea" });
    expect(keys[0]).toContain("Tea");
    const [first] = (await ask("passage", { ...named, document: "Tea#0" })).keys;
    expect(first).toContain("Tea#0");
  });
});
