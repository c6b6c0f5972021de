/** Pictures of pages: text next to them, text that is recognised, and what is wrong with the others. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { Document } from "../../src/types.js";
import { pngOf } from "../support/png.js";
import { seededRandom } from "../support/random.js";
import { fixtureFile } from "./fixtures/fixture-file.js";
import { placeOfPhrase, read, readContent, TestFolder } from "./fixtures/folder.js";
import { pdfPages } from "./fixtures/pdf.js";
import { hasTesseract } from "./fixtures/tesseract.js";

const HOCR = `<html><head><meta name='ocr-system' content='x'/></head><body>
<div class='ocr_page' title='image "scan.png"; bbox 0 0 1000 2000; ppageno 0'><p class='ocr_par'>
<span class='ocr_line' title='bbox 100 200 500 240'><span class='ocrx_word' title='bbox 100 200 300 240; x_wconf 90'>The obser-</span></span>
<span class='ocr_line' title='bbox 100 250 500 290'><span class='ocrx_word' title='bbox 100 250 300 290; x_wconf 80'>vatory</span> <span class='ocrx_word' title='bbox 310 250 400 290; x_wconf 95'><strong>glows.</strong></span></span></p></div>
<div class='ocr_page' title='bbox 0 0 1000 2000; ppageno 1'><span class='ocr_line' title='bbox 0 0 9 9'>Page two.</span></div></body></html>`;

async function documentOf(files: Record<string, string | Uint8Array>, name: string, ocr = false): Promise<Document> {
  const folder = await new TestFolder().write(files);
  const { documents, skips } = await read(folder.input(name), { ocr });
  folder.remove();
  expect(skips).toEqual([]);
  return documents[0]!;
}

describe("text next to a scan", () => {
  it.each(["scan.png", "scan.tif", "scan.jpg", "scan.pdf"])(
    "is read for %s, a page for each form feed",
    async (name) => {
      const text = "The lamp was\nlit in May.\n\nIt burned oil.\n\fEdith trimmed the wick.\n";
      const document = await documentOf({ [name]: fixtureFile(name), "scan.txt": text }, name);
      expect(document.text).toBe("The lamp was lit in May.\n\nIt burned oil.\n\nEdith trimmed the wick.");
      expect(document.id).toBe(name);
      expect(placeOfPhrase(document, "oil")).toEqual({ page: 1 });
      expect(placeOfPhrase(document, "wick")).toEqual({ page: 2 });
    },
  );

  it.each(["scan.hocr", "scan.html"])("gives each word its box: %s", async (name) => {
    const document = await documentOf(
      { "scan.png": fixtureFile("scan.png"), [name]: HOCR, "scan.txt": "Not this." },
      "scan.png",
    );
    expect(document.text).toBe("The observatory glows.\n\nPage two.");
    expect(document.map.kind).toBe("image");
    expect(placeOfPhrase(document, "glows")).toEqual({ page: 1, path: "xywh=percent:31,12.5,9,2" });
    expect(placeOfPhrase(document, "vatory")).toEqual({ page: 1, path: "xywh=percent:10,12.5,20,2" });
    expect(placeOfPhrase(document, "two")).toEqual({ page: 2, path: "xywh=percent:0,0,0.9,0.45" });
    expect(document.metadata).toEqual({ "ocr.confidence": 89, pages: 2 });
  });

  it("is not a document of its own in a folder, unless its scan is not listed", async () => {
    const files = {
      "a.png": "",
      "a.txt": "",
      "b.JPG": "",
      "b.hocr": "",
      "c.pdf": "",
      "c.txt": "",
      "c.hocr": "",
      "d.txt": "",
    };
    const more = { "page.png": "", "page.html": "<p>A page</p>", "scan.png": "", "scan.html": HOCR };
    const folder = await new TestFolder().write({ ...files, ...more });
    const names = ["a.png", "b.JPG", "c.pdf", "c.txt", "d.txt", "page.html", "page.png", "scan.png"];
    expect((await folder.list(".")).ids).toEqual(names);
    expect((await folder.list("*.txt")).ids).toEqual(["a.txt", "c.txt", "d.txt"]);
    await folder.write({ ".gitignore": "*.png\n" });
    expect((await folder.list(".")).ids).toContain("a.txt");
    folder.remove();
  });

  it("is ignored where the PDF has text itself, and for attachments", async () => {
    const pdf = pdfPages([[{ text: "Typed text", y: 700 }]]);
    expect((await documentOf({ "scan.pdf": pdf, "scan.txt": "Not this." }, "scan.pdf")).text).toBe("Typed text");
  });
});

describe("a scan without recognised text", () => {
  it("is skipped with the name of the option and of what to install", async () => {
    const { skips } = await readContent("scan.png", fixtureFile("scan.png"));
    expect(skips).toMatchObject([{ reason: "is a picture without a text file of the same name next to it" }]);
    expect(skips[0]!.hint).toBe("Read it with --ocr (needs: npm install tesseract.js-core @tesseract.js-data/eng).");
    const pdf = await readContent("scan.pdf", fixtureFile("scan.pdf"));
    expect(pdf.skips).toMatchObject([{ reason: "has no text layer (scanned pages?)", hint: skips[0]!.hint }]);
  });
});

if (!hasTesseract()) console.warn("Text recognition is not tested: tesseract.js-core is not installed.");

describe.runIf(hasTesseract())("text recognition", () => {
  it.each([
    ["scan.png", 1],
    ["scan.jpg", 1],
    ["scan.tif", 2],
    ["scan.pdf", 2],
  ])("reads %s with the place of each word", async (name, pages) => {
    const document = await documentOf({ [name]: fixtureFile(name) }, name, true);
    expect(document.text).toContain(
      "In the spring of 1871 the harbour board of Ellenport voted forty-two pounds for a new lamp, and the keeper, " +
        "Maud Ainslie, wrote to the maker in Bristol the same evening.\n\nThe lamp arrived in August",
    );
    const place = placeOfPhrase(document, "Ellenport");
    expect(place.page).toBe(1);
    const [left, top, width, height] = place.path!.replace("xywh=percent:", "").split(",").map(Number);
    // On the second line, 9 cm wide from 1.5 cm, on a page of 12 cm.
    expect(left! + width!).toBeLessThan(90);
    expect(top).toBeGreaterThan(15);
    expect(top! + height!).toBeLessThan(30);
    expect(document.metadata?.["ocr.confidence"]).toBeGreaterThan(80);
    if (pages === 2) expect(placeOfPhrase(document, "Edith").page).toBe(2);
  });

  it.each(["scan.png", "scan.pdf"])("takes pages of %s that were recognised before from the cache", async (name) => {
    const folder = await new TestFolder().write({ [name]: fixtureFile(name) });
    const options = { ocr: true, ocrCache: join(folder.path, "ocr") };
    const first = await read(folder.input(name), options);
    for (const cached of readdirSync(options.ocrCache)) {
      const path = join(options.ocrCache, cached);
      const entry = gunzipSync(readFileSync(path)).toString();
      await folder.write({ [`ocr/${cached}`]: gzipSync(entry.replaceAll("Ellenport", "Cached")) });
    }
    const again = await read(folder.input(name), options);
    folder.remove();
    expect(again.documents[0]!.text).toBe(first.documents[0]!.text.replaceAll("Ellenport", "Cached"));
    expect(again.documents[0]!.text).toContain("Cached");
  });

  it("reports noise, blank pages, damage and too many pixels in one line each", async () => {
    const random = seededRandom(7);
    const cases: [Uint8Array, RegExp][] = [
      [pngOf(600, 400, () => random.whole(0, 255)), /^has no text that can be recognised$/],
      [pngOf(300, 300, () => 255), /^has no text that can be recognised$/],
      [fixtureFile("scan.png").subarray(0, 40), /^(is damaged|has no text)/],
      [fixtureFile("scan.tif").subarray(0, 300), /^(is damaged|has no text)/],
      [Buffer.from("\x89PNG\r\n\x1a\nrubbish", "latin1"), /^is damaged/],
      [pngOf(12_000, 9_000, () => 255).subarray(0, 1000), /^has a picture of more than 50 megapixels$/],
    ];
    for (const [bytes, reason] of cases) {
      const { documents, skips } = await readContent("a.png", bytes, { ocr: true });
      expect(documents).toEqual([]);
      expect(skips.map((skip) => skip.reason)).toEqual([expect.stringMatching(reason)]);
    }
  });
});
