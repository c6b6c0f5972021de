/** Text of Word documents in equations and text boxes, and in files whose parts have other names. */

import { strToU8, unzipSync, zipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { readContent, readOne } from "./fixtures/folder.js";
import { docxOf, paragraph, run, WORD } from "./fixtures/office.js";

async function textOf(content: Uint8Array): Promise<string> {
  return (await readOne("a.docx", content)).text;
}

const NAMES = Object.entries({
  m: "http://schemas.openxmlformats.org/officeDocument/2006/math",
  mc: "http://schemas.openxmlformats.org/markup-compatibility/2006",
  wps: "http://schemas.microsoft.com/office/word/2010/wordprocessingShape",
  v: "urn:schemas-microsoft-com:vml",
})
  .map(([prefix, name]) => `xmlns:${prefix}="${name}"`)
  .join(" ");

describe("titles and headings", () => {
  const style = (id: string, name: string, more = "") =>
    `<w:style w:type="paragraph" w:styleId="${id}"><w:name w:val="${name}"/>${more}</w:style>`;
  const styles = `<w:styles ${WORD}>${[
    style("Heading1", "heading 1"),
    style("Title", "Title"),
    style("Kap", "Kapitel&apos;s", '<w:basedOn w:val="Heading1"/>'),
    style("Clause", "Clause", '<w:pPr><w:outlineLvl w:val="1"/></w:pPr>'),
    style("TOC", "TOC Heading", '<w:basedOn w:val="Heading1"/><w:pPr><w:outlineLvl w:val="9"/></w:pPr>'),
  ].join("")}</w:styles>`;

  it("are found by the outline level and the base of a style, and by the style Title", async () => {
    const long = `The tenant pays the rent ${"and the costs of the heating ".repeat(6)}each month.`;
    const body = [
      paragraph("Lease of the mill", "Title"),
      paragraph("Term", "Kap"),
      paragraph("Notice", "Clause"),
      paragraph(long, "Clause"),
      paragraph("Contents", "TOC"),
    ].join("");
    const content = docxOf(body, { more: { "word/styles.xml": strToU8(styles) } });
    const [document] = (await readContent("a.docx", content)).documents;
    const headings = document!.headings!.map(({ start, end, level }) => [level, document!.text.slice(start, end)]);
    expect(document!.title).toBe("Lease of the mill");
    expect(headings).toEqual([
      [1, "Term"],
      [2, "Notice"],
    ]);
    expect(document!.text).toContain(long);
  });
});

describe("an outline level of a paragraph itself", () => {
  const level = (value: string, more = "") => `<w:pPr>${more}<w:outlineLvl w:val="${value}"/></w:pPr>`;
  const headingsOf = async (body: string, more: Record<string, Uint8Array> = {}) => {
    const { documents, skips } = await readContent("a.docx", docxOf(body, { more }));
    expect(skips).toEqual([]);
    return documents[0]!.headings?.map(({ start, end, level }) => [level, documents[0]!.text.slice(start, end)]);
  };

  it("makes it a heading, unless it is body text, long, or the level is that before a change", async () => {
    const long = `The tenant pays the rent ${"and the costs of the heating ".repeat(6)}each month.`;
    const change = `<w:pPr><w:pPrChange>${level("0")}</w:pPrChange></w:pPr>`;
    const body = [
      `<w:p>${level("0")}${run("Term")}</w:p>`,
      `<w:p>${level("1", '<w:pStyle w:val="Quote"/>')}${run("Notice")}</w:p>`,
      `<w:p>${level("2", '<w:pStyle w:val="Heading1"/>')}${run("Rent")}</w:p>`,
      `<w:p>${level("9")}${run("Body")}</w:p><w:p>${level("-1")}${run("Odd")}</w:p><w:p>${change}${run("Was")}</w:p>`,
      `<w:p>${level("1")}${run(long)}</w:p>`,
      paragraph("The end"),
    ].join("");
    expect(await headingsOf(body)).toEqual([
      [1, "Term"],
      [2, "Notice"],
      [3, "Rent"],
    ]);
  });

  it("leaves it the number of the list that its style is in", async () => {
    const more = {
      "word/styles.xml": `<w:styles ${WORD}><w:style w:type="paragraph" w:styleId="Clause"><w:name w:val="Clause"/><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style></w:styles>`,
      "word/numbering.xml": `<w:numbering ${WORD}><w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:start w:val="7"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>`,
    };
    const body = `<w:p>${level("0", '<w:pStyle w:val="Clause"/>')}${run("Term")}</w:p>${paragraph("It ends.")}`;
    const parts = Object.fromEntries(Object.entries(more).map(([name, xml]) => [name, strToU8(xml)]));
    expect(await headingsOf(body, parts)).toEqual([[1, "7. Term"]]);
  });
});

describe("equations", () => {
  const math = (text: string) => `<m:r><w:rPr/><m:t>${text}</m:t></m:r>`;
  const part = (name: string, text: string) => `<m:${name}>${math(text)}</m:${name}>`;
  const property = (name: string, value: string) => `<m:${name} m:val="${value}"/>`;
  const equation = (content: string) =>
    `<w:p ${NAMES}>${run("Let ")}<m:oMathPara><m:oMath>${content}</m:oMath></m:oMathPara>${run(" hold.")}</w:p>`;

  it.each([
    ["plain", math("a &lt; b"), "a < b"],
    ["fraction", `${math("x=")}<m:f>${part("num", "a+b")}${part("den", "2")}</m:f>`, "x=(a+b)/2"],
    ["power", `<m:sSup>${part("e", "c")}${part("sup", "2")}</m:sSup>`, "c²"],
    ["power with letters", `<m:sSup>${part("e", "e")}${part("sup", "i+1")}</m:sSup>`, "e^(i+1)"],
    ["index", `<m:sSub>${part("e", "v")}${part("sub", "max")}</m:sSub>`, "v_max"],
    ["root", `<m:rad><m:deg/>${part("e", "x+1")}</m:rad>`, "√(x+1)"],
    ["cube root", `<m:rad>${part("deg", "3")}${part("e", "x")}</m:rad>`, "³√x"],
    [
      "sum",
      `<m:nary><m:naryPr>${property("chr", "∑")}</m:naryPr>${part("sub", "i=1")}${part("sup", "n")}${part("e", "i")}</m:nary>`,
      "∑_(i=1)^n i",
    ],
    [
      "brackets",
      `<m:d><m:dPr>${property("begChr", "[")}${property("endChr", "]")}</m:dPr>${part("e", "x")}</m:d>`,
      "[x]",
    ],
    ["function", `<m:func>${part("fName", "sin")}${part("e", "x")}</m:func>`, "sin x"],
    ["matrix", `<m:m><m:mr>${part("e", "1")}${part("e", "0")}</m:mr><m:mr>${part("e", "2")}</m:mr></m:m>`, "1 0; 2"],
    ["deleted text", `${math("a")}<w:del>${math("b")}</w:del>`, "a"],
  ])("are read as one line: %s", async (_what, content, text) => {
    expect(await textOf(docxOf(equation(content)))).toBe(`Let ${text} hold.`);
  });
});

describe("text boxes", () => {
  const content = (text: string) => `<w:txbxContent><w:p>${text}</w:p></w:txbxContent>`;
  const drawing = (text: string) => `<w:drawing><wps:txbx>${content(text)}</wps:txbx></w:drawing>`;
  const picture = (text: string, shape = "shape") =>
    `<w:pict><v:${shape}><v:textbox>${content(text)}</v:textbox></v:${shape}></w:pict>`;
  const alternatives = (choice: string, fallback: string) =>
    `<mc:AlternateContent><mc:Choice Requires="wps">${choice}</mc:Choice><mc:Fallback>${fallback}</mc:Fallback></mc:AlternateContent>`;

  it.each([
    ["without an alternative", drawing(run("Ring twice"))],
    ["whose alternative has it, too", alternatives(drawing(run("Ring twice")), picture(run("Ring twice")))],
    ["whose alternative is a picture", alternatives(drawing(run("Ring twice")), "<w:drawing/>")],
    ["of which only the alternative has text", alternatives("<w:drawing/>", picture(run("Ring twice"), "oval"))],
    ["in an oval", picture(run("Ring twice"), "oval")],
    [
      "in a group with a picture",
      alternatives(`<w:drawing><w:pict/>${alternatives(drawing(run("Ring twice")), "")}</w:drawing>`, ""),
    ],
  ])("are read below their paragraph: one %s", async (_what, box) => {
    expect(await textOf(docxOf(`<w:p ${NAMES}><w:r>${box}</w:r>${run("The bell")}</w:p>`))).toBe(
      "The bell\n\nRing twice",
    );
  });

  it("are read with the boxes and equations in them", async () => {
    const inner = `<w:r>${alternatives(drawing(run("Inner")), "<w:drawing/>")}</w:r>`;
    const math = "<m:oMath><m:r><m:t>y=2</m:t></m:r></m:oMath>";
    const outer = alternatives(drawing(`${run("Outer ")}${math}${inner}`), "<w:drawing/>");
    const text = await textOf(docxOf(`<w:p ${NAMES}><w:r>${outer}</w:r>${run("Text")}</w:p><w:p>${run("End")}</w:p>`));
    expect(text).toBe("Text\n\nOuter y=2\n\nInner\n\nEnd");
  });

  it("do not replace alternatives of whole paragraphs", async () => {
    const box = `<w:r>${drawing(run("Box"))}</w:r>`;
    const paragraphs = alternatives(`<w:p>${run("New")}${box}</w:p>`, `<w:p>${run("Old")}${box}</w:p>`);
    expect(await textOf(docxOf(`<w:sdt ${NAMES}><w:sdtContent>${paragraphs}</w:sdtContent></w:sdt>`))).toBe(
      "Old\n\nBox",
    );
  });
});

it("a document whose text part has another name is read, with the numbers of its lists", async () => {
  const numbered = `<w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr></w:pPr>${run("Scope")}</w:p>`;
  const numbering = `<w:numbering ${WORD}><w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:start w:val="4"/><w:numFmt w:val="decimal"/><w:lvlText w:val="§ %1"/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>`;
  const relation = `<Relationship Id="n" Type="http://x/numbering" Target="numbering2.xml"/></Relationships>`;
  const parts = Object.entries(unzipSync(docxOf(numbered))).map(([name, bytes]): [string, Uint8Array] => [
    name.replace("document.xml", "document2.xml"),
    strToU8(
      Buffer.from(bytes)
        .toString()
        .replace("word/document.xml", "word/document2.xml")
        .replace("</Relationships>", relation),
    ),
  ]);
  const zip = zipSync({ ...Object.fromEntries(parts), "word/numbering2.xml": strToU8(numbering) });
  expect(await textOf(zip)).toBe("§ 4 Scope");
});
