/** Each verdict has its evidence: every place that is returned has the words of the document at its offsets. */

import { describe, expect, it } from "vitest";
import { askable, textDocument } from "../../test/support/ask.js";
import { checkQuotations } from "./check-quotations.js";
import type { QuotationInput, QuoteCheck } from "./types.js";

const HISTORY =
  "The observatory was founded by Ines Calder in 1911. The town gave the land.\n\nAfter the council\nhad refused three times, she paid for the roof her-\nself. Its eﬃcient telescope cost 86 pounds.";
const MILL =
  "The mill was sold by Karl Voss — to everyone’s surprise. The council had refused three times to pay for it.";
const HAMLET = "To be, or not to be, that is the question.";
const documents = [
  textDocument("docs/history.md", HISTORY, "The Skarn observatory"),
  textDocument("docs/mill.md", MILL, "Mill"),
  textDocument("hamlet.txt", HAMLET, "Hamlet"),
];
const textOf = new Map(documents.map(({ id, text }) => [id, text]));

async function check(...inputs: Array<string | QuotationInput>): Promise<QuoteCheck[]> {
  const { searcher } = await askable(documents);
  const checks = await checkQuotations(
    searcher,
    inputs.map((input) => (typeof input === "string" ? { text: input } : input)),
  );
  const places = checks.flatMap(({ places: own, pieces = [], nearest }) => [
    ...own,
    ...pieces.flatMap((piece) => piece.places),
    ...(nearest === undefined ? [] : [nearest]),
  ]);
  for (const { documentId, start, end, text } of places) expect(textOf.get(documentId)!.slice(start, end)).toBe(text);
  return checks;
}

