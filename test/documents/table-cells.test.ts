/** Cells of tables: an empty one keeps the others in their columns, in every format. */

import { describe, expect, it } from "vitest";
import { tableHeader } from "../support/outline.js";
import { fixtureFile } from "./fixtures/fixture-file.js";
import { placeOfPhrase, readOne } from "./fixtures/folder.js";
import { docxOf, epubOf, odfCell, odfRow, table, withParts, xhtml } from "./fixtures/office.js";

const ROWS = [
  ["Name", "Phone", "Mobile", "Note"],
  ["Ana", "", "555-1", ""],
  ["", "", "555-2", "at night"],
];
const TEXT = "Name | Phone | Mobile | Note\nAna |  | 555-1\n |  | 555-2 | at night";

/** Every row, made of its cells. */
const rows = (row: (cells: string) => string, cell: (text: string) => string): string[] =>
  ROWS.map((cells) => row(cells.map(cell).join("")));

const htmlTable = (() => {
  const [head, ...body] = rows(
    (cells) => `<tr>${cells}</tr>`,
    (text) => `<td>${text}</td>`,
  );
  return `<table>${head!.replaceAll("td>", "th>")}${body.join("")}</table>`;
})();
const odfRows = rows(
  (cells) => `<table:table-row>${cells}</table:table-row>`,
  (text) => odfCell(text === "" ? "<text:p/>" : `<text:p>${text}</text:p>`),
);
const odtTable = `<table:table><table:table-header-rows>${odfRows[0]}</table:table-header-rows>${odfRows.slice(1).join("")}</table:table>`;
const odt = (content: string) =>
  withParts(fixtureFile("manual.odt"), {
    "content.xml": `<o:d xmlns:o="o" xmlns:table="t" xmlns:text="x">${content}</o:d>`,
  });
const pptxRows = rows(
  (cells) => `<a:tr>${cells}</a:tr>`,
  (text) => `<a:tc><a:txBody><a:p>${text === "" ? "" : `<a:r><a:t>${text}</a:t></a:r>`}</a:p></a:txBody></a:tc>`,
);
const pptx = (tableRows: string) =>
  withParts(fixtureFile("manual.pptx"), {
    "ppt/slides/slide2.xml": `<p:sld xmlns:p="p" xmlns:a="a"><p:graphicFrame><a:tbl>${tableRows}</a:tbl></p:graphicFrame></p:sld>`,
  });
const rtf = `{\\rtf1 ${rows(
  (cells) => `\\trowd\\intbl ${cells}\\row`,
  (text) => `${text}\\cell `,
).join("\n")}\\pard After\\par}`;
const pipes = ROWS.map((cells) => `| ${cells.join(" | ")} |`);

describe.each([
  ["HTML", "a.html", htmlTable],
  ["Markdown", "a.md", [pipes[0], "|---|---|---|---|", ...pipes.slice(1)].join("\n")],
  ["EPUB", "a.epub", epubOf([["c.xhtml", xhtml("c", htmlTable)]])],
  ["docx", "a.docx", docxOf(table(ROWS).replace("<w:tr>", "<w:tr><w:trPr><w:tblHeader/></w:trPr>"))],
  ["odt", "a.odt", odt(odtTable)],
  ["pptx", "a.pptx", pptx(pptxRows.join(""))],
  ["RTF", "a.rtf", rtf],
  ["Org", "a.org", [pipes[0], "|---+---+---+---|", ...pipes.slice(1)].join("\n")],
])("An empty cell of a table in %s", (_format, name, content) => {
  it("keeps the others in their columns", async () => {
    const document = await readOne(name, content);
    expect(document.text).toContain(TEXT);
    for (const cell of ["555-1", "555-2", "at night"])
      expect(await tableHeader(document, document.text.indexOf(cell))).toBe("Name | Phone | Mobile | Note");
    expect(placeOfPhrase(document, "555-1")).not.toEqual({});
  });
});

describe("The name of a column", () => {
  const slideCell = (...paragraphs: string[]) =>
    `<a:tc><a:txBody>${paragraphs.map((text) => `<a:p><a:r><a:t>${text}</a:t></a:r></a:p>`).join("")}</a:txBody></a:tc>`;

  it.each([
    [
      "HTML",
      "a.html",
      '<table><tr><th>Unit<br>price<th><div>Name</div>of it<span style="display:none">sort</span></tr><tr><td>3 euros<td>oil</tr></table>',
    ],
    [
      "odt",
      "a.odt",
      odt(
        `<table:table><table:table-header-rows>${odfRow("<text:p>Unit</text:p><text:p>price</text:p>", "<text:p>Name<text:line-break/>of it</text:p>")}</table:table-header-rows>${odfRow("<text:p>3 euros</text:p>", "<text:p>oil</text:p>")}</table:table>`,
      ),
    ],
    [
      "pptx",
      "a.pptx",
      pptx(
        `<a:tr>${slideCell("Unit", "price")}${slideCell("Name", "of it")}</a:tr><a:tr>${slideCell("3 euros")}${slideCell("oil")}</a:tr>`,
      ),
    ],
    [
      "RTF",
      "a.rtf",
      String.raw`{\rtf1 \trowd\intbl Unit\par price\cell Name\line of it\cell\row\trowd\intbl 3 euros\cell oil\cell\row\pard After\par}`,
    ],
  ])("has a space between its lines in %s", async (_format, name, content) => {
    const document = await readOne(name, content);
    expect(await tableHeader(document, document.text.indexOf("3 euros"))).toBe("Unit price | Name of it");
  });
});

