import { describe, expect, it } from "vitest";
import { parseQuestion } from "../../src/ask/question-syntax.js";
import type { ListedDocument } from "./http/schemas.js";
import { overviewOf, questionAbout } from "./overview.js";

const TEXT =
  "Pump manual\n\nRead this first, and keep it near the pump.\n\nCleaning the filter\n\nOpen the lid and rinse the filter with cold water.";

describe("questionAbout", () => {
  it("asks about the first heading after the title", () => {
    expect(questionAbout("Pump manual", TEXT)).toBe("What does ‘Pump manual’ say about ‘Cleaning the filter’?");
  });

  it("has no double quotation marks: phrases in them must be in the answer's passage", () => {
    const text = "The “old” filter\n\nOpen the lid and rinse the filter with cold water.";
    const question = questionAbout('Manual of the "Ada"', text)!;
    expect(question).toBe("What does ‘Manual of the Ada’ say about ‘The old filter’?");
    expect(parseQuestion(question).restriction).toBeUndefined();
  });

  it("takes a heading that is a question as it is, and leaves its number out", () => {
    const text = "2.1 Who is covered?\n\nYou, your partner, and children under 19 who travel with you.";
    expect(questionAbout("Policy", text)).toBe("Who is covered?");
  });

  it("skips headings that say nothing about the document", () => {
    const body = "It reads the files that are named, one after another, and prints them.";
    expect(questionAbout("cat(1)", `NAME\n\n${body}\n\nOverview\n\n${body}`)).toBeUndefined();
    expect(questionAbout("cat(1)", `Overview\n\n${body}\n\nExit status\n\n${body}`)).toContain("Exit status");
    expect(questionAbout("泵手册", `清洗过滤器\n\n${body}`)).toContain("清洗过滤器");
  });

  it("finds nothing in prose, rows and short last lines", () => {
    const prose = "It rained all day, and the boat stayed in the harbour.\n\nNext day it did not.";
    expect(questionAbout("Diary", prose)).toBeUndefined();
    expect(questionAbout("Bridges", "Name | Length\n\nIron bridge | 86 metres and more words")).toBeUndefined();
    expect(questionAbout("Letter", "Dear Ann, it is cold here and we are well.\n\nYours Bob")).toBeUndefined();
  });
});

describe("overviewOf", () => {
  const days: Record<string, string | undefined> = {
    "notes/old.md": "2020-05-01",
    "notes/new.md": "2031-01-02",
    "manuals/pump.md": "2030-12-31",
    "note sent": undefined,
  };
  const store = {
    ids: async () => Object.keys(days),
    describe: async (id: string): Promise<ListedDocument> => ({
      ...{ id, title: "Pump manual", source: id, length: TEXT.length, passages: 1 },
      metadata: days[id] === undefined ? {} : { "file.modified": days[id] },
    }),
    text: async (id: string) => (id === "manuals/pump.md" ? TEXT : "Nothing."),
  };

  it("lists folders by size, documents by day, and questions from headings", async () => {
    const { documents, folders, newest, questions } = await overviewOf(store);
    expect(documents).toBe(4);
    expect(folders).toEqual([
      { folder: "notes", documents: 2 },
      { folder: "", documents: 1 },
      { folder: "manuals", documents: 1 },
    ]);
    expect(newest.map(({ id }) => id)).toEqual(["notes/new.md", "manuals/pump.md", "notes/old.md", "note sent"]);
    expect(questions).toEqual(["What does ‘Pump manual’ say about ‘Cleaning the filter’?"]);
  });

  it("is empty while there is no index", async () => {
    const none = { ...store, ids: async () => undefined };
    expect(await overviewOf(none)).toEqual({ documents: 0, folders: [], newest: [], questions: [] });
  });
});
