/** PDFs in Chinese, Japanese and Korean whose fonts name a character map that is not in the file. */

import { expect, it } from "vitest";
import { readContent } from "./fixtures/folder.js";
import { pdfOf, streamObject } from "./fixtures/pdf.js";

/** A page with text in codes of a character map, in a font that is not in the file. */
function pdfIn(encoding: string, ordering: string, codes: Uint8Array): Uint8Array {
  const hex = Buffer.from(codes).toString("hex");
  const system = `<< /Registry (Adobe) /Ordering (${ordering}) /Supplement 2 >>`;
  return pdfOf([
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
    streamObject(`BT /F1 24 Tf 72 700 Td <${hex}> Tj ET`),
    `<< /Type /Font /Subtype /Type0 /BaseFont /Sans /Encoding /${encoding} /DescendantFonts [6 0 R] >>`,
    `<< /Type /Font /Subtype /CIDFontType0 /BaseFont /Sans /CIDSystemInfo ${system} /DW 1000 /FontDescriptor 7 0 R >>`,
    "<< /Type /FontDescriptor /FontName /Sans /Flags 4 /FontBBox [0 0 1000 1000] /ItalicAngle 0 /Ascent 800 /Descent -200 /CapHeight 700 /StemV 80 >>",
  ]);
}

const inUcs2 = (text: string): Uint8Array => Buffer.from(text, "utf16le").swap16();

it.each([
  ["simplified Chinese", "UniGB-UCS2-H", "GB1", inUcs2("压力上升")],
  ["traditional Chinese", "UniCNS-UCS2-H", "CNS1", inUcs2("壓力上升")],
  ["Korean", "UniKS-UCS2-H", "Korea1", inUcs2("압력이 오른다")],
  ["Japanese in Shift JIS", "90ms-RKSJ-H", "Japan1", Uint8Array.of(0x88, 0xb3, 0x97, 0xcd, 0x83, 0x65)],
])("reads %s", async (_what, encoding, ordering, codes) => {
  const { documents, skips } = await readContent("manual.pdf", pdfIn(encoding, ordering, codes));
  expect(skips).toEqual([]);
  const expected = encoding === "90ms-RKSJ-H" ? new TextDecoder("shift_jis").decode(codes) : undefined;
  expect(documents[0]!.text.trim()).toBe(expected ?? new TextDecoder("utf-16be").decode(codes));
});

it("reads no file for a map whose name is a path", async () => {
  const { documents, skips } = await readContent("odd.pdf", pdfIn("..#2F..#2Fpackage.json", "GB1", inUcs2("压力")));
  expect(documents).toEqual([]);
  expect(skips).toEqual([expect.objectContaining({ reason: expect.stringContaining("has no text layer") })]);
});
