/** Components of the page, without a browser. */

import { afterEach, describe, expect, it, vi } from "vitest";
import { siteAddress } from "../../adapters/browser/site-address.js";
import { h, stubPage } from "./stub-dom.js";

/** Loads a component. Its types need those of a browser, which tests do not have. */
async function load(file: string, name: string): Promise<unknown> {
  const path = `../../web/src/${file}`;
  return ((await import(path)) as Record<string, unknown>)[name];
}

const PAGE = "https://host.example/app/?q=old#top";
const CONTEXT = "The shipwright Anselm Roe built her in Aldmouth.";

/** An answer that is in `CONTEXT`, which begins at unit 100 of its document. */
function answerOf(text: string, alternatives: string[] = []) {
  const place = (words: string) => {
    const start = 100 + CONTEXT.indexOf(words);
    return { text: words, start, end: start + words.length };
  };
  return {
    ...{ ...place(text), documentId: "ships.txt", title: "Ships", source: "ships.txt", place: { line: 3 }, score: 1 },
    ...{ context: CONTEXT, contextStart: 100, shown: "sentence", evidence: [] as unknown[] },
    alternatives: alternatives.map(place),
  };
}

afterEach(() => vi.unstubAllGlobals());

describe("the sentence of an answer", () => {
  // shown with class "also": the parts of alternatives
  it.each<[what: string, alternatives: string[], marks: string[]]>([
    ["no alternative", [], ["Anselm Roe"]],
    ["one that starts before it", ["shipwright Anselm Roe"], ["also: shipwright", "Anselm Roe"]],
    ["one that ends after it", ["Roe built her"], ["Anselm Roe", "also: built her"]],
    ["one that contains it", ["shipwright Anselm Roe built"], ["also: shipwright", "Anselm Roe", "also: built"]],
    ["one inside it", ["Roe"], ["Anselm Roe"]],
    ["one elsewhere", ["Aldmouth"], ["Anselm Roe", "also: Aldmouth"]],
    ["two that overlap", ["built her", "her in Aldmouth"], ["Anselm Roe", "also: built her", "also: in Aldmouth"]],
  ])("has the whole answer marked next to %s", async (_, alternatives, marks) => {
    const { root, show } = stubPage(PAGE);
    show(h(await load("marks.tsx", "Sentence"), { answer: answerOf("Anselm Roe", alternatives) }));
    expect(root.marks()).toEqual(marks);
    expect(root.textContent).toBe(CONTEXT);
  });
});

describe("a copied link", () => {
  async function copiedLink(base: string | URL): Promise<string> {
    const copied: string[] = [];
    vi.stubGlobal("navigator", { clipboard: { writeText: async (text: string) => void copied.push(text) } });
    const { root, show } = stubPage(PAGE);
    show(h(await load("copy-quote.tsx", "CopyQuote"), { answer: answerOf("Anselm Roe"), question: "who?", base }));
    root.buttons("Link")[0]!.click();
    return copied[0]!;
  }

  it("leads to the page itself", async () => {
    const link = new URL(await copiedLink(PAGE));
    expect(link.origin + link.pathname + link.hash).toBe("https://host.example/app/");
    const { hash, ...rest } = Object.fromEntries(link.searchParams);
    expect(rest).toEqual({ q: "who?", doc: "ships.txt", start: "115", end: "125" });
    expect(hash).toMatch(/^\w+$/);
  });

  it("leads to the published site when another page embeds it", async () => {
    const link = new URL(await copiedLink(siteAddress("/answers", PAGE)));
    expect(link.origin + link.pathname).toBe("https://host.example/answers/");
    expect(link.searchParams.get("doc")).toBe("ships.txt");
  });
});

describe("Why?", () => {
  const parts = { dense: 1, ngram: 0, terms: 0, tfidf: 0, vector: 0 };
  const resultOf = () => ({ kind: "spans", question: "who?", answers: [answerOf("Anselm Roe")], tookMs: 1 });

  /** The answers on a page; each call of `explain` returns the next of these scores, or fails. */
  async function answersWith(...scores: (number | Error)[]) {
    const { root, show } = stubPage(PAGE);
    const Answers = await load("answers.tsx", "Answers");
    const explain = vi.fn(async () => {
      const score = scores.shift()!;
      if (score instanceof Error) throw score;
      return { ...resultOf(), answers: [{ ...answerOf("Anselm Roe"), score, parts }] };
    });
    const transport = { explain };
    return {
      explain,
      show: (result: object) => show(h(Answers, { result, transport, open: () => {}, base: PAGE })),
      why: () => root.buttons("Why?")[0]!.click(),
      explained: () => root.all("tr").at(-1)?.all("td").at(-1)?.textContent,
      alerts: () => root.all("p").filter(({ attributes }) => attributes.get("role") === "alert").length,
    };
  }

  it("asks for an explanation once per result", async () => {
    const page = await answersWith(1);
    const result = resultOf();
    page.show(result);
    page.why();
    await expect.poll(page.explained).toBe("1.00");
    page.why();
    await expect.poll(page.explained).toBeUndefined();
    page.show(result);
    page.why();
    await expect.poll(page.explained).toBe("1.00");
    expect(page.explain).toHaveBeenCalledTimes(1);
  });

  it("explains the new result when the same question is asked again", async () => {
    const page = await answersWith(1, 2);
    page.show(resultOf());
    page.why();
    await expect.poll(page.explained).toBe("1.00");
    page.show(resultOf());
    await expect.poll(page.explained).toBeUndefined();
    page.why();
    await expect.poll(page.explained).toBe("2.00");
  });

  it("asks again after a failure", async () => {
    const page = await answersWith(new Error("lost"), 3);
    page.show(resultOf());
    page.why();
    await expect.poll(page.alerts).toBe(1);
    page.why();
    await expect.poll(page.alerts).toBe(0);
    page.why();
    await expect.poll(page.explained).toBe("3.00");
  });
});

