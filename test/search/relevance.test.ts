/** Ten named documents, five questions, and beside each expected rank the reason. */

import { beforeAll, describe, expect, it } from "vitest";
import { type Askable, askable, textDocument } from "../support/ask.js";

const documents = [
  textDocument(
    "observatory",
    "The observatory was founded by Ines Calder in 1911. It stands on a hill above the town.",
    "Observatory",
  ),
  textDocument(
    "calder",
    "Ines Calder was a teacher. She wrote letters to her daughter about stars and comets.",
    "Ines Calder",
  ),
  textDocument(
    "bridge",
    "The old bridge was built of cedar wood by Tomas Reed in 1850. It crosses the river.",
    "Bridge",
  ),
  textDocument(
    "new-bridge",
    "The new bridge was built of stone by Anna Holm in 1970. The old bridge is closed.",
    "New bridge",
  ),
  textDocument("market", "The market sells fish every morning. People bring bread and salt.", "Market"),
  textDocument("museum", "The museum keeps the letters of Ines Calder under glass. It opens in summer.", "Museum"),
  textDocument("captain", "Captain Mora sailed north with twelve men. They drew charts of the coast.", "Captain Mora"),
  textDocument("engine", "The steam engine burns coal. The train crosses the valley and the river.", "Engine"),
  textDocument("clock", "The tower clock strikes seven. It was made in Zürich.", "Clock"),
  textDocument("garden", "The garden has roses. The comet was first seen from the garden by Per Lind.", "Garden"),
];

/** Documents by their best passage, best first. */
async function ranking(index: Askable, question: string): Promise<string[]> {
  const { passages } = await index.ask(question, { strategy: "exhaustive" });
  return passages.map((passage) => passage.documentId);
}

describe("ten documents", () => {
  let index: Askable;
  beforeAll(async () => {
    index = await askable(documents);
  });

  it("who founded the observatory?", async () => {
    const ranks = await ranking(index, "who founded the observatory?");
    expect(ranks[0]).toBe("observatory"); // the only one with "founded", and "observatory" in title and text
  });

  it("who built the old bridge of cedar wood?", async () => {
    const ranks = await ranking(index, "who built the old bridge of cedar wood?");
    expect(ranks[0]).toBe("bridge"); // every word of the question, "cedar" and "wood" nowhere else
    expect(ranks[1]).toBe("new-bridge"); // "built", "old bridge", but no cedar, no wood
  });

  it("where are the letters of Ines Calder kept under glass?", async () => {
    const ranks = await ranking(index, "where are the letters of Ines Calder kept under glass?");
    expect(ranks[0]).toBe("museum"); // "letters of Ines Calder under glass", only "kept" is missing
    expect(ranks.indexOf("calder")).toBeLessThan(ranks.indexOf("market")); // name in the title and "letters", against nothing at all
    expect(ranks.indexOf("calder")).toBeLessThan(4);
  });

  it("who saw the comet first from the garden?", async () => {
    const ranks = await ranking(index, "who saw the comet first from the garden?");
    expect(ranks[0]).toBe("garden"); // "comet", "first", "from the garden" in one sentence, "garden" in title
  });

  it("captain who sailed north with twelve men", async () => {
    const { answers } = await index.ask("captain who sailed north with twelve men");
    expect(answers[0]!.documentId).toBe("captain"); // all the words
    expect(answers[0]!.text).toContain("Mora"); // the one word among them that the question does not have
  });

  it("finds answers near the question's words, in the same sentence", async () => {
    const { answers } = await index.ask("what does the market sell every morning?");
    expect(answers[0]!.context).toBe("The market sells fish every morning.");
    expect(answers[0]!.text).toContain("fish"); // between "market", "every" and "morning"
  });
});
