/** pdf, docx, epub: text, titles, places; damage, passwords and archives that mean harm. */

import { strToU8, zipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { placeOfPhrase, read, readContent, readOne, reasonFor, TestFolder } from "./fixtures/folder.js";
import { docxOf, epubOf, paragraph, table, withDeclaredSize, xhtml, zeros } from "./fixtures/office.js";
import { encryptionFor, endlessPdf, pdfPages } from "./fixtures/pdf.js";

const MIB = 1024 * 1024;
/** Bombs in tests are small ones: the default looks at archives that unpack to 50 MiB and more. */
const SMALL_BOMBS = { limits: { inflateRatioFromBytes: MIB } };

// Each PDF starts a thread with pdf.js, which takes seconds where cores are busy.
describe("pdf", () => {
  const pages = pdfPages(
    [
      [
        { text: "The observa-", y: 700 },
        { text: "tory was founded by Ines", y: 686 },
        { text: "Calder (in 1911).", y: 672 },
        { text: "A new paragraph.", y: 630 },
      ],
      [{ text: "Second page \\o/", y: 700 }],
    ],
    { info: "/Title (On Observatories) /Author (Ada)" },
  );

  it("joins lines and gives the page of each place", async () => {
    const document = await readOne("paper.pdf", pages);
    expect(document).toMatchObject({
      id: "paper.pdf",
      title: "On Observatories",
      text: "The observatory was founded by Ines Calder (in 1911).\n\nA new paragraph.\n\nSecond page \\o/",
      metadata: { author: "Ada", pages: 2 },
    });
    expect(placeOfPhrase(document, "Calder")).toEqual({ page: 1 });
    expect(placeOfPhrase(document, "Second")).toEqual({ page: 2 });
    expect(document.map.segments).toHaveLength(2);
  });

  it("takes the file's name where the title is a program's", async () => {
    const document = await readOne(
      "paper.pdf",
      pdfPages([[{ text: "x", y: 9 }]], { info: "/Title (Microsoft Word - a.doc)" }),
    );
    expect(document.title).toBe("paper");
  });

  it("recognises a PDF without an ending", async () => {
    expect((await readOne("paper", pages)).map.kind).toBe("pdf");
  });

  it("says that a password is needed; opens a PDF that only restricts its owner", async () => {
    const lines = [[{ text: "secret", y: 700 }]];
    const locked = pdfPages(lines, { encrypt: encryptionFor("user", "owner") });
    expect(await reasonFor("a.pdf", locked)).toBe("is password-protected");
    const open = await readContent("a.pdf", pdfPages(lines, { encrypt: encryptionFor("", "owner") }));
    expect(open.skips.map((skip) => skip.reason)).not.toContain("is password-protected");
  });

  it("says what is wrong with a broken, cut off or scanned one", async () => {
    expect(await reasonFor("a.pdf", Buffer.from("no PDF at all"))).toMatch(/^is damaged/);
    expect(await reasonFor("a.pdf", Buffer.from("%PDF-1.4\nrubbish"))).toMatch(/^is damaged/);
    expect(await reasonFor("a.pdf", pages.subarray(0, 60))).toMatch(/^is damaged/);
    expect(await reasonFor("a.pdf", pdfPages([[]]))).toBe("has no text layer (scanned pages?)");
  });

  it("ends a PDF that never ends", async () => {
    expect(await reasonFor("a.pdf", endlessPdf(), { limits: { maxMs: 1500 } })).toBe(
      "takes too long to read (limit: 1.5 s, and more for large files)",
    );
  });

  it("refuses more pages than the limit", async () => {
    expect(await reasonFor("a.pdf", pages, { limits: { maxPdfPages: 1 } })).toBe("has more than 1 pages");
  });

  it("stops at the signal", async () => {
    const folder = await new TestFolder().write({ "a.pdf": endlessPdf() });
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 500);
    await expect(read(folder.input("a.pdf"), { signal: stop.signal })).rejects.toMatchObject({ code: "aborted" });
    folder.remove();
  });
});

