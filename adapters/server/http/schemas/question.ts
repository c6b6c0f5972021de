/** Questions and their results. */

import { z } from "zod";
import { ASK_DEFAULTS } from "../../../../src/ask/options.js";
import { READER_MODES } from "../../../../src/reader/types.js";
import { MAX_ANSWER_TOKENS } from "../../../../src/search/options.js";
import { STRATEGY_NAMES } from "../../../../src/search/strategies/names.js";
import type { Limits } from "../limits.js";
import { metadata, place } from "./fields.js";

const at = {
  score: z.number().describe("Comparable between answers to one question; not a probability."),
  documentId: z.string(),
  title: z.string(),
  source: z.string(),
  start: z.int().describe("Offset in UTF-16 units of the document's text; the end is exclusive."),
  end: z.int(),
  startByte: z.int(),
  endByte: z.int(),
  startCodePoint: z.int(),
  endCodePoint: z.int(),
  place,
};
const evidence = z.object(at);
const parts = z
  .object({
    dense: z.number(),
    ngram: z.number(),
    terms: z.number(),
    tfidf: z.number(),
    vector: z.number(),
    bm25: z.number().optional(),
    sentence: z.number().optional(),
    reader: z.number().optional(),
  })
  .describe("The parts sum to the score.");
const ngram = z.object({ text: z.string(), weight: z.number(), side: z.enum(["start", "end"]) });
const passage = z.object({ start: z.int(), end: z.int(), text: z.string() });
const quoted = z.object({ text: z.string(), start: z.int(), end: z.int() });
export const answer = z.object({
  text: z.string().describe("The exact text of the document."),
  ...at,
  context: z.string().describe("What is shown around the answer: its sentence, list or row."),
  contextStart: z.int(),
  contextEnd: z.int(),
  shown: z
    .enum(["span", "sentence", "list", "row", "item"])
    .describe("span: `context` is the answer's sentence. Otherwise `context` as a whole is the answer."),
  header: quoted
    .optional()
    .describe(
      "With `row`: the first row of the table. Else the sentence that announces the list that the answer is in.",
    ),
  confidence: z.number().optional().describe("Probability that the answer is right, where the model is calibrated."),
  lessLikely: z
    .boolean()
    .describe("The confidence is far below the first answer's: show it on request, as the page does."),
  alternatives: z.array(quoted).describe("Less likely answers in the same context, best first."),
  metadata,
  evidence: z.array(evidence).describe("Other occurrences of the same answer."),
  parts: parts.optional(),
  ngrams: z.array(ngram).optional().describe("The n-grams that raised the score, largest first."),
  passage: passage.optional().describe("Only from /v1/explain: the passage that was scored."),
});
/** What a question requires of its answers' passages; MCP has the same. */
export const restriction = z.object({
  phrases: z.array(z.string()).describe("The answers' passages contain each of them."),
  excluded: z.array(z.string()).describe("They contain none of these."),
  missing: z.array(z.string()).optional().describe("Only if no passage is left: the phrases that no passage contains."),
  searchedPassages: z
    .number()
    .int()
    .optional()
    .describe("Only if not all passages could be searched for frequent words: how many were, best ranked first."),
});
const result = z.object({
  question: z.string(),
  searchedFor: z
    .string()
    .optional()
    .describe("What was searched for, if typing mistakes were corrected or only parts of a long question were read."),
  restriction: restriction.optional().describe("Present if the question has phrases in quotation marks or -words."),
  strategy: z.string(),
  level: z
    .enum(["lexical", "thin", "full", "mixed"])
    .describe("How much the index keeps of each passage; mixed during an upgrade."),
  kind: z
    .enum(["spans", "sentences"])
    .describe("sentences: whole sentences, found by their words alone (level lexical)."),
  encodedPassages: z
    .int()
    .optional()
    .describe("Passages that were encoded for the question, where the index keeps no vectors."),
  withoutVectors: z
    .literal(true)
    .optional()
    .describe("The index is in a cluster that cannot find passages by vectors: hybrid found them by words only."),
  tookMs: z.number(),
  version: z.int().describe("Version of the index that answered."),
  answers: z.array(answer),
  reading: z
    .object({
      passages: z.int(),
      ended: z.enum(["all", "early", "budget"]).optional().describe("Why reading ended; absent while it continues."),
      milliseconds: z.number(),
    })
    .optional()
    .describe("Present if the reader ran."),
  noAnswer: z
    .object({ confidence: z.number(), minConfidence: z.number() })
    .optional()
    .describe("The confidence of the best answer was below the minimum, so `answers` is empty."),
  nearestPassages: z.array(answer).optional().describe("Only with `noAnswer`: the best passages."),
});

export function questionSchemas(limits: Limits) {
  const question = z
    .string()
    .min(1, "must contain a word")
    .max(limits.maxQuestionUnits)
    .refine((text) => text.trim() !== "", "must contain a word");
  const options = {
    topK: z
      .int()
      .min(1)
      .max(limits.maxTopK)
      .optional()
      .describe(`Maximum number of answers; default ${ASK_DEFAULTS.topK}.`),
    strategy: z
      .enum(STRATEGY_NAMES)
      .optional()
      .describe("How candidates are found; default hybrid, or lexical for an index of level lexical."),
    where: z
      .string()
      .max(limits.maxWhereUnits)
      .optional()
      .describe("Only documents that match this filter, for example `year >= 2020`."),
    maxAnswerTokens: z.int().min(1).max(MAX_ANSWER_TOKENS).optional(),
    minConfidence: z
      .number()
      .min(0)
      .max(1)
      .optional()
      .describe(
        "Minimum confidence; below it, no answer is returned. Default: the server's, else the model's threshold. 0 always answers.",
      ),
    reader: z
      .enum(READER_MODES)
      .optional()
      .describe(
        "on: a second network reads the best passages; auto: only for uncertain answers. Default: the server's.",
      ),
    explain: z.boolean().optional().describe("Include the parts of each score."),
    atLeastVersion: z.int().min(1).optional().describe("Fails unless the index has this version or a newer one."),
  };
  const ask = z.strictObject({
    question: question.optional(),
    questions: z.array(question).min(1).max(limits.maxBatch).optional().describe("A batch, instead of `question`."),
    ...options,
  });
  return {
    Ask: ask,
    Explain: z.strictObject({ question, ...options }),
    Result: result,
    Results: z.object({ results: z.array(result) }),
  };
}
