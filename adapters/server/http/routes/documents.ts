/** Documents: listed and read with the scope `ask`. */

import type { Hono } from "hono";
import type { IndexInfo } from "../../../../src/index/index-info.js";
import { type Overview, overviewOf } from "../../overview.js";
import { requireScope } from "../access.js";
import { callSignal } from "../call-signals.js";
import { Problem } from "../problems.js";
import { parsed, queryOf } from "../request-body.js";
import { type Env, type RequestContext, requireIndex, type Service } from "../service.js";

/**
 * Every read costs a token of the read rate, and another one for each this many UTF-16 units of its
 * text.
 */
const UNITS_PER_TOKEN = 16_384;

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

  let overview: { info: IndexInfo | undefined; value: Promise<Overview> } | undefined;
  app.get("/v1/overview", async (c) => {
    const { client } = requireScope(c, service, "ask");
    const work = (): Promise<Overview> => {
      const { info } = index; // another object for another index, which may have the same version
      if (overview === undefined || overview.info !== info) {
        const value = overviewOf(index.documents);
        overview = { info, value };
        value.catch(() => {
          overview = undefined;
        });
      }
      return overview.value;
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
}

/**
 * Reads documents within the caller's rate and turn.
 * @throws Problem 429 when the caller sends too fast or too many wait, 503 when its turn does not
 *   come in time; what `work` throws
 */
export function read<T>(
  c: RequestContext,
  service: Service,
  { client, work }: { client: string; work: () => Promise<T> },
): Promise<T> {
  service.readRate.take(client, 1);
  return service.readLimiter.run({ client, signal: callSignal(c, service) }, work);
}

/** The id in the path, to be looked up. @throws Problem 404 for an id that no document can have */
export function idOf(c: RequestContext, { schemas }: Service): string {
  const id = schemas.DocumentId.safeParse(c.req.param("id"));
  if (id.success) return id.data;
  throw noDocument();
}

export function noDocument(): Problem {
  return new Problem(404, "no-document", {
    title: "There is no document with this id.",
    hint: "GET /v1/documents lists the ids; write a / in an id as %2F.",
  });
}
