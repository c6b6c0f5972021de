/** Changes of the index, and the state of the server. */

import { z } from "zod";
import { SCOPES } from "../../security/tokens.js";

export const job = z.object({
  id: z.string(),
  kind: z.enum(["paths", "put", "upload", "delete"]),
  state: z.enum(["waiting", "running", "done", "failed", "stopped"]),
  progress: z.number().nullable().describe("0 to 1; null when it is not known."),
  documents: z.int(),
  unchanged: z.int(),
  deleted: z.int(),
  passages: z.int(),
  skipped: z.array(z.object({ source: z.string(), reason: z.string(), hint: z.string().optional() })),
  note: z
    .object({ title: z.string(), hint: z.string() })
    .optional()
    .describe("What to know about added documents: the model of the index does not read their language."),
  version: z.int().nullable().describe("The version that contains the change, for `atLeastVersion`."),
  error: z.object({ code: z.string(), title: z.string(), hint: z.string().optional() }).optional(),
});
export const indexing = z
  .object({
    following: z
      .enum(["off", "catching-up", "on", "interrupted"])
      .describe("Whether changes of the served paths are indexed. interrupted: it is about to be started again."),
    restarts: z.int().describe("How often the indexing process ended unexpectedly since the server started."),
    lastFailure: z.object({ at: z.string().describe("ISO 8601 time."), title: z.string() }).optional(),
  })
  .describe("The state of indexing.");

export const jobSchemas = {
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
};
