import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { answerLines, contextLine, placeLabel } from "../../adapters/cli/render/answers.js";
import { hyperlinkFor } from "../../adapters/cli/render/hyperlinks.js";
import { styleFor } from "../../adapters/cli/render/terminal.js";
import type { AskResult } from "../../src/ask/result.js";
import { resultJson } from "../../src/ask/result-json.js";
import type { Answer } from "../../src/search/types.js";

const plainStyle = styleFor({ write: () => true }, {});
const boldStyle = styleFor({ write: () => true, isTTY: true }, {});

/** An answer in a sentence that begins at unit 100 of its document. */
function answerIn(context: string, text: string, more: Partial<Answer> = {}): Answer {
  const contextStart = 100;
  const start = contextStart + context.indexOf(text);
  return {
    text,
    score: 14.23,
    documentId: "history.md",
    title: "History",
    source: "history.md",
    start,
    end: start + text.length,
    startByte: start,
    endByte: start + text.length,
    startCodePoint: start,
    endCodePoint: start + text.length,
    place: { line: 12 },
    context,
    contextStart,
    contextEnd: contextStart + context.length,
    shown: "span",
    passageStart: 0,
    passageEnd: 1000,
    evidence: [],
    lessLikely: false,
    alternatives: [],
    metadata: {},
    ...more,
  };
}

function resultOf(answers: Answer[], more: Partial<AskResult> = {}): AskResult {
  const steps = { encode: 0, terms: 0, dense: 0, read: 0, score: 0, text: 0 };
  const how = { strategy: "hybrid", level: "full", kind: "spans" } as const;
  return { question: "who?", ...how, answers, passages: [], steps, tookMs: 1.23456, ...more };
}

it("a long sentence without spaces is cut between characters", () => {
  const context = `${"天".repeat(100)}由李明创立${"地".repeat(100)}。`;
  const line = contextLine(answerIn(context, "李明"), plainStyle);
  expect(line).toBe(`“… ${"天".repeat(59)}由李明创立${"地".repeat(58)} …”`);
});

