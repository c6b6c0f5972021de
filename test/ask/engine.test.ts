/** The façade with a reader: asking once, asking with the answer so far, and leaving in between. */

import { describe, expect, it } from "vitest";
import type { Index } from "../../src/api/index-handle.js";
import { openIndex } from "../../src/api/open-index.js";
import { openWriter } from "../../src/api/writer.js";
import type { Answer } from "../../src/search/types.js";
import { textDocument } from "../support/ask.js";
import { MemoryStorage } from "../support/memory-storage.js";
import { TinyEncoder } from "../support/tiny-encoder.js";
import { FakeReader } from "./fake-reader.js";

const documents = Array.from({ length: 6 }, (_, n) =>
  textDocument(`doc-${n}`, `The keeper of lighthouse ${n} is Marta Vance.`),
);

async function opened(reader: FakeReader): Promise<{ index: Index; add: (text: string) => Promise<void> }> {
  const encoder = new TinyEncoder([...documents.map(({ text }) => text), "Jan Roe"]);
  const storage = new MemoryStorage();
  const add = async (list: typeof documents): Promise<void> => {
    const writer = await openWriter({ storage, encoder });
    await writer.add(list);
    await writer.commit();
    await writer.close();
  };
  await add(documents);
  const index = await openIndex({ storage, encoder, reader });
  return { index, add: (text) => add([textDocument("new", text)]) };
}

const info = { interpolation: { reader: 1, answer: 0, most: 100 } };
const QUESTION = "who is the keeper of the lighthouse?";

