/**
 * The tools as an assistant calls them: every text they return is in the documents, at the offsets
 * they report.
 */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Calibration } from "../../src/encode/types.js";
import { ROOT, TOWN } from "../server/served.js";
import { textDocument } from "../support/ask.js";
import { type Assistant, assistant } from "./assistant.js";

interface Excerpt {
  documentId: string;
  start: number;
  end: number;
  text: string;
  source: string;
}

const never: Calibration = { intercept: -20, features: {}, threshold: 0.5, about: {} };
const PUBLIC = "notes/deep/bridge";

async function expectAtOffsets({ read }: Assistant, excerpts: readonly Excerpt[]): Promise<void> {
  for (const { documentId, start, end, text } of excerpts)
    expect((await read(documentId)).slice(start, end)).toBe(text);
}

describe("the tools", () => {
  it("are four, read-only, each with a schema of its input and output", async () => {
    const { client } = await assistant();
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["ask", "quote", "passages", "list_documents"]);
    for (const { description, inputSchema, outputSchema, annotations } of tools) {
      expect(description!.length).toBeGreaterThan(30);
      expect(inputSchema.type).toBe("object");
      expect(outputSchema!.type).toBe("object");
      expect(annotations).toMatchObject({ readOnlyHint: true });
    }
    expect(client.getInstructions()).toContain("quote");
  });

  it("ask returns exact words, with offsets into the resource", async () => {
    const it = await assistant();
    const { output, text, isError } = await it.call("ask", { question: "who founded the observatory?", topK: 3 });
    expect(isError).toBe(false);
    expect(output.answers.length).toBeGreaterThan(0);
    expect(output.answers[0]).toMatchObject({ documentId: "history", source: "history.txt", place: { line: 1 } });
    expect(text).toContain(`\n> ${output.answers[0].text}\n`);
    await expectAtOffsets(it, output.answers);
  });

  it("ask returns no answer below the minimum confidence, and the nearest passages unchanged", async () => {
    const it = await assistant({ model: { calibration: never } });
    const { output, text, isError } = await it.call("ask", { question: "who founded the observatory?" });
    expect(isError).toBe(false);
    expect(output.answers).toEqual([]);
    expect(output.noAnswer.minConfidence).toBe(0.5);
    expect(text).toMatch(/^The documents do not answer/);
    await expectAtOffsets(it, output.nearestPassages);
    expect((await it.call("ask", { question: "who?", minConfidence: 0 })).output.answers.length).toBeGreaterThan(0);
  });

  it("ask accepts a filter and reports an error in it", async () => {
    const { call } = await assistant();
    const { output } = await call("ask", { question: "who opened it?", where: "year = 1890" });
    expect(new Set(output.answers.map((it: Excerpt) => it.documentId))).toEqual(new Set([PUBLIC]));
    const wrong = await call("ask", { question: "who?", where: "year >" });
    expect(wrong).toMatchObject({ isError: true, output: undefined });
    expect(wrong.text.length).toBeGreaterThan(20);
  });

  it("ask restricts to a phrase, and explains when no passage has it", async () => {
    const { call } = await assistant();
    const { output, text } = await call("ask", { question: 'who opened or founded it "by Ines Calder"?' });
    expect(new Set(output.answers.map((it: Excerpt) => it.documentId))).toEqual(new Set(["history"]));
    expect(text).toMatch(/^Only passages with "by Ines Calder"\./);
    const none = await call("ask", { question: 'who founded it "by Ines Roe"?' });
    expect(none.output.restriction).toEqual({ phrases: ["by Ines Roe"], excluded: [], missing: ["by Ines Roe"] });
    expect(none.text).toContain('None of the searched passages contains "by Ines Roe".');
  });

  it("passages returns whole passages, best first", async () => {
    const it = await assistant();
    const { output } = await it.call("passages", { question: "when does the pump stop?", topK: 2 });
    expect(output.passages).toHaveLength(2);
    expect(output.passages[0]).toMatchObject({ documentId: "pump", text: expect.stringContaining("The pump stops") });
    await expectAtOffsets(it, output.passages);
  });

  it("list_documents returns one page at a time", async () => {
    const { call } = await assistant();
    const seen: string[] = [];
    let after: string | undefined;
    do {
      const { output } = await call("list_documents", { limit: 2, ...(after === undefined ? {} : { after }) });
      expect(output.total).toBe(TOWN.length);
      seen.push(...output.documents.map(({ id }: { id: string }) => id));
      after = output.next;
    } while (after !== undefined);
    expect(new Set(seen).size).toBe(TOWN.length);
    expect((await call("list_documents", { contains: "BRIDGE" })).output.documents).toHaveLength(1);
    expect((await call("list_documents", { after: "gone" })).isError).toBe(true);
  });

  it("accept every id that is listed, however long", async () => {
    const ids = ["q:42", "x".repeat(2500), "y"];
    const { call } = await assistant({ documents: ids.map((id) => textDocument(id, `The bell of ${id} rings.`)) });
    let after: string | undefined;
    for (const id of ids) {
      const { output } = await call("list_documents", { limit: 1, ...(after === undefined ? {} : { after }) });
      expect(output.documents).toMatchObject([{ id }]);
      after = output.next;
      const { quotations } = (await call("quote", { quotation: "The bell of", documentId: id })).output;
      expect(quotations[0].places).toMatchObject([{ documentId: id }]);
    }
  });

  it("reveal no path of this machine, and refuse invalid input with a reason", async () => {
    const it = await assistant();
    const results = [
      await it.call("ask", { question: "who opened the bridge?" }),
      await it.call("quote", { quotation: "The bridge was opened by Queen Maud." }),
      await it.call("list_documents"),
      await it.call("ask", { question: "   " }),
      await it.call("ask", {}),
      await it.call("ask", { question: "who?", topK: 0 }),
      await it.call("ask", { question: "who?", minConfidence: 0.5 }),
      await it.call("quote", { quotation: "x", documentId: `${ROOT}/deep/bridge` }),
      await it.call("quote", { quotation: "\u200b" }),
      await it.call("nothing"),
    ];
    expect(results.map(({ isError }) => isError)).toEqual([false, false, false, ...new Array(7).fill(true)]);
    expect(JSON.stringify(results)).not.toMatch(/secret|node:|\.ts:/);
    for (const { text } of results) expect(text.length).toBeGreaterThan(10);
  });
});

