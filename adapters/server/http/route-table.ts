/** All routes: what each one takes, returns and requires. The OpenAPI document is made from this table. */

import type { Scope } from "../security/tokens.js";
import type { Schemas } from "./schemas.js";

export type SchemaName = keyof Schemas;

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
  /** With status 202, the response is a job, and has status 200 if the job has ended. */
  ok: { status: number; description: string; schema?: SchemaName; otherType?: string };
  /** Statuses of problem documents, in addition to those of every route. */
  problems: readonly number[];
}

const ASKING = [401, 403, 413, 415, 503] as const;
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
    problems: [401, 403, 404, 413, 415, 503],
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
    summary: "The PDF file that a document came from, if it was uploaded or is still in a served folder.",
    scope: "ask",
    pathParameter: id,
    ok: { status: 200, description: "The bytes of the file.", otherType: "application/pdf" },
    problems: [401, 403, 404, 503],
  },
  {
    method: "put",
    path: "/v1/documents/{id}",
    summary:
      "Add a document, or replace the one with the same id. Ids that begin like those of served files cannot be added.",
    scope: "write",
    pathParameter: id,
    waits: true,
    body: { schema: "PutDocument" },
    ok: { status: 202, description: "The change is waiting or running.", schema: "Job" },
    problems: [401, 403, 409, 413, 415, 503],
  },
  {
    method: "delete",
    path: "/v1/documents/{id}",
    summary: "Remove a document from the index. Files do not change.",
    scope: "write",
    pathParameter: id,
    waits: true,
    ok: { status: 202, description: "The change is waiting or running.", schema: "Job" },
    problems: [401, 403, 404, 503],
  },
  {
    method: "post",
    path: "/v1/uploads",
    summary: "Add the documents of a file in any format that `verbatim index` reads.",
    scope: "write",
    query: "UploadQuery",
    waits: true,
    body: { type: "application/octet-stream", description: "The bytes of the file." },
    ok: { status: 202, description: "The change is waiting or running.", schema: "Job" },
    problems: [401, 403, 413, 503],
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
    ok: { status: 202, description: "The job is being cancelled.", schema: "Job" },
    problems: [401, 403, 404],
  },
  {
    method: "get",
    path: "/v1/status",
    summary: "What is served, what the caller may do, and what is being indexed.",
    ok: { status: 200, description: "The status.", schema: "Status" },
    problems: [401],
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