describe("checkQuotations", () => {
  it.each([
    ["The town gave the land.", "exact"],
    ["After the council had refused three times", "exact"],
    ["founded by Ines Calder,", "exact"],
    ["… founded by Ines Calder in 1911 …", "exact"],
    ["the TOWN gave  the land", "same-words"],
    ["[t]he town gave the land", "same-words"],
    ["paid for the roof herself", "same-words"],
    ["Its efficient telescope", "same-words"],
    ["sold by Karl Voss - to everyone's surprise", "same-words"],
    ["The observatory was founded … in 1911", "stitched"],
    ["The observatory was founded [...] The town gave the land", "stitched"],
    ["The town gave the land . . . The observatory was founded", "stitched"],
    ["The observatory was founded … sold by Karl Voss", "stitched"],
    ["The observatory was founded … sold by Otto Brandt", "not-found"],
    ["The observatory was founded by Karl Voss in 1911", "not-found"],
    ["The town gave land.", "not-found"],
    ["wholly invented words", "not-found"],
    ["observatory", "exact"],
    ["observatories", "not-found"],
    ["or not to be", "exact"],
    ["not to be that", "not-found"],
    ["founded by Ines Calder [sic] in 1911", "same-words"],
  ])("%j is %s", async (text, verdict) => {
    expect((await check(text))[0]!.verdict).toBe(verdict);
  });

  it("finds several items of a list, with their marks or without", async () => {
    const text =
      "To drain it:\n1. Close the valve.\n2. Open\nthe tap.\n• Tilt it.\n\n7.3 The tenant pays.\n7.4 The owner waits.";
    const { searcher } = await askable([textDocument("drain.md", text, "Drain")]);
    const verdictOf = async (quotation: string) => {
      const [{ verdict, places } = { verdict: "", places: [] }] = await checkQuotations(searcher, [
        { text: quotation },
      ]);
      return [verdict, ...places.map((place) => place.text)];
    };
    expect(await verdictOf("Close the valve. Open the tap. Tilt it.")).toEqual([
      "same-words",
      "Close the valve.\n2. Open\nthe tap.\n• Tilt it.",
    ]);
    expect(await verdictOf("1. Close the valve. 2. Open the tap.")).toEqual(["exact", text.slice(13, 49)]);
    expect(await verdictOf("The tenant pays. The owner waits.")).toEqual([
      "same-words",
      "The tenant pays.\n7.4 The owner waits.",
    ]);
    expect(await verdictOf("Close the valve. 3. Open the tap.")).toEqual(["not-found"]);
  });

  it("finds letters that are encoded in another way", async () => {
    const { searcher } = await askable([textDocument("vi.txt", "Người ta nói tiê\u0301ng Viê\u0323t ở đây mỗi ngày.")]);
    const [found] = await checkQuotations(searcher, [{ text: "nói tiếng Việt ở đây" }]);
    expect(found).toMatchObject({ verdict: "same-words", places: [{ text: "nói tiê\u0301ng Viê\u0323t ở đây" }] });
  });

  it("says in which order and in how many documents the pieces are", async () => {
    const checks = await check(
      "The observatory was founded … in 1911",
      "The town gave the land … The observatory was founded",
      "The observatory was founded … sold by Karl Voss",
    );
    expect(checks.map(({ stitch }) => stitch)).toEqual(["in-order", "other-order", "several-documents"]);
    expect(checks[0]!.pieces!.map(({ text, places }) => [text, places[0]!.text])).toEqual([
      ["The observatory was founded", "The observatory was founded"],
      ["in 1911", "in 1911"],
    ]);
  });

  describe("with ellipses", () => {
    const COUNCIL =
      "The council met on Monday evening to talk about the roof. After much talk it was agreed. " +
      "It was paid by the town in the end.";
    const REPEATED = `It rained. it was it. ${"it then. ".repeat(14)}${COUNCIL}`;
    const checkIn = async (texts: readonly string[], quotation: string): Promise<QuoteCheck> => {
      const { searcher } = await askable(texts.map((text, n) => textDocument(`${n}.txt`, text)));
      return (await checkQuotations(searcher, [{ text: quotation }]))[0]!;
    };
    const firstPlaces = ({ pieces }: QuoteCheck) => pieces!.map(({ places: [first] }) => [first!.start, first!.exact]);

    it("finds a short piece after the previous one, however often it occurs before", async () => {
      const text = "The council met on Monday evening … it … was paid by the town in the end";
      const found = await checkIn([REPEATED], text);
      expect(found).toMatchObject({ verdict: "stitched", stitch: "in-order" });
      const council = REPEATED.indexOf("The council");
      expect(firstPlaces(found)).toEqual([
        [council, true],
        [REPEATED.indexOf("it was agreed"), true],
        [REPEATED.indexOf("was paid"), true],
      ]);
      for (const { places } of found.pieces!) expect(places.length).toBeLessThanOrEqual(10);
    });

    it.each([
      ["they paid for it. The council met. They paid for it. The town won.", [18, 35, 53], false],
      ["The council met. They paid for it. The town won. they paid for it.", [0, 17, 35], false],
      ["The council met. They paid for it. And they paid for it. The town won.", [0, 39, 57], true],
    ])("finds the pieces of a quotation in order in %j", async (text, starts, exact) => {
      const found = await checkIn([text], "The council met … they paid for it … The town won");
      expect(found.stitch).toBe("in-order");
      expect(firstPlaces(found)).toEqual(starts.map((start, n) => [start, n !== 1 || exact]));
    });

    it.each([
      ["… it was it …", "exact", undefined],
      ["it was it … it then", "stitched", "in-order"],
      ["it then … it was it", "stitched", "other-order"],
      ["it was it … and so it was", "stitched", "several-documents"],
      ["it was it … it … talk", "stitched", "in-order"],
      ["it was it … and so", "not-found", undefined],
      ["it was it … and then who", "not-found", undefined],
    ])("finds pieces of function words alone: %j is %s", async (quotation, verdict, stitch) => {
      const found = await checkIn([REPEATED, "Rain fell, and so it was."], quotation);
      expect(found.verdict).toBe(verdict);
      expect(found.stitch).toBe(stitch);
      if (verdict === "not-found") expect(found.complete).toBe(true);
    });

    it("finds the document with all pieces among many with the longest one", async () => {
      const others = Array.from({ length: 12 }, (_, n) => `The council met on Monday. Number ${n} was dry.`);
      const found = await checkIn(
        [...others, `The council met on Monday. Then it was so.`],
        "council met on Monday … it was so",
      );
      expect(found).toMatchObject({ verdict: "stitched", stitch: "in-order" });
      expect(found.pieces![0]!.places[0]!.documentId).toBe("12.txt");
    });

    it("reads a long named source to its end before it looks elsewhere", async () => {
      const filler = `${"x".repeat(99)}\n`.repeat(41_000); // more than is read around single words
      const long = [
        { ...textDocument("plays.jsonl#1", filler, "One"), source: "plays.jsonl" },
        { ...textDocument("plays.jsonl#2", HAMLET, "Two"), source: "plays.jsonl" },
        textDocument("copy.txt", HAMLET, "Copy"),
      ];
      const { searcher } = await askable(long);
      const quotation = { text: "or not to be", attributedTo: "plays.jsonl" };
      const [found] = await checkQuotations(searcher, [quotation]);
      expect(found).toMatchObject({ verdict: "exact", places: [{ documentId: "plays.jsonl#2" }] });
    });

    it("does not claim to have looked for more pieces than it can", async () => {
      const found = await checkIn([REPEATED], "it … ".repeat(51));
      expect(found).toMatchObject({ verdict: "not-found", complete: false });
    });
  });

  it.each([
    ["history.md", "exact", ["docs/history.md"]],
    ["docs/history.md, p. 3", "exact", ["docs/history.md"]],
    ["Skarn observatory", "exact", ["docs/history.md"]],
    ["Calder, The Skarn Observatory, 1911", "exact", ["docs/history.md"]],
    ["a line about the Skarn observatory of old", "exact", ["docs/history.md"]],
    ["Mill", "misattributed", ["docs/mill.md"]],
    ["Calder, Mill, p. 7", "misattributed", ["docs/mill.md"]],
    ["Nobody 2020", "exact", []],
  ])("with the source %j it is %s", async (attributedTo, verdict, documentIds) => {
    const [found] = await check({ text: "The town gave the land", attributedTo });
    expect(found).toMatchObject({ verdict, attribution: { name: attributedTo, documentIds } });
    expect(found!.places[0]!.documentId).toBe("docs/history.md");
  });

  it("prefers the named document to others, and one document to all", async () => {
    const text = "council had refused three times";
    expect((await check({ text, attributedTo: "mill.md" }))[0]).toMatchObject({ verdict: "exact" });
    expect((await check({ text: "council\nhad refused", documentId: "docs/mill.md" }))[0]!.places).toMatchObject([
      { documentId: "docs/mill.md" },
    ]);
    expect((await check({ text: "gave the land", documentId: "docs/mill.md" }))[0]!.verdict).toBe("not-found");
    expect((await check({ text: "it was them", documentId: "docs/mill.md" }))[0]!.complete).toBe(true);
    expect((await check({ text: "founded … 1911", attributedTo: "mill.md" }))[0]!.verdict).toBe("misattributed");
    await expect(check({ text: "x", documentId: "gone" })).rejects.toMatchObject({ code: "invalid-argument" });
  });

  it("takes emphasised words for the source only if a document has exactly this name", async () => {
    const text = "The mill was sold by Karl Voss";
    const [stressed, own, other, named] = await check(
      { text, mentioned: "never" },
      { text, mentioned: "the Mill" },
      { text, mentioned: "Hamlet" },
      { text, mentioned: "Hamlet", attributedTo: "Mill" },
    );
    expect([stressed, own, other, named].map((one) => one!.verdict)).toEqual([
      "exact",
      "exact",
      "misattributed",
      "exact",
    ]);
    expect(stressed!.attribution).toBeUndefined();
    expect(own!.attribution).toEqual({ name: "the Mill", documentIds: ["docs/mill.md"] });
    expect(named!.attribution!.name).toBe("Mill");
  });

  it("does not take a remark about a document for the source", async () => {
    const text = "The town gave the land";
    const [remark, source] = await check(
      { text, attributedTo: "much more than hamlet.txt would suggest" },
      { text, attributedTo: "as in hamlet.txt" },
    );
    expect([remark!.verdict, source!.verdict]).toEqual(["exact", "misattributed"]);
  });

  it("shows the nearest passage with the words that differ", async () => {
    const [wrong] = await check("The observatory was founded by Karl Voss in 1911.");
    expect(wrong!.nearest).toMatchObject({
      documentId: "docs/history.md",
      text: "The observatory was founded by Ines Calder in 1911",
      place: { line: 1 },
      difference: [
        { kind: "same", text: "The observatory was founded by" },
        { kind: "missing", text: "Ines Calder" },
        { kind: "added", text: "Karl Voss" },
        { kind: "same", text: "in 1911" },
      ],
    });
    expect(wrong!.nearest!.sharedWords).toBeCloseTo(7 / 9);
    expect(wrong!.complete).toBe(true);
  });

  it("refuses quotations without words or of unusual length, and stops when it is aborted", async () => {
    await expect(check("—")).rejects.toMatchObject({ code: "invalid-argument" });
    await expect(check("a ".repeat(60_000))).rejects.toMatchObject({ code: "invalid-argument" });
    const { searcher } = await askable(documents);
    const signal = AbortSignal.abort();
    await expect(checkQuotations(searcher, [{ text: "a b" }], { signal })).rejects.toMatchObject({ code: "aborted" });
  });

  it("finds nothing in an empty index", async () => {
    const { searcher } = await askable([]);
    const [none] = await checkQuotations(searcher, [{ text: "the town gave the land", attributedTo: "x" }]);
    expect(none).toMatchObject({ verdict: "not-found", places: [], complete: true });
  });
});