describe("the tool quote", () => {
  it("finds any excerpt of whole words exactly where it was taken from", async () => {
    const it = await assistant();
    const texts = new Map<string, string>();
    for (const { id } of (await it.call("list_documents")).output.documents) texts.set(id, await it.read(id));
    const cuts = fc.tuple(fc.constantFrom(...texts.keys()), fc.nat(), fc.nat()).map(([id, a, b]) => {
      const words = [...texts.get(id)!.matchAll(/\S+/g)];
      const first = a % words.length;
      const last = first + (b % (words.length - first));
      return { id, start: words[first]!.index, end: words[last]!.index + words[last]![0].length };
    });
    await fc.assert(
      fc.asyncProperty(cuts, async ({ id, start, end }) => {
        const quotation = texts.get(id)!.slice(start, end);
        const [check] = (await it.call("quote", { quotation })).output.quotations;
        expect(check.verdict).toBe("exact");
        await expectAtOffsets(it, check.places);
        const own = (await it.call("quote", { quotation, documentId: id })).output.quotations[0].places;
        expect(own.map((place: Excerpt) => [place.start, place.end])).toContainEqual([start, end]);
      }),
      { seed: 7, numRuns: 25 },
    );
  });

  it("reports that only punctuation, case and space differ, or that there is no match", async () => {
    const documents = [
      textDocument("a", "She said: “the mill was\nsold — to everyone”.", "A"),
      textDocument("b", "The bridge is 86 metres long.", "B"),
    ];
    const it = await assistant({ documents });
    const check = async (quotation: string, more: object = {}) =>
      (await it.call("quote", { quotation, ...more })).output.quotations[0];
    const same = await check('"The mill was sold - to everyone"');
    expect(same).toMatchObject({ verdict: "same-words", places: [{ documentId: "a", start: 10, place: { line: 1 } }] });
    await expectAtOffsets(it, same.places);
    const wrong = await check("The bridge is 68 metres long.");
    expect(wrong).toMatchObject({ verdict: "not-found", places: [], complete: true, nearest: { documentId: "b" } });
    expect(wrong.nearest.sharedWords).toBeCloseTo(5 / 6);
    expect((await it.call("quote", { quotation: "The bridge is 68 metres long." })).text).toContain(
      "NOT the quotation",
    );
    await expectAtOffsets(it, [wrong.nearest]);
    expect((await check("the mill was sold", { documentId: "b" })).verdict).toBe("not-found");
    expect((await check("The mill … to everyone")).verdict).toBe("stitched");
    expect((await check("86 metres", { attributedTo: "A" })).verdict).toBe("misattributed");
    expect((await it.call("quote", { quotation: "86 metres", attributedTo: "nope.md" })).text).toContain(
      "so the source was not checked.",
    );
  });

  it("checks every quotation of a draft", async () => {
    const { call } = await assistant();
    const draft = 'He wrote "The pump stops" (Pump).\n\n> The bridge is 99 metres long.\n';
    const { output, text } = await call("quote", { draft });
    expect(output.exact).toBe(false);
    expect(output.quotations).toMatchObject([
      { quotation: "The pump stops", verdict: "exact", line: 1 },
      { quotation: "The bridge is 99 metres long.", verdict: "not-found", line: 3 },
    ]);
    expect(text).toMatch(/^Quotation 1 of 2, line 1, exact: "The pump stops"\n/);
    expect((await call("quote", { draft: "none" })).text).toBe("The draft has no quotations.");
    expect((await call("quote", {})).isError).toBe(true);
    expect((await call("quote", { draft, quotation: "x" })).isError).toBe(true);
  });

  it("finds a quotation in a document that shares fewer words with it than others do", async () => {
    const near = Array.from({ length: 40 }, (_, n) =>
      textDocument(`near-${n}`, `The lamp of tower ${n} is green and old.`),
    );
    const far = textDocument("far", "1 2 3 The lamp of tower seven is blue. 4 5 6");
    const { call } = await assistant({ documents: [...near, far] });
    const { output } = await call("quote", { quotation: "tower seven is blue" });
    expect(output.quotations).toMatchObject([{ verdict: "exact", places: [{ documentId: "far" }] }]);
  });
});

describe("the resources", () => {
  it("are the documents as plain text, under any id that a document can have", async () => {
    const { client, read } = await assistant();
    const { resources } = await client.listResources();
    expect(resources).toHaveLength(TOWN.length);
    for (const { uri } of resources) {
      const { contents } = await client.readResource({ uri });
      expect(contents[0]).toMatchObject({ mimeType: "text/plain", uri });
    }
    const bodies = await Promise.all(["odd/<b>name & co", PUBLIC].map(read));
    expect(bodies).toEqual([TOWN[2]!.text, TOWN[3]!.text]);
    for (const id of ["nowhere", "../history", `${ROOT}/deep/bridge`]) {
      await expect(read(id)).rejects.toThrow(/no such document|not found/i);
    }
    await expect(client.readResource({ uri: "verbatim://documents/%zz" })).rejects.toThrow();
    await expect(client.readResource({ uri: "file:///etc/passwd" })).rejects.toThrow();
  });
});
