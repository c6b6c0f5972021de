/**
 * Schemas of all request and response bodies. Requests are checked with them, and the OpenAPI
 * document is made from them.
 */

import { z } from "zod";
import type { Limits } from "./limits.js";
import { documentSchemas, type listed } from "./schemas/documents.js";
import { documentId, newDocumentId } from "./schemas/fields.js";
import { type indexing, type job, jobSchemas } from "./schemas/jobs.js";
import { type answer, questionSchemas } from "./schemas/question.js";
import { type quoteCheck, quoteSchemas } from "./schemas/quote.js";

/** A whole number in a query string. */
const count = (min: number, max: number) => z.coerce.number().int().min(min).max(max);

const querySchemas = {
  ListQuery: z.strictObject({
    limit: count(1, 500).default(100),
    after: documentId.optional(),
    contains: z.string().max(200).optional(),
  }),
  TextQuery: z.strictObject({
    from: count(0, 2 ** 31).default(0),
    to: count(0, 2 ** 31).optional(),
  }),
  UploadQuery: z.strictObject({
    name: newDocumentId.refine(
      (name) => !/[/\\]|^[a-z]:/i.test(name) && name !== "." && name.length <= 200,
      "must be a file name without a folder or drive",
    ),
  }),
};

const problem = z.object({
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
});

export function createSchemas(limits: Limits) {
  return {
    ...questionSchemas(limits),
    ...quoteSchemas(limits),
    ...documentSchemas,
    ...jobSchemas,
    Problem: problem,
    ...querySchemas,
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
