/**
 * Prints the n-grams that contributed to the best answers (as in SPARC's table of n-gram weights)
 * and the terms of the answers' sentences (as in table 6 of SPARTA), as Markdown for
 * docs/research/.
 *
 *   npx tsx scripts/interpret.ts samples/questions.jsonl --index samples.index [--per-document 1] [--limit 10]
 */

import { readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { openEncoder } from "../adapters/node/models/encoder/encoder.js";
import { openIndex } from "../adapters/node/index.js";
import { passageInput, titleTokens } from "../src/encode/input.js";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    index: { type: "string" },
    limit: { type: "string", default: "10" },
    "per-document": { type: "string", default: "1" },
  },
});
const [path] = positionals;
if (path === undefined || values.index === undefined) {
  console.error("usage: interpret QUESTIONS.jsonl --index DIR [--per-document N] [--limit N]");
  process.exit(2);
}

interface Line {
  question: string;
  answers: string[];
  document: string;
}

const lines = (await readFile(path, "utf8")).trim().split("\n").map((line) => JSON.parse(line) as Line);
const seen = new Map<string, number>();
const chosen = lines
  .filter(({ document }) => {
    seen.set(document, (seen.get(document) ?? 0) + 1);
    return seen.get(document)! <= Number(values["per-document"]);
  })
  .slice(0, Number(values.limit));

const SHOWN = 6;
const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ");
const encoder = await openEncoder({ threads: 1 });
const index = await openIndex({ path: values.index, encoder });
const ngramRows: string[] = [];
const termRows: string[] = [];
for (const { question } of chosen) {
  const { answers } = await index.ask(question, { topK: 1, explain: true });
  const [best] = answers;
  if (best === undefined) continue;
  const label = (side: "start" | "end"): string =>
    (best.ngrams ?? [])
      .filter((match) => match.side === side)
      .sort((a, b) => b.weight - a.weight)
      .slice(0, SHOWN)
      .map(({ text, weight }) => `${text} ${weight.toFixed(1)}`)
      .join(", ") || "none";
  const parts = best.parts!;
  const shown = (["dense", "ngram", "terms", "tfidf", "vector"] as const).map((name) => parts[name].toFixed(1)).join(" / ");
  ngramRows.push(`| ${cell(question)} | ${cell(best.text)} | ${cell(label("start"))} | ${cell(label("end"))} | ${shown} |`);

  const tokens = encoder.tokenizer.tokenize(best.context, { maxTokens: 256 });
  const title = titleTokens(encoder.tokenizer, best.title, encoder.info);
  const input = passageInput(encoder.tokenizer, title, { passage: { start: 0, end: best.context.length, tokens } });
  const [encoded] = await encoder.encodePassages([input], { keepAll: true });
  const { terms, weights } = encoded!.units[0]!;
  const own = new Set(tokens.ids.slice(0, tokens.count));
  const order = Array.from(terms, (term, i) => ({ term, weight: weights[i]! / encoder.info.scales.term })).sort((a, b) => b.weight - a.weight);
  const list = (inside: boolean): string =>
    order
      .filter(({ term }) => own.has(term) === inside)
      .slice(0, 2 * SHOWN)
      .map(({ term, weight }) => `${encoder.tokenizer.tokenOf(term)} ${weight.toFixed(1)}`)
      .join(", ");
  termRows.push(`| ${cell(best.context)} | ${cell(list(true))} | ${cell(list(false))} |`);
}
await index.close();
await encoder.close();
console.log("| question | answer | n-grams at its start | n-grams at its end | dense / n-gram / terms / tf-idf |\n|---|---|---|---|---|");
console.log(ngramRows.join("\n"));
console.log("\n| sentence | its own terms | terms not in the sentence |\n|---|---|---|");
console.log(termRows.join("\n"));