describe("docx", () => {
  const body =
    paragraph("Welcome", "Heading1") +
    paragraph("Founded by Ines Calder &amp; others.") +
    table([
      ["Name", "Born"],
      ["Ada", "1815"],
    ]) +
    paragraph("Last");

  it("gives paragraphs, tables and node paths", async () => {
    const document = await readOne("a.docx", docxOf(body));
    expect(document.title).toBe("Welcome");
    expect(document.text).toBe("Welcome\n\nFounded by Ines Calder & others.\n\nName | Born\nAda | 1815\n\nLast");
    expect(placeOfPhrase(document, "Ines")).toEqual({ path: "p[1]" });
    expect(placeOfPhrase(document, "Last")).toEqual({ path: "p[2]" });
  });

  it("knows title and author of its properties; is recognised without an ending", async () => {
    const document = await readOne("report", docxOf(body, { title: "The Report" }));
    expect(document).toMatchObject({ title: "The Report", metadata: { author: "Ines Calder" }, map: { kind: "docx" } });
  });

  it("says what is wrong with a damaged one", async () => {
    const whole = docxOf(body);
    expect(await reasonFor("a.docx", Buffer.from("PK\x03\x04 rubbish"))).toMatch(/^is damaged/);
    expect(await reasonFor("a.docx", whole.subarray(0, whole.length / 2))).toMatch(/^is damaged/);
    expect(await reasonFor("a.docx", docxOf("<w:p><broken"))).toMatch(/^is damaged/);
    expect(await reasonFor("a.docx", zipSync({ "x.txt": strToU8("x") }))).toMatch(/^is damaged/);
    expect(await reasonFor("a.docx", Buffer.from("plain text"))).toMatch(/^is damaged/);
    const flipped = Buffer.from(whole);
    const at = flipped.indexOf("word/document.xml") + "word/document.xml".length;
    flipped.fill(0xff, at, at + 40);
    expect(await reasonFor("a.docx", flipped)).toMatch(/^is damaged/);
  });

  it("says that it is password-protected, or an old .doc", async () => {
    const ole = Buffer.concat([Buffer.from("d0cf11e0a1b11ae1", "hex"), Buffer.alloc(500)]);
    const locked = Buffer.concat([ole, Buffer.from("EncryptedPackage", "utf16le"), Buffer.alloc(100)]);
    expect(await reasonFor("a.docx", locked)).toBe("is password-protected");
    expect(await reasonFor("a.docx", ole)).toMatch(/old \.doc/);
    expect(await reasonFor("a.doc", ole)).toBe("is an old Word file");
  });

  it("is read by its content if it has the ending of an old format", async () => {
    const mhtml =
      'Subject: Exported\nMIME-Version: 1.0\nContent-Type: multipart/related;\n\tboundary="b"\n\n--b\nContent-Type: text/html\n\n<h1>Wiki</h1><p>Nine litres.</p>\n--b--\n';
    const texts: [name: string, content: string | Uint8Array, text: string][] = [
      ["a.doc", "<html xmlns:o='urn:x'><body><p>Nine litres.</p></body></html>", "Nine litres."],
      ["a.doc", mhtml, "Subject: Exported\n\nWiki\n\nNine litres."],
      ["a.doc", "{\\rtf1 Nine litres.}", "Nine litres."],
      ["a.doc", docxOf("<w:p><w:r><w:t>Nine litres.</w:t></w:r></w:p>"), "Nine litres."],
      ["a.xls", "<table><tr><th>Part<th>Price<tr><td>Bolt<td>7</table>", "Part | Price\nBolt | 7"],
      ["a.xls", "Part\tPrice\nBolt\t7\n", "Part: Bolt. Price: 7."],
      ["a.xls", Buffer.from("\ufeffPart\tPrice\nBolt\t7\n", "utf16le"), "Part: Bolt. Price: 7."],
      ["a.ppt", "Nine litres.", "Nine litres."],
    ];
    for (const [name, content, text] of texts) {
      const { documents } = await readContent(name, content);
      expect([name, documents.map((document) => document.text)]).toEqual([name, [text]]);
    }
  });

  it("refuses a bomb by its declared size, before anything is unpacked", async () => {
    const bomb = docxOf(body, { more: { "word/media/zeros.bin": zeros(4 * MIB) } });
    expect(await reasonFor("a.docx", bomb, SMALL_BOMBS)).toMatch(/^looks like a zip bomb/);
  });

  it("refuses a bomb that declares less than it holds", async () => {
    const content = `<w:document>${" ".repeat(3 * MIB)}</w:document>`;
    const bomb = docxOf(body, { more: { "word/document.xml": strToU8(content) } });
    expect(await reasonFor("a.docx", withDeclaredSize(bomb, "word/document.xml", 1000))).toMatch(
      /^looks like a zip bomb/,
    );
    expect(await reasonFor("a.docx", withDeclaredSize(bomb, "word/document.xml", 4 * MIB))).toMatch(/^is damaged/);
  });

  it("refuses more XML than the limit", async () => {
    expect(await reasonFor("a.docx", docxOf(body), { limits: { maxMarkupBytes: 1000 } })).toMatch(/^holds more than/);
  });
});

