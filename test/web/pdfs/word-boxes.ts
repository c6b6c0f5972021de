/**
 * npx tsx test/web/pdfs/word-boxes.ts: writes word-boxes.json, the places of the words of each quote in quotes.json
 * according to poppler (`pdftotext -bbox`).
 */

import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** A word as poppler found it: page, left, top, right, bottom in points of the shown page. */
export type WordBox = [page: number, left: number, top: number, right: number, bottom: number];

export interface ExpectedQuote {
  file: string;
  parts: string[];
  words: WordBox[];
  /** The words before and after the quote. */
  neighbours: WordBox[];
}

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** Letters and digits: two programs differ in spaces, hyphens and ligatures. */
export const lettersOf = (text: string): string => text.normalize("NFKC").replace(/[^\p{L}\p{N}]/gu, "");

export function readQuotes(): ExpectedQuote[] {
  return JSON.parse(readFileSync(here("word-boxes.json"), "utf8")) as ExpectedQuote[];
}

interface Word {
  text: string;
  box: WordBox;
}

function wordsOf(file: string): Word[] {
  const xml = execFileSync("pdftotext", ["-bbox", here(file), "-"], { encoding: "utf8" });
  const words: Word[] = [];
  let page = 0;
  for (const [, tag, x0, y0, x1, y1, text] of xml.matchAll(
    /<(page|word)(?: xMin="([\d.]+)" yMin="([\d.]+)" xMax="([\d.]+)" yMax="([\d.]+)">([^<]*)<)?/g,
  )) {
    if (tag === "page") page++;
    else words.push({ text: lettersOf(unescaped(text!)), box: [page, ...rounded([x0, y0, x1, y1])] as WordBox });
  }
  return words.filter(({ text }) => text !== "");
}

const rounded = (numbers: (string | undefined)[]): number[] => numbers.map((it) => Math.round(Number(it) * 100) / 100);

const unescaped = (text: string): string =>
  text.replace(
    /&(amp|lt|gt|quot|apos);/g,
    (_, name: "amp") => ({ amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" })[name]!,
  );

/** The words of the first place of a text, and those around it. */
function find(
  words: readonly Word[],
  part: string,
): { words: WordBox[]; before: WordBox | undefined; after: WordBox | undefined } {
  const wanted = lettersOf(part);
  for (let first = 0; first < words.length; first++) {
    let text = "";
    for (let last = first; wanted.startsWith(text) && last < words.length; last++) {
      text += words[last]!.text;
      if (text !== wanted) continue;
      const boxes = words.slice(first, last + 1).map(({ box }) => box);
      return { words: boxes, before: words[first - 1]?.box, after: words[last + 1]?.box };
    }
  }
  throw new Error(`poppler does not find "${part}"`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const quotes = JSON.parse(readFileSync(here("quotes.json"), "utf8")) as { file: string; parts: string[] }[];
  const pages = new Map([...new Set(quotes.map(({ file }) => file))].map((file) => [file, wordsOf(file)]));
  const lines = quotes.map(({ file, parts }) => {
    const found = parts.map((part) => find(pages.get(file)!, part));
    const words = found.flatMap((it) => it.words);
    // Between the parts there may be the number of the page, which is in the text, too.
    const neighbours = [found[0]!.before, found.at(-1)!.after].filter((it) => it !== undefined);
    return JSON.stringify({ file, parts, words, neighbours });
  });
  writeFileSync(here("word-boxes.json"), `[\n${lines.join(",\n")}\n]\n`);
}
