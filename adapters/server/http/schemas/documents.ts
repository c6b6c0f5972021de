/** Documents: listed, read and added. */

import { z } from "zod";
import { documentId, metadata, newDocumentId } from "./fields.js";

export const listed = z.object({
  id: z.string(),
  title: z.string(),
  source: z.string(),
  length: z.int(),
  passages: z.int(),
  metadata,
});

export const documentSchemas = {
  PutDocument: z.strictObject({
    text: z.string().min(1),
    title: z.string().max(1000).optional().describe("Default: the id."),
    source: z.string().max(2000).optional().describe("Shown with answers. Default: the id."),
    metadata: metadata
      .optional()
      .describe("Fields for filters. Fields that begin with `file.` describe a file, and are dropped."),
  }),
  DocumentId: documentId,
  NewDocumentId: newDocumentId,
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
    kind: z.string().describe("Format of the document, for example text, markdown, pdf or docx."),
    original: z.boolean().describe("GET /v1/documents/{id}/original sends the file that the document came from."),
    pages: z
      .array(z.object({ page: z.int(), start: z.int(), end: z.int() }))
      .describe("Pages of a PDF, counted from 1, with the range of the text that each one gave."),
    boxes: z
      .array(z.object({ page: z.int(), left: z.number(), top: z.number(), width: z.number(), height: z.number() }))
      .describe("Rectangles of the words that were recognised on scanned pages, in percent of the page."),
  }),
};
