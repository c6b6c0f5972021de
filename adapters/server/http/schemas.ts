/** The bodies that come in and go out, once: requests are checked with them, the OpenAPI document is made of them. */

import { z } from "zod";
import { ASK_DEFAULTS } from "../../../src/ask/options.js";
import { READER_MODES } from "../../../src/reader/types.js";
import { MAX_ANSWER_TOKENS } from "../../../src/search/options.js";
import { STRATEGIES } from "../../../src/search/strategies/names.js";
import { SCOPES } from "../security/tokens.js";
import type { Limits } from "./limits.js";

/** Names that a person can type and that mean no place outside of the index. */
const documentId = z
  .string()
  .min(1)
  .max(512)
  .refine(
    (id) => !/[\p{Cc}\p{Cs}]/u.test(id) && !/^([/\\]|[a-z]:)/i.test(id) && !id.split(/[/\\]/).includes(".."),
    "must be a relative name without control characters and without ..",
  )
  .describe("Name of the document: a path relative to the roots, or whatever it was put under.");

const metadataValue = z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]);
const metadata = z.record(z.string(), metadataValue).describe("Fields, as filters see them.");

const place = z.object({
  line: z.int().optional(),
  page: z.int().optional(),
  path: z.string().optional(),
});

const at = {
  score: z.number().describe("Comparable between answers to one question; not a probability."),
  documentId: z.string(),
  title: z.string(),
  source: z.string(),
  start: z.int().describe("UTF-16 units of the document's text; the end is exclusive."),
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
    bm25: z.number().optional(),
    sentence: z.number().optional(),
    reader: z.number().optional(),
  })
  .describe("They sum to the score.");
const ngram = z.object({ text: z.string(), weight: z.number(), side: z.enum(["start", "end"]) });
const passage = z.object({ start: z.int(), end: z.int(), text: z.string() });
const answer = z.object({
  text: z.string().describe("The exact words of the document."),
  ...at,
  context: z.string().describe("The sentence around."),
  contextStart: z.int(),
  contextEnd: z.int(),
  confidence: z.number().optional().describe("Probability that it is right, where the model was calibrated."),
  metadata,
  evidence: z.array(evidence).describe("Other places of the same answer."),
  parts: parts.optional(),
  ngrams: z.array(ngram).optional().describe("The n-grams that raised the score, largest first."),
  passage: passage.optional().describe("With /v1/explain: the passage that was scored."),
});
const result = z.object({
  question: z.string(),
  strategy: z.string(),
  level: z
    .enum(["lexical", "thin", "full", "mixed"])
    .describe("How much of each passage the index keeps; mixed while it is being raised."),
  kind: z.enum(["spans", "sentences"]).describe("sentences: whole ones, found by their words alone (level lexical)."),
  encodedPassages: z
    .int()
    .optional()
    .describe("Passages encoded to answer, where the index does not keep their vectors."),
  withoutVectors: z
    .literal(true)
    .optional()
    .describe("Words left it open, and the index (in a cluster, made without them) has no vectors to ask."),
  tookMs: z.number(),
  version: z.int().describe("Version of the index that answered."),
  answers: z.array(answer),
  reading: z
    .object({
      passages: z.int(),
      ended: z.enum(["all", "early", "budget"]).optional().describe("Absent while more will be read."),
      milliseconds: z.number(),
    })
    .optional()
    .describe("Only where the reader has read."),
  noAnswer: z
    .object({ confidence: z.number(), minConfidence: z.number() })
    .optional()
    .describe("The best answer was not sure enough, so that `answers` is empty."),
  nearestPassages: z.array(answer).optional().describe("Only with `noAnswer`: the best passages."),
});
const job = z.object({
  id: z.string(),
  kind: z.enum(["paths", "put", "upload", "delete"]),
  state: z.enum(["waiting", "running", "done", "failed", "stopped"]),
  progress: z.number().nullable().describe("0 to 1; null when it cannot be told."),
  documents: z.int(),
  unchanged: z.int(),
  deleted: z.int(),
  passages: z.int(),
  skipped: z.array(z.object({ source: z.string(), reason: z.string(), hint: z.string().optional() })),
  version: z.int().nullable().describe("The version that has the change, for `atLeastVersion`."),
  error: z.object({ code: z.string(), title: z.string(), hint: z.string().optional() }).optional(),
});
const indexing = z
  .object({
    following: z
      .enum(["off", "catching-up", "on", "interrupted"])
      .describe("Whether changes of the served paths are indexed. interrupted: it is about to be started again."),
    restarts: z.int().describe("How often the indexing process ended unexpectedly since the server started."),
    lastFailure: z.object({ at: z.string().describe("ISO 8601 time."), title: z.string() }).optional(),
  })
  .describe("The state of indexing.");