it("The source of a formula in HTML is not read beside it", async () => {
  const source =
    '<p>Let <math><semantics><mrow><mi>E</mi><mo>=</mo><mi>m</mi></mrow><annotation encoding="application/x-tex">E=m</annotation></semantics></math> hold.</p>';
  expect((await readOne("a.html", source)).text).toBe("Let E=m hold.");
});

describe("Merged cells", () => {
  it("keep the others in their columns in HTML", async () => {
    const source = `<table><tr><th>City<th>Kind<th>Rent<th>Note</tr>
      <tr><td rowspan=2>Ulm<td>Flat<td>900<td rowspan=0>new</tr>
      <tr><td>House<td>1800</tr>
      <tr><td colspan=2>All<td>2700</tr></table>`;
    expect((await readOne("a.html", source)).text).toBe(
      "City | Kind | Rent | Note\nUlm | Flat | 900 | new\n | House | 1800\nAll |  | 2700",
    );
  });

  it("keep the others in their columns in odt", async () => {
    const cell = (text: string) => odfCell(`<text:p>${text}</text:p>`);
    const covered = "<table:covered-table-cell/>";
    const source = `<table:table><table:table-row>${cell("Ulm")}${cell("Flat")}${cell("900")}</table:table-row><table:table-row>${covered}${cell("House")}${cell("1800")}</table:table-row></table:table>`;
    expect((await readOne("a.odt", odt(source))).text).toBe("Ulm | Flat | 900\n | House | 1800");
  });

  it.each([
    ["one column", "1", "City | Rent | Heating\nUlm | 900 | 30\n | 800 | 20"],
    ["no column", "0", "City | Rent | Heating\nUlm | 900 | 30\n800 | 20"],
    ["an invalid number", "x", "City | Rent | Heating\nUlm | 900 | 30\n800 | 20"],
  ])("that a row in docx leaves out at its start keep the others in their columns: %s", async (_what, count, text) => {
    const [header, ...rows] = table([
      ["City", "Rent", "Heating"],
      ["Ulm", "900", "30"],
      ["800", "20"],
    ])
      .split("<w:tr>")
      .slice(1);
    const skipping = `<w:trPr><w:gridBefore w:val="${count}"/><w:wBefore w:w="100"/><w:trPrChange><w:trPr/></w:trPrChange></w:trPr>`;
    const body = `<w:tbl><w:tr><w:trPr><w:tblHeader/></w:trPr>${header}<w:tr>${rows[0]}<w:tr>${skipping}${rows[1]}`;
    const document = await readOne("a.docx", docxOf(body));
    expect(document.text).toBe(text);
    expect(await tableHeader(document, document.text.indexOf("800"))).toBe("City | Rent | Heating");
  });

  it("that a row in docx leaves out by the million cost little", async () => {
    const row = table([["x"]]).replace("<w:tr>", '<w:tr><w:trPr><w:gridBefore w:val="999999999"/></w:trPr>');
    expect((await readOne("a.docx", docxOf(row.repeat(500)))).text.length).toBeLessThan(10_000);
  });

  it("in odt keep the others in their columns if they are repeated, with or without text", async () => {
    const cell = (text: string, times?: number) =>
      `<table:table-cell${times === undefined ? "" : ` table:number-columns-repeated="${times}"`}>${text && `<text:p>${text}</text:p>`}</table:table-cell>`;
    const row = (...cells: string[]) => `<table:table-row>${cells.join("")}</table:table-row>`;
    const covered = '<table:covered-table-cell table:number-columns-repeated="2"/>';
    const header = `<table:table-header-rows>${row(cell("City"), cell("Rent", 2), cell("Note"))}</table:table-header-rows>`;
    const inner = `<table:table>${row(cell("x", 50))}</table:table>`;
    const source = [
      `<table:table>${header}${row(cell("Ulm"), cell("900", 2), cell("new"))}${row(cell("Bonn"), cell("", 2), cell("old"))}`,
      `${row(cell("All"), covered, cell("end"))}${row(cell("", 1_000_000_000), cell("far"))}</table:table>`,
      `<table:table>${row(`<table:table-cell table:number-columns-repeated="50">${inner}</table:table-cell>`)}</table:table>`,
    ].join("");
    const document = await readOne("a.odt", odt(source));
    expect(document.text).toMatch(
      /^City \| Rent \| Rent \| Note\nUlm \| 900 \| 900 \| new\nBonn \| {2}\| {2}\| old\nAll \| {2}\| {2}\| end\n[ |]+ far\n/,
    );
    expect(document.text.length).toBeLessThan(2000);
    expect(await tableHeader(document, document.text.indexOf("old"))).toBe("City | Rent | Rent | Note");
  });

  it("of a form, which has no header, leave no empty cells", async () => {
    const source = `<table><tr><td colspan=4>Name: Ana<td>Date: 3 May</tr>
      <tr><td>Room: 4<td colspan=3>Floor: 2<td>Desk: 1</tr></table>`;
    expect((await readOne("a.html", source)).text).toBe("Name: Ana | Date: 3 May\nRoom: 4 | Floor: 2 | Desk: 1");
  });

  it("that say that they cover millions of cells cost little", async () => {
    const row = `<tr>${"<td rowspan=99999 colspan=1000>x</td>".repeat(500)}</tr>`;
    const { text } = await readOne("a.html", `<table>${row}${"<tr><td>y</td></tr>".repeat(1000)}</table>`);
    expect(text.length).toBeLessThan(10_000);
  });
});