describe("an index with a reader", () => {
  it("shows the reader the heading that a passage is below, after the title", async () => {
    const text = "Fees\n\nThe deposit is due in May.";
    const document = { ...textDocument("lease", text), title: "Lease", headings: [{ start: 0, end: 4, level: 1 }] };
    const later = `${"The roof is old. ".repeat(60)}The rent is due in June.`;
    const long = {
      ...textDocument("house", `Dues\n\n${later}`),
      title: "House",
      headings: [{ start: 0, end: 4, level: 1 }],
    };
    const encoder = new TinyEncoder([text, later, "Lease : House Dues"]);
    const storage = new MemoryStorage();
    const writer = await openWriter({ storage, encoder });
    await writer.add([document, long]);
    await writer.commit();
    await writer.close();
    const inputsOf = async (maxHeadingTokens: number): Promise<string[]> => {
      const reader = new FakeReader({ lanes: 1, info: { ...info, maxHeadingTokens } });
      const index = await openIndex({ storage, encoder, reader });
      await index.ask("when is the rent due?", { reader: "on", advanced: { readerPassages: 10 } });
      await index.close();
      return reader.calls.flat().map(({ ids, questionTokens }) => {
        const words = [...ids.subarray(questionTokens)].map((id) => encoder.tokenizer.tokenOf(id));
        return words.slice(0, words.indexOf("[SEP]")).join(" ");
      });
    };
    const titles = new Set(await inputsOf(8));
    expect(titles).toContain("house : dues");
    expect(titles).toContain("lease"); // its passage begins with the heading itself
    expect(new Set(await inputsOf(0))).toEqual(new Set(["house", "lease"]));
  });

  it("shows the reader where a document says what the question names, unless the passage or many documents have it", async () => {
    const filler = "The roof is old and made of slate. ".repeat(40);
    const lease = `Parties\n\nThis is about the flat at 14 Quarry Road.\n\n${filler}\n\nThe rent is 900.`;
    const others = ["one", "two", "three"].map((name) => ({
      ...textDocument(name, `The garden of ${name}.\n\n${filler}\n\nThe rent is 20.`),
      title: "Garden",
    }));
    const deed = {
      ...textDocument("deed", `This is about land at 14 Quarry Road.\n\n${filler}\n\nThe fee is 77.`),
      title: `Deed ${"of all land ".repeat(10)} in Quarry Road`,
    };
    const encoder = new TinyEncoder([
      lease,
      deed.text,
      deed.title,
      "Lease : , ground floor rooms",
      ...others.map(({ text }) => text),
    ]);
    const storage = new MemoryStorage();
    const writer = await openWriter({ storage, encoder });
    const document = { ...textDocument("b/ground-floor.txt", lease), title: "Lease", source: "b/ground-floor.txt" };
    await writer.add([{ ...document, headings: [{ start: 0, end: 7, level: 1 }] }, deed, ...others]);
    await writer.commit();
    await writer.close();
    const reader = new FakeReader({ lanes: 1, info: { ...info, maxHeadingTokens: 8 } });
    const index = await openIndex({ storage, encoder, reader });
    const contexts = async (question: string): Promise<string[]> => {
      reader.calls.length = 0;
      await index.ask(question, { reader: "on", advanced: { readerPassages: 50 } });
      return reader.calls.flat().map(({ ids, questionTokens }) => {
        const words = [...ids.subarray(questionTokens)].map((id) => encoder.tokenizer.tokenOf(id));
        const first = words.indexOf("[SEP]");
        return `${words.slice(0, first).join(" ")} # ${words.slice(first).join(" ")}`;
      });
    };
    const ofTheRent = (list: string[]) =>
      list.filter((one) => one.includes("rent is 900")).map((one) => one.split(" #")[0]);
    expect(ofTheRent(await contexts("what is the rent of the rooms in Quarry Road?"))).toEqual([
      "lease : parties : at 14 quarry road",
    ]);
    expect(ofTheRent(await contexts("what is the rent of the ground floor in Quarry Road?"))).toEqual([
      "lease : parties : ground floor , at 14 quarry road",
    ]);
    expect(ofTheRent(await contexts("what is the rent of the garden?"))).toEqual(["lease : parties"]); // it names no garden
    const gardens = (await contexts("rent of the garden in Quarry Road")).filter((one) => one.startsWith("garden"));
    expect(gardens.length).toBeGreaterThan(3);
    for (const garden of gardens) expect(garden).toMatch(/^garden #/); // three documents have the word
    const [deedContext] = (await contexts("what is the fee in Quarry Road?")).filter((one) =>
      one.includes("fee is 77"),
    );
    expect(deedContext).toMatch(/^deed of .* : at 14 quarry road #/); // that part of the title is cut off
  });

  /** Answers about one document, and what the reader was given to read. */
  async function readWhole(text: string): Promise<{ answers: Answer[]; inputs: string[] }> {
    const encoder = new TinyEncoder([text, ": ;"]);
    const storage = new MemoryStorage();
    const writer = await openWriter({ storage, encoder });
    await writer.add([textDocument("club", text)]);
    await writer.commit();
    await writer.close();
    const reader = new FakeReader({ lanes: 1, info });
    const index = await openIndex({ storage, encoder, reader });
    const options = { reader: "on", topK: 50, advanced: { readerPassages: 50 } } as const;
    const { answers } = await index.ask("goals of the rovers?", options);
    await index.close();
    const inputs = reader.calls.flat().map(({ ids }) => [...ids].map((id) => encoder.tokenizer.tokenOf(id)).join(" "));
    return { answers, inputs };
  }

  it("shows the reader the name of its column before each cell, however far below, and answers with cells alone", async () => {
    const rows = Array.from({ length: 120 }, (_, n) => `${1900 + n} | rover ${n} | ${n === 61 ? "" : n} | home`);
    const text = `Results of the club.\n\nYear | Team | Goals | Place\n${rows.join("\n")}\n\nThat is all.`;
    const { answers, inputs } = await readWhole(text);
    for (const row of [
      "club . year | team | goals | place year : 1900 ; team : rover 0 ; goals : 0 ; place : home year : 1901",
      "year : 1960 ; team : rover 60 ; goals : 60 ; place : home",
      "year : 1961 ; team : rover 61 ; ; place : home",
      "year : 2019 ; team : rover 119 ; goals : 119 ; place : home that is all .",
    ])
      expect(inputs.filter((input) => input.includes(row))).not.toEqual([]);
    expect(answers.length).toBeGreaterThan(10);
    for (const answer of answers) expect(text.slice(answer.start, answer.end)).toBe(answer.text);
    expect(answers.filter(({ text: found }) => /[:;]/.test(found))).toEqual([]);
  });

  it("shows the first row of the table with a row, however far above it is", async () => {
    const rows = Array.from({ length: 120 }, (_, n) => `${1900 + n} | rover ${n} of the eastern club | ${n} | home`);
    const first = "Year | Team | Goals | Place";
    const text = `Results | of the club.\n\n${first}\n${rows.join("\n")}\n\nThat is all.`;
    const { answers } = await readWhole(text);
    const shown = answers.filter((answer) => answer.shown === "row" && answer.start > text.indexOf("1901"));
    expect(shown.length).toBeGreaterThan(5);
    for (const { header } of shown) {
      expect(header).toEqual({ text: first, start: text.indexOf(first), end: text.indexOf(first) + first.length });
    }
  });

  it("names the cells of rows that are longer than a passage", async () => {
    const rows = [1, 2, 3].map((n) => `${"a long text about the club ".repeat(60)}| rover ${n} | ${2000 + n}`);
    const { inputs } = await readWhole(`About | Team | Year\n${rows.join("\n")}`);
    for (const n of [1, 2, 3])
      expect(inputs.filter((input) => input.includes(`the club ; team : rover ${n} ; year : ${2000 + n}`))).not.toEqual(
        [],
      );
    expect(inputs.filter((input) => input.includes("club :"))).toEqual([]);
  });

  it("streams the answer so far and ends with what ask gives", async () => {
    const { index } = await opened(new FakeReader({ lanes: 2, info }));
    const results = [];
    const every = { reader: "on", advanced: { readerPassages: 10 } } as const;
    for await (const result of index.askStream(QUESTION, every)) results.push(result);
    expect(results.map(({ reading }) => reading?.passages)).toEqual([undefined, 2, 4, 6]);
    const { answers, steps, tookMs } = await index.ask(QUESTION, every);
    expect(results.at(-1)!.answers).toEqual(answers);
    expect(steps.encode).toBeLessThanOrEqual(tookMs);
    await index.close();
  });

  it("keeps the version of a stream that is under way, and lets go of it when the stream is left", async () => {
    const { index, add } = await opened(new FakeReader({ lanes: 1, info }));
    const stream = index.askStream(QUESTION, { reader: "on", topK: 50 });
    await stream.next(); // phrase search
    await add("The keeper of the lighthouse is Jan Roe.");
    expect(await index.refresh()).toBe(2);
    const second = (await stream.next()).value!;
    expect(second.reading!.passages).toBe(1);
    expect(second.answers.some(({ context }) => context.includes("Roe"))).toBe(false);
    await stream.return();
    const { answers } = await index.ask(QUESTION, { reader: "on", topK: 50 });
    expect(answers.some(({ context }) => context.includes("Roe"))).toBe(true);
    await index.close();
  });

  it("says that it is closed", async () => {
    const { index } = await opened(new FakeReader({ info }));
    await index.close();
    const closed = { code: "invalid-argument", message: "The index is closed." };
    await expect(index.ask(QUESTION)).rejects.toMatchObject(closed);
    await expect(index.quote([{ text: "The keeper" }])).rejects.toMatchObject(closed);
  });

  it("returns metadata that callers may change", async () => {
    const { index, add } = await opened(new FakeReader({ info }));
    await add("The keeper of the lighthouse is Jan Roe.");
    const first = (await index.ask(QUESTION)).answers[0]!;
    first.metadata.year = 1;
    expect((await index.ask(QUESTION)).answers[0]!.metadata).toEqual({});
    await index.close();
  });

  it("gives as many answers as were asked for, if there are as many", async () => {
    const encoder = new TinyEncoder(["The keeper of lighthouse number is Marta Vance in."]);
    const many = Array.from({ length: 60 }, (_, n) =>
      textDocument(`doc-${n}`, `The keeper of lighthouse ${n} is Marta.`),
    );
    const storage = new MemoryStorage();
    const writer = await openWriter({ storage, encoder });
    await writer.add(many);
    await writer.commit();
    await writer.close();
    const index = await openIndex({ storage, encoder });
    const { passages } = await index.ask("who is the keeper of the lighthouse?", { topK: 50 });
    expect(passages.length).toBeGreaterThanOrEqual(50);
    const lexical = await index.ask("who is the keeper of the lighthouse?", { topK: 50, strategy: "lexical" });
    expect(lexical.answers).toHaveLength(50);
    await index.close();
  });

  it("does not read unless asked to while nothing is calibrated", async () => {
    const reader = new FakeReader({ info });
    const { index } = await opened(reader);
    expect((await index.ask(QUESTION)).reading).toBeUndefined();
    expect(reader.calls).toEqual([]);
    await index.close();
  });
});
