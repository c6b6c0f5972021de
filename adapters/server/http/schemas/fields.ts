/** Fields that several bodies share. */

import { z } from "zod";
import { isNewId, MAX_ID_UNITS, MAX_NEW_ID_UNITS } from "../../document-ids.js";

/** An id to look up: whatever id a document of the index has. */
export const documentId = z
  .string()
  .min(1)
  .max(MAX_ID_UNITS)
  .describe("Id of the document: a path relative to the served folders, or the id that it was added with.");

/** An id for a document that is added. */
export const newDocumentId = z
  .string()
  .min(1)
  .max(MAX_NEW_ID_UNITS)
  .refine(isNewId, "must be a relative name without control characters and ..")
  .describe("Id for a new document: a relative name without control characters and `..`.");

const metadataValue = z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]);
export const metadata = z.record(z.string(), metadataValue).describe("Fields for filters.");

export const place = z.object({
  line: z.int().optional(),
  page: z.int().optional(),
  path: z.string().optional(),
});
