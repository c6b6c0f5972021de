/** Hostile office files, mail, markup, notebooks, subtitles and source code. */

import { strToU8, zipSync } from "fflate";
import { damaged, SEEDS } from "../documents/mutations.js";
import type { HostileInput } from "./hostile-text.js";
import type { Random } from "./random.js";

const input = (name: string, content: HostileInput["content"]): HostileInput => ({ name, content });
const MIB = 1024 * 1024;

const sheet = (rows: string) =>
  zipSync(
    {
      "xl/workbook.xml": strToU8('<workbook xmlns:r="r"><sheets><sheet name="a" r:id="r1"/></sheets></workbook>'),
      "xl/_rels/workbook.xml.rels": strToU8(
        '<Relationships><Relationship Id="r1" Type="x/worksheet" Target="s.xml"/></Relationships>',
      ),
      "xl/s.xml": strToU8(`<worksheet><sheetData>${rows}</sheetData></worksheet>`),
    },
    { level: 1 },
  );
const END = "</p:txBody></p:sp></p:spTree></p:cSld></p:sld>";
const slides = (list: string, slide: string) =>
  zipSync(
    {
      "ppt/presentation.xml": strToU8(`<p:presentation><p:sldIdLst>${list}</p:sldIdLst></p:presentation>`),
      "ppt/_rels/presentation.xml.rels": strToU8(
        '<Relationships><Relationship Id="r1" Type="x/slide" Target="s.xml"/></Relationships>',
      ),
      "ppt/s.xml": strToU8(`<p:sld><p:cSld><p:spTree><p:sp><p:txBody>${slide}`),
    },
    { level: 1 },
  );
const odf = (body: string) => zipSync({ "content.xml": strToU8(`<d><body>${body}</body></d>`) }, { level: 1 });

/** Damaged files of the formats with these endings, three of each. */
const damagedOnes = (random: Random, endings: string) =>
  endings
    .split(" ")
    .flatMap((ending) =>
      [1, 2, 3].map((i) => input(`damaged-${i}.${ending}`, () => damaged(random, SEEDS[`a.${ending}`]!()))),
    );

export function hostileOffice(random: Random): HostileInput[] {
  return [
    input("million-rows.xlsx", () => sheet("<row><c><v>1</v></c></row>".repeat(1_000_000))),
    input("far-cells.xlsx", () => sheet('<row r="9999999"><c r="ZZZZZZZ9"><v>1</v></c></row>'.repeat(1000))),
    input("wide-rows.xlsx", () => sheet('<row><c r="XFD1"><v>1</v></c></row>'.repeat(2000))),
    input("entities.xlsx", () => sheet(`<!DOCTYPE a [<!ENTITY x "y">]><row><c><v>&x;</v></c></row>`)),
    input("strings.xlsx", () => sheet(`<row>${'<c t="s"><v>4294967295</v></c>'.repeat(50_000)}</row>`)),
    input("merged.xlsm", () => sheet(`<mergeCells>${'<mergeCell ref="A1:XFD1048576"/>'.repeat(20_000)}</mergeCells>`)),
    input("deep.ods", () => odf("<table><table-row><table-cell>".repeat(30_000))),
    input("deep.odp", () => odf("<presentation><page><frame>".repeat(30_000))),
    input("pages.odp", () => odf(`<presentation>${"<page><p>x</p></page>".repeat(100_000)}</presentation>`)),
    input("slides.pptx", () =>
      slides("<p:sldId r:id='r1'/>".repeat(50_000), `<a:p><a:r><a:t>x</a:t></a:r></a:p>${END}`),
    ),
    input("deep.pptx", () => slides("<p:sldId r:id='r1'/>", "<p:grpSp>".repeat(100_000))),
    input("paragraphs.pptm", () => slides("<p:sldId r:id='r1'/>", "<a:p/>".repeat(1_000_000))),
    input("repeated.ods", () =>
      odf(
        '<table><table-row number-rows-repeated="99999999"><table-cell number-columns-repeated="99999999"><p>x</p></table-cell></table-row></table>',
      ),
    ),
    input("deep.odt", () => odf(`${"<p>".repeat(100_000)}x`)),
    input("notes.odt", () => odf(`<p>${"<note><note-body><p>x</p></note-body></note>".repeat(50_000)}</p>`)),
    input("groups.rtf", () => `{\\rtf1 ${"{".repeat(MIB)}`),
    input("controls.rtf", () => `{\\rtf1 ${"\\trowd\\cell\\row ".repeat(200_000)}}`),
    input("bin.rtf", () => "{\\rtf1 \\bin999999999999 x}"),
    input("bytes.rtf", () => `{\\rtf1 ${"\\'e9".repeat(MIB)}}`),
    ...damagedOnes(random, "odt odp ods pptx xlsx rtf"),
  ];
}

