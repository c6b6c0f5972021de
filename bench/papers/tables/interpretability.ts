/** The n-grams and terms behind ten answers (SPARC's table of n-gram weights, SPARTA's table 6). */

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openIndex } from "../../../adapters/node/index.js";
import { indexPaths } from "../../../adapters/node/ingest/index-paths.js";
import { passageInput, titleTokens } from "../../../src/encode/input.js";
import { throwIfAborted } from "../../../src/errors.js";
import { encoderName, hashOf, measuredWith, type OpenEncoder, type PapersContext, type Table } from "../context.js";
import type { Examples } from "../types.js";

const SAMPLES = fileURLToPath(new URL("../../../samples", import.meta.url));
const QUESTIONS = "questions.jsonl";
const MAX_QUESTIONS = 10;
/** N-grams shown per side of an answer; twice as many terms. */
const SHOWN = 6;

const NGRAM_COLUMNS = [
  "question",
  "answer",
  "n-grams at its start",
  "n-grams at its end",
  "dense / n-gram / terms / tf-idf / vector",
];
const TERM_COLUMNS = ["sentence of the answer", "its own terms", "terms not in the sentence"];

export const interpretability: Table = {
  name: "interpretability",
  peers: [],
  measure: async () => [],
  async examples(context) {
    const { models, parts, sample } = context;
    const model = await encoderName(models);
    const questions = (await firstQuestions()).slice(0, Math.min(sample ?? MAX_QUESTIONS, MAX_QUESTIONS));
    return parts.part("interpretability", { model, questions, documents: await documentsHash() }, async () => {
      const lines = await explainedAnswers(questions, context);
      const of = {
        about: `${questions.length} questions over the project's ${(await documents()).length} sample documents`,
        ...measuredWith(model, context),
      };
      const tables: Examples[] = [
        { ...of, columns: NGRAM_COLUMNS, lines: lines.map(({ ngrams }) => ngrams) },
        { ...of, columns: TERM_COLUMNS, lines: lines.map(({ terms }) => terms) },
      ];
      return tables;
    });
  },
};

async function documents(): Promise<string[]> {
  return (await readdir(SAMPLES)).filter((name) => name !== QUESTIONS && !name.startsWith(".")).sort();
}

async function documentsHash(): Promise<string> {
  const texts = (await documents()).map((name) => readFile(join(SAMPLES, name), "utf8"));
  return hashOf(await Promise.all(texts)).slice(0, 16);
}

/** The first question of each document. */
async function firstQuestions(): Promise<string[]> {
  const lines = (await readFile(join(SAMPLES, QUESTIONS), "utf8")).trim().split("\n");
  const byDocument = new Map<string, string>();
  for (const line of lines) {
    const { question, document } = JSON.parse(line) as { question: string; document: string };
    if (!byDocument.has(document)) byDocument.set(document, question);
  }
  return [...byDocument.values()];
}

/** The lines of both tables, by question. */
async function explainedAnswers(
  questions: readonly string[],
  { models, work, io: { signal } }: PapersContext,
): Promise<{ ngrams: string[]; terms: string[] }[]> {
  const encoder = await models.encoder();
  const path = join(work, "interpretability", `index-${hashOf([encoder.info, await documentsHash()]).slice(0, 8)}`);
  const files = (await documents()).map((name) => join(SAMPLES, name));
  await indexPaths(files, { index: path, encoder, signal });
  throwIfAborted(signal);
  const index = await openIndex({ path, encoder, signal });
  const lines: { ngrams: string[]; terms: string[] }[] = [];
  try {
    for (const question of questions) {
      const { answers } = await index.ask(question, { topK: 1, minConfidence: 0, explain: true, signal });
      const [best] = answers;
      if (best === undefined) continue;
      const side = (name: "start" | "end"): string =>
        listed(
          (best.ngrams ?? []).filter((match) => match.side === name),
          SHOWN,
        ) || "none";
      const { dense, ngram, terms, tfidf, vector } = best.parts!;
      const shown = [dense, ngram, terms, tfidf, vector].map((part) => part.toFixed(1)).join(" / ");
      lines.push({
        ngrams: [question, best.text, side("start"), side("end"), shown],
        terms: await termsOf(best, encoder),
      });
    }
  } finally {
    await index.close();
  }
  return lines;
}

/** A sentence, encoded alone: the terms that it contains, and those that the network adds. */
async function termsOf(
  { context, title }: { context: string; title: string },
  encoder: OpenEncoder,
): Promise<string[]> {
  const { tokenizer, info } = encoder;
  const tokens = tokenizer.tokenize(context, { maxTokens: info.maxInputTokens - info.maxTitleTokens - 3 });
  const passage = { start: 0, end: context.length, tokens };
  const input = passageInput(tokenizer, titleTokens(tokenizer, title, info), { passage });
  const [encoded] = await encoder.encodePassages([input], { keepAll: true });
  const { terms, weights } = encoded!.units[0]!;
  const own = new Set(tokens.ids.slice(0, tokens.count));
  const weighted = Array.from(terms, (term, i) => ({ term, weight: weights[i]! / info.scales.term }));
  const some = (inside: boolean): string =>
    listed(
      weighted
        .filter(({ term }) => own.has(term) === inside)
        .map(({ term, weight }) => ({ text: tokenizer.tokenOf(term), weight })),
      2 * SHOWN,
    );
  return [context, some(true), some(false)];
}

/** The heaviest, with their weights. */
function listed(entries: readonly { text: string; weight: number }[], count: number): string {
  return [...entries]
    .sort((a, b) => b.weight - a.weight)
    .slice(0, count)
    .map(({ text, weight }) => `${text} ${weight.toFixed(1)}`)
    .join(", ");
}
