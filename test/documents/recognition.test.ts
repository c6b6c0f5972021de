/**
 * Words of scanned pages that are read: known text, drawn at 200 dpi with a tilt and noise. VERBATIM_SCANS sets the
 * number of pages (default 2); `npm run bench -- scans` measures ten, with their speed.
 */

import { existsSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { scannedPages, scannedPdf, wordsRead } from "../support/scanned-pages.js";
import { readOne } from "./fixtures/folder.js";
import { hasTesseract } from "./fixtures/tesseract.js";

const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
const isInstalled = hasTesseract() && existsSync(executablePath);
if (!isInstalled) console.warn("Scanned pages are not read: this needs Chromium and tesseract.js-core.");

it.runIf(isInstalled)("97 % of the words of scanned pages are read, on their pages", { timeout: 900_000 }, async () => {
  const count = Number(process.env.VERBATIM_SCANS ?? 2);
  const source = new URL("../own-set/documents/story-lamplighter-chapter-three.txt", import.meta.url);
  const pages = await scannedPages(readFileSync(source, "utf8"), count, { executablePath, seed: 1 });
  const { text, map } = await readOne("scan.pdf", scannedPdf(pages), { ocr: true });
  for (const [i, { words }] of pages.entries()) {
    const start = map.segments.find(({ page }) => page === i + 1)!.start;
    const end = map.segments.find(({ page }) => page === i + 2)?.start ?? text.length;
    const read = text.slice(start, end).split(/\s+/);
    expect(wordsRead(words, read) / words.length).toBeGreaterThanOrEqual(0.97);
  }
});
