/**
 * Schemas of all request and response bodies. Requests are checked with them, and the OpenAPI
 * document is made from them.
 */

import { z } from "zod";
import { ASK_DEFAULTS } from "../../../src/ask/options.js";
import { QUOTE_VERDICTS } from "../../../src/quote/types.js";
import { READER_MODES } from "../../../src/reader/types.js";
import { MAX_ANSWER_TOKENS } from "../../../src/search/options.js";
import { STRATEGIES } from "../../../src/search/strategies/names.js";
import { SCOPES } from "../security/tokens.js";
import type { Limits } from "./limits.js";

/** Ids that can be typed and cannot be mistaken for a path outside the index. */
const documentId = z
  .string()
  .min(1)
  .max(512)
  .refine(
    (id) => !/[\p{Cc}\p{Cs}]/u.test(id) && !/^([/\\]|[a-z]:)/i.test(id) && !id.split(/[/\\]/).includes(".."),
    "must be a relative name without control characters and ..",
  )
  .describe("Id of the document: a path relative to the served folders, or the id that it was added with.");

const metadataValue = z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]);
const metadata = z.record(z.string(), metadataValue).describe("Fields for filters.");

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
    bm25: z.number().optional(),
    sentence: z.number().optional(),
    reader: z.number().optional(),
  })
  .describe("The parts sum to the score.");
