/**
 * Measure the answers to questions of your own:  node examples/evaluate.mjs FOLDER QUESTIONS.jsonl One question per
 * line: {"question": "who …?", "answers": ["Ines Calder"]}. `verbatim eval open` also reports intervals.
 */

import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { indexPaths, openIndex } from "verbatim-qa/node";

const [folder = "samples", file = "questions.jsonl"] = process.argv.slice(2);
const questions = (await readFile(file, "utf8"))
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line));
const work = await mkdtemp(join(tmpdir(), "verbatim-example-"));
await indexPaths([folder], { index: join(work, "index") });
const index = await openIndex({ path: join(work, "index") });

const normal = (text) =>
  text
    .toLowerCase()
    .replace(/[\p{P}\s]+/gu, " ")
    .trim();
const right = { first: 0, amongFive: 0, none: 0 };
for (const { question, answers: golds } of questions) {
  const { answers, noAnswer } = await index.ask(question, { topK: 5 });
  const ranks = answers.map(({ text }) => golds.some((gold) => normal(gold) === normal(text)));
  if (noAnswer !== undefined) right.none++;
  if (ranks[0]) right.first++;
  if (ranks.includes(true)) right.amongFive++;
}
console.log(
  `${questions.length} questions: ${right.first} right, ${right.amongFive} among five, ${right.none} not answered`,
);
await index.close();
await rm(work, { recursive: true });