describe("answerLines", () => {
  it("prints rank, words, score, source and sentence", () => {
    const answer = answerIn("The observatory was founded by Ines Calder in 1911.", "Ines Calder");
    expect(answerLines(resultOf([answer]), { style: plainStyle, explain: false })).toEqual([
      "  1  Ines Calder  score  14.2  history.md:12  “The observatory was founded by Ines Calder in 1911.”",
    ]);
  });

  it("links each source to its file and page on a terminal, where the file exists", () => {
    const folder = mkdtempSync(join(tmpdir(), "verbatim links & "));
    writeFileSync(join(folder, "paper 1.pdf"), "");
    const linesOn = (output: { isTTY?: boolean }, env: Record<string, string>): string => {
      const elsewhere = { ...answerIn("It is Ines Calder.", "Ines Calder"), source: "gone.md" };
      const paper = { source: "paper 1.pdf", place: { page: 3 } };
      const answer = answerIn("It is Ines Calder.", "Ines Calder", { ...paper, evidence: [elsewhere] });
      const link = hyperlinkFor({ write: () => true, ...output }, { env, cwd: folder });
      return answerLines(resultOf([answer]), { style: plainStyle, link, explain: false }).join("\n");
    };
    const address = `${pathToFileURL(join(folder, "paper 1.pdf")).href}#page=3`;
    const linked = linesOn({ isTTY: true }, {});
    expect(linked).toContain(`\u001b]8;;${address}\u001b\\paper 1.pdf, page 3\u001b]8;;\u001b\\`);
    expect(linked).toContain("also in gone.md:12");
    for (const plain of [
      linesOn({}, {}),
      linesOn({ isTTY: true }, { NO_COLOR: "1" }),
      linesOn({ isTTY: true }, { TERM: "dumb" }),
    ])
      expect(plain).not.toContain("\u001b");
    rmSync(folder, { recursive: true });
  });

  it("says what was searched for instead of a mistyped question", () => {
    const answer = answerIn("The observatory was founded by Ines Calder in 1911.", "Ines Calder");
    const corrected = resultOf([answer], { searchedFor: "who founded the observatory?" });
    expect(answerLines(corrected, { style: plainStyle, explain: false })[0]).toBe(
      "Searched for: who founded the observatory?",
    );
    expect(resultJson(corrected).searchedFor).toBe("who founded the observatory?");
  });

  it("says which passages may answer, or that none is left", () => {
    const answer = answerIn("The observatory was founded by Ines Calder in 1911.", "Ines Calder");
    const restriction = { phrases: ["founded by"], excluded: ["pump"] };
    const lines = answerLines(resultOf([answer], { restriction }), { style: plainStyle, explain: false });
    expect(lines[0]).toBe("Only passages with “founded by” and without “pump”.");
    const none = resultOf([], {
      restriction: { phrases: ["founded\u001b by"], excluded: [], missing: ["founded\u001b by"] },
    });
    expect(answerLines(none, { style: plainStyle, explain: false })).toEqual([
      "None of the searched passages contains “founded by”. Remove the quotation marks to find the words anywhere.",
    ]);
    expect(resultJson(none).restriction).toEqual(none.restriction);
  });

  it("prints a list line by line, and a row below the header of its table", () => {
    const list = answerIn("To drain it:\n1. Close the valve.\n2. Open the tap.", "tap", { shown: "list" });
    const [, ...lines] = answerLines(resultOf([list]), { style: boldStyle, explain: false });
    expect(lines).toEqual(["     To drain it:", "     1. Close the valve.", "     2. Open the \u001b[1mtap\u001b[0m."]);
    const header = { text: "Name | Meaning", start: 50, end: 64 };
    const row = answerIn("port | where it listens", "port", { shown: "row", header });
    expect(answerLines(resultOf([row]), { style: plainStyle, explain: false }).slice(1)).toEqual([
      "     Name | Meaning",
      "     port | where it listens",
    ]);
  });

  it("marks the answer of a list in a line with null characters", () => {
    const list = answerIn("To drain it:\n1. Close\u0000valve\u0000B.\n2. Open the tap.", "valve\u0000B", {
      shown: "list",
    });
    const [, ...lines] = answerLines(resultOf([list]), { style: boldStyle, explain: false });
    expect(lines).toEqual(["     To drain it:", "     1. Close\u001b[1mvalve B\u001b[0m.", "     2. Open the tap."]);
  });

  it("prints other candidates in the same place", () => {
    const answer = answerIn("By Ines Calder and Otto Roe.", "Ines Calder", {
      alternatives: [{ text: "Otto\nRoe", start: 119, end: 127 }],
    });
    expect(answerLines(resultOf([answer]), { style: plainStyle, explain: false })[1]).toBe("     or “Otto Roe”");
  });

  it("does not cut a sentence that is the answer", () => {
    const sentence = `${"word ".repeat(40)}because of the frost.`;
    const answer = answerIn(sentence, "frost", { shown: "sentence" });
    expect(contextLine(answer, plainStyle)).toBe(`“${sentence}”`);
  });

  it("folds less likely answers into a line, unless all are asked for", () => {
    const first = answerIn("The observatory was founded by Ines Calder in 1911.", "Ines Calder");
    const second = answerIn("Anselm Roe built the dome.", "Anselm Roe", { lessLikely: true });
    const result = resultOf([first, second]);
    const folded = answerLines(result, { style: plainStyle, explain: false });
    expect(folded).toHaveLength(2);
    expect(folded[1]).toBe("     1 less likely answer hidden (show with --all)");
    const all = answerLines(result, { style: plainStyle, explain: false, all: true });
    expect(all).toHaveLength(2);
    expect(all[1]).toContain("Anselm Roe");
  });

  it("says how answers of the strategy lexical were found, and how to get better ones", () => {
    const answer = answerIn("The mill was sold to Ada Brown.", "Ada Brown");
    const reading = { passages: 10, milliseconds: 9, ended: "all" } as const;
    const noteOf = (more: Partial<AskResult>, readerIsOff = false): string | undefined =>
      answerLines(resultOf([answer], more), { style: plainStyle, explain: false, readerIsOff })[1];
    const lexical = { strategy: "lexical", level: "lexical" } as const;
    const sentences = { ...lexical, kind: "sentences" } as const;
    expect(noteOf(sentences)).toBe(
      "Whole sentences, found by keywords only (level lexical). For exact answers, install a reader or run verbatim upgrade.",
    );
    expect(noteOf(sentences, true)).toBe(
      "Whole sentences, found by keywords only (level lexical). For exact answers, omit --reader off or run verbatim upgrade.",
    );
    expect(noteOf({ ...sentences, level: "full" })).toBe(
      "Whole sentences, found by keywords only (strategy lexical). For exact answers, omit --strategy lexical.",
    );
    expect(noteOf({ ...lexical, reading })).toBe(
      "Passages found by keywords only (level lexical), answers by the reader, without a confidence.",
    );
    expect(noteOf({ strategy: "hybrid", level: "lexical", reading })).toBeUndefined(); // it has a confidence
  });

  it("cuts a long sentence at words on both sides", () => {
    const side = "word ".repeat(40);
    const line = contextLine(answerIn(`${side}founded by Ines Calder in ${side}`, "Ines Calder"), plainStyle);
    expect(line).toMatch(/^“… (word )+founded by Ines Calder in (word ?)+…”$/);
    expect(line.length).toBeLessThan(150);
  });

  it("marks the answer on a terminal, unless NO_COLOR is set", () => {
    const answer = answerIn("By Ines Calder.", "Ines Calder");
    expect(contextLine(answer, boldStyle)).toBe("“By \u001b[1mInes Calder\u001b[0m.”");
    const noColor = styleFor({ write: () => true, isTTY: true }, { NO_COLOR: "1" });
    expect(contextLine(answer, noColor)).toBe("“By Ines Calder.”");
  });

  it("removes control characters of documents", () => {
    const answer = answerIn("a\u001b]0;title\u0007b\nc \u001b[2J \u202edeh\u202c", "b\nc", {
      source: "x\u001b[31m.md",
    });
    const [line] = answerLines(resultOf([answer]), { style: plainStyle, explain: false });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they must not be there
    expect(line).not.toMatch(/[\u0000-\u001f\u202e]/);
    expect(line).toContain("b c");
  });

  it("names pages, lines and parts", () => {
    expect(placeLabel("a.pdf", { page: 3, line: 7 })).toBe("a.pdf, page 3");
    expect(placeLabel("a.md", { line: 7 })).toBe("a.md:7");
    expect(placeLabel("a.epub", { path: "ch2.xhtml" })).toBe("a.epub (ch2.xhtml)");
    expect(placeLabel("a.docx", {})).toBe("a.docx");
    expect(placeLabel("a.eml", { line: 3, path: "attachment b.txt" })).toBe("a.eml (attachment b.txt:3)");
    expect(placeLabel("a.mbox", { page: 3, path: "message 2, attachment b.pdf" })).toBe(
      "a.mbox (message 2, attachment b.pdf, page 3)",
    );
  });

  it("lists other occurrences of an answer, and reports no answer", () => {
    const other = answerIn("Ines Calder", "Ines Calder", { source: "b.txt", place: { line: 2 } });
    const answer = answerIn("By Ines Calder.", "Ines Calder", { evidence: [other, other, other, other] });
    const lines = answerLines(resultOf([answer]), { style: plainStyle, explain: false });
    expect(lines[1]).toBe("     also in b.txt:2, b.txt:2, b.txt:2 and 1 more");
    expect(answerLines(resultOf([]), { style: plainStyle, explain: false })).toEqual(["No answer found."]);
  });

  it("prints a score as the sum of its parts", () => {
    const answer = answerIn("By Ines Calder.", "Ines Calder", {
      score: 6.25,
      parts: { dense: 3.5, ngram: 2, terms: 1, tfidf: -0.5, vector: 0.25 },
      ngrams: [{ text: "ines calder", weight: 1.2345, side: "start" }],
    });
    const lines = answerLines(resultOf([answer]), { style: plainStyle, explain: true });
    expect(lines[1]).toBe("     dense 3.50 + n-grams 2.00 + terms 1.00 − tf-idf 0.50 + vector 0.25 = 6.25");
    expect(lines[2]).toBe("     n-grams: ines calder 1.23 (start)");
  });
});

describe("the --json object", () => {
  it("has the keys that docs/cli.md promises and no others", () => {
    const evidence = answerIn("By Ines Calder.", "Ines Calder");
    const bare = resultJson(resultOf([answerIn("By Ines Calder.", "Ines Calder", { evidence: [evidence] })]));
    const place = ["documentId", "end", "endByte", "endCodePoint", "place", "score", "source", "start", "startByte"];
    place.push("startCodePoint", "title");
    expect(Object.keys(bare).sort()).toEqual(["answers", "kind", "level", "question", "strategy", "tookMs"]);
    expect(Object.keys(bare.answers[0]!).sort()).toEqual(
      [
        ...[...place, "alternatives", "context", "contextStart", "contextEnd"],
        ...["evidence", "lessLikely", "metadata", "shown", "text"],
      ].sort(),
    );
    expect(Object.keys(bare.answers[0]!.evidence[0]!).sort()).toEqual(place.sort());
  });
});
