/**
 * The OpenAPI 3.1 document, made from a table of routes and the schemas that requests are checked
 * with.
 */

import { z } from "zod";
import type { Scope } from "../security/tokens.js";
import type { Schemas } from "./schemas.js";

type SchemaName = keyof Schemas;

export interface RouteDescription {
  method: "get" | "post" | "put" | "delete";
  /** With `{name}` for variable parts. */
  path: string;
  summary: string;
  /** Required scope; undefined: none. */
  scope?: Scope;
  /** The variable part of the path: the id of a document or of a job. */
  pathParameter?: { name: string; description: string };
  query?: SchemaName;
  waits?: boolean;
  body?: { schema: SchemaName } | { type: string; description: string };
  ok: { status: number; description: string; schema?: SchemaName; otherType?: string };
  /** Statuses of problem documents, in addition to those of every route. */
  problems: readonly number[];
}

const ASKING = [401, 403, 413, 415, 429, 503] as const;
const id = { name: "id", description: "Id of the document, percent-encoded (a / as %2F)." };

export const ROUTES: readonly RouteDescription[] = [
  {
    method: "post",
    path: "/v1/ask",
    summary:
      "Answer one question or a batch. With Accept: text/event-stream, send the best answer so far, then the final one.",
    scope: "ask",
    body: { schema: "Ask" },
    ok: {
      status: 200,
      description:
        "A `Result` for `question`, `Results` for `questions`. As events: `answers` (so far), `final` or `problem`, each with one JSON object.",
      schema: "Result",
      otherType: "text/event-stream",
    },
    problems: ASKING,
  },
  {
    method: "post",
    path: "/v1/explain",
    summary: "Answer with the parts of each score, the n-grams that raised it, and the passage.",
    scope: "ask",
    body: { schema: "Explain" },
    ok: { status: 200, description: "The answers.", schema: "Result" },
    problems: ASKING,
  },
  {
    method: "post",
    path: "/v1/quote",
    summary: "Check whether quotations, or all quotations of a draft, are in the documents word for word.",
    scope: "ask",
    body: { schema: "Quote" },
    ok: { status: 200, description: "A verdict for each quotation, in their order.", schema: "Quoted" },
    problems: [401, 403, 404, 413, 415, 429, 503],
  },
  {
    method: "get",
    path: "/v1/documents",
    summary: "List documents, a page at a time.",
    scope: "ask",
    query: "ListQuery",
    ok: { status: 200, description: "A page.", schema: "Documents" },
    problems: [401, 403, 503],
  },
  {
    method: "get",
    path: "/v1/overview",
    summary: "What a start page shows: folders, the newest documents, and questions to begin with.",
    scope: "ask",
    ok: { status: 200, description: "The overview; empty while there is no index.", schema: "Overview" },
    problems: [401, 403, 503],
  },
  {
    method: "get",
    path: "/v1/documents/{id}",
    summary: "Read the text of a document or a part of it, at most 262,144 UTF-16 units.",
    scope: "ask",
    pathParameter: id,
    query: "TextQuery",
    ok: { status: 200, description: "The text, to which the offsets of answers refer.", schema: "DocumentText" },
    problems: [401, 403, 404, 503],
  },
  {
    method: "get",
    path: "/v1/documents/{id}/layout",
    summary: "How a part of a document's text is laid out: the pages of a PDF.",
    scope: "ask",
    pathParameter: id,
    query: "TextQuery",
    ok: { status: 200, description: "The layout between `from` and `to`.", schema: "DocumentLayout" },
    problems: [401, 403, 404, 503],
  },
  {
    method: "get",
    path: "/v1/documents/{id}/original",
    summary: "The PDF file that a document came from, if it is still in a served folder.",
    scope: "ask",
    pathParameter: id,
    ok: { status: 200, description: "The bytes of the file.", otherType: "application/pdf" },
    problems: [401, 403, 404, 503],
  },
  {
    method: "put",
    path: "/v1/documents/{id}",
    summary: "Add a document, or replace the one with the same id.",
    scope: "write",
    pathParameter: id,
    waits: true,
    body: { schema: "PutDocument" },
    ok: {
      status: 202,
      description: "The change is waiting or running; with wait=true (status 200), it has ended.",
      schema: "Job",
    },
    problems: [401, 403, 413, 415, 429, 503],
  },
  {
    method: "delete",
    path: "/v1/documents/{id}",
    summary: "Remove a document from the index. Files do not change.",
    scope: "write",
    pathParameter: id,
    waits: true,
    ok: {
      status: 202,
      description: "The change is waiting or running; with wait=true (status 200), it has ended.",
      schema: "Job",
    },
    problems: [401, 403, 404, 429, 503],
  },
  {
    method: "post",
    path: "/v1/uploads",
    summary: "Add the documents of a file in any format that `verbatim index` reads.",
    scope: "write",
    query: "UploadQuery",
    waits: true,
    body: { type: "application/octet-stream", description: "The bytes of the file." },
    ok: {
      status: 202,
      description: "The change is waiting or running; with wait=true (status 200), it has ended.",
      schema: "Job",
    },
    problems: [401, 403, 413, 429, 503],
  },
  {
    method: "get",
    path: "/v1/jobs/{id}",
    summary: "The progress of a change.",
    scope: "write",
    pathParameter: { name: "id", description: "Id of the job, as PUT, DELETE and uploads returned it." },
    ok: { status: 200, description: "The job.", schema: "Job" },
    problems: [401, 403, 404],
  },
  {
    method: "delete",
    path: "/v1/jobs/{id}",
    summary: "Cancel a change. What it has committed stays in the index; paths of the job are no longer followed.",
    scope: "write",
    pathParameter: { name: "id", description: "Id of the job, as PUT, DELETE and uploads returned it." },
    ok: { status: 202, description: "The job is being cancelled (status 200: it has ended).", schema: "Job" },
    problems: [401, 403, 404],
  },
  {
    method: "get",
    path: "/v1/status",
    summary: "What is served, what the caller may do, and what is being indexed.",
    ok: { status: 200, description: "The status.", schema: "Status" },
    problems: [],
  },
  {
    method: "get",
    path: "/healthz",
    summary: "The process is alive.",
    ok: { status: 200, description: "ok", otherType: "text/plain" },
    problems: [],
  },
  {
    method: "get",
    path: "/readyz",
    summary: "Questions can be answered.",
    ok: { status: 200, description: "ready", otherType: "text/plain" },
    problems: [503],
  },
  {
    method: "get",
    path: "/metrics",
    summary: "Metrics in the text format of Prometheus.",
    scope: "admin",
    ok: { status: 200, description: "The metrics.", otherType: "text/plain" },
    problems: [401, 403],
  },
  {
    method: "get",
    path: "/openapi.json",
    summary: "This document.",
    ok: { status: 200, description: "OpenAPI 3.1.", otherType: "application/json" },
    problems: [],
  },
];

