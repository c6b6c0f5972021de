/** Changes of the index: documents added and removed, and the jobs that do it, with the scope `write`. */

import type { Hono } from "hono";
import { VerbatimError } from "../../../../src/errors.js";
import { completeDocument } from "../../../../src/ingest/complete-document.js";
import { withoutFileFields } from "../../../node/ingest/without-file-fields.js";
import { hasEnded, valueBytes } from "../../ingest/job.js";
import { requireScope } from "../access.js";
import { Problem } from "../problems.js";
import { bodyChunks, parsed, queryOf, readJson } from "../request-body.js";
import type { JobView } from "../schemas.js";
import { type Env, type RequestContext, requireIngestion, type Service } from "../service.js";
import { idOf, noDocument } from "./documents.js";

/** How long a request with `wait=true` waits, in milliseconds. */
const WAIT_MS = 30_000;

export function registerChanges(app: Hono<Env>, service: Service): void {
  const { schemas, limits, index } = service;

  app.put("/v1/documents/:id", async (c) => {
    const { client } = requireScope(c, service, "write");
    const ingestion = requireIngestion(service);
    const waits = waitsFor(c);
    const publicId = c.req.param("id");
    const id = await writableId(service, publicId);
    const check = (value: unknown): void => checkMetadata(value, limits.maxMetadataBytes);
    const { signal } = c.req.raw;
    const body = await service.writeLimiter.run({ client, signal }, () =>
      readJson(c, schemas.PutDocument, limits.maxDocumentBytes, { check }),
    );
    if (body.text.trim() === "") {
      throw new Problem(400, "invalid-argument", { title: "text: must contain a word", where: "text" });
    }
    // what GET returns for a document of a file can be sent back
    const document = withoutFileFields({ ...completeDocument({ id: publicId, ...body }), id });
    return respond(c, service, { job: ingestion.submit({ kind: "put", documents: [document] }), waits });
  });

  app.delete("/v1/documents/:id", async (c) => {
    requireScope(c, service, "write");
    const ingestion = requireIngestion(service);
    const waits = waitsFor(c);
    const id = index.isOpen ? await index.documents.idOf(idOf(c, service)) : undefined;
    if (id === undefined) throw noDocument();
    return respond(c, service, { job: ingestion.submit({ kind: "delete", ids: [id] }), waits });
  });

  app.post("/v1/uploads", async (c) => {
    requireScope(c, service, "write");
    const ingestion = requireIngestion(service);
    const waits = waitsFor(c);
    const { wait: _wait, ...query } = queryOf(c);
    const { name } = parsed(schemas.UploadQuery, query);
    const job = await ingestion.upload(name, fileChunks(c, limits.maxUploadBytes));
    return respond(c, service, { job, waits });
  });

  app.get("/v1/jobs/:id", (c) => {
    requireScope(c, service, "write");
    const job = requireIngestion(service).job(c.req.param("id"));
    if (job !== undefined) return c.json(job);
    throw noJob();
  });

  app.delete("/v1/jobs/:id", (c) => {
    requireScope(c, service, "write");
    const job = requireIngestion(service).cancel(c.req.param("id"));
    if (job === undefined) throw noJob();
    return c.json(job, hasEnded(job) ? 200 : 202);
  });
}

/** @throws Problem 413 */
function checkMetadata(document: unknown, maxBytes: number): void {
  const { metadata } = (document ?? {}) as { metadata?: unknown };
  if (valueBytes(metadata, maxBytes) <= maxBytes) return;
  throw new Problem(413, "too-large", {
    title: `metadata: takes more than ${maxBytes} bytes`,
    hint: "Put long texts into the document's text.",
    where: "metadata",
  });
}

/** @throws Problem 400 for an empty file, and as `bodyChunks` */
async function* fileChunks(c: RequestContext, maxBytes: number): AsyncGenerator<Uint8Array> {
  let isEmpty = true;
  for await (const chunk of bodyChunks(c, maxBytes)) {
    isEmpty &&= chunk.length === 0;
    yield chunk;
  }
  if (isEmpty) throw new Problem(400, "invalid-argument", { title: "The file is empty." });
}

function noJob(): Problem {
  return new Problem(404, "no-job", { title: "There is no such job, or it ended long ago." });
}

/**
 * The id in the index of a document that is added or replaced. A listed id can always be replaced.
 * @throws Problem 400 for an id that no new document can have, 409 for one that would be listed under another name,
 *   because it begins like those of served files
 */
async function writableId({ index, schemas }: Service, publicId: string): Promise<string> {
  const isNew = schemas.NewDocumentId.safeParse(publicId).success;
  if (isNew && index.redactor.redact(publicId) === publicId) return publicId;
  const known = index.isOpen ? await index.documents.idOf(publicId) : undefined;
  if (known !== undefined) return known;
  parsed(schemas.NewDocumentId, publicId, "id");
  throw new Problem(409, "id-reserved", {
    title: "Ids that begin like this one are reserved for files, and no document has this id.",
    hint: "Choose an id that begins differently, or one that GET /v1/documents lists.",
    where: "id",
  });
}

/** Whether the response waits for the job. Checked before a body is received. @throws Problem 400 */
function waitsFor(c: RequestContext): boolean {
  const { wait = "false" } = queryOf(c);
  if (wait === "true" || wait === "false") return wait === "true";
  throw new Problem(400, "invalid-argument", { title: "wait: must be true or false", where: "wait" });
}

/** The job, at once or when it has ended. */
async function respond(
  c: RequestContext,
  service: Service,
  { job: { id }, waits }: { job: JobView; waits: boolean },
): Promise<Response> {
  const ingestion = requireIngestion(service);
  if (waits) {
    await ingestion.settled(id, service.calls.signalFor(c.req.raw.signal, WAIT_MS));
  }
  const job = ingestion.job(id);
  if (job === undefined) throw new VerbatimError("internal", "A job was forgotten at once.");
  c.header("Location", `/v1/jobs/${id}`);
  return c.json(job, hasEnded(job) ? 200 : 202);
}
