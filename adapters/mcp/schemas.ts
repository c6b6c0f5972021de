/** What an assistant sends and gets: one schema each, checked on the way in and on the way out. */

import { z } from "zod";

const place = z
  .object({ line: z.int().optional(), page: z.int().optional(), path: z.string().optional() })
  .describe("Where in the source: line and page count from 1.");

/** A stretch of a document. */
const stretch = {
  documentId: z.string().describe("For verbatim://documents/{id} (percent-encoded)."),
  title: z.string(),
  source: z.string(),
  start: z.int().describe("UTF-16 offsets in the document's text; the end is exclusive."),
  end: z.int(),
  place,
};

const passage = z.object({
  ...stretch,
  text: z.string().describe("The exact words of the document."),
  score: z.number(),
});

const where = z
  .string()
  .max(4000)
  .optional()
  .describe('Only documents that pass, as: folder contains "ops" and modified >= "2026-01".');

export const askInput = {
  question: z.string().min(1).max(2000).describe("One plain question; the answer must be written down in one place."),
  topK: z.int().min(1).max(20).default(5).describe("Answers wanted."),
  minConfidence: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .describe("Rather no answer than one less sure. Default: the model's threshold; 0 always answers."),
  where,
};

export const askOutput = {
  version: z.int().describe("Version of the index that answered."),
  found: z.enum(["spans", "sentences"]).describe("sentences: by their words alone; read them before you rely on them."),
  answers: z.array(
    z.object({
      ...stretch,
      text: z
        .string()
        .describe(
          "The exact words of the document: a whole sentence where `found` says so, which was found by its words.",
        ),
      context: z.string().describe("The sentence around."),
      confidence: z.number().optional().describe("Probability that it is right."),
      score: z.number(),
      otherPlaces: z.int().describe("Other places that say the same."),
    }),
  ),
  declined: z
    .object({ confidence: z.number(), minConfidence: z.number() })
    .optional()
    .describe("The best answer was not sure enough; `nearest` has the passages that come nearest."),
  nearest: z.array(passage).optional(),
};

export const quoteInput = {
  quotation: z.string().min(1).max(20_000).describe("The words to verify, without the quotation marks around them."),
  documentId: z.string().min(1).max(512).optional().describe("Look in this document only."),
};

export const quoteOutput = {
  match: z
    .enum(["exact", "same-words", "none"])
    .describe(
      "exact: these very characters. same-words: but for white space, case and the way marks are written. none: it does not stand there.",
    ),
  places: z.array(z.object({ ...stretch, text: z.string().describe("As the document has it.") })),
  documentsSearched: z.int(),
  complete: z.boolean().describe("Every document was looked through, as far as was needed for `match`."),
  nearest: z
    .object({
      ...stretch,
      text: z.string(),
      sharedWords: z.number().describe("Share of the quotation's words that it has."),
    })
    .optional()
    .describe("NOT the quotation: the passage that comes nearest to it."),
};

export const passagesInput = {
  question: z.string().min(1).max(2000),
  topK: z.int().min(1).max(50).default(5).describe("Passages wanted."),
  where,
};

export const passagesOutput = { version: z.int(), passages: z.array(passage) };

export const listInput = {
  limit: z.int().min(1).max(500).default(100),
  after: z.string().max(2000).optional().describe("`next` of the page before."),
  contains: z.string().max(200).optional().describe("Only ids with this in them."),
};

export const listOutput = {
  documents: z.array(
    z.object({ id: z.string(), title: z.string(), source: z.string(), length: z.int().describe("UTF-16 units.") }),
  ),
  total: z.int(),
  next: z.string().optional(),
};

type Output<T extends z.ZodRawShape> = z.infer<z.ZodObject<T>>;
export type AskOutput = Output<typeof askOutput>;
export type QuoteOutput = Output<typeof quoteOutput>;
export type PassagesOutput = Output<typeof passagesOutput>;
export type ListOutput = Output<typeof listOutput>;
export type PassageView = z.infer<typeof passage>;
