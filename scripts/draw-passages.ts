/**
 * Draws distractor passages from a corpus of articles: each drawn paragraph becomes a document of
 * its own.
 *
 *     xz -dc corpus.jsonl.xz | npx tsx scripts/draw-passages.ts --count 50000 --seed 7 --without dev-v1.1.json > distractors.jsonl
 *
 * Input: lines of {id, title, text}, one paragraph per line of `text`. Rule: paragraphs of 300 to
 * 2,000 characters, of articles whose title (case and underscores aside) is not a title in the
 * SQuAD file after --without; `count` of them by reservoir sampling (Vitter 1985, algorithm R) with
 * the seeded generator of src/vectors/random.ts, written in the corpus's order. The same input and
 * seed give the same output.
 */

import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { parseSquad } from "../src/evaluate/squad-file.js";
import { Random } from "../src/vectors/random.js";

const SHORTEST = 300;
const LONGEST = 2000;

const { values } = parseArgs({
  options: {
    count: { type: "string", default: "50000" },
    seed: { type: "string", default: "7" },
    without: { type: "string" },
  },
});
const count = Number(values.count);
if (!Number.isInteger(count) || count < 1) {
  console.error("usage: draw-passages --count N --seed N [--without SQUAD_FILE] < CORPUS > PASSAGES");
  process.exit(2);
}
const plain = (title: string): string => title.replaceAll("_", " ").trim().toLowerCase();
const left = new Set<string>();
if (values.without !== undefined) {
  const file = parseSquad(JSON.parse(await readFile(values.without, "utf8")), values.without);
  for (const { title } of file.articles) left.add(plain(title));
}
const random = new Random(Number(values.seed));
const drawn: Array<{ order: number; line: string }> = [];
let seen = 0;
let skipped = 0;
for await (const line of createInterface({ input: process.stdin })) {
  if (line.trim() === "") continue;
  const { id, title, text } = JSON.parse(line) as { id: string | number; title: string; text: string };
  if (left.has(plain(title))) {
    skipped++;
    continue;
  }
  for (const [number, paragraph] of text.split("\n").entries()) {
    if (paragraph.length < SHORTEST || paragraph.length > LONGEST) continue;
    const place = seen < count ? seen : random.int(seen + 1);
    if (place < count) {
      const record = { id: `${id}#${number}`, title, text: paragraph };
      drawn[place] = { order: seen, line: JSON.stringify(record) };
    }
    seen++;
  }
}
drawn.sort((a, b) => a.order - b.order);
for (const { line } of drawn) process.stdout.write(`${line}\n`);
console.error(`${drawn.length} of ${seen} paragraphs; ${skipped} articles excluded by title`);
