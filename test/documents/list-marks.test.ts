/** Bullets and numbers of list items, in formats whose files store them, or leave counting to the program. */

import { strToU8 } from "fflate";
import { describe, expect, it } from "vitest";
import { numberText } from "../../adapters/node/documents/formats/list-marks.js";
import { fixtureFile } from "./fixtures/fixture-file.js";
import { readContent } from "./fixtures/folder.js";
import { docxOf, WORD, withParts } from "./fixtures/office.js";

async function textOf(name: string, content: string | Uint8Array): Promise<string> {
  const { documents, skips } = await readContent(name, content);
  expect(skips).toEqual([]);
  return documents.map(({ text }) => text).join("\n\n");
}

describe("files that programs made from one manual", () => {
  it.each([
    ...[
      "manual.adoc",
      "manual.ipynb",
      "manual.md",
      "manual.odp",
      "manual.odt",
      "manual.org",
      "manual.rst",
      "manual.rtf",
    ],
    ...["manual.tex", "manual.1", "libreoffice/manual.docx", "libreoffice/manual.html", "libreoffice/manual.odp"],
    ...["libreoffice/manual.odt", "libreoffice/manual.pptx", "libreoffice/manual.rtf", "programs/manual-docx.adoc"],
    ...["programs/manual-docx.org", "programs/manual-docx.rst", "programs/manual-txt2tags.1"],
    ...["programs/manual-txt2tags.adoc", "programs/manual-txt2tags.tex", "python/manual-docutils.1"],
    ...["python/manual-docutils.html", "python/manual-docutils.tex", "python/manual.docx"],
  ])("%s has its bullets and numbers", async (name) => {
    const lines = (await textOf(name.replace(/^.*\//, ""), fixtureFile(name)))
      .split("\n")
      .filter((line) => line !== "");
    const at = lines.indexOf("• Grease the seals with lard.");
    expect(lines.slice(at, at + 4)).toEqual([
      "• Grease the seals with lard.",
      "• Replace them after 400 hours.",
      "1. Open the valve.",
      "2. Wait for nine minutes.",
    ]);
  });
});

describe("Word", () => {
  const level = (n: number, format: string, text: string, more = "") =>
    `<w:lvl w:ilvl="${n}"><w:start w:val="1"/><w:numFmt w:val="${format}"/>${more}<w:lvlText w:val="${text}"/></w:lvl>`;
  const contract = `<w:abstractNum w:abstractNumId="5">${level(0, "decimal", "%1.", '<w:pStyle w:val="Clause"/>')}${level(1, "decimal", "%1.%2")}${level(2, "lowerLetter", "(%3)")}</w:abstractNum>`;
  const bullets = `<w:abstractNum w:abstractNumId="6">${level(0, "bullet", "")}</w:abstractNum>`;
  const other = `<w:abstractNum w:abstractNumId="7">${level(0, "upperRoman", "Part %1:")}${level(1, "decimal", "%1-%2", "<w:isLgl/>")}${level(2, "none", "")}${level(3, "chineseCounting", "第%4条", '<w:suff w:val="nothing"/>')}</w:abstractNum>`;
  const lists = `<w:num w:numId="1"><w:abstractNumId w:val="5"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="6"/></w:num><w:num w:numId="3"><w:abstractNumId w:val="7"/></w:num><w:num w:numId="4"><w:abstractNumId w:val="5"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="10"/></w:lvlOverride></w:num>`;
  const styles = `<w:styles ${WORD}><w:style w:type="paragraph" w:styleId="Clause"><w:name w:val="Clause"/><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style><w:style w:type="paragraph" w:styleId="Sub"><w:name w:val="Sub"/><w:basedOn w:val="Clause"/></w:style></w:styles>`;
  const item = (text: string, list: number | undefined, at = 0, style = "") =>
    `<w:p><w:pPr>${style && `<w:pStyle w:val="${style}"/>`}${list === undefined ? "" : `<w:numPr><w:ilvl w:val="${at}"/><w:numId w:val="${list}"/></w:numPr>`}</w:pPr>${text && `<w:r><w:t>${text}</w:t></w:r>`}</w:p>`;
  const documentOf = (body: string, numbering = contract + bullets + other + lists) =>
    docxOf(body, {
      more: {
        "word/numbering.xml": strToU8(`<w:numbering ${WORD}>${numbering}</w:numbering>`),
        "word/styles.xml": strToU8(styles),
      },
    });
  const linesOf = async (...args: Parameters<typeof documentOf>) =>
    (await textOf("a.docx", documentOf(...args))).split(/\n+/);

  it("counts clauses over several levels, interrupted by other paragraphs", async () => {
    const body = [
      item("Rent", 1) + item("It is due monthly.", 1, 1) + item("By transfer", 1, 2) + item("In cash", 1, 2),
      item("A note.", undefined) + item("It may rise.", 1, 1) + item("Deposit", 1) + item("Three rents.", 1, 1),
    ].join("");
    expect(await linesOf(body)).toEqual([
      ...["1. Rent", "1.1 It is due monthly.", "(a) By transfer", "(b) In cash", "A note.", "1.2 It may rise."],
      ...["2. Deposit", "2.1 Three rents."],
    ]);
  });

  it("knows bullets, lists of styles, numbers that begin elsewhere, and lists without numbers", async () => {
    const body =
      item("Scope", undefined, 0, "Clause") +
      item("Term", undefined, 0, "Sub") +
      item("Oil", 2) +
      item("Plain", 0, 0, "Clause");
    expect(await linesOf(body + item("Ten", 4) + item("Eleven", 4) + item("Twelve", 1))).toEqual([
      ...["1. Scope", "2. Term", "• Oil", "Plain", "10. Ten", "11. Eleven", "12. Twelve"],
    ]);
    expect(await linesOf(item("One", 3) + item("Two", 3) + item("Two-one", 3, 1) + item("None", 3, 2))).toEqual([
      ...["Part I: One", "Part II: Two", "2-1 Two-one", "None"],
    ]);
    expect(await linesOf(item("押金", 3, 3) + item("", 3, 3) + item("租金", 3, 3))).toEqual([
      "第一条押金",
      "第三条租金",
    ]);
  });

  it("reads the text of a list whose definition is missing or endless", async () => {
    expect(await linesOf(item("Text", 9))).toEqual(["Text"]);
    const endless = `<w:abstractNum w:abstractNumId="5">${level(0, "decimal", "x".repeat(100_000))}</w:abstractNum>${lists}`;
    expect((await textOf("a.docx", documentOf(item("Text", 1).repeat(50), endless))).length).toBeLessThan(5000);
  });

  it("lets levels begin again where their definition says so, and uses the levels of a list of its own", async () => {
    const never = `<w:abstractNum w:abstractNumId="5">${level(0, "decimal", "Article %1")}${level(1, "decimalZero", "Section %2", '<w:lvlRestart w:val="0"/>')}</w:abstractNum>`;
    const own = `<w:num w:numId="1"><w:abstractNumId w:val="5"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="5"/><w:lvlOverride w:ilvl="0">${level(0, "lowerLetter", "(%1)")}</w:lvlOverride></w:num>`;
    const body = item("a", 1) + item("b", 1, 1) + item("c", 1, 1) + item("d", 1) + item("e", 1, 1);
    expect(await linesOf(body, never + own)).toEqual([
      ...["Article 1 a", "Section 01 b", "Section 02 c", "Article 2 d", "Section 03 e"],
    ]);
    expect(await linesOf(item("A", 2), never + own)).toEqual(["(a) A"]);
  });

  it("counts a paragraph once that a revision joined, and not one that it moved away", async () => {
    const list = '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>';
    const joined = `<w:p><w:pPr>${list}<w:rPr><w:del w:id="1"/></w:rPr></w:pPr><w:r><w:t xml:space="preserve">merged </w:t></w:r></w:p>`;
    expect(await linesOf(item("One", 1) + joined + item("into", 1) + item("Three", 1))).toEqual([
      ...["1. One", "2. merged into", "3. Three"],
    ]);
    const moved = `<w:p><w:pPr>${list}<w:rPr><w:moveFrom w:id="1"/></w:rPr></w:pPr><w:moveFrom w:id="2"><w:r><w:t>Moved</w:t></w:r></w:moveFrom></w:p>`;
    const arrived = `<w:p><w:pPr>${list}</w:pPr><w:moveTo w:id="3"><w:r><w:t>Moved</w:t></w:r></w:moveTo></w:p>`;
    expect((await linesOf(item("One", 1) + moved + item("Two", 1) + arrived)).filter((line) => line !== "")).toEqual([
      ...["1. One", "2. Two", "3. Moved"],
    ]);
  });

  it("numbers items in cells and behind other characters", async () => {
    const cell = `<w:tbl><w:tr><w:tc>${item("In a cell", 1)}</w:tc><w:tc>${item("Zwei", 1)}</w:tc></w:tr></w:tbl>`;
    expect(await linesOf(item("𝒜 &amp; ü", 1) + cell + item("End", 1))).toEqual([
      ...["1. 𝒜 & ü", "2. In a cell", "3. Zwei", "4. End"],
    ]);
  });

  it("does not count what a revision deleted or what was an item before it", async () => {
    const deleted = `<w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr><w:rPr><w:del w:id="1"/></w:rPr></w:pPr><w:del w:id="2"><w:r><w:delText>Gone</w:delText></w:r></w:del></w:p>`;
    const was = `<w:p><w:pPr><w:pPrChange w:id="3"><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr></w:pPr></w:pPrChange></w:pPr><w:r><w:t>Was</w:t></w:r></w:p>`;
    expect(await linesOf(item("One", 1) + deleted + was + item("Two", 1))).toEqual(["1. One", "Was", "2. Two"]);
  });
});

describe("OpenDocument", () => {
  const style = `<text:list-style style:name="L1"><text:list-level-style-number text:level="1" style:num-format="1" style:num-suffix="."/><text:list-level-style-number text:level="2" style:num-format="a" style:num-prefix="(" style:num-suffix=")"/><text:list-level-style-number text:level="3" style:num-format="1" text:display-levels="3"/></text:list-style><text:list-style style:name="L2"><text:list-level-style-number text:level="1" style:num-format=""/></text:list-style>`;
  const odt = (body: string) =>
    withParts(fixtureFile("manual.odt"), {
      "content.xml": `<o:d xmlns:o="o" xmlns:text="x" xmlns:style="s" xmlns:xml="http://www.w3.org/XML/1998/namespace">${style}<o:body>${body}</o:body></o:d>`,
    });
  const item = (text: string, inner = "") =>
    `<text:list-item>${text && `<text:p>${text}</text:p>`}${inner}</text:list-item>`;
  const list = (items: string, attributes = 'text:style-name="L1"') => `<text:list ${attributes}>${items}</text:list>`;
  const linesOf = async (body: string) => (await textOf("a.odt", odt(body))).split(/\n+/);

  it("counts nested lists by their styles", async () => {
    const nested = list(item("b") + item("c", list(item("d"), "")), "");
    expect(await linesOf(list(item("a", nested) + item("e")))).toEqual(["1. a", "(a) b", "(b) c", "1.b.1 d", "2. e"]);
  });

  it("continues lists, and has no mark where a style says so", async () => {
    const first = list(item("a") + item("b"), 'text:style-name="L1" xml:id="l"');
    expect(
      await linesOf(
        `${first}<text:p>p</text:p>${list(item("c"), 'text:continue-list="l" text:style-name="L1"')}${list(item("d"))}`,
      ),
    ).toEqual(["1. a", "2. b", "p", "3. c", "1. d"]);
    expect(await linesOf(first + list(item("c"), 'text:style-name="L1" text:continue-numbering="true"'))).toContain(
      "3. c",
    );
    expect(await linesOf(list(item("a"), 'text:style-name="L2"') + list(item("b"), 'text:style-name="L9"'))).toEqual([
      ...["a", "• b"],
    ]);
    const clauses = list(item("a", list(item("b", list(item("c"), "")), "")));
    const more = list(
      item("", list(item("", list(item("d"), "")), "")),
      'text:style-name="L1" text:continue-numbering="true"',
    );
    expect(await linesOf(`${clauses}<text:p>p</text:p>${more}`)).toEqual(["1. a", "(a) b", "1.a.1 c", "p", "1.a.2 d"]);
    const empty = list(item("", list(item("b"), "")) + item("c"));
    expect(await linesOf(empty)).toEqual(["(a) b", "1. c"]);
  });
});

describe("markup", () => {
  it.each([
    [
      "a.adoc",
      ". One\n.. In\n.. In two\n. Two\n\nText\n\n[start=4]\n. Four\n* [x] Done\n<1> Call",
      "1. One\na. In\nb. In two\n2. Two\n\nText\n\n4. Four\n☑ Done\n1. Call",
    ],
    ["a.org", "- Oil\n2) Two\n  - [X] Done", "• Oil\n2) Two\n☑ Done"],
    [
      "a.rst",
      "#. One\n   goes on\n\n#. Two\n\n3. Three\n#. Four\n\n* Oil",
      "1. One\ngoes on\n\n2. Two\n\n3. Three\n4. Four\n\n• Oil",
    ],
    [
      "a.tex",
      "\\begin{enumerate}[start=3]\\item Three\n\\begin{enumerate}\\item In\\end{enumerate}\n\\item[(x)] Own\\end{enumerate}\n\nText",
      "3. Three\n\n(a) In\n\n(x) Own\n\nText",
    ],
    [
      "a.tex",
      "\\begin{description}\\item[Oil] Black\\end{description}\\begin{itemize}\\item\\end{itemize}\n\nText",
      "Oil Black\n\nText",
    ],
    [
      "a.1",
      ".TH X 1\n.Bl -enum\n.It\nOpen.\n.It\nClose.\n.El\n.Bl -bullet\n.It\nOil.\n.El\n.Bl -tag\n.It Fl x\nTag.\n.El",
      "1. Open.\n\n2. Close.\n\n• Oil.\n\n-x\nTag.",
    ],
    [
      "a.1",
      ".TH X 1\n.TP\n\\(bu\nOil.\n.TP\n1.\nOpen.\n.TP\nterm\nText.\n.IP \\(bu\n.SH END\nLast.",
      "• Oil.\n\n1. Open.\n\nterm\nText.\n\nEND\n\nLast.",
    ],
    [
      "a.rtf",
      "{\\rtf1{\\listtext\\pard 3.\\tab}Rent\\par{\\listtext\\'b7\\tab}Oil\\par{\\listtext o\\tab}\\par Text\\par}",
      "3. Rent\n\n• Oil\n\nText",
    ],
    [
      "a.adoc",
      ". a\n. b\n\n.Other\n. c\n\n----\ncode\n----\n. d\n+\n----\ncode\n----\n. e",
      "1. a\n2. b\n\nOther\n\n1. c\n\ncode\n\n1. d\n\ncode\n\n2. e",
    ],
    [
      "a.adoc",
      ". a\n+\n[source,sh]\n----\ncode\n----\n. b\n+\n.Lid\nimage::lid.png[Lid]\n. c\n+\n[NOTE]\n====\nOne.\n\nTwo.\n====\n. d\n\nEnd.\n\n. e",
      "1. a\n\ncode\n\n2. b\n\nLid\n\nLid\n3. c\n\nOne.\n\nTwo.\n\n4. d\n\nEnd.\n\n1. e",
    ],
    [
      "a.adoc",
      ',===\nScreen 24",wide\nScreen 27",big\nTV,small\n,===',
      'Screen 24" | wide\nScreen 27" | big\nTV | small',
    ],
    [
      "a.tex",
      "\\begin{enumerate}[label=(\\alph*)]\\item A\\item B\\end{enumerate}\\begin{enumerate}[i)]\\item[] None\\item C\\end{enumerate}",
      "(a) A\n(b) B\n\nNone\ni) C",
    ],
    [
      "a.tex",
      "\\begin{itemize}\\item[Apples]\\begin{itemize}\\item red\\end{itemize}\\end{itemize}",
      "Apples\n\n• red",
    ],
    [
      "a.1",
      ".TH X 1\n.TP\n.B *\nExpands.\n.TP\n.B \\-\nDash.\n.IP *\nItem.\n.IP \\(bu\n.PP\nNext.",
      "*\nExpands.\n\n-\nDash.\n\n• Item.\n\nNext.",
    ],
    ["a.1", ".TH X 1\n.Bl -bullet\n.It\n.El\nAfter.", "After."],
    [
      "a.rtf",
      "{\\rtf1{\\fonttbl{\\f0 Times;}{\\f10\\fcharset2 Wingdings;}}{\\listtext\\f10 \\'d8\\tab}Arrow\\par{\\listtext\\f10 v\\tab}Diamond\\par}",
      "• Arrow\n\n• Diamond",
    ],
  ])("%s: %j", async (name, source, text) => {
    expect(await textOf(name, source)).toBe(text);
  });
});

describe("numberText", () => {
  it.each([
    [3, "decimal", "3"],
    [26, "lower-letter", "z"],
    [28, "upper-letter", "BB"],
    [0, "lower-letter", "0"],
    [1994, "lower-roman", "mcmxciv"],
    [4000, "upper-roman", "4000"],
    [10, "chinese", "十"],
    [21, "chinese", "二十一"],
    [100, "chinese", "100"],
    [3, "decimal-zero", "03"],
  ] as const)("%i as %s is %s", (number, format, text) => {
    expect(numberText(number, format)).toBe(text);
  });
});
