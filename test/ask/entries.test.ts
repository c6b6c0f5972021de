/** The list of answers: one entry per place, and what is folded. */

import { describe, expect, it } from "vitest";
import { listEntries } from "../../src/ask/entries.js";
import { degenerateIn } from "../../src/search/locate/degenerate.js";
import { mergeBest } from "../../src/search/locate/merge.js";
import { findSpans } from "../../src/search/search.js";
import { askable, textDocument } from "../support/ask.js";

const documents = [
  textDocument("a", "Ines Calder founded the observatory in 1911. She sold her ship for it."),
  textDocument("b", "The observatory has two domes and a library. Nobody lives there."),
  textDocument("c", "Anselm Roe built the first dome out of an old hull in the summer."),
];
const QUESTION = "who founded the observatory?";

async function listOf(confidence?: (n: number) => number, topK = 10) {
  const { searcher, encoder } = await askable(documents);
  const { spans } = await findSpans(searcher, await encoder.encodeQuestion(QUESTION), { strategy: "exhaustive" });
  const merged = await mergeBest(searcher, spans, { question: QUESTION, topK: 30 });
  const confidences = confidence && merged.map((_, n) => confidence(n));
  return {
    merged,
    entries: await listEntries(searcher, merged, { question: QUESTION, confidence: confidences, topK }),
  };
}

describe("the list of answers", () => {
  it("has one entry per sentence, the best span of it", async () => {
    const { merged, entries } = await listOf();
    expect(merged.length).toBeGreaterThan(entries.length);
    const sentences = entries.map(({ merged: { best }, context }) => `${best.record.id} ${context.text}`);
    expect(new Set(sentences).size).toBe(entries.length);
    for (const { merged: shown, context } of entries) {
      const inSentence = merged.filter(
        ({ best }) => best.record.id === shown.best.record.id && best.start < context.end && context.start < best.end,
      );
      expect(inSentence[0]!.best).toBe(shown.best);
    }
  });

  it("keeps the other spans of a sentence as alternatives with their offsets", async () => {
    const { entries } = await listOf();
    const alternatives = entries.flatMap(({ merged, alternatives: all }) => all.map((one) => ({ ...one, merged })));
    expect(alternatives.length).toBeGreaterThan(0);
    for (const { text, start, end, merged } of alternatives) {
      const document = documents.find(({ id }) => id === merged.best.record.id)!;
      expect(document.text.slice(start, end)).toBe(text);
    }
  });

  it("has no entry of the question's own words", async () => {
    const { entries } = await listOf();
    const texts = entries.map(({ merged }) => merged.best.text.toLowerCase());
    expect(texts).not.toContain("observatory");
    expect(texts).not.toContain("founded");
  });

  it("marks entries as less likely whose confidence is below a tenth of the first one's", async () => {
    const { entries } = await listOf((n) => (n === 0 ? 0.6 : 0.05));
    expect(entries.map(({ lessLikely }) => lessLikely)).toEqual(entries.map((_, n) => n > 0));
    const { entries: close } = await listOf((n) => (n === 0 ? 0.6 : 0.07));
    expect(close.every(({ lessLikely }) => !lessLikely)).toBe(true);
    const { entries: uncalibrated } = await listOf();
    expect(uncalibrated.every(({ lessLikely }) => !lessLikely)).toBe(true);
  });

  it("shows sentences if every span is a list number, function words or the question's own words", async () => {
    const question = "close the valve then open the tap";
    const text = "1. Close the valve.\n2. Then open the tap.";
    const { searcher, encoder } = await askable([textDocument("steps", text)]);
    const { spans } = await findSpans(searcher, await encoder.encodeQuestion(question), { strategy: "exhaustive" });
    const all = await mergeBest(searcher, spans, { question, topK: 30 });
    const isDegenerate = degenerateIn(question);
    const merged = all.filter(({ best }) => isDegenerate(best));
    const entries = await listEntries(searcher, merged, { question, confidence: undefined, topK: 5 });
    expect(entries.length).toBeGreaterThan(0);
    for (const { merged: shown, context, alternatives } of entries) {
      expect(["1. Close the valve.", "2. Then open the tap."]).toContain(shown.best.text);
      expect(text.slice(shown.best.start, shown.best.end)).toBe(shown.best.text);
      expect(context.shown).toBe("sentence");
      expect(alternatives).toEqual([]);
    }
  });

  it("stops at the number of answers wanted", async () => {
    expect((await listOf(undefined, 2)).entries).toHaveLength(2);
  });
});