it("each block of a document has the direction of its own text", async () => {
  const { root, show } = stubPage(PAGE);
  const text = "Notes\n\nהמגדלור נבנה בשנת 1820.\n\n- אחת\n- שתיים\n\nship | year\nAnne | 1803\n\n    lamp --on";
  show(h(await load("document-text.tsx", "DocumentBlocks"), { text, mark: { start: 0, end: 0 } }));
  const blocks = ["h3", "p", "ul", "table", "pre"].flatMap((name) => root.all(name));
  expect(blocks).toHaveLength(5);
  for (const { attributes } of blocks) expect(attributes.get("dir")).toBe("auto");
});

describe("a document longer than a server returns at once", () => {
  const LENGTH = 700_000;
  const TEXT = Array.from({ length: LENGTH / 10 }, (_, n) => `${String(n).padStart(9, "0")} `).join("");
  const opened = { id: "long.txt", start: 300_000, end: 300_009 };

  /** The document, opened; its server returns at most `limit` units at a time. */
  async function openedWith(limit: number) {
    const { root, show } = stubPage(PAGE);
    const requests: [from: number, to: number][] = [];
    const server = { text: TEXT, isReachable: true };
    const readDocument = async (id: string, wanted: number, until: number) => {
      if (!server.isReachable) throw new Error("lost");
      const { text } = server;
      const { length } = text;
      const from = Math.min(Math.max(0, wanted), length);
      const to = Math.max(from, Math.min(until, length, from + limit));
      requests.push([from, to]);
      return { id, title: id, source: id, length, from, to, text: text.slice(from, to) };
    };
    show(h(await load("document.tsx", "DocumentView"), { opened, close: () => {}, transport: { readDocument } }));
    const article = () => root.all("article")[0];
    const shown = () => article()?.all("p")[0]?.textContent ?? "";
    await expect.poll(shown).not.toBe("");
    /** Clicks a button until there is none. */
    const read = async (button: string) => {
      for (let before = shown(); root.buttons(button).length > 0; before = shown()) {
        root.buttons(button)[0]!.click();
        await expect.poll(() => shown() === before).toBe(false);
      }
    };
    return { root, server, requests, shown, read };
  }

  it.each([262_144, 30_000])("is read to its end and its beginning, %i units at a time", async (limit) => {
    const { root, requests, shown, read } = await openedWith(limit);
    await read("Show later text");
    expect(shown() === TEXT.slice(280_000)).toBe(true); // a difference would be a report of megabytes
    await read("Show earlier text");
    expect(shown() === TEXT).toBe(true);
    expect(root.marks()).toEqual([TEXT.slice(opened.start, opened.end)]);
    // no part of it is read twice
    expect(requests.reduce((sum, [from, to]) => sum + to - from, 0)).toBe(LENGTH);
  });

  it("stays when more of it cannot be read, and the next click tries again", async () => {
    const { root, server, shown, read } = await openedWith(262_144);
    const alerts = () => root.all("p").filter(({ attributes }) => attributes.get("role") === "alert").length;
    const before = shown();
    server.isReachable = false;
    root.buttons("Show later text")[0]!.click();
    await expect.poll(alerts).toBe(1);
    expect(shown() === before).toBe(true);
    expect(root.marks()).toEqual([TEXT.slice(opened.start, opened.end)]);
    server.isReachable = true;
    await read("Show later text");
    expect(shown() === TEXT.slice(280_000)).toBe(true);
    expect(alerts()).toBe(0);
  });

  it("is not shown when a part of another version would be added to it", async () => {
    const { root, server } = await openedWith(262_144);
    server.text = `A new beginning. ${TEXT}`;
    root.buttons("Show later text")[0]!.click();
    await expect.poll(() => root.all("article").length).toBe(0);
    expect(root.textContent).toContain("The documents have changed. Ask again.");
  });
});
