/** Changes of the index: documents added and removed, and the jobs that do it, with the scope `write`. */

import type { Hono } from "hono";
import { VerbatimError } from "../../../../src/errors.js";
import { completeDocument } from "../../../../src/ingest/complete-document.js";
import { hasEnded, valueBytes } from "../../ingest/job.js";
import type { Change } from "../../ingest/protocol.js";
import { Problem } from "../problems.js";
import {
  bodyChunks,
  type Env,
  parsed,
  queryOf,
  type RequestContext,
  readJson,
  requireIngestion,
  requireScope,
  type Service,
} from "../service.js";
import { idOf, noDocument } from "./documents.js";

/** How long a request with `wait=true` waits, in milliseconds. */
const WAIT_MS = 30_000;

export function registerChanges(app: Hono<Env>, service: Service): void {
  const { schemas, limits, index } = service;

  app.put("/v1/documents/:id", async (c) => {
    const { client } = requireScope(c, service, "write");
    requireIngestion(service);
    const id = parsed(schemas.DocumentId, idOf(c, service), "id");
    const check = (value: unknown): void => checkMetadata(value, limits.maxMetadataBytes);
    const { signal } = c.req.raw;
    const body = await service.writes.run({ client, signal }, () =>
      readJson(c, schemas.PutDocument, limits.maxDocumentBytes, { check }),
    );
    if (body.text.trim() === "") {
      throw new Problem(400, "invalid-argument", { title: "text: must contain a word", where: "text" });
    }
    return submit(c, service, { kind: "put", documents: [completeDocument({ id, ...body })] });
  });

  app.delete("/v1/documents/:id", async (c) => {
    requireScope(c, service, "write");
    requireIngestion(service);
    const id = index.isOpen ? await index.documents.idOf(idOf(c, service)) : undefined;
    if (id === undefined) throw noDocument();
    return submit(c, service, { kind: "delete", ids: [id] });
  });

  app.post("/v1/uploads", async (c) => {
    requireScope(c, service, "write");
    requireIngestion(service);
    const { wait: _wait, ...query } = queryOf(c);
    const { name } = parsed(schemas.UploadQuery, query);
    const upload = await requireIngestion(service).receive(name, fileChunks(c, limits.maxUploadBytes));
    return submit(c, service, { kind: "upload", name, ...upload });
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

async function submit(c: RequestContext, service: Service, change: Change): Promise<Response> {
  const ingestion = requireIngestion(service);
  const waits = queryOf(c).wait;
  if (waits !== undefined && waits !== "true" && waits !== "false") {
    throw new Problem(400, "invalid-argument", { title: "wait: must be true or false", where: "wait" });
  }
  const { id } = ingestion.submit(change);
  if (waits === "true") {
    await ingestion.settled(id, AbortSignal.any([c.req.raw.signal, service.stopped, AbortSignal.timeout(WAIT_MS)]));
  }
  const job = ingestion.job(id);
  if (job === undefined) throw new VerbatimError("internal", "A job was forgotten at once.");
  c.header("Location", `/v1/jobs/${id}`);
  return c.json(job, hasEnded(job) ? 200 : 202);
}
