/** Quotations to check, and their verdicts. */

import { z } from "zod";
import { QUOTE_VERDICTS } from "../../../../src/quote/types.js";
import type { Limits } from "../limits.js";
import { documentId, place } from "./fields.js";

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

export function quoteSchemas(limits: Limits) {
  return {
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
  };
}
