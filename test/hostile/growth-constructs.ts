/**
 * Constructs that parsers of text are known, or likely, to be slow with: an input for each, of a size that is
 * proportional to n.
 */

import type { DocumentFormat } from "../../adapters/node/documents/formats.js";
import { docxOf, epubOf, paragraph, xhtml } from "../documents/fixtures/office.js";
import { pdfOf, pdfPages, streamObject } from "../documents/fixtures/pdf.js";

export type Construct = (n: number) => string | Uint8Array;
export type Constructs = Partial<Record<DocumentFormat, Record<string, Construct>>>;

export const lines = (n: number, line: (i: number) => string): string =>
  Array.from({ length: n }, (_, i) => line(i)).join("");
const pdfPage = (content: string) =>
  pdfOf([
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Count 1 /Kids [5 0 R] >>",
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    streamObject(content),
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> /Contents 4 0 R >>",
  ]);
const opf = (xml: string) => epubOf([["a.xhtml", xhtml("A", "words")]], { more: { "OEBPS/content.opf": xml } });

export const TEXT_CONSTRUCTS: Constructs = {
  txt: {
    "a long line": (n) => "words ".repeat(n),
    "short lines": (n) => "words\n".repeat(n),
    "empty lines": (n) => `a${"\n".repeat(n)}b`,
    spaces: (n) => `a${" ".repeat(n)}b`,
    "indented lines": (n) => lines(n, (i) => `${" ".repeat(i % 60)}words | words\t words\n`),
    "ruled lines": (n) => "+---+---+\n| a | b |\n".repeat(n),
    "underlined headings": (n) => "Heading\n=======\n\n".repeat(n),
    "a description of an event in HTML": (n) => `BEGIN:VCALENDAR\nDESCRIPTION:${"<p>words<br>\\n\\n".repeat(n)}\n`,
    "an open tag in a description": (n) => `BEGIN:VCALENDAR\nDESCRIPTION:<p>${"<a ".repeat(n)}\n`,
    "descriptions in HTML": (n) => `BEGIN:VCALENDAR\n${"DESCRIPTION:<p>words\n".repeat(n)}`,
    "times of a calendar": (n) =>
      `BEGIN:VCALENDAR\nX-WR-TIMEZONE:Europe/Berlin\n${"DTSTART:20250522T120000Z\n".repeat(n)}`,
    "time zones of a calendar": (n) => `BEGIN:VCALENDAR\n${"X-WR-TIMEZONE:Europe/Berlin\n".repeat(n)}`,
  },
  md: {
    brackets: (n) => "[".repeat(n),
    links: (n) => "[a](b) ".repeat(n),
    "open links": (n) => "[a](".repeat(n),
    "references to definitions": (n) => `${"[a] ".repeat(n)}\n\n${lines(n, (i) => `[a${i}]: b\n`)}`,
    footnotes: (n) => `${lines(n, (i) => `[^${i}] `)}\n\n${lines(n, (i) => `[^${i}]: note\n`)}`,
    emphasis: (n) => "*a **b _c ".repeat(n),
    backticks: (n) => lines(Math.ceil(Math.sqrt(n)), (i) => `${"`".repeat(i)} `),
    quotes: (n) => `${">".repeat(n)} a`,
    "nested lists": (n) => lines(Math.ceil(Math.sqrt(n)), (i) => `${"  ".repeat(i)}- a\n`),
    "list items": (n) => "- a\n".repeat(n),
    "table rows": (n) => `| a | b |\n|---|---|\n${"| c | d |\n".repeat(n)}`,
    "table columns": (n) => `${"|a".repeat(n)}|\n${"|-".repeat(n)}|\n${"|b".repeat(n)}|\n`,
    "HTML tags": (n) => "<b>a</b> ".repeat(n),
    "HTML comments": (n) => "<!-- a ".repeat(n),
    "front matter": (n) => `---\n${lines(n, (i) => `k${i}: v\n`)}---\nwords\n`,
    headings: (n) => "# a\n\nwords\n\n".repeat(n),
    "lines of one paragraph": (n) => "words of a line\n".repeat(n),
    entities: (n) => "&amp;&#1;&x ".repeat(n),
  },
  html: {
    "nested elements": (n) => `${"<div>".repeat(n)}x`,
    "open formatting": (n) => `${lines(n, (i) => `<b id=${i}>`)}x`,
    "formatting in paragraphs": (n) => "<b>x<p>y".repeat(n),
    paragraphs: (n) => "<p>words</p>\n".repeat(n),
    "table cells": (n) => `<table>${"<tr><td>a<td>b".repeat(n)}</table>`,
    "nested tables": (n) => "<table><td>".repeat(n),
    attributes: (n) => `<p ${lines(n, (i) => `a${i}=1 `)}>x`,
    "spaces in pre": (n) => `<pre>${" ".repeat(n)}x`,
    comments: (n) => "<!-- a -->x".repeat(n),
    "open comments": (n) => `${"<!--".repeat(n)}x`,
    entities: (n) => "&amp;&ampx;&#99999999;".repeat(n),
    "a script": (n) => `<script>${"</scrip".repeat(n)}</script>x`,
    options: (n) => "<select><option>a".repeat(n),
  },
  csv: {
    rows: (n) => `id,text\n${lines(n, (i) => `${i},words\n`)}`,
    columns: (n) => `text${lines(n, (i) => `,c${i}`)}\nwords${",x".repeat(n)}\n`,
    "quoted quotes": (n) => `text\n"${'""'.repeat(n)}"\n`,
    "an open quote": (n) => `text\n"${"a\n".repeat(n)}`,
    delimiters: (n) => `text\n${";,\t|".repeat(n)}\n`,
  },
  jsonl: {
    records: (n) => lines(n, (i) => `{"id":"${i}","text":"words"}\n`),
    "bad records": (n) => "{}\n".repeat(n),
    "a long record": (n) => `{"text":"${"words ".repeat(n)}"}\n`,
    "nested values": (n) => `{"text":"x","a":${"[".repeat(n)}${"]".repeat(n)}}\n`,
    "many values": (n) => `{"text":"x","a":[${"1,".repeat(n)}1]}\n`,
  },
  json: {
    objects: (n) => `{"a":[${'{"b":"words","c":[1,{}]},'.repeat(n)}{}]}`,
    "many keys": (n) => `{${lines(n, (i) => `"a${i}":1,`)}"b":1}`,
    "a long string": (n) => `["${"words\\n".repeat(n)}"]`,
    "a long key": (n) => `{"${"a".repeat(n)}":[{"b":1}]}`,
    "escaped quotes": (n) => `["${'\\\\\\"'.repeat(n)}"]`,
    "open strings": (n) => `["${'\\"'.repeat(n)}`,
    comments: (n) => "/*x*/".repeat(n),
    brackets: (n) => "[".repeat(n),
  },
  squad: {
    paragraphs: (n) =>
      `{"data":[{"title":"x","paragraphs":[${'{"context":"words","qas":[]},'.repeat(n)}{"context":"a","qas":[]}]}]}`,
    brackets: (n) => `{"data":${"[".repeat(n)}`,
  },
  docx: {
    paragraphs: (n) => docxOf(paragraph("words").repeat(n)),
    runs: (n) => docxOf(`<w:p>${"<w:r><w:t>x</w:t></w:r>".repeat(n)}</w:p>`),
    "empty runs": (n) => docxOf(`<w:p>${"<w:r/>".repeat(n)}</w:p>`),
    "nested tables": (n) =>
      docxOf(`${"<w:tbl><w:tr><w:tc>".repeat(n)}${paragraph("x")}${"</w:tc></w:tr></w:tbl>".repeat(n)}`),
    "table rows": (n) => docxOf(`<w:tbl>${`<w:tr><w:tc>${paragraph("x")}</w:tc></w:tr>`.repeat(n)}</w:tbl>`),
    attributes: (n) => docxOf(`<w:p ${lines(n, (i) => `a${i}="1" `)}/>`),
  },
  epub: {
    elements: (n) => epubOf([["a.xhtml", xhtml("A", "<b>x</b>".repeat(n))]]),
    "the spine": (n) =>
      opf(
        `<package><manifest><item id="a" href="a.xhtml" media-type="application/xhtml+xml"/></manifest><spine>${'<itemref idref="a"/>'.repeat(n)}</spine></package>`,
      ),
    "the manifest": (n) =>
      opf(
        `<package><manifest>${lines(n, (i) => `<item id="c${i}" href="a.xhtml" media-type="application/xhtml+xml"/>`)}</manifest><spine><itemref idref="c0"/></spine></package>`,
      ),
    "nested elements of the package": (n) => opf("<a>".repeat(n)),
  },
  pdf: {
    pages: (n) => pdfPages(Array.from({ length: Math.ceil(n / 16) }, () => [{ text: "words of a page", y: 700 }])),
    "pieces of text": (n) => pdfPage("BT /F1 12 Tf 72 700 Td (words of a page) Tj ET ".repeat(n)),
    // Not among them: saved states ("q q q …"). pdf.js looks up each one's fields through all outer ones, so they take
    // quadratic time. The limit of the parser process ends such a file ("states.pdf" in hostile-packed.ts).
    "nested arrays": (n) => pdfPage("[".repeat(n)),
    "nested dictionaries": (n) => pdfPage("<< /a ".repeat(n)),
    objects: (n) => pdfOf(["<< /Type /Catalog /Pages 2 0 R >>", ...Array.from({ length: n }, () => "<< /a /b >>")]),
  },
};