export function hostileMarkup(random: Random): HostileInput[] {
  const parts = (count: number) =>
    Array.from({ length: count }, (_, i) => `Content-Type: multipart/mixed; boundary=b${i}\n\n--b${i}\n`).join("");
  return [
    input("nested.eml", () => `From: a\n${parts(5000)}text`),
    input("headers.eml", () => `From: a\n${"X: y\n".repeat(500_000)}\ntext`),
    input(
      "boundaries.eml",
      () => `From: a\nContent-Type: multipart/mixed; boundary=b\n\n${"--b\n\nx\n".repeat(100_000)}`,
    ),
    input("encoded.eml", () => `From: a\nSubject: ${"=?utf-8?q?=41?= ".repeat(50_000)}\n\ntext`),
    input("separators.mbox", () => "From a@b 2031\n".repeat(20_000)),
    input("long.mbox", () => `From a@b 2031\nFrom: a\n\n${"x".repeat(40 * MIB)}\n\nFrom a@b 2031\nFrom: a\n\ngood\n`),
    input("cells.ipynb", () => `{"cells":[${'{"cell_type":"markdown","source":"x"},'.repeat(100_000)}1]}`),
    input("brackets.ipynb", () => `{"cells":${"[".repeat(MIB)}`),
    input("marks.rst", () => `${"`".repeat(100_000)}\n${"*a ".repeat(3000)}\n${"|".repeat(9000)}`),
    input("adornments.rst", () => "===\n".repeat(200_000)),
    input("tables.rst", () => "=== ===\n".repeat(100_000)),
    input("marks.adoc", () => `${"*_`+".repeat(2000)}\n${"<<".repeat(4000)}\n${"{a".repeat(4000)}`),
    input("rows.adoc", () => `|===\n${"|a |b\n".repeat(100_000)}`),
    input("marks.org", () => `${"*/=~".repeat(2000)}\n${"[[a][".repeat(1500)}`),
    input("stars.org", () => `${"*".repeat(100_000)} a\n`.repeat(3)),
    input("groups.tex", () => "{".repeat(MIB)),
    input("commands.tex", () => "\\a[".repeat(200_000)),
    input("accents.tex", () => "\\'".repeat(200_000)),
    input("sections.tex", () => "\\section{a}\n".repeat(100_000)),
    input("escapes.man", () => `.TH a 1\n${"\\*[".repeat(30_000)}\n${"\\f".repeat(50_000)}`),
    input("definitions.man", () => `.TH a 1\n${".de x\n".repeat(20_000)}`),
    input("table.man", () => `.TH a 1\n.TS\nl.\n${"T{\n".repeat(100_000)}`),
    input("times.srt", () => "00:00:01,000 --> 00:00:02,000\n".repeat(100_000)),
    input("tags.vtt", () => `WEBVTT\n\n00:01.000 --> 00:02.000\n${"<v ".repeat(3000)}\n`),
    input("one-cue.srt", () => `1\n00:00:01,000 --> 00:00:02,000\n${"x".repeat(20 * MIB)}`),
    input("backwards.srt", () => "9\n99:99:99,999 --> 00:00:00,000\n<i>\n\n".repeat(50_000)),
    input("notes.vtt", () => `WEBVTT\n\n${"NOTE x\n".repeat(500_000)}`),
    input("styles.vtt", () => `WEBVTT\n\n${"STYLE\n::cue(".repeat(50_000)}`),
    input("attachments.mbox", () => `From a@b 2031\nFrom: a\n${parts(2000)}\n`.repeat(20)),
    input("outputs.ipynb", () => {
      const cell = '{"cell_type":"code","source":["x"],"outputs":[{"data":{"text/plain":["y"]}}]}';
      return `{"cells":[${Array(50_000).fill(cell).join(",")}]}`;
    }),
    input("blocks.adoc", () => "====\n----\n".repeat(50_000)),
    input("drawers.org", () => ":a:\n#+begin_src\n".repeat(50_000)),
    input("comments.ts", () => "/*".repeat(500_000)),
    input("declarations.ts", () => `// a\n${"a ".repeat(250)}(\n`.repeat(2000)),
    input("quotes.py", () => '"""'.repeat(300_001)),
    ...damagedOnes(random, "eml mbox ipynb rst adoc org tex man srt vtt py"),
  ];
}