const listed = z.object({
  id: z.string(),
  title: z.string(),
  source: z.string(),
  length: z.int(),
  passages: z.int(),
  metadata,
});

/** A number of a query string. */
const count = (least: number, most: number) => z.coerce.number().int().min(least).max(most);

export function createSchemas(limits: Limits) {
  const question = z
    .string()
    .min(1)
    .max(limits.maxQuestionUnits)
    .refine((text) => text.trim() !== "", "must have at least one word");
  const options = {
    topK: z.int().min(1).max(limits.maxTopK).optional().describe(`Answers wanted; default ${ASK_DEFAULTS.topK}.`),
    strategy: z
      .enum(STRATEGIES)
      .optional()
      .describe("How candidates are found; default hybrid, or lexical for an index of that level."),
    where: z.string().max(limits.maxWhereUnits).optional().describe("Only documents that pass, as `year >= 2020`."),
    maxAnswerTokens: z.int().min(1).max(MAX_ANSWER_TOKENS).optional(),
    minConfidence: z
      .number()
      .min(0)
      .max(1)
      .optional()
      .describe(
        "Rather no answer than one less sure; default: the server's, else the model's threshold. 0 always answers.",
      ),
    reader: z
      .enum(READER_MODES)
      .optional()
      .describe("on: a second network reads the best passages; auto: only when unsure. Default: the server's."),
    explain: z.boolean().optional().describe("With the parts of each score."),
    atLeastVersion: z.int().min(1).optional().describe("Fails unless the index is at it or newer."),
  };
  const ask = z.strictObject({
    question: question.optional(),
    questions: z.array(question).min(1).max(limits.maxBatch).optional().describe("A batch, in place of `question`."),
    ...options,
  });
  return {
    Ask: ask,
    Explain: z.strictObject({ question, ...options }),
    Result: result,
    Results: z.object({ results: z.array(result) }),
    PutDocument: z.strictObject({
      text: z.string().min(1),
      title: z.string().max(1000).optional().describe("Default: the id."),
      source: z.string().max(2000).optional().describe("Shown with answers; default: the id."),
      metadata: metadata.optional(),
    }),
    DocumentId: documentId,
    Listed: listed,
    Documents: z.object({
      documents: z.array(listed),
      total: z.int(),
      next: z.string().optional().describe("`after` of the next page; absent on the last."),
    }),
    DocumentText: z.object({ ...listed.shape, from: z.int(), to: z.int(), text: z.string() }),
    Job: job,
    Status: z.object({
      version: z.int(),
      documents: z.int(),
      passages: z.int(),
      model: z.string().optional(),
      writable: z.boolean(),
      tokenNeeded: z.boolean(),
      scope: z.enum(SCOPES).nullable().describe("What the caller may do."),
      jobs: z.array(job),
      indexing: indexing.optional().describe("Absent on a read-only server, and for callers that may not ask."),
    }),
    Problem: z.object({
      type: z.string(),
      title: z.string(),
      status: z.int(),
      code: z.string(),
      detail: z.string().optional(),
      hint: z.string().optional(),
      where: z.string().optional(),
      position: z.int().optional(),
      progress: z.number().nullable().optional().describe("Of `index-building`: 0 to 1, null when it is not known."),
      requestId: z.string().optional(),
    }),
    ListQuery: z.strictObject({
      limit: count(1, 500).default(100),
      after: z.string().max(2000).optional(),
      contains: z.string().max(200).optional(),
    }),
    TextQuery: z.strictObject({
      from: count(0, 2 ** 31).default(0),
      to: count(0, 2 ** 31).optional(),
    }),
    UploadQuery: z.strictObject({
      name: documentId.refine(
        (name) => !/[/\\]/.test(name) && name !== "." && name.length <= 200,
        "must be a file's name",
      ),
    }),
  };
}

export type Schemas = ReturnType<typeof createSchemas>;
export type AskRequest = z.infer<Schemas["Ask"]>;
export type ResultView = z.infer<Schemas["Result"]>;
export type AnswerView = z.infer<typeof answer>;
export type JobView = z.infer<typeof job>;
export type IndexingView = z.infer<typeof indexing>;
export type ListedDocument = z.infer<typeof listed>;
