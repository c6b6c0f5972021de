/** Hostile files in the packed formats: docx, epub, PDF. */

import { deflateSync } from "node:zlib";
import { strToU8 } from "fflate";
import { docxOf, epubOf, paragraph, withDeclaredSize, xhtml, zeros } from "../documents/fixtures/office.js";
import { endlessPdf, pdfOf, pdfPages, streamObject } from "../documents/fixtures/pdf.js";
import type { HostileInput } from "./hostile-text.js";
import { mutated, type Random } from "./random.js";

const input = (name: string, content: HostileInput["content"]): HostileInput => ({ name, content });
const MIB = 1024 * 1024;
const W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
const numbered = (count: number, line: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => line(i)).join("");

export function hostileDocx(random: Random): HostileInput[] {
  const nested = (tag: string, depth: number) =>
    `${`<w:${tag}>`.repeat(depth)}${paragraph("x")}${`</w:${tag}>`.repeat(depth)}`;
  const styles = (xml: string) => ({ more: { "word/styles.xml": strToU8(`<w:styles ${W}>${xml}</w:styles>`) } });
  const style = (id: string, base: string) =>
    `<w:style w:type="paragraph" w:styleId="${id}"><w:basedOn w:val="${base}"/></w:style>`;
  return [
    input("paragraphs.docx", () => docxOf("<w:p/>".repeat(5_000_000))),
    input("more-paragraphs.docx", () => docxOf("<w:p/>".repeat(550_000))),
    input("runs.docx", () => docxOf(`<w:p>${"<w:r/>".repeat(1_000_000)}</w:p>`)),
    input("many-runs.docx", () => docxOf(`<w:p>${"<w:r><w:t>x</w:t></w:r>".repeat(100_000)}</w:p>`)),
    input("nested.docx", () => docxOf(nested("sdt", 10_000))),
    input("tables.docx", () => docxOf(nested("tbl", 5000))),
    input("unclosed.docx", () => docxOf("<w:p>".repeat(400_000))),
    input("style-cycle.docx", () => docxOf(paragraph("x", "A"), styles(style("A", "B") + style("B", "A")))),
    input("styles.docx", () =>
      docxOf(paragraph("x", "S9"), styles(numbered(50_000, (i) => style(`S${i}`, `S${i + 1}`)))),
    ),
    input("entities.docx", () => docxOf(`<!DOCTYPE x [<!ENTITY a "${"x".repeat(1000)}">]>${"&a;".repeat(100_000)}`)),
    input("attributes.docx", () => docxOf(`<w:p ${numbered(100_000, (i) => `a${i}="1" `)}/>`)),
    input("bomb.docx", () => docxOf(paragraph("x"), { more: { "word/extra.xml": zeros(200 * MIB) } })),
    input("liar.docx", () => withDeclaredSize(docxOf(paragraph("x".repeat(MIB))), "word/document.xml", 10)),
    input("cut.docx", () => docxOf(paragraph("x")).subarray(0, 700)),
    ...[1, 2, 3].map((i) => input(`mutated-${i}.docx`, () => mutated(random, docxOf(paragraph("words")), 20))),
  ];
}

export function hostileEpub(random: Random): HostileInput[] {
  const chapter = (body: string): [string, string][] => [["a.xhtml", xhtml("A", body)]];
  const opf = (xml: string) => epubOf(chapter("x"), { more: { "OEBPS/content.opf": xml } });
  const item = '<item id="a" href="a.xhtml" media-type="application/xhtml+xml"/>';
  return [
    input("package.epub", () => opf(`<package>${"<a/>".repeat(12_000_000)}</package>`)),
    input("small-package.epub", () => opf(`<package>${"<a/>".repeat(3_000_000)}</package>`)),
    input("deep-package.epub", () => opf("<a>".repeat(100_000))),
    input("container.epub", () =>
      epubOf(chapter("x"), { more: { "META-INF/container.xml": `<c>${"<rootfile/>".repeat(2_000_000)}</c>` } }),
    ),
    input("spine.epub", () =>
      opf(`<package><manifest>${item}</manifest><spine>${'<itemref idref="a"/>'.repeat(300_000)}</spine></package>`),
    ),
    input("missing-chapters.epub", () =>
      opf(
        `<package><manifest>${numbered(3000, (i) => `<item id="c${i}" href="${i}.xhtml" media-type="application/xhtml+xml"/>`)}</manifest><spine>${numbered(3000, (i) => `<itemref idref="c${i}"/>`)}</spine></package>`,
      ),
    ),
    input("outside.epub", () =>
      opf(
        '<package><manifest><item id="a" href="../../../../etc/passwd" media-type="text/html"/></manifest><spine><itemref idref="a"/></spine></package>',
      ),
    ),
    input("entities.epub", () =>
      opf(`<!DOCTYPE p [<!ENTITY a "x"><!ENTITY b "${"&a;".repeat(1000)}">]><package>${"&b;".repeat(1000)}</package>`),
    ),
    input("elements.epub", () => epubOf(chapter("<b>x</b>".repeat(3_500_000)))),
    input("deep-chapter.epub", () => epubOf(chapter("<div>".repeat(50_000)))),
    input("bomb.epub", () => epubOf(chapter(" ".repeat(200 * MIB)))),
    input("no-container.epub", () => epubOf(chapter("x"), { more: { "META-INF/container.xml": "" } })),
    ...[1, 2, 3].map((i) => input(`mutated-${i}.epub`, () => mutated(random, epubOf(chapter("words")), 20))),
  ];
}