describe("A table of HTML that is a layout", () => {
  it.each([
    ["columns for space", "<tr><td><img src=a><td>Menu<td>&nbsp;<td>Text</tr>", "Menu | Text"],
    ["paragraphs in its cells", "<tr><td><td><p>a</p><p>b</p><td><td><p>c</p><p>d</p></tr>", "a\n\nb\n\nc\n\nd"],
    ["a table in a cell", `<tr><td><td>Menu<td><td><table><tr><td>a<td>b</table></tr>`, "Menu\n\na | b"],
  ])("has no empty cells: %s", async (_what, source, text) => {
    expect((await readOne("a.html", `<table>${source}<tr><td></tr></table>`)).text).toBe(text);
  });
});

it("reads the description of an image that is a cell's only content", async () => {
  const html =
    '<table><tr><th>Model</th><th>Heated</th><th>Note</th></tr><tr><td>P10</td><td><img alt="Yes"></td><td>new <img alt="star"></td></tr></table>';
  expect((await readOne("a.html", html)).text).toBe("Model | Heated | Note\nP10 | Yes | new");
});

describe("A table in a cell of a table in RTF", () => {
  const row = String.raw`{\*\nesttableprops\trowd\cellx1000\cellx2000\nestrow}{\nonesttables\par}`;
  const inner = (...cells: string[]) =>
    `\\pard\\intbl\\itap2 ${cells.map((cell) => `${cell}\\nestcell `).join("")}${row}`;
  const cell = (text: string) => `\\pard\\intbl\\itap1 ${text}\\cell`;
  const table = inner("Inlet", "40 mm") + inner("Outlet", "25 mm");

  it("is read in the order of the text, and leaves the row its cells and their names", async () => {
    const names = `\\trowd ${["Pump", "Parts", "Price"].map(cell).join("")}\\row`;
    const source = `{\\rtf1 ${names}\\trowd ${cell("P10")}\\pard\\intbl Two pipes:\\par ${table}${cell("made of brass")}${cell("12")}\\row\\pard After\\par}`;
    const document = await readOne("a.rtf", source);
    expect(document.text).toBe(
      "Pump | Parts | Price\nP10 | Two pipes: Inlet 40 mm Outlet 25 mm made of brass | 12\n\nAfter",
    );
    expect(await tableHeader(document, document.text.indexOf("Outlet"))).toBe("Pump | Parts | Price");
  });

  it("is part of the row that begins with it, and is not a column name", async () => {
    const first = `${table}${cell("")}${cell("Second")}{\\trowd\\cellx2000\\cellx4000\\row}`;
    const second = `\\trowd ${cell("a")}${cell("b")}\\row`;
    const document = await readOne("a.rtf", `{\\rtf1 Before\\par ${first}${second}\\pard After\\par}`);
    expect(document.text).toBe("Before\n\nInlet 40 mm Outlet 25 mm | Second\na | b\n\nAfter");
  });

  it("is not assumed for a paragraph without a cell, which does not become part of the next table", async () => {
    const stray = String.raw`\pard\intbl Stray.\par\pard Text.\par`;
    const rows = [
      ["Name", "Price"],
      ["Bolt", "12"],
    ]
      .map((row) => `\\trowd ${row.map(cell).join("")}\\row`)
      .join("");
    const document = await readOne("a.rtf", `{\\rtf1 ${stray}${rows}\\pard After\\par}`);
    expect(document.text).toMatch(/^Stray.\s+Text.\n\nName \| Price\nBolt \| 12\n\nAfter$/);
    expect(await tableHeader(document, document.text.indexOf("Bolt"))).toBe("Name | Price");
  });
});
