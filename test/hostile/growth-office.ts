/** Constructs of office files for the growth test. */

import { strToU8, zipSync } from "fflate";
import type { Constructs } from "./growth-constructs.js";
import { lines } from "./growth-constructs.js";

const zip = (files: Record<string, string>) =>
  zipSync(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, strToU8(text)])), { level: 1 });
const relations = (entries: string) => `<Relationships>${entries}</Relationships>`;
const relation = (id: string, type: string, target: string) =>
  `<Relationship Id="${id}" Type="x/${type}" Target="${target}"/>`;

const sheet = (rows: string, more: Record<string, string> = {}) =>
  zip({
    "xl/workbook.xml": '<workbook xmlns:r="r"><sheets><sheet name="a" r:id="r1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": relations(
      relation("r1", "worksheet", "s.xml") +
        relation("r2", "sharedStrings", "strings.xml") +
        relation("r3", "styles", "styles.xml"),
    ),
    "xl/s.xml": `<worksheet><sheetData>${rows}</sheetData></worksheet>`,
    ...more,
  });
const slides = (slide: string, ids = '<sldId r:id="r1"/>') =>
  zip({
    "ppt/presentation.xml": `<presentation xmlns:r="r"><sldIdLst>${ids}</sldIdLst></presentation>`,
    "ppt/_rels/presentation.xml.rels": relations(relation("r1", "slide", "slides/s.xml")),
    "ppt/slides/s.xml": `<sld><cSld><spTree>${slide}</spTree></cSld></sld>`,
  });
const odf = (body: string) => zip({ "content.xml": `<d><body>${body}</body></d>` });
const styled = (n: number, cell: (i: number) => string) => sheet(lines(n, (i) => `<row>${cell(i)}</row>`));