describe("epub", () => {
  const chapters: [string, string][] = [
    ["text/chapter-1.xhtml", xhtml("One", "<h1>First</h1><p>It begins.</p>")],
    ["text/chapter 2.xhtml", xhtml("Two", "<p>It ends with Ines Calder.</p>")],
  ];

  it("gives the chapters in the order of the spine, with the file as place", async () => {
    const document = await readOne("book.epub", epubOf(chapters));
    expect(document).toMatchObject({
      title: "The Observatory",
      text: "First\n\nIt begins.\n\nIt ends with Ines Calder.",
      metadata: { author: "Ines Calder", language: "en" },
      map: { kind: "epub" },
    });
    expect(placeOfPhrase(document, "begins")).toEqual({ path: "text/chapter-1.xhtml" });
    expect(placeOfPhrase(document, "Ines")).toEqual({ path: "text/chapter 2.xhtml" });
    expect(document.map.segments).toHaveLength(2);
  });

  it("reads hidden notes, which programs for books show at their references", async () => {
    const note = '<aside epub:type="footnote" id="n" hidden="hidden"><p>Of oil.</p></aside>';
    const notes = '<section role="doc-endnotes" hidden=""><p>Or tea.</p></section>';
    const text = `<p>Nine litres<a epub:type="noteref" href="#n">1</a>.</p>${note}<p hidden="hidden">Secret.</p>${notes}`;
    const styled = '<aside epub:type="footnote" style="display:none">Or water.</aside>';
    const document = await readOne("book.epub", epubOf([["c.xhtml", xhtml("One", text + styled)]]));
    expect(document.text).toBe("Nine litres¹.\n\nOf oil.\n\nOr tea.\n\nOr water.");
  });

  it("skips a chapter that is missing and says so", async () => {
    const renamed = Buffer.from(epubOf(chapters));
    for (let at = renamed.indexOf("chapter-1.xhtml"); at >= 0; at = renamed.indexOf("chapter-1.xhtml", at + 1)) {
      renamed.write("chapter-X", at);
    }
    const missing = await readContent("book.epub", renamed);
    expect(missing.documents[0]!.text).toBe("It ends with Ines Calder.");
    expect(missing.skips).toMatchObject([{ reason: "chapter text/chapter-1.xhtml is missing in the book" }]);
  });

  it("says what is wrong with a damaged or protected one, and with a bomb", async () => {
    expect(await reasonFor("a.epub", Buffer.from("rubbish"))).toMatch(/^is damaged/);
    expect(await reasonFor("a.epub", zipSync({ "x.txt": strToU8("x") }))).toMatch(/^is not an EPUB/);
    expect(await reasonFor("a.epub", epubOf([]))).toBe("is damaged (it names no chapters)");
    const encryption = '<encryption><CipherReference URI="OEBPS/text/chapter-1.xhtml"/></encryption>';
    expect(await reasonFor("a.epub", epubOf(chapters, { more: { "META-INF/encryption.xml": encryption } }))).toBe(
      "is protected by DRM",
    );
    const bomb = epubOf([["1.xhtml", " ".repeat(4 * MIB)]]);
    expect(await reasonFor("a.epub", bomb, SMALL_BOMBS)).toMatch(/^looks like a zip bomb/);
    const entities = '<!DOCTYPE p [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]><package>&b;</package>';
    expect(await reasonFor("a.epub", epubOf(chapters, { more: { "OEBPS/content.opf": entities } }))).toMatch(
      /^is damaged/,
    );
  });
});

describe("zip", () => {
  it("says that other archives are to be unpacked", async () => {
    expect(await reasonFor("a.zip", zipSync({ "a.txt": strToU8("x") }))).toBe("is a zip archive");
  });
});
