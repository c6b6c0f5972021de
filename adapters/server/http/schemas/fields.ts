/** Fields that several bodies share. */

import { z } from "zod";

/** Ids that can be typed and cannot be mistaken for a path outside the index. */
export const documentId = z
  .string()
  .min(1)
  .max(512)
  .refine(
    (id) => !/[\p{Cc}\p{Cs}]/u.test(id) && !/^([/\\]|[a-z]:)/i.test(id) && !id.split(/[/\\]/).includes(".."),
    "must be a relative name without control characters and ..",
  )
  .describe("Id of the document: a path relative to the served folders, or the id that it was added with.");

const metadataValue = z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]);
export const metadata = z.record(z.string(), metadataValue).describe("Fields for filters.");

export const place = z.object({
  line: z.int().optional(),
  page: z.int().optional(),
  path: z.string().optional(),
});
