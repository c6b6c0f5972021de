/**
 * Documents: listed and read with the scope `ask`, added and removed with `write`; and the jobs
 * that do it.
 */

import type { Hono } from "hono";
import { VerbatimError } from "../../../../src/errors.js";
import { completeDocument } from "../../../../src/ingest/complete-document.js";
import { hasEnded, valueBytes } from "../../ingest/job.js";
import type { Change } from "../../ingest/protocol.js";
import { type Overview, overviewOf } from "../../overview.js";
import { Problem } from "../problems.js";
import {
  bodyChunks,
  type Env,
  parsed,
  queryOf,
  type RequestContext,
  readJson,
  requireIndex,
  requireIngestion,
  requireScope,
  type Service,
} from "../service.js";

/**
 * Every read costs a token of the read rate, and another one for each this many UTF-16 units of its
 * text.
 */
const UNITS_PER_TOKEN = 16_384;
/** How long a request with `wait=true` waits, in milliseconds. */
const WAIT_MS = 30_000;

export function registerDocuments(app: Hono<Env>, service: Service): void {
  const { schemas, limits, index } = service;

  app.get("/v1/documents", async (c) => {
    const { client } = requireScope(c, service, "ask");
    const query = parsed(schemas.ListQuery, queryOf(c));
    const list = async () => (index.isOpen ? index.documents.list(query) : { documents: [], total: 0 });
    const page = await read(c, service, { client, work: list });
    if (page !== undefined) return c.json(page);
    throw new Problem(400, "invalid-argument", {
      title: "after: there is no document with this id any more.",
      hint: "List again from the start, without it.",
      where: "after",
    });
  });

  let overview: { version: number; value: Promise<Overview> } | undefined;
  app.get("/v1/overview", async (c) => {
    const { client } = requireScope(c, service, "ask");
    const work = (): Promise<Overview> => {
      const version = index.info?.version ?? 0;
      if (overview?.version !== version) {
        const value = overviewOf(index.documents);
        overview = { version, value };
        value.catch(() => {
          overview = undefined;
        });
      }
      return overview!.value;
    };
    return c.json(await read(c, service, { client, work }));
  });

  app.get("/v1/documents/:id", async (c) => {
    const { client } = requireScope(c, service, "ask");
    const id = idOf(c, service);
    const query = parsed(schemas.TextQuery, queryOf(c));
    requireIndex(service);
    const work = async () => {
      const listed = await index.documents.describe(id);
      if (listed === undefined) throw noDocument();
      const from = Math.min(query.from, listed.length);
      const to = Math.min(query.to ?? listed.length, listed.length, from + limits.maxTextUnits);
      service.readRate.take(client, Math.floor(Math.max(0, to - from) / UNITS_PER_TOKEN));
      const text = await index.documents.text(id, from, Math.max(from, to));
      if (text === undefined) throw noDocument();
      return { ...listed, from, to: from + text.length, text };
    };
    return c.json(await read(c, service, { client, work }));
  });

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

/**
 * Reads documents within the caller's rate and turn.
 * @throws Problem 429 when the caller sends too fast or too many wait, 503 when its turn does not
 *   come in time; what `work` throws
 */
export function read<T>(
  c: RequestContext,
  { readRate, reads, limits, stopped }: Service,
  { client, work }: { client: string; work: () => Promise<T> },
): Promise<T> {
  readRate.take(client, 1);
  const signal = AbortSignal.any([c.req.raw.signal, stopped, AbortSignal.timeout(limits.questionMs)]);
  return reads.run({ client, signal }, work);
}

/** @throws Problem 404 for an id that no document can have */
export function idOf(c: RequestContext, { schemas }: Service): string {
  const id = schemas.DocumentId.safeParse(c.req.param("id"));
  if (id.success) return id.data;
  if (c.req.method === "PUT") return parsed(schemas.DocumentId, c.req.param("id"), "id");
  throw noDocument();
}

export function noDocument(): Problem {
  return new Problem(404, "no-document", {
    title: "There is no document with this id.",
    hint: "GET /v1/documents lists the ids; write a / in an id as %2F.",
  });
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
