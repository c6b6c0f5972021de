/** Files that Pandoc and LibreOffice made from one manual and one table: complete text, places, headings, headers. */

import { strToU8, unzipSync, zipSync } from "fflate";
import { describe, expect, it } from "vitest";
import type { Document } from "../../src/types.js";
import { headingPath, tableHeader } from "../support/outline.js";
import { fixtureFile } from "./fixtures/fixture-file.js";
import { parseHere, placeOfPhrase, readContent, readOne, reasonFor, TestFolder } from "./fixtures/folder.js";
import { docxOf, run, WORD, withParts } from "./fixtures/office.js";

const SENTENCES = [
  "Unplug the pump before you open it.",
  "The impeller keeps turning for eleven seconds",
  "Call Müller & Søn.",
  "Grease the seals with lard.",
  "Replace them after 400 hours.",
  "Open the valve.",
  "Wait for nine minutes.",
  "Name | Torque | Price",
  "Bolt | 40 Nm | 3.50",
  "Flange | 65 Nm | 12.00",
  "A quoted warning: never run dry.",
  'return "pump"',
  "See the site and config.yaml for more.",
  "Measured by Ada Quist in 2019.",
];

describe.each([
  ["manual.odt", "odt", { path: "paragraph 4" }],
  ["manual.rtf", "rtf", { path: "paragraph 4" }],
  ["manual.pptx", "pptx", { path: "slide 2" }],
  ["manual.odp", "odp", { path: "slide 2" }],
  ["manual.ipynb", "notebook", { path: "cell 1" }],
  ["manual.rst", "rst", { line: 10 }],
  ["manual.adoc", "adoc", { line: 6 }],
  ["manual.org", "org", { line: 8 }],
  ["manual.tex", "tex", { line: 110 }],
  ["manual.1", "man", { line: 22 }],
])("%s", (name, kind, place) => {
  it("is read completely, in order of the source, with headings and places", async () => {
    const document = await readOne(name, fixtureFile(name));
    // A man page has the address of a link behind it.
    const text = document.text.replace(/\s+/g, " ").replace(" (https://example.org/x)", "");
    for (const sentence of SENTENCES) expect(text).toContain(sentence);
    expect(text).not.toMatch(/[*`{}]|\\|::|~~|<\w/);
    expect(document.map.kind).toBe(kind);
    expect(placeOfPhrase(document, "Unplug the pump")).toEqual(place);
    expect(headingPath(document, document.text.indexOf("Unplug")).at(-1)).toBe("Safety");
    expect(text.indexOf("Open the valve.")).toBeLessThan(text.indexOf("Wait for nine"));
    if (name !== "manual.odp")
      expect(await tableHeader(document, document.text.indexOf("65 Nm"))).toBe("Name | Torque | Price");
  });
});

it.each([
  "manual.odt",
  "manual.pptx",
  "manual.odp",
  "manual.adoc",
  "manual.org",
  "manual.rst",
  "manual.tex",
  "manual.1",
])("%s has the title of its source", async (name) => {
  expect((await readOne(name, fixtureFile(name))).title).toBe("The Harbour Pump Manual");
});

describe.each(["lights.xlsx", "lights.ods"])("%s", (name) => {
  it("gives each row as a line, with its header next to the text", async () => {
    const document = await readOne(name, fixtureFile(name));
    expect(document.text.split("\n").slice(-4)).toEqual([
      "Name | Height (m) | Built | Share | Keeper",
      "Skarn Tower | 41 | 1903-05-01 | 0.125 | Margit Hallam",
      "Odd Light | 17.5 | 1790-02-11 | 0.3",
      "North, Beacon | 9 | 2001-12-31 | 0.07 | Emil Grue",
    ]);
    expect(placeOfPhrase(document, "Odd Light")).toEqual({ path: expect.stringMatching(/, row 3$/) as string });
    expect(await tableHeader(document, document.text.indexOf("Emil"))).toBe(
      "Name | Height (m) | Built | Share | Keeper",
    );
    expect(document.metadata).toMatchObject({ columns: ["Name", "Height (m)", "Built", "Share", "Keeper"] });
  });
});

describe("archives of office programs", () => {
  it.each(["manual.odt", "manual.pptx", "lights.xlsx", "lights.ods"])(
    "%s is recognised without its ending",
    async (name) => {
      expect((await readOne("file", fixtureFile(name))).map.kind).toBe(name.split(".")[1]);
    },
  );

  it.each(["manual.odt", "manual.odp", "manual.pptx", "lights.xlsx", "lights.ods"])(
    "%s that was cut off is one line",
    async (name) => {
      const bytes = fixtureFile(name);
      expect(await reasonFor(name, bytes.subarray(0, bytes.length / 2))).toMatch(/^is damaged/);
    },
  );

  it.each([
    ["manual.odt", "content.xml"],
    ["lights.ods", "content.xml"],
    ["manual.odp", "content.xml"],
    ["lights.xlsx", "xl/worksheets/sheet1.xml"],
    ["manual.pptx", "ppt/slides/slide2.xml"],
  ])("%s with broken or deeply nested XML is one line", async (name, part) => {
    const whole = fixtureFile(name);
    expect(await reasonFor(name, withParts(whole, { [part]: "<a><b></a>" }))).toMatch(/^is damaged/);
    const deep = `${"<p>".repeat(600)}x${"</p>".repeat(600)}`;
    expect(await reasonFor(name, withParts(whole, { [part]: deep }))).toBe("is nested too deeply");
  });

  it("reads a field with the document's title in an .odt, and not the title of a picture", async () => {
    const field = `<text:p>Annex to <text:span><text:title>Lease of 3 May</text:title></text:span>.</text:p>`;
    const picture = `<text:p><draw:frame><svg:title>Company logo</svg:title><svg:desc>A red ship</svg:desc></draw:frame>Signed in Kiel.</text:p>`;
    const content = `<o:d xmlns:o="o" xmlns:text="t" xmlns:draw="d" xmlns:svg="s">${field}${picture}</o:d>`;
    const odt = withParts(fixtureFile("manual.odt"), { "content.xml": content });
    expect((await readOne("a.odt", odt)).text).toBe("Annex to Lease of 3 May.\n\nSigned in Kiel.");
  });

  it.each([
    [
      "manual.odt",
      "content.xml",
      '<o:d xmlns:o="o" xmlns:style="s" xmlns:text="t"><style:style style:name="T1" style:family="text"><style:text-properties style:text-position="super 58%"/></style:style><text:p>10<text:span text:style-name="T1">6</text:span> cycles<text:span>2</text:span></text:p></o:d>',
    ],
    [
      "manual.pptx",
      "ppt/slides/slide2.xml",
      '<p:sld xmlns:p="p" xmlns:a="a"><p:sp><a:p><a:r><a:t>10</a:t></a:r><a:r><a:rPr baseline="30000"/><a:t>6</a:t></a:r><a:r><a:t> cycles2</a:t></a:r></a:p></p:sp></p:sld>',
    ],
    [
      "lights.xlsx",
      "xl/worksheets/sheet1.xml",
      '<worksheet><sheetData><row r="1"><c t="inlineStr"><is><r><t>10</t></r><r><rPr><vertAlign val="superscript"/></rPr><t>6</t></r><r><t> cycles2</t></r></is></c></row></sheetData></worksheet>',
    ],
    [
      "lights.xlsx",
      "xl/sharedStrings.xml",
      '<sst><si><r><t>10</t></r><r><rPr><vertAlign val="superscript"/></rPr><t>6</t></r><r><t> cycles2</t></r></si></sst>',
    ],
  ])("keeps the exponent of a power of ten in %s, %s", async (name, part, content) => {
    const changed = withParts(fixtureFile(name), { [part]: content });
    expect((await readOne(name, changed)).text).toContain("10⁶ cycles2");
  });

  it("says that a password is needed", async () => {
    const ole = Buffer.concat([Buffer.from([0xd0, 0xcf, 0x11, 0xe0]), Buffer.from("EncryptedPackage", "utf16le")]);
    for (const name of ["a.xlsx", "a.pptx", "a.docx"]) expect(await reasonFor(name, ole)).toBe("is password-protected");
    const manifest = "<manifest><file-entry><encryption-data/></file-entry></manifest>";
    const odt = withParts(fixtureFile("manual.odt"), { "META-INF/manifest.xml": manifest });
    expect(await reasonFor("a.odt", odt)).toBe("is password-protected");
  });

  it("does not follow relationships out of the archive or run macros", async () => {
    const parts = unzipSync(fixtureFile("lights.xlsx"));
    const relations = Buffer.from(parts["xl/_rels/workbook.xml.rels"]!).toString("utf8");
    const outside = relations.replace(
      /Target="worksheets\/sheet1.xml"/,
      'Target="file:///etc/passwd" TargetMode="External"',
    );
    expect(outside).not.toBe(relations);
    expect(
      await reasonFor(
        "a.xlsm",
        zipSync({ ...parts, "xl/_rels/workbook.xml.rels": strToU8(outside), "xl/vbaProject.bin": strToU8("x") }),
      ),
    ).toBe("has no text");
  });
});

describe("sheets", () => {
  /** @param parts  other parts that are replaced */
  const sheet = (rows: string, parts: Record<string, string> = {}) =>
    withParts(fixtureFile("lights.xlsx"), {
      "xl/worksheets/sheet1.xml": `<worksheet><sheetData>${rows}</sheetData></worksheet>`,
      ...parts,
    });

  it("reads a hundred thousand rows", async () => {
    const rows = Array.from(
      { length: 100_000 },
      (_, i) => `<row r="${i + 1}"><c><v>${i}</v></c><c t="inlineStr"><is><t>name ${i}</t></is></c></row>`,
    );
    const folder = await new TestFolder().write({ "a.xlsx": sheet(rows.join("")) });
    let parts = 0;
    const { documents } = await parseHere(folder.input("a.xlsx"), { onPart: () => parts++ });
    folder.remove();
    expect(documents[0]!.text).toContain("99999 | name 99999");
    expect(placeOfPhrase(documents[0]!, "name 99999")).toEqual({
      path: expect.stringMatching(/row 100000$/) as string,
    });
    // Six elements a row: without parts, the limit on the time of one would end a sheet of a million rows.
    expect(parts).toBe(6);
  });

  const text = (reference: string, value: string) => `<c r="${reference}" t="inlineStr"><is><t>${value}</t></is></c>`;
  const number = (reference: string, value: number, style = 0) =>
    `<c r="${reference}" s="${style}"><v>${value}</v></c>`;
  const row = (...cells: string[]) => `<row>${cells.join("")}</row>`;
  const rowsOf = ({ text: shown }: Document) => shown.split("\n").filter((line) => line.includes("|"));

  it("keep the names of rows below an empty first cell of the header", async () => {
    const header = row(text("C1", "Berlin"), text("D1", "Hamburg"));
    const body = row(text("B2", "Rent"), number("C2", 900), number("D2", 850)) + row(number("D3", 28));
    const document = await readOne("a.xlsx", sheet(header + body));
    expect(rowsOf(document)).toEqual([" | Berlin | Hamburg", "Rent | 900 | 850", " |  | 28"]);
    expect(await tableHeader(document, document.text.indexOf("900"))).toBe(" | Berlin | Hamburg");
    expect(document.metadata).toMatchObject({ columns: ["Berlin", "Hamburg"] });
  });

  it("keep text to the left of a header that is written already", async () => {
    const header = row(text("C1", "Berlin"), text("D1", "Hamburg"));
    const body = row(number("C2", 900), number("D2", 850)) + row(text("A3", "Water"), number("C3", 30));
    const document = await readOne("a.xlsx", sheet(header + body));
    expect(rowsOf(document)).toEqual(["Berlin | Hamburg", "900 | 850", "Water |  | 30"]);
    expect(await tableHeader(document, document.text.indexOf("900"))).toBe("Berlin | Hamburg");
  });

  it("keep a header without rows below it", async () => {
    const document = await readOne("a.xlsx", sheet(row(text("B1", "Berlin"), text("C1", "Hamburg"))));
    expect(rowsOf(document)).toEqual(["Berlin | Hamburg"]);
  });

  it("keep the names of rows below an empty first cell of the header of an .ods", async () => {
    const cells = (...values: string[]) =>
      `<table-row>${values.map((value) => `<table-cell>${value && `<p>${value}</p>`}</table-cell>`).join("")}</table-row>`;
    const content = `<d><table name="a">${cells("", "Berlin", "Hamburg")}${cells("Rent", "900", "850")}</table></d>`;
    const document = await readOne("a.ods", withParts(fixtureFile("lights.ods"), { "content.xml": content }));
    expect(rowsOf(document)).toEqual([" | Berlin | Hamburg", "Rent | 900 | 850"]);
  });

  it("have years for names of columns", async () => {
    const header = row(text("A1", "Cost"), number("B1", 2022), number("C1", 2023), number("D1", 2024));
    const body = row(text("A2", "Heating"), number("B2", 410), number("D2", 520));
    const document = await readOne("a.xlsx", sheet(header + body));
    expect(rowsOf(document)).toEqual(["Cost | 2022 | 2023 | 2024", "Heating | 410 |  | 520"]);
    expect(await tableHeader(document, document.text.indexOf("520"))).toBe("Cost | 2022 | 2023 | 2024");
  });

  it("do not take a year among other numbers for a name, and keep cells in their columns", async () => {
    const body =
      row(text("A1", "Anna"), number("B1", 2019), number("C1", 2023)) +
      row(text("A2", "Staff"), number("D2", 12)) +
      row(number("B3", 7), number("C3", 8));
    const document = await readOne("a.xlsx", sheet(body));
    expect(rowsOf(document)).toEqual(["Anna | 2019 | 2023", "Staff |  |  | 12", " | 7 | 8"]);
  });

  it("show durations as totals of hours, minutes or seconds", async () => {
    const codes = ["[h]:mm", "[hh]:mm:ss", "[mm]:ss", "[s]", "[h]", "[Red][h]&quot; h &quot;mm;-[h]:mm"];
    const own = (tag: (i: number) => string) => codes.map((_, i) => tag(i)).join("");
    const styles = `<styleSheet><numFmts>${own((i) => `<numFmt numFmtId="${164 + i}" formatCode="${codes[i]}"/>`)}</numFmts>
      <cellXfs><xf numFmtId="0"/><xf numFmtId="46"/>${own((i) => `<xf numFmtId="${164 + i}"/>`)}</cellXfs></styleSheet>`;
    const rows =
      row(...["A", "B", "C", "D", "E", "F", "G"].map((column, i) => number(`${column}1`, 1.5208333, i + 1))) +
      row(number("A2", 1, 2), number("B2", -0.25, 2), number("C2", 0.000011574, 3), number("D2", 1e300, 2));
    expect(rowsOf(await readOne("a.xlsx", sheet(rows, { "xl/styles.xml": styles })))).toEqual([
      "36:30:00 | 36:30 | 36:30:00 | 2190:00 | 131400 | 36 | 36:30",
      "24:00 | -6:00 | 00:00:01 | 1e+300",
    ]);
  });

  it("show numbers with the texts, zeros and scale of their formats", async () => {
    const cases: [code: string, value: number, shown: string][] = [
      ["00000", 1234, "01234"],
      ['"INV-"0000', 42, "INV-0042"],
      ['0.0" °C"', -80.46, "-80.5 °C"],
      ['#,##0.0#\\ "kg"', 1500, "1500.0 kg"],
      ['0.0,,"M"', 2_500_000, "2.5M"],
      ['"Yes";;"No"', 1, "Yes"],
      ['"Yes";;"No"', 0, "No"],
      ['"Yes";;"No"', -3, "-3"],
      ["000-00-0000", 12_345_678, "012-34-5678"],
      ["[Red]0.00 [$€-407];(0.00 [$€-407])", -1.5, "(1.50 €)"],
      ['_-* #,##0.00\\ "€"_-;\\-* #,##0.00\\ "€"_-;_-* "-"??\\ "€"_-', 0, "- €"],
      ["[<=9999999]###-####;(###) ###-####", 5_550_199, "5550199"],
      ["# ?/?", 0.5, "1/2"],
      ["# ?/?", 4 / 11, "1/3"],
      ["# ?/?", 1.95, "2"],
      ["# ?/?", -1.5, "-1 1/2"],
      ["# ??/??", 123.456, "123 26/57"],
      ["#,##0\\ ???/???", 1234.344, "1234 43/125"],
      ['# ?/8" in"', 2.5, "2 4/8 in"],
      ["# ??/16", 0, "0"],
      ["0 ?/?", 0.25, "0 1/4"],
      ["?/?", 1.5, "3/2"],
      ["# ?/?/?", 0.5, "0.5"],
      ["#,##0.00", 1234.5, "1234.50"],
      ["0.00", 23.7881, "23.79"],
      ["0.00", 1.005, "1.01"],
      ["#,##0", 1999.6, "2000"],
      ["0%", 1 / 3, "33 %"],
      ["0.0%", 0.125, "12.5 %"],
      ["0.0%;[Red]-0.0%", -1 / 3, "-33.3 %"],
      ["[>1]0%;0.0%", 0.125, "12.5 %"],
      ["#,##0.00_);[Red](#,##0.00)", -5, "-5.00"],
      ['_(* #,##0.00_);_(* \\(#,##0.00\\);_(* "-"??_);_(@_)', 0, "0.00"],
      ["0.00", 1e-7, "0.00"],
      ["0", 123_456_789_012_345, "123456789012345"],
      ["General", 23.7881, "23.7881"],
      ["@", 23.7881, "23.7881"],
    ];
    const escaped = (code: string) => code.replaceAll('"', "&quot;").replaceAll("<", "&lt;");
    const formats = cases.map(([code], i) => `<numFmt numFmtId="${164 + i}" formatCode="${escaped(code)}"/>`);
    const styles = `<styleSheet><numFmts>${formats.join("")}</numFmts><cellXfs>${cases.map((_, i) => `<xf numFmtId="${164 + i}"/>`).join("")}</cellXfs></styleSheet>`;
    const rows = cases.map(([, value], i) => row(text("A1", "x"), number("B1", value, i), number("C1", 1, 99)));
    const content = sheet(rows.join(""), { "xl/styles.xml": styles });
    expect(rowsOf(await readOne("a.xlsx", content))).toEqual(cases.map(([, , shown]) => `x | ${shown} | 1`));
  });

  it("show times with AM and PM where their formats do", async () => {
    const cases: [code: string, value: number, shown: string][] = [
      ["h:mm AM/PM", 0.62847222, "3:05 PM"],
      ["[$-409]hh:mm AM/PM;@", 0.3, "07:12 AM"],
      ["[$-F400]h:mm:ss\\ AM/PM", 0.62847222, "3:05:00 PM"],
      ["h AM/PM", 0.5, "12 PM"],
      ["h:mm a/p", 0, "12:00 AM"],
      ["h:mm AM/PM", 0.62877315, "3:05 PM"],
      ["m/d/yy h:mm AM/PM", 46_000.62847222, "2025-12-09 3:05 PM"],
      ["h:mm", 0.62847222, "15:05"],
    ];
    const formats = cases.map(([code], i) => `<numFmt numFmtId="${164 + i}" formatCode="${code}"/>`);
    const builtIns = [12, 13, 18, 19].map((id) => `<xf numFmtId="${id}"/>`).join("");
    const styles = `<styleSheet><numFmts>${formats.join("")}</numFmts><cellXfs>${cases.map((_, i) => `<xf numFmtId="${164 + i}"/>`).join("")}${builtIns}</cellXfs></styleSheet>`;
    const rows = cases.map(([, value], i) => row(text("A1", "x"), number("B1", value, i)));
    const values = [1.5, 0.3125, 0.625, 0.625].map((value, i) => number(`${"ABCD"[i]}9`, value, cases.length + i));
    const content = sheet(rows.join("") + row(...values), { "xl/styles.xml": styles });
    expect(rowsOf(await readOne("a.xlsx", content))).toEqual([
      ...cases.map(([, , shown]) => `x | ${shown}`),
      "1 1/2 | 5/16 | 3:00 PM | 3:00:00 PM",
    ]);
  });

  it("do not take fractions for names of columns, but seasons such as 2023/24", async () => {
    const styles = '<styleSheet><cellXfs><xf numFmtId="0"/><xf numFmtId="12"/></cellXfs></styleSheet>';
    const values = row(text("A1", "Bolt"), number("B1", 1.5, 1)) + row(text("A2", "Nut"), number("B2", 0.25, 1));
    const measured = await readOne("a.xlsx", sheet(values, { "xl/styles.xml": styles }));
    expect(rowsOf(measured)).toEqual(["Bolt | 1 1/2", "Nut | 1/4"]);
    const header = row(text("A1", "2022/23"), text("B1", "2023/24")) + row(number("A2", 7), number("B2", 8));
    const seasons = await readOne("a.xlsx", sheet(header));
    expect(await tableHeader(seasons, seasons.text.indexOf("7"))).toBe("2022/23 | 2023/24");
  });

  it("have another header where one with more names follows an empty row", async () => {
    const form = row(text("A1", "Customer"), text("B1", "Acme")) + row(text("A2", "Contact"), text("B2", "Jane"));
    const items = `<row r="4">${text("A4", "Item")}${text("B4", "Supplier")}${text("C4", "Price")}</row>`;
    const values = `<row r="5">${text("A5", "Valve")}${text("B5", "Kern")}${number("C5", 12)}</row>`;
    const document = await readOne("a.xlsx", sheet(form + items + values));
    expect(rowsOf(document)).toEqual([
      "Customer | Acme",
      "Contact | Jane",
      "Item | Supplier | Price",
      "Valve | Kern | 12",
    ]);
    expect(await tableHeader(document, document.text.indexOf("Kern"))).toBe("Item | Supplier | Price");
    expect(await tableHeader(document, document.text.indexOf("Jane"))).toBe("Customer | Acme");
    expect(document.metadata).toMatchObject({ columns: ["Customer", "Acme"] });
  });

  it("read escaped characters, and no phonetic hints", async () => {
    const hint = `<c t="inlineStr"><is><r><t>東京</t></r><rPh sb="0" eb="2"><t>トウキョウ</t></rPh></is></c>`;
    const cells = row(text("A1", "Pay by_x000D_\nMay 3"), `<c t="s"><v>0</v></c>`, hint);
    const strings = "<sst><si><t>4_x0020_mm_x005F_x000D_ and _xyz_</t></si></sst>";
    expect(rowsOf(await readOne("a.xlsx", sheet(cells, { "xl/sharedStrings.xml": strings })))).toEqual([
      "Pay by May 3 | 4 mm_x000D_ and _xyz_ | 東京",
    ]);
  });

  it("keeps a cell that names a far column from filling memory", async () => {
    const { documents } = await readContent(
      "a.xlsx",
      sheet('<row r="1"><c r="ZZZZZZ1"><v>1</v></c><c r="B1"><v>2</v></c></row>'),
    );
    expect(documents[0]!.text).toMatch(/2$/);
  });

  it("writes a repeated row of an .ods a bounded number of times", async () => {
    const content = `<d><table name="a"><table-row number-rows-repeated="1000000"><table-cell number-columns-repeated="1000000"><p>x</p></table-cell></table-row></table></d>`;
    const { text: written } = await readOne("a.ods", withParts(fixtureFile("lights.ods"), { "content.xml": content }));
    expect(written.length).toBeLessThan(10_000_000);
  });
});

describe("slides", () => {
  it("have the points of their SmartArt, in the place of the slide", async () => {
    const relation = `<Relationship Id="rId9" Type="http://x/diagramData" Target="../diagrams/data1.xml"/>`;
    const point = (text: string) => `<d:pt><d:t><a:p><a:r><a:t>${text}</a:t></a:r></a:p></d:t></d:pt>`;
    const parts = {
      "ppt/slides/slide1.xml": `<p:sld xmlns:p="p" xmlns:d="d"><p:graphicFrame><d:relIds r:dm="rId9" xmlns:r="r"/></p:graphicFrame></p:sld>`,
      "ppt/slides/_rels/slide1.xml.rels": `<Relationships>${relation}</Relationships>`,
      "ppt/diagrams/data1.xml": `<d:data xmlns:d="d" xmlns:a="a"><d:pt><d:t> </d:t></d:pt>${point("Collect the shells")}${point("Sort by size")}</d:data>`,
    };
    const document = await readOne("a.pptx", withParts(fixtureFile("manual.pptx"), parts));
    expect(document.text).toMatch(/^Collect the shells\nSort by size\n\n/);
    expect(placeOfPhrase(document, "Sort by size")).toEqual({ path: "slide 1" });
  });
});

describe("docx", () => {
  it("reads notes, without the marks that lead to them and back", async () => {
    const office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
    const note = `<w:footnotes ${WORD}><w:footnote w:id="2"><w:p>${run("The footnote.")}</w:p></w:footnote></w:footnotes>`;
    const relation = `<Relationship Id="rId1" Type="${office}/footnotes" Target="footnotes.xml"/>`;
    const relations = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${relation}</Relationships>`;
    const body = `<w:p>${run("Text with a note")}<w:r><w:footnoteReference w:id="2"/></w:r>${run(" and an end.")}</w:p>`;
    const more = { "word/footnotes.xml": strToU8(note), "word/_rels/document.xml.rels": strToU8(relations) };
    expect((await readOne("a.docx", docxOf(body, { more }))).text).toBe(
      "Text with a note and an end.\n\nThe footnote.",
    );
  });

  it.each([
    [
      "a simple field",
      `<w:fldSimple w:instr=" DOCPROPERTY Number "><w:r><w:t>4711-B</w:t></w:r></w:fldSimple>`,
      "4711-B",
    ],
    [
      "what furigana are above",
      `<w:r><w:ruby><w:rubyPr/><w:rt><w:r><w:t>とうきょう</w:t></w:r></w:rt><w:rubyBase><w:r><w:t>東京</w:t></w:r></w:rubyBase></w:ruby></w:r><w:r><w:t>に行く</w:t></w:r>`,
      "東京に行く",
    ],
    ["text of the other direction", `<w:bdo w:val="rtl"><w:r><w:t>مرحبا</w:t></w:r></w:bdo>`, "مرحبا"],
    [
      "raised numbers",
      `<w:r><w:t>10</w:t></w:r><w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:t>6</w:t></w:r><w:r><w:t> units</w:t></w:r>`,
      "10⁶ units",
    ],
    [
      "check boxes",
      [true, false]
        .map(
          (checked) =>
            `<w:sdt><w:sdtPr><w14:checkbox xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml"><w14:checked w14:val="${Number(checked)}"/></w14:checkbox></w:sdtPr><w:sdtContent><w:r><w:t>☒</w:t></w:r></w:sdtContent></w:sdt><w:r><w:t> ${checked}</w:t></w:r>`,
        )
        .join(""),
      "☑ true ☐ false",
    ],
    [
      "tabs to a margin",
      `<w:r><w:t>Rent</w:t><w:ptab w:relativeTo="margin" w:alignment="right" w:leader="none"/><w:t>900</w:t><w:ptab></w:ptab><w:t>euros</w:t></w:r>`,
      "Rent 900 euros",
    ],
    ["a carriage return", `<w:r><w:t>one</w:t><w:cr/><w:t>two</w:t></w:r>`, "one\ntwo"],
    ["a page break", `<w:r><w:t>one.</w:t><w:br w:type="page"/><w:t>two</w:t></w:r>`, "one.\ntwo"],
    [
      "a column break",
      `<w:r><w:t>one</w:t></w:r><w:r><w:br w:clear="all" w:type="column"/><w:t>two</w:t></w:r>`,
      "one\ntwo",
    ],
    [
      "no hidden text",
      `<w:pPr><w:rPr><w:vanish/></w:rPr></w:pPr><w:r><w:rPr><w:vanish/></w:rPr><w:t>secret</w:t><w:t/></w:r><w:r><w:rPr><w:b/><w:vanish w:val="0"/></w:rPr><w:t>shown</w:t></w:r><w:r><w:t> too</w:t></w:r>`,
      "shown too",
    ],
    ["a page break at the end", `<w:r><w:t>one</w:t><w:br w:type="page"/></w:r>`, "one"],
  ])("reads %s", async (_what, content, text) => {
    expect((await readOne("a.docx", docxOf(`<w:p>${content}</w:p>`))).text).toBe(text);
  });
});

describe("rtf", () => {
  it.each([
    ["accents in a code page", String.raw`{\rtf1\ansi\ansicpg1252 M\'fcller\par}`, "Müller"],
    ["quotes in a code page", String.raw`{\rtf1\ansi\ansicpg1252 Don\'92t pay \'80 5\par}`, "Don’t pay € 5"],
    ["a code page of two bytes", String.raw`{\rtf1\ansi\ansicpg936 \'d6\'d0\'ce\'c4\par}`, "中文"],
    [
      "a font with another character set",
      String.raw`{\rtf1\ansi\ansicpg1252{\fonttbl{\f0\fcharset0 Arial;}{\f1\fnil\fcharset204 Arial Cyr;}}\f1 \'c4\'ee\'ec {\f0 M\'fcller}\par}`,
      "Дом Müller",
    ],
    ...[
      ["characters for second bytes", "128", String.raw`\'83e\'83X\'83g 1`, "テスト 1"],
      ["line ends between bytes", "128", "\\'83\r\n\\'65\\'83\n\\'58\\'83\ng", "テスト"],
      ["escaped second bytes", "128", String.raw`\'95\\ \'92\{\'83\}`, "表 畜マ"],
      ["half-width characters", "128", String.raw`\'c3\'bd\'c4e`, "ﾃｽﾄe"],
      ["simplified Chinese", "134", String.raw`\'81@\'d6\'d0e`, "丂中e"],
      ["traditional Chinese", "136", String.raw`\'a4@\'a4\'e9`, "一日"],
      ["Korean", "129", String.raw`\'b0\'a1e`, "가e"],
      ["single bytes before letters", "204", String.raw`\'c4\'eee\'ec`, "Доeм"],
    ].map(([what, charset, bytes, text]): [string, string, string] => [
      `${what} in a font's character set`,
      `{\\rtf1\\ansi{\\fonttbl{\\f0\\fcharset${charset} A;}}\\f0 ${bytes}\\par}`,
      text!,
    ]),
    ["a first byte alone", String.raw`{\rtf1\ansi\ansicpg932 a\'83\b b\'83{c}\par}`, "a\ufffdb\ufffdc"],
    ["Unicode with a replacement of two bytes", String.raw`{\rtf1\ansicpg932\uc2 \u12486\'83eX\par}`, "テX"],
    ["Unicode with a replacement", String.raw`{\rtf1\uc1 na\u239?ve \u-10179?\u-8704?\par}`, "naïve 😀"],
    ["what follows hidden text", String.raw`{\rtf1 a\v secret\plain  b\par}`, "a b"],
    ["hidden text and pictures", String.raw`{\rtf1 a{\v secret}{\pict 0102}b{\*\unknown c}\par}`, "ab"],
    [
      "raised numbers",
      String.raw`{\rtf1 10{\super 6} units\super 2\nosupersub 3, 1{\super st}\par}`,
      "10⁶ units²3, 1st",
    ],
    ["what a tracked change leaves", String.raw`{\rtf1 a{\deleted\revauthdel1 gone }b\par}`, "ab"],
    ["binary data", `{\\rtf1 a{\\pict\\bin5 }}}}}}b\\par}`, "ab"],
    ["a link", String.raw`{\rtf1 {\field{\*\fldinst HYPERLINK "http://x"}{\fldrslt here}}\par}`, "here"],
  ])("reads %s", async (_what, source, text) => {
    expect((await readOne("a.rtf", Buffer.from(source, "latin1"))).text.trim()).toBe(text);
  });

  it("is one line when damaged or nested too deeply", async () => {
    expect(await reasonFor("a.rtf", "text")).toMatch(/^is damaged/);
    expect(await reasonFor("a.rtf", `{\\rtf1 ${"{".repeat(10_000)}`)).toBe("is nested too deeply");
  });
});