export const OFFICE_CONSTRUCTS: Constructs = {
  xlsx: {
    rows: (n) => styled(n, () => "<c><v>1</v></c>"),
    "cells of a row": (n) => sheet(`<row>${"<c><v>1</v></c>".repeat(n)}</row>`),
    "far cells": (n) => styled(n, () => '<c r="XFD1"><v>1</v></c>'),
    "far rows": (n) => sheet(lines(n, (i) => `<row r="${(i + 1) * 1000}"><c><v>1</v></c></row>`)),
    "texts in cells": (n) => styled(n, () => '<c t="inlineStr"><is><t>words</t></is></c>'),
    "shared texts": (n) =>
      sheet(
        lines(n, (i) => `<row><c t="s"><v>${i}</v></c></row>`),
        {
          "xl/strings.xml": `<sst>${"<si><t>words</t></si>".repeat(n)}</sst>`,
        },
      ),
    "pieces of a shared text": (n) =>
      sheet('<row><c t="s"><v>0</v></c></row>', {
        "xl/strings.xml": `<sst><si>${"<r><t>a</t></r>".repeat(n)}</si></sst>`,
      }),
    formats: (n) =>
      sheet(
        lines(n, (i) => `<row><c s="${i}"><v>1.5</v></c></row>`),
        {
          "xl/styles.xml": `<styleSheet><numFmts>${lines(n, (i) => `<numFmt numFmtId="${i + 200}" formatCode="0.0"/>`)}</numFmts><cellXfs>${lines(n, (i) => `<xf numFmtId="${i + 200}"/>`)}</cellXfs></styleSheet>`,
        },
      ),
    fractions: (n) =>
      sheet(
        lines(n, () => '<row><c s="0"><v>0.6180339887</v></c></row>'),
        {
          "xl/styles.xml": `<styleSheet><numFmts><numFmt numFmtId="200" formatCode="# ?????/?????"/></numFmts><cellXfs><xf numFmtId="200"/></cellXfs></styleSheet>`,
        },
      ),
    "a long fraction": (n) =>
      sheet('<row><c s="0"><v>1.5</v></c></row>'.repeat(16), {
        "xl/styles.xml": `<styleSheet><numFmts><numFmt numFmtId="200" formatCode="${"?/".repeat(n)}"/></numFmts><cellXfs><xf numFmtId="200"/></cellXfs></styleSheet>`,
      }),
    "a long format": (n) =>
      sheet('<row><c s="0"><v>1.5</v></c></row>'.repeat(16), {
        "xl/styles.xml": `<styleSheet><numFmts><numFmt numFmtId="200" formatCode="${"0&quot;a[".repeat(n)}"/></numFmts><cellXfs><xf numFmtId="200"/></cellXfs></styleSheet>`,
      }),
  },
  ods: {
    rows: (n) => odf(`<table>${"<table-row><table-cell><p>x</p></table-cell></table-row>".repeat(n)}</table>`),
    cells: (n) => odf(`<table><table-row>${"<table-cell><p>x</p></table-cell>".repeat(n)}</table-row></table>`),
    "text boxes": (n) =>
      odf(`<table><table-row><table-cell>${"<frame><p>x</p></frame>".repeat(n)}</table-cell></table-row></table>`),
    "repeated rows": (n) =>
      odf(
        `<table><table-row number-rows-repeated="${n}"><table-cell><p>${"x".repeat(100)}</p></table-cell></table-row></table>`,
      ),
    tables: (n) => odf("<table><table-row><table-cell><p>x</p></table-cell></table-row></table>".repeat(n)),
  },
  odt: {
    paragraphs: (n) => odf("<p>words</p>".repeat(n)),
    "pieces of a paragraph": (n) => odf(`<p>${"<span>x</span>".repeat(n)}</p>`),
    notes: (n) => odf(`<p>${"<note><note-body><p>x</p></note-body></note>".repeat(n)}</p>`),
    "text boxes": (n) => odf(`<p>${"a<frame><p>x</p></frame>".repeat(n)}</p>`),
    "text boxes in text boxes": (n) =>
      odf(`${"<p>a<frame>".repeat(200)}${"<p>words</p>".repeat(n)}${"</frame></p>".repeat(200)}`),
    spaces: (n) => odf(`<p>a${"<s/>".repeat(n)}b</p>`),
    "list items": (n) => odf(`<list>${"<list-item><p>x</p></list-item>".repeat(n)}</list>`),
    "table rows": (n) => odf(`<table>${"<table-row><table-cell><p>x</p></table-cell></table-row>".repeat(n)}</table>`),
    "repeated cells": (n) =>
      odf(
        `<table>${'<table-row><table-cell number-columns-repeated="999999"><p>x</p></table-cell></table-row>'.repeat(n / 16)}</table>`,
      ),
    "repeated cells of a row": (n) =>
      odf(
        `<table><table-row>${'<table-cell number-columns-repeated="999999"><p>x</p></table-cell>'.repeat(n)}</table-row></table>`,
      ),
    "paragraphs of a cell": (n) =>
      odf(`<table><table-row><table-cell>${"<p>x</p>".repeat(n)}</table-cell></table-row></table>`),
    headings: (n) => odf('<h outline-level="1">a</h><p>words</p>'.repeat(n)),
    attributes: (n) => odf(`<p ${lines(n, (i) => `a${i}="1" `)}>x</p>`),
  },
  odp: {
    slides: (n) => odf("<page><frame><p>words</p></frame></page>".repeat(n)),
    titles: (n) => odf('<page><frame class="title"><p>a</p></frame></page>'.repeat(n)),
    "paragraphs of a slide": (n) => odf(`<page>${"<p>words</p>".repeat(n)}</page>`),
  },
  pptx: {
    paragraphs: (n) => slides(`<sp><txBody>${"<p><r><t>words</t></r></p>".repeat(n)}</txBody></sp>`),
    "pieces of a paragraph": (n) => slides(`<sp><txBody><p>${"<r><t>x</t></r>".repeat(n)}</p></txBody></sp>`),
    shapes: (n) => slides("<sp><txBody><p><r><t>words</t></r></p></txBody></sp>".repeat(n)),
    "table rows": (n) => slides(`<tbl>${"<tr><tc><txBody><p><r><t>x</t></r></p></txBody></tc></tr>".repeat(n)}</tbl>`),
    "the same slide": (n) => slides("<sp><txBody><p><r><t>a</t></r></p></txBody></sp>", '<sldId r:id="r1"/>'.repeat(n)),
  },
  rtf: {
    words: (n) => `{\\rtf1 ${"words ".repeat(n)}}`,
    paragraphs: (n) => `{\\rtf1 ${"words\\par ".repeat(n)}}`,
    "open groups": (n) => `{\\rtf1 ${"{".repeat(n)}`,
    "closed groups": (n) => `{\\rtf1 ${"{\\b a}".repeat(n)}}`,
    "groups in groups": (n) => `{\\rtf1 ${"{\\b ".repeat(n)}x${"}".repeat(n)}}`,
    "table rows": (n) => `{\\rtf1 ${"\\trowd a\\cell b\\cell\\row ".repeat(n)}}`,
    "tables in a cell": (n) =>
      `{\\rtf1 \\trowd ${"\\itap2 a\\nestcell b\\nestcell{\\nonesttables\\par}".repeat(n)}\\cell\\row}`,
    "escaped bytes": (n) => `{\\rtf1 ${"\\'e9".repeat(n)}}`,
    "characters of Unicode": (n) => `{\\rtf1 ${"\\u233?".repeat(n)}}`,
    fonts: (n) => `{\\rtf1 {\\fonttbl ${lines(n, (i) => `{\\f${i} a;}`)}}${lines(n, (i) => `\\f${i} x`)}}`,
    "binary data": (n) => `{\\rtf1 ${"\\bin3 abc".repeat(n)}}`,
    "a long control word": (n) => `{\\rtf1 \\${"a".repeat(n)} x}`,
  },
};
