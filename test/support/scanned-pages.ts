/**
 * Scans of known text: pages drawn by Chromium, turned a little, with the noise of a scanner. The same seed, the same
 * noise.
 */

import { deflateSync } from "node:zlib";
import { type Browser, chromium } from "playwright-core";
import { pdfOf, streamObject } from "../documents/fixtures/pdf.js";
import { type Random, seededRandom } from "./random.js";

export interface ScannedPage {
  /** Words of the page, in order. */
  words: string[];
  width: number;
  height: number;
  /** One byte per pixel, row by row; 0 is black. */
  pixels: Uint8Array;
}

/** A4 at this resolution. */
const DPI = 200;
const WIDTH = Math.round(8.27 * DPI);
const HEIGHT = Math.round(11.69 * DPI);
const LINES = 46;
/** Standard deviation of the brightness of a pixel, of 255, and the share of pixels that are black or white dust. */
const NOISE = 24;
const DUST = 0.0005;
const MAX_TILT = 0.4;

/**
 * Fills `count` pages with the words of a text, from its start again where it ends.
 * @param options.executablePath  Chromium
 */
export async function scannedPages(
  text: string,
  count: number,
  options: { executablePath: string; seed: number },
): Promise<ScannedPage[]> {
  const random = seededRandom(options.seed);
  const browser = await chromium.launch({ executablePath: options.executablePath, args: ["--no-sandbox"] });
  try {
    const words = text.split(/\s+/).filter((word) => word !== "");
    const pages: ScannedPage[] = [];
    for (let from = 0; pages.length < count; from += pages.at(-1)!.words.length) {
      const rest = Array.from({ length: 1000 }, (_, i) => words[(from + i) % words.length]!);
      pages.push(await scannedPage(browser, rest, random));
    }
    return pages;
  } finally {
    await browser.close();
  }
}

async function scannedPage(browser: Browser, words: readonly string[], random: Random): Promise<ScannedPage> {
  const page = await browser.newPage();
  const layout = { words, width: WIDTH, height: HEIGHT, lines: LINES, tilt: (random.next() * 2 - 1) * MAX_TILT };
  // 11 points, as in books.
  const drawn = await page.evaluate(drawInBrowser, { ...layout, size: Math.round((11 / 72) * DPI) });
  await page.close();
  const pixels = new Uint8Array(Buffer.from(drawn.pixels, "base64"));
  for (let i = 0; i < pixels.length; i++) pixels[i] = noisy(pixels[i]!, random);
  return { words: words.slice(0, drawn.count), width: WIDTH, height: HEIGHT, pixels };
}

/** What the page of Chromium has. */
declare const OffscreenCanvas: new (
  width: number,
  height: number,
) => {
  getContext(kind: "2d"): {
    fillStyle: string;
    font: string;
    fillRect(left: number, top: number, width: number, height: number): void;
    rotate(radians: number): void;
    measureText(text: string): { width: number };
    fillText(text: string, left: number, baseline: number): void;
    getImageData(left: number, top: number, width: number, height: number): { data: Uint8ClampedArray };
  };
};

/** Runs in the page: draws as many words as fit. */
function drawInBrowser(layout: {
  words: readonly string[];
  width: number;
  height: number;
  lines: number;
  tilt: number;
  size: number;
}): { pixels: string; count: number } {
  const { words, width, height, size } = layout;
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext("2d");
  context.fillStyle = "#f4f1ea";
  context.fillRect(0, 0, width, height);
  context.rotate((layout.tilt * Math.PI) / 180);
  context.fillStyle = "#1b1b1b";
  context.font = `${size}px "DejaVu Serif", "Liberation Serif", serif`;
  const margin = Math.round(width / 9);
  let count = 0;
  for (let line = 0; line < layout.lines; line++) {
    let text = "";
    while (count < words.length) {
      const longer = text === "" ? words[count]! : `${text} ${words[count]}`;
      if (text !== "" && context.measureText(longer).width > width - 2 * margin) break;
      text = longer;
      count++;
    }
    context.fillText(text, margin, margin + line * Math.round(size * 1.45));
  }
  const { data } = context.getImageData(0, 0, width, height);
  let pixels = "";
  for (let i = 0; i < data.length; i += 4) {
    pixels += String.fromCharCode((77 * data[i]! + 150 * data[i + 1]! + 29 * data[i + 2]!) >> 8);
  }
  return { pixels: btoa(pixels), count };
}

/** The sum of four uniform numbers is near enough to a normal one. */
function noisy(value: number, random: Random): number {
  const dust = random.next();
  if (dust < DUST) return dust < DUST / 2 ? 0 : 255;
  const normal = (random.next() + random.next() + random.next() + random.next() - 2) * Math.sqrt(3);
  return Math.max(0, Math.min(255, Math.round(value + NOISE * normal)));
}

/** A PDF whose pages are these pictures, without a text layer. */
export function scannedPdf(pages: readonly ScannedPage[]): Uint8Array {
  const objects = ["<< /Type /Catalog /Pages 2 0 R >>", ""];
  const kids: string[] = [];
  for (const { width, height, pixels } of pages) {
    const data = Buffer.from(deflateSync(pixels, { level: 1 })).toString("latin1");
    const image = `/Type /XObject /Subtype /Image /Width ${width} /Height ${height} /ColorSpace /DeviceGray /BitsPerComponent 8 /Filter /FlateDecode`;
    objects.push(streamObject(data, image));
    objects.push(streamObject("q 595 0 0 842 0 0 cm /I Do Q"));
    const [content, picture] = [objects.length, objects.length - 1];
    objects.push(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /XObject << /I ${picture} 0 R >> >> /Contents ${content} 0 R >>`,
    );
    kids.push(`${objects.length} 0 R`);
  }
  objects[1] = `<< /Type /Pages /Count ${pages.length} /Kids [${kids.join(" ")}] >>`;
  return pdfOf(objects);
}

/** How many of the words were read, in order: the length of the longest common subsequence. */
export function wordsRead(words: readonly string[], read: readonly string[]): number {
  let row = new Uint32Array(read.length + 1);
  for (const word of words) {
    const next = new Uint32Array(read.length + 1);
    for (const [i, other] of read.entries()) {
      next[i + 1] = word === other ? row[i]! + 1 : Math.max(row[i + 1]!, next[i]!);
    }
    row = next;
  }
  return row[read.length]!;
}
