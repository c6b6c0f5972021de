/** The input and output of each tool. The SDK validates both. */

import { z } from "zod";
import { documentId } from "../server/http/schemas/fields.js";
import { restriction } from "../server/http/schemas/question.js";
import { quoteCheck } from "../server/http/schemas/quote.js";

const place = z
  .object({ line: z.int().optional(), page: z.int().optional(), path: z.string().optional() })
  .describe("Place in the source; lines and pages count from 1.");

/** A part of a document. */
const excerpt = {
  documentId: z.string().describe("For verbatim://documents/{id} (percent-encoded)."),
  title: z.string(),
  source: z.string(),
  start: z.int().describe("UTF-16 offsets in the document's text; the end is exclusive."),
  end: z.int(),
  place,
};

const passage = z.object({
  ...excerpt,
  text: z.string().describe("The exact words of the document."),
  score: z.number(),
});

const where = z
  .string()
  .max(4000)
  .optional()
  .describe(
    'Searches only documents for which this is true, for example: folder contains "ops" and modified >= "2026-01".',
  );

export const askInput = {
  question: z
    .string()
    .min(1)
    .max(2000)
    .describe(
      'One plain question whose answer is written down in one place. "words" in quotation marks: only passages with this phrase; -word: only passages without it. So use no quotation marks for emphasis.',
    ),
  topK: z.int().min(1).max(20).default(5).describe("Maximum number of answers."),
  minConfidence: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .describe("Minimum confidence; below it, no answer is returned. Default: the model's threshold; 0 always answers."),
  where,
};

export const askOutput = {
  version: z.int().describe("Version of the index that answered."),
  searchedFor: z
    .string()
    .optional()
    .describe("What was searched for, if typing mistakes were corrected or only parts of a long question were read."),
  restriction: restriction.optional().describe("What the question's quotation marks and -words require."),
  kind: z
    .enum(["spans", "sentences"])
    .describe("sentences: whole sentences found by their words alone; read them before you rely on them."),
  answers: z.array(
    z.object({
      ...excerpt,
      text: z.string().describe("The exact words of the document; a whole sentence if `kind` is sentences."),
      context: z.string().describe("The sentence, list, row or item that contains the answer."),
      shown: z
        .enum(["span", "sentence", "list", "row", "item"])
        .describe("Except for span, the whole context is the answer."),
      header: z
        .string()
        .optional()
        .describe(
          "For a row, the first row of the table; else the sentence that announces the list that the answer is in.",
        ),
      confidence: z.number().optional().describe("Probability that the answer is right."),
      lessLikely: z.boolean().describe("The confidence is far below the first answer's."),
      score: z.number(),
      alternatives: z.array(z.string()).describe("Other candidates in the context, best first."),
      otherPlaces: z.int().describe("Number of other places with the same answer."),
    }),
  ),
  noAnswer: z
    .object({ confidence: z.number(), minConfidence: z.number() })
    .optional()
    .describe("The confidence of the best answer was too low; `nearestPassages` has the nearest ones."),
  nearestPassages: z.array(passage).optional(),
};

export const quoteInput = {
  quotation: z
    .string()
    .min(1)
    .max(20_000)
    .optional()
    .describe("The words to verify, without the quotation marks around them."),
  draft: z
    .string()
    .min(1)
    .max(200_000)
    .optional()
    .describe("Markdown or plain text, instead of `quotation`: every quotation in it is verified."),
  attributedTo: z
    .string()
    .min(1)
    .max(1000)
    .optional()
    .describe("The source that is named for it. A draft names its sources next to its quotations."),
  documentId: documentId.optional().describe("Searches this document only."),
};

export const quoteOutput = {
  exact: z.boolean().describe("Every verdict is exact."),
  quotations: z.array(
    z.object({ ...quoteCheck.shape, line: z.int().optional().describe("Line of the draft, from 1.") }),
  ),
};

export const passagesInput = {
  question: z.string().min(1).max(2000),
  topK: z.int().min(1).max(50).default(5).describe("Maximum number of passages."),
  where,
};

export const passagesOutput = { version: z.int(), passages: z.array(passage) };

export const listInput = {
  limit: z.int().min(1).max(500).default(100),
  after: documentId.optional().describe("`next` of the previous page."),
  contains: z.string().max(200).optional().describe("Lists only ids that contain this text."),
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
