/** Typing mistakes in questions. */

import { describe, expect, it, vi } from "vitest";
import { correctSpelling, neighbours } from "../../src/search/correct-spelling.js";
import { askable, textDocument } from "../support/ask.js";

const documents = [
  textDocument("a", "Ines Calder founded the observatory in 1911 and paid for the telescope."),
  textDocument("b", "The harbour master Penhallow keeps the lighthouse. The harbour is deep."),
  textDocument("c", "The barber of the village cuts hair near the harbor wall."),
  textDocument("d", "The ferry lands at the pier of the town."),
  textDocument("e", "The baker sells pies."),
];
/** The encoder knows other words than the documents', as a language has more words than a folder. */
const open = () => askable(documents, { known: ["Ines Calder founded who the keeps keep paid telescopic dock"] });
const correct = async (question: string) => correctSpelling((await open()).searcher, question);

describe("correctSpelling", () => {
  it.each([
    ["who paid for the telescpe?", "who paid for the telescope?"],
    ["who paid for the teelscope?", "who paid for the telescope?"],
    ["who paid for the telescoope?", "who paid for the telescope?"],
    ["who paid for the telescipe?", "who paid for the telescope?"],
    ["who paid for the etlescope?", "who paid for the telescope?"],
    ["What does Penhalow keep?", "What does Penhallow keep?"],
  ])("corrects %j", async (question, expected) => {
    expect(await correct(question)).toBe(expected);
  });

  it("chooses the word that the other words of the question occur with", async () => {
    expect(await correct("does the ferry dock at the piex?")).toBe("does the ferry dock at the pier?");
    expect(await correct("does the baker have piex?")).toBe("does the baker have pies?");
  });

  it.each([
    ["words of the documents", "who founded the observatory?"],
    ["words of the language that no document has", "the telescopic lens?"],
    ["short words, numbers and identifiers", "wh 1912 telescpeId TELESCPE"],
    ["words with another first letter", "who paid for the melescope?"],
    ["words that are nothing like the documents'", "who paid for the zeppelin?"],
  ])("keeps %s", async (_, question) => {
    expect(await correct(question)).toBeUndefined();
  });

  it("keeps a word of another language that is as much a word as its neighbour", async () => {
    const german = [textDocument("a", "Der Vortrag wird von der Gemeinde bezahlt und ist um neun.")];
    const ask = async (question: string, known: string) => {
      const { searcher } = await askable(german, { known: [known] });
      return correctSpelling(searcher, question);
    };
    const question = "Wer hat den Vertrag von der Gemeinde bezahlt?";
    expect(await ask(question, "wer hat den Vortrag Vertrag")).toBeUndefined();
    expect(await ask(question, "wer hat den")).toBeUndefined();
    expect(await ask(question, "wer hat den Vortrag")).toBe("Wer hat den Vortrag von der Gemeinde bezahlt?");
  });

  it("keeps the words of a question in another language than the documents'", async () => {
    const english = [textDocument("a", "The hall is dark and green.")];
    const { searcher } = await askable(english, { known: ["dark hall green the is"] });
    expect(await correctSpelling(searcher, "Darf ich einen Hund halten?")).toBeUndefined();
    expect(await correctSpelling(searcher, "is the hall dardk?")).toBe("is the hall dark?");
  });

  it("looks up the neighbours of six unknown words at most", async () => {
    const { searcher } = await open();
    const unknown = ["zeppelin", "quagga", "numbat", "echidna", "wombat", "okapi"];
    const within = `who paid for the telescpe near ${unknown.slice(1).join(" ")}?`;
    expect(await correctSpelling(searcher, within)).toBe(within.replace("telescpe", "telescope"));
    const lookUps = vi.spyOn(searcher.postings, "tfidf");
    const beyond = `who paid for the telescpe near ${unknown.join(" ")} ${"tapir ".repeat(300)}?`;
    expect(await correctSpelling(searcher, beyond)).toBeUndefined();
    expect(lookUps.mock.calls.length).toBeLessThanOrEqual(1 + 6);
  });

  it("keeps words in the ranges to keep", async () => {
    const { searcher } = await open();
    const question = "who wrote telescpe near the piex?";
    const keep = [{ start: 10, end: 18 }];
    expect(await correctSpelling(searcher, question, { keep })).toBe("who wrote telescpe near the pier?");
  });

  it("corrects at most three words", async () => {
    expect(await correct("telescpe observatry lighthuse Penhalow")).toBe("telescpe observatory lighthouse Penhallow");
  });
});

describe("neighbours", () => {
  it("has every text at one deletion, insertion, replacement or swap, and not the word", () => {
    const all = neighbours("abc");
    for (const text of ["bc", "ac", "ab", "xabc", "abcx", "abxc", "xbc", "axc", "abx", "bac", "acb"])
      expect(all).toContain(text);
    expect(all).not.toContain("abc");
    expect(all).not.toContain("cba");
  });
});