/** Any request may be malformed, from another site, or for another host name. */
const ALWAYS = [400, 403, 421];

const ref = (name: SchemaName) => ({ $ref: `#/components/schemas/${name}` });

export function openApiDocument(schemas: Schemas, version: string): Record<string, unknown> {
  const registry = z.registry<{ id: string }>();
  for (const [name, schema] of Object.entries(schemas)) registry.add(schema, { id: name });
  const { schemas: made } = z.toJSONSchema(registry, { uri: (name) => `#/components/schemas/${name}`, io: "input" });
  const components = Object.fromEntries(
    Object.entries(made).map(([name, { $schema: _s, $id: _i, ...schema }]) => [name, schema]),
  );
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of ROUTES) {
    paths[route.path] ??= {};
    paths[route.path]![route.method] = operation(route, components);
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Verbatim",
      version,
      description: "Ask your own documents a question, get exact quotes back, each with its source.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/" }],
    paths,
    components: {
      schemas: components,
      securitySchemes: { token: { type: "http", scheme: "bearer", description: "Scopes: ask < write < admin." } },
    },
  };
}

function operation(route: RouteDescription, components: Record<string, unknown>): Record<string, unknown> {
  const { method, path, summary, scope, ok, body, problems } = route;
  const operationId = `${method}_${path.replace(/[^a-z0-9]+/g, "_").replace(/^_|_$/g, "")}`;
  const parameters = parametersOf(route, components);
  const responses: Record<string, unknown> = { [ok.status]: { description: ok.description, ...contentOf(ok) } };
  if (route.waits) responses["200"] = { description: "The job has ended.", ...contentOf(ok) };
  for (const status of new Set([...ALWAYS, ...problems])) {
    const retry = { "Retry-After": { description: "Seconds to wait.", schema: { type: "integer" } } };
    responses[status] = {
      description: "A problem document (RFC 9457).",
      content: { "application/problem+json": { schema: ref("Problem") } },
      ...(status === 429 || status === 503 ? { headers: retry } : {}),
    };
  }
  return {
    operationId,
    summary,
    ...(scope === undefined ? {} : { security: [{ token: [] }, {}], "x-scope": scope }),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body === undefined ? {} : { requestBody: requestBody(body) }),
    responses,
  };
}

function parametersOf(route: RouteDescription, components: Record<string, unknown>): unknown[] {
  const parameters: unknown[] = [];
  if (route.pathParameter !== undefined) {
    parameters.push({ ...route.pathParameter, in: "path", required: true, schema: { type: "string" } });
  }
  if (route.query !== undefined) {
    const { properties = {}, required = [] } = components[route.query] as {
      properties?: Record<string, unknown>;
      required?: string[];
    };
    for (const [name, schema] of Object.entries(properties)) {
      parameters.push({ name, in: "query", required: required.includes(name), schema });
    }
  }
  if (route.waits) {
    const description = "Respond when the job has ended, or after half a minute.";
    parameters.push({ name: "wait", in: "query", description, schema: { type: "boolean" } });
  }
  return parameters;
}

function contentOf({ schema, otherType }: RouteDescription["ok"]): Record<string, unknown> {
  const json = schema === undefined ? {} : { "application/json": { schema: answerSchema(schema) } };
  const other = otherType === undefined ? {} : { [otherType]: { schema: {} } };
  return { content: { ...json, ...other } };
}

/** A question has one result, a batch several. */
function answerSchema(schema: SchemaName): unknown {
  return schema === "Result" ? { oneOf: [ref("Result"), ref("Results")] } : ref(schema);
}

function requestBody(body: NonNullable<RouteDescription["body"]>): Record<string, unknown> {
  if ("schema" in body) return { required: true, content: { "application/json": { schema: ref(body.schema) } } };
  return { required: true, description: body.description, content: { [body.type]: { schema: {} } } };
}
