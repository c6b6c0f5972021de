/**
 * The manual and the table as other programs write them: complete text, headings, places. fixtures/make.sh made them.
 */

import { describe, expect, it } from "vitest";
import type { Place } from "../../src/types.js";
import { headingPath, tableHeader } from "../support/outline.js";
import { fixtureFile } from "./fixtures/fixture-file.js";
import { placeOfPhrase, readContent } from "./fixtures/folder.js";

const SAFETY = "Unplug the pump before you open it. The impeller keeps turning for eleven seconds";
const LISTS = [
  "Grease the seals with lard.",
  "Replace them after 400 hours.",
  "Open the valve.",
  "Wait for nine minutes.",
];
const ROWS = ["Name | Torque | Price", "Bolt | 40 Nm | 3.50", "Flange | 65 Nm | 12.00"];
const WARNING = "A quoted warning: never run dry.";
const NOTE = "Measured by Ada Quist in 2019.";
const ALL = [SAFETY, "Call Müller & Søn.", ...LISTS, ...ROWS, WARNING, NOTE];
const BRIEF = [SAFETY, "Call Müller & Søn.", WARNING];

/** File, kind, the sentences that it has, the place of the first, and the heading above it. */
const FILES: [name: string, kind: string, sentences: string[], place: Place, heading?: string][] = [
  ["libreoffice/manual.docx", "docx", ALL, { path: "p[3]" }, "Safety"],
  ["libreoffice/manual.odt", "odt", ALL, { path: "paragraph 4" }, "Safety"],
  ["libreoffice/manual.rtf", "rtf", ALL, { path: "paragraph 4" }, "Safety"],
  ["libreoffice/manual.html", "html", ALL, {}, "Safety"],
  ["libreoffice/manual.pptx", "pptx", ALL, { path: "slide 2" }, "Safety"],
  ["libreoffice/manual.odp", "odp", [...BRIEF, ...LISTS, ...ROWS], { path: "slide 2" }, "Safety"],
  ["python/manual.docx", "docx", ALL, { path: "p[1]" }, "Safety"],
  ["python/manual.pptx", "pptx", ALL, { path: "slide 2" }, "Safety"],
  ["python/manual.odt", "odt", ALL, { path: "paragraph 2" }, "Safety"],
  ["python/manual.odp", "odp", [...BRIEF, ...LISTS, NOTE], { path: "slide 2" }],
  ["python/manual.rtf", "rtf", ALL, { path: "paragraph 2" }],
  ["python/manual.epub", "epub", [...BRIEF, NOTE], { path: "safety.xhtml" }, "Safety"],
  ["python/manual-nbformat.ipynb", "notebook", [...BRIEF, NOTE, 'return "pump"'], { path: "cell 1" }, "Safety"],
  ["python/manual-jupytext.ipynb", "notebook", [SAFETY, 'return "pump"'], { path: "cell 1" }, "Safety"],
  ["python/manual-docutils.1", "man", [SAFETY, ...LISTS, WARNING], {}, "Safety"],
  ["python/manual-docutils.tex", "tex", ALL, {}, "Safety"],
  ["python/manual-docutils.html", "html", [SAFETY, ...LISTS, ...ROWS, WARNING], {}, "Safety"],
  ["python/manual-pod2man.1", "man", [...BRIEF, LISTS[0]!], {}, "SAFETY"],
  ["python/manual.srt", "subtitles", [WARNING], {}],
  ["python/manual.vtt", "subtitles", [WARNING], {}],
  ["programs/manual-docx.rst", "rst", ALL, { line: 10 }, "Safety"],
  ["programs/manual-ipynb.rst", "rst", [...BRIEF, NOTE, 'return "pump"'], {}],
  ["programs/manual-docx.adoc", "adoc", ALL, {}, "Safety"],
  ["programs/manual-txt2tags.adoc", "adoc", [...BRIEF, ...LISTS, NOTE], { line: 7 }, "Safety"],
  ["programs/manual-docx.org", "org", ALL, {}, "Safety"],
  ["programs/manual-ipynb.org", "org", [...BRIEF, NOTE, 'return "pump"'], {}, "Safety"],
  ["programs/manual-txt2tags.1", "man", [...BRIEF, ...LISTS, NOTE], {}, "Safety"],
  ["programs/manual-txt2tags.tex", "tex", [...BRIEF, ...LISTS, NOTE], {}, "Safety"],
  ["programs/manual-ffmpeg.srt", "subtitles", [WARNING], { line: 2, path: "00:00:01" }],
  ["programs/manual-ffmpeg.vtt", "subtitles", [WARNING], { line: 3, path: "00:00:01" }],
  ["programs/manual-ass.srt", "subtitles", [WARNING], { line: 2, path: "00:00:01" }],
  ["programs/manual-ass.vtt", "subtitles", [WARNING], { line: 3, path: "00:00:01" }],
];

