/** Text boxes, shapes and formulas of OpenDocument files. */

import { describe, expect, it } from "vitest";
import { tableHeader } from "../support/outline.js";
import { fixtureFile } from "./fixtures/fixture-file.js";
import { placeOfPhrase, readOne } from "./fixtures/folder.js";
import { odfRow, withParts } from "./fixtures/office.js";

const NAMES = ["office", "text", "table", "draw", "svg", "math", "number", "style"]
  .map((prefix) => `xmlns:${prefix}="${prefix}"`)
  .join(" ");

/** A file whose content is this, in the place of that of a file made by LibreOffice. */
function readAs(sample: "manual.odt" | "lights.ods", content: string) {
  const xml = `<office:document-content ${NAMES}>${content}</office:document-content>`;
  return readOne(`a.${sample.slice(-3)}`, withParts(fixtureFile(sample), { "content.xml": xml }));
}

const readText = (content: string) => readAs("manual.odt", content);
const paragraph = (content: string) => `<text:p>${content}</text:p>`;
const box = (content: string) => `<draw:frame><draw:text-box>${content}</draw:text-box></draw:frame>`;

describe("text boxes and shapes of a text", () => {
  it.each([
    ["a text box", `The bell ${box(paragraph("Ring twice."))}rings.`, "The bell rings.\n\nRing twice."],
    [
      "a shape in a group",
      `The bell <draw:g><draw:custom-shape>${paragraph("Ring")}</draw:custom-shape></draw:g>rings.`,
      "The bell rings.\n\nRing",
    ],
    [
      "a box in a box",
      box(paragraph(`Outer ${box(paragraph("Inner"))}box`) + paragraph("End")),
      "Outer box\n\nInner\n\nEnd",
    ],
    ["two boxes", `a${box(paragraph("One"))}b${box(paragraph("Two"))}c`, "abc\n\nOne\n\nTwo"],
    [
      "a box in a note",
      `Open<text:note><text:note-body>${paragraph(`See ${box(paragraph("Box"))}below.`)}</text:note-body></text:note> it.`,
      "Open it.\n\nSee below. Box",
    ],
    [
      "a comment with a picture",
      `a<office:annotation><draw:frame>${paragraph("no")}</draw:frame></office:annotation>b`,
      "ab",
    ],
  ])("are read below their paragraph, once: %s", async (_what, content, text) => {
    expect((await readText(paragraph(content))).text).toBe(text);
  });

  it("are not part of a heading, and have places in their order", async () => {
    const heading = `<text:h text:outline-level="1">Safe${box(paragraph("Boxed"))}ty</text:h>`;
    const document = await readText(heading + paragraph("Unplug it."));
    expect(document.text).toBe("Safety\n\nBoxed\n\nUnplug it.");
    expect(document.headings).toEqual([{ start: 0, end: 6, level: 1 }]);
    expect(placeOfPhrase(document, "Boxed")).toEqual({ path: "paragraph 2" });
    expect(placeOfPhrase(document, "Unplug")).toEqual({ path: "paragraph 3" });
  });

  it("in a cell or an item stay in it", async () => {
    const table = `<table:table>${odfRow(paragraph(`a${box(paragraph("x"))}b`), paragraph("c"))}</table:table>`;
    const list = `<text:list><text:list-item>${paragraph(`One ${box(paragraph("box"))}item`)}</text:list-item></text:list>`;
    expect((await readText(table + list)).text).toBe("ab x | c\n\n• One item\nbox");
  });
});

it("text boxes of a sheet are read below its rows, and leave the cells their text and names", async () => {
  const shapes = `<table:shapes>${box(`${paragraph(`All prices<text:s/>in ${box(paragraph("Inner"))}euros`)}<svg:desc>red</svg:desc>`)}</table:shapes>`;
  const rows = [
    odfRow(`${box(paragraph("Mind the step."))}${paragraph("Name")}`, paragraph("Price")),
    odfRow(paragraph(`Bolt${box(paragraph("M8") + paragraph(""))}`), paragraph("12")),
  ].join("");
  const table = (name: string, content: string) => `<table:table table:name="${name}">${content}</table:table>`;
  const document = await readAs("lights.ods", table("A", shapes + rows) + table("B", odfRow(paragraph("x"))));
  expect(document.text).toBe(
    "A\n\nName | Price\nBolt | 12\n\nAll prices in euros\n\nInner\n\nMind the step.\n\nM8\n\nB\n\nx",
  );
  expect(await tableHeader(document, document.text.indexOf("12"))).toBe("Name | Price");
  expect(await tableHeader(document, document.text.indexOf("M8"))).toBeUndefined();
  expect(placeOfPhrase(document, "All prices")).toEqual({ path: "A" });
  expect(placeOfPhrase(document, "M8")).toEqual({ path: "A, row 2" });
  expect(document.metadata).toMatchObject({ columns: ["Name", "Price"] });
});

describe("content of an OpenDocument file that is not text", () => {
  const formula =
    "<math:math><math:semantics><math:mi>E</math:mi><math:annotation>E = m</math:annotation></math:semantics></math:math>";
  const frames: [what: string, frame: string][] = [
    ["a formula", `<draw:frame><draw:object>${formula}</draw:object></draw:frame>`],
    ["a formula in a paragraph", `<draw:frame><draw:object>${paragraph(formula)}</draw:object></draw:frame>`],
    ["a formula in a part of its own", '<draw:frame><draw:object href="./Object 1"/><draw:image/></draw:frame>'],
    [
      "a picture",
      "<draw:frame><draw:image><office:binary-data>iVBORw0KGgo</office:binary-data></draw:image></draw:frame>",
    ],
    [
      "an OLE object",
      "<draw:frame><draw:object-ole><office:binary-data>0M8R4</office:binary-data></draw:object-ole></draw:frame>",
    ],
  ];

  it.each(frames)("is left out of a text: %s", async (_what, frame) => {
    expect((await readText(paragraph(`Let ${frame}it hold.`))).text).toBe("Let it hold.");
  });

  it.each(frames)("is left out of a sheet: %s", async (_what, frame) => {
    const row = odfRow(paragraph(`Let ${frame}it`), paragraph("hold"));
    expect((await readAs("lights.ods", `<table:table table:name="Sheet1">${row}</table:table>`)).text).toBe(
      "Let it | hold",
    );
  });

  it("is left out of a text: the format of a date", async () => {
    const format = "<number:date-style><number:day/><number:text>. o'clock</number:text></number:date-style>";
    expect(
      (await readText(`<office:automatic-styles>${format}</office:automatic-styles>${paragraph("Text")}`)).text,
    ).toBe("Text");
  });
});
