/**
 * How many words of scanned pages are recognised, and how fast? Pages of A4 at 200 dpi are drawn from the documents of
 * the own set, with a tilt and the noise of a scanner, and read from a PDF as `verbatim index --ocr` reads it.
 *
 *     npm run bench -- scans [--pages 10] [--seed 1]
 *
 * Needs Chromium (CHROMIUM, default /usr/bin/chromium), tesseract.js-core and @tesseract.js-data/eng. Seconds are
 * processor time of this process, which reads the pages in one thread.
 */

import { readdirSync, readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { readPdf } from "../adapters/node/documents/formats/pdf.js";
import { readLimits } from "../adapters/node/documents/limits.js";
import { scannedPages, scannedPdf, wordsRead } from "../test/support/scanned-pages.js";
import { record } from "./support/results.js";

const { values } = parseArgs({
  options: { pages: { type: "string", default: "10" }, seed: { type: "string", default: "1" } },
});
const folder = new URL("../test/own-set/documents/", import.meta.url);
const text = readdirSync(folder)
  .filter((name) => name.endsWith(".txt"))
  .map((name) => readFileSync(new URL(name, folder), "utf8"))
  .join("\n");
const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
const pages = await scannedPages(text, Number(values.pages), { executablePath, seed: Number(values.seed) });
const bytes = Uint8Array.from(scannedPdf(pages));

const begun = process.cpuUsage();
const pageSeconds: number[] = [];
let pageBegun = process.cpuUsage();
const [document] = await readPdf(bytes, {
  input: { path: "scan.pdf", absolutePath: "-", id: "scan.pdf", size: bytes.length, mtimeMs: 0 },
  name: "scan",
  limits: readLimits(),
  ocr: true,
  onPart: () => {},
  onRecognized: () => {
    const { user, system } = process.cpuUsage(pageBegun);
    pageSeconds.push((user + system) / 1e6);
    pageBegun = process.cpuUsage();
  },
  skipRecord: () => {},
  readPart: async () => [],
});
const { user, system } = process.cpuUsage(begun);
const words = pages.flatMap((page) => page.words);
const read = document!.text.split(/\s+/);
await record("scans", {
  pages: pages.length,
  seed: Number(values.seed),
  words: words.length,
  wordsRead: Math.round((10_000 * wordsRead(words, read)) / words.length) / 10_000,
  confidence: document!.metadata?.["ocr.confidence"],
  pagesPerSecond: Math.round((100 * pages.length * 1e6) / (user + system)) / 100,
  slowestPageSeconds: Math.round(10 * Math.max(...pageSeconds)) / 10,
  residentMiB: Math.round(process.memoryUsage.rss() / 2 ** 20),
});