export function hostilePdf(random: Random): HostileInput[] {
  const catalog = "<< /Type /Catalog /Pages 2 0 R >>";
  const font = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>";
  /** One page with this content stream as object 4. */
  const page = (content: string, kids = "[5 0 R]") =>
    pdfOf([
      catalog,
      `<< /Type /Pages /Count 1 /Kids ${kids} >>`,
      font,
      content,
      "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> /Contents 4 0 R >>",
    ]);
  const flate = (bytes: Uint8Array, filter: string) => streamObject(Buffer.from(bytes).toString("latin1"), filter);
  const text = "BT /F1 12 Tf 72 700 Td (words of a page) Tj ET ";
  const whole = pdfPages([[{ text: "words of a page", y: 700 }], [{ text: "more words", y: 700 }]]);
  return [
    input("flate-twice.pdf", () => {
      // 2 GiB of spaces, in 2 kB.
      const once = deflateSync(Buffer.alloc(1024 * MIB, " "));
      return page(flate(deflateSync(Buffer.concat([once])), "/Filter [/FlateDecode /FlateDecode]"));
    }),
    input("run-length.pdf", () => page(flate(Buffer.alloc(20 * MIB, 0x81), "/Filter /RunLengthDecode"))),
    input("lzw.pdf", () => page(flate(Buffer.alloc(2 * MIB, 0x80), "/Filter /LZWDecode"))),
    input("ascii85.pdf", () => page(streamObject("z".repeat(4 * MIB), "/Filter /ASCII85Decode"))),
    input("hex.pdf", () => page(streamObject("41".repeat(4 * MIB), "/Filter /ASCIIHexDecode"))),
    input("filters.pdf", () => page(streamObject("00", `/Filter [${"/ASCIIHexDecode ".repeat(5000)}]`))),
    input("endless.pdf", () => endlessPdf()),
    input("texts.pdf", () => page(streamObject(text.repeat(100_000)))),
    input("states.pdf", () => page(streamObject("q ".repeat(2_000_000)))),
    input("arrays.pdf", () => page(streamObject("[".repeat(500_000)))),
    input("dictionaries.pdf", () => page(streamObject(`BDC ${"<< /a ".repeat(200_000)}`))),
    input("page-cycle.pdf", () => page(streamObject(text), "[2 0 R]")),
    input("page-count.pdf", () => pdfOf([catalog, "<< /Type /Pages /Count 999999999 /Kids [2 0 R 2 0 R] >>"])),
    input("deep-object.pdf", () => pdfOf([catalog, `${"[".repeat(200_000)}`])),
    input("objects.pdf", () => pdfOf([catalog, ...Array.from({ length: 200_000 }, () => "<< /a /b >>")])),
    input("stream-length.pdf", () => Buffer.from("%PDF-1.4\n1 0 obj\n<< /Length 99999999999 >>\nstream\nx")),
    input("header.pdf", () => "%PDF-1.7\n"),
    input("cut.pdf", () => whole.subarray(0, whole.length / 2)),
    input("padding.pdf", () => Buffer.concat([Buffer.from("%PDF-1.4\n"), Buffer.alloc(4 * MIB, "x"), whole])),
    ...[1, 2, 3, 4, 5, 6].map((i) => input(`mutated-${i}.pdf`, () => mutated(random, whole, 30))),
  ];
}