it.each(FILES)(
  "%s is read completely, in order, with headings and places",
  async (name, kind, sentences, place, heading) => {
    const { documents, skips } = await readContent(name, fixtureFile(name));
    expect(skips).toEqual([]);
    const [document] = documents;
    expect(document!.map.kind).toBe(kind);
    const text = document!.text.replace(/\s+/g, " ");
    for (const sentence of sentences) expect(text).toContain(sentence);
    const first = placeOfPhrase(document!, "Unplug the pump");
    expect(first).toMatchObject(place);
    if (heading !== undefined) {
      const path = headingPath(document!, document!.text.indexOf("Unplug"));
      expect(path.at(-1)).toBe(heading);
    }
  },
);

it.each([
  "libreoffice/lights.xlsx",
  "libreoffice/lights.ods",
  "python/lights-openpyxl.xlsx",
  "python/lights-xlsxwriter.xlsx",
  "python/lights.ods",
])("%s gives each row as a line below its header", async (name) => {
  const { documents, skips } = await readContent(name, fixtureFile(name));
  expect(skips).toEqual([]);
  const [document] = documents;
  expect(document!.text).toMatch(/Skarn Tower \| 41 \| 1903-05-01 \| 0\.125 \| Margit Hallam\nOdd Light \| 17\.5 \|/);
  expect(document!.text).toContain("North, Beacon | 9 | 2001-12-31 | 0.07 | Emil Grue");
  expect(placeOfPhrase(document!, "Odd Light").path).toMatch(/, row 3$/);
  expect(await tableHeader(document!, document!.text.indexOf("Emil"))).toBe(
    "Name | Height (m) | Built | Share | Keeper",
  );
});

describe("mail that Python's email package wrote", () => {
  it("has its fields, its text once, and the attachment as a document", async () => {
    const { documents, skips } = await readContent("pump.eml", fixtureFile("python/pump.eml"));
    expect(skips).toEqual([]);
    const [mail, attached] = documents;
    expect(mail!.title).toBe("Pump seals");
    expect(mail!.metadata).toMatchObject({
      subject: "Pump seals",
      from: "Ada Quist <ada@example.org>",
      to: ["Emil Grüe <emil@example.org>"],
    });
    expect(mail!.text.split(SAFETY)).toHaveLength(2);
    for (const sentence of ALL) expect(attached!.text.replace(/\s+/g, " ")).toContain(sentence);
  });

  it("gives each message of a mailbox, with quoted text apart", async () => {
    const { documents, skips } = await readContent("pump.mbox", fixtureFile("python/pump.mbox"));
    expect(skips).toEqual([]);
    expect(documents.map(({ title }) => title)).toEqual(["Pump seals", expect.any(String), "Re: Pump seals"]);
    expect(documents[2]!.text).toContain("From Monday on it is greased.");
    expect(documents[2]!.text).not.toContain(SAFETY);
  });
});

describe("mail of other programs", () => {
  it.each(["pump-mpack.eml", "pump-mimelite.eml", "pump-emailmime.eml"])("%s has its text and fields", async (name) => {
    const { documents, skips } = await readContent(name, fixtureFile(`programs/${name}`));
    expect(skips).toEqual([]);
    const [mail, attached] = documents;
    expect(mail!.metadata).toMatchObject({ subject: expect.stringMatching(/^Pump seals/) });
    expect(mail!.text.split(SAFETY)).toHaveLength(2);
    expect(mail!.text).toMatch(/Ada$/);
    if (name === "pump-mpack.eml") expect(attached!.text).toContain("Skarn Tower | 41");
  });

  it("patches as git writes them are a message each, with the place of its text", async () => {
    const { documents, skips } = await readContent("patches.mbox", fixtureFile("programs/patches-git.mbox"));
    expect(skips).toEqual([]);
    expect(documents.map(({ title }) => title)).toEqual([
      "[PATCH 1/2] Grease the seals",
      "[PATCH 2/2] Replace the seals",
    ]);
    expect(documents[0]!.text).toContain(SAFETY);
    expect(documents[1]!.text).toContain("From Monday on they are replaced after 400 hours.");
    expect(placeOfPhrase(documents[1]!, "From Monday on").path).toMatch(/^message 2\b/);
  });

  it("a mailbox of formail has its messages, with lines that begin with From", async () => {
    const { documents, skips } = await readContent("pump.mbox", fixtureFile("programs/pump-formail.mbox"));
    expect(skips).toEqual([]);
    expect(documents.map(({ title }) => title)).toEqual(["Pump seals", "Re: Pump seals"]);
    expect(documents[0]!.text).toContain(SAFETY);
    expect(documents[0]!.text).toMatch(/(?<!>)From Monday on it is greased\./);
  });
});