const ngram = z.object({ text: z.string(), weight: z.number(), side: z.enum(["start", "end"]) });
const passage = z.object({ start: z.int(), end: z.int(), text: z.string() });
const quoted = z.object({ text: z.string(), start: z.int(), end: z.int() });
const answer = z.object({
  text: z.string().describe("The exact text of the document."),
  ...at,
  context: z.string().describe("What is shown around the answer: its sentence, list or row."),
  contextStart: z.int(),
  contextEnd: z.int(),
  shown: z
    .enum(["span", "sentence", "list", "row", "item"])
    .describe("span: `context` is the answer's sentence. Otherwise `context` as a whole is the answer."),
  header: quoted.optional().describe("With `row`: the first row of the table."),
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
  missing: z
    .array(z.string())

    .optional()
    .describe("Only if no passage is left: the phrases that no passage contains."),
});
const result = z.object({
  question: z.string(),
  searchedFor: z.string().optional().describe("The question with typing mistakes corrected, if there were any."),
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
    .describe("The lexical stage was uncertain, and the index (in a cluster, without vectors) has no dense stage."),
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
const quotePlace = {
  documentId: z.string(),
  title: z.string(),
  source: z.string(),
  start: z.int().describe("Offset in UTF-16 units of the document's text; the end is exclusive."),
  end: z.int(),
  place,
  text: z.string().describe("The exact text of the document."),
};
const quoteMatch = z.object({ ...quotePlace, exact: z.boolean().describe("Only line breaks differ, if anything.") });
/** The result for one quotation; MCP has the same. */
export const quoteCheck = z.object({
  quotation: z.string(),
  verdict: z
    .enum(QUOTE_VERDICTS)
    .describe(
      "exact: the same characters. same-words: case, hyphens, ligatures, quotation marks or spaces differ. stitched: the pieces between ellipses are there. misattributed: it is there, but not in the named source. not-found: no document has it.",
    ),
  places: z.array(quoteMatch).describe("Where it was found, at most ten; empty for stitched and not-found."),
  pieces: z.array(z.object({ text: z.string(), places: z.array(quoteMatch) })).optional(),
  stitch: z
    .enum(["in-order", "other-order", "several-documents"])
    .optional()
    .describe("Only with `pieces`: the order of the pieces in the documents."),
  attribution: z
    .object({
      name: z.string(),
      documentIds: z.array(z.string()).describe("The documents that the name means; none: it is unknown."),
    })
    .optional(),
  nearest: z
    .object({
      ...quotePlace,
      sharedWords: z.number().describe("Share of the quotation's words that it has in this order, 0 to 1."),
      difference: z
        .array(z.object({ kind: z.enum(["same", "added", "missing"]), text: z.string() }))
        .describe("added: only in the quotation; missing: only in the document."),
    })
    .optional()
    .describe("Only for not-found: NOT the quotation, but the passage most similar to it."),
  complete: z
    .boolean()
    .optional()
    .describe("Only for not-found: false if the quotation has too few rare words to search a large index completely."),
});
const draftQuotation = z.object({
  ...quoteCheck.shape,
  line: z.int().optional().describe("Only for a draft: line, from 1, and range in UTF-16 units."),
  draftStart: z.int().optional(),
  draftEnd: z.int().optional(),
});
const job = z.object({
  id: z.string(),
  kind: z.enum(["paths", "put", "upload", "delete"]),
  state: z.enum(["waiting", "running", "done", "failed", "stopped"]),
  progress: z.number().nullable().describe("0 to 1; null when it is not known."),
  documents: z.int(),
  unchanged: z.int(),
  deleted: z.int(),
  passages: z.int(),
  skipped: z.array(z.object({ source: z.string(), reason: z.string(), hint: z.string().optional() })),
  version: z.int().nullable().describe("The version that contains the change, for `atLeastVersion`."),
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

/** A whole number in a query string. */
const count = (min: number, max: number) => z.coerce.number().int().min(min).max(max);

export function createSchemas(limits: Limits) {
  const question = z
    .string()
    .min(1)
    .max(limits.maxQuestionUnits)
    .refine((text) => text.trim() !== "", "must contain a word");
  const options = {
    topK: z.int().min(1).max(limits.maxTopK).optional().describe(`Answers wanted; default ${ASK_DEFAULTS.topK}.`),
    strategy: z
      .enum(STRATEGIES)
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
    Quote: z.strictObject({
      quotations: z
        .array(
          z.strictObject({
            text: z
              .string()
              .min(1)
              .max(limits.maxQuotationUnits)
              .describe("The words to verify, without the quotation marks around them."),
            attributedTo: z
              .string()
              .max(1000)
              .optional()
              .describe("The source that is named for it: a file, an id, a title, or a line with one of them."),
            documentId: documentId.optional().describe("Searches this document only."),
          }),
        )
        .min(1)
        .max(limits.maxQuotations)
        .optional(),
      draft: z
        .string()
        .optional()
        .describe("Markdown or plain text, instead of `quotations`: all of its quotations are checked."),
    }),
    Quoted: z.object({
      version: z.int().describe("Version of the index that was searched."),
      exact: z.boolean().describe("Every verdict is exact."),
      quotations: z.array(draftQuotation),
      unclosed: z.array(z.int()).optional().describe("Lines of a draft with a quotation mark that is not closed."),
    }),
    PutDocument: z.strictObject({
      text: z.string().min(1),
      title: z.string().max(1000).optional().describe("Default: the id."),
      source: z.string().max(2000).optional().describe("Shown with answers. Default: the id."),
      metadata: metadata.optional(),
    }),
    DocumentId: documentId,
    Listed: listed,
    Documents: z.object({
      documents: z.array(listed),
      total: z.int(),
      next: z.string().optional().describe("The `after` of the next page; absent on the last page."),
    }),
    Overview: z.object({
      documents: z.int(),
      folders: z
        .array(z.object({ folder: z.string(), documents: z.int() }))
        .describe("The folders with most documents; an empty name for ids without a folder."),
      newest: z.array(listed).describe("Documents changed last, newest first."),
      questions: z.array(z.string()).describe("Questions to begin with, from headings of these documents."),
    }),
    DocumentText: z.object({ ...listed.shape, from: z.int(), to: z.int(), text: z.string() }),
    DocumentLayout: z.object({
      kind: z.string().describe("Format of the document: text, markdown, html, pdf, docx, epub, csv, jsonl or squad."),
      original: z.boolean().describe("GET /v1/documents/{id}/original sends the file that the document came from."),
      pages: z
        .array(z.object({ page: z.int(), start: z.int(), end: z.int() }))
        .describe("Pages of a PDF, counted from 1, with the range of the text that each one gave."),
      boxes: z
        .array(z.object({ page: z.int(), left: z.number(), top: z.number(), width: z.number(), height: z.number() }))
        .describe("Of text that was recognised on scanned pages: its rectangles, in percent of the page."),
    }),
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
        "must be a file name without a folder",
      ),
    }),
  };
}

export type Schemas = ReturnType<typeof createSchemas>;
export type AskRequest = z.infer<Schemas["Ask"]>;
export type ResultView = z.infer<Schemas["Result"]>;
export type QuoteCheckView = z.infer<typeof quoteCheck>;
export type AnswerView = z.infer<typeof answer>;
export type JobView = z.infer<typeof job>;
export type IndexingView = z.infer<typeof indexing>;
export type ListedDocument = z.infer<typeof listed>;
