/** Problem documents (RFC 9457): what went wrong, for programs and people, without a path or a stack of this machine. */

import type { Context } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { type ErrorCode, VerbatimError } from "../../../src/errors.js";
import { FilterSyntaxError } from "../../../src/filter/syntax-error.js";

export interface ProblemDocument {
  /** Never fetched: a name. */
  type: string;
  title: string;
  status: number;
  /** What a caller may look at: a `code` of the engine, or one of the server. */
  code: string;
  detail?: string;
  /** The next step. */
  hint?: string;
  /** Which part of the request: "topK", "questions[2]"; of a filter, the place in it. */
  where?: string;
  position?: number;
  /** Of an index that is being built: 0 to 1, null when it is not known. */
  progress?: number | null;
  /** Finds the request in the log. */
  requestId?: string;
}

/** Thrown by a route or a check; everything in it may be shown to the caller. */
export class Problem extends Error {
  readonly status: ContentfulStatusCode;
  readonly document: ProblemDocument;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: ContentfulStatusCode,
    code: string,
    rest: { title: string; detail?: string; hint?: string; where?: string; headers?: Record<string, string> },
  ) {
    super(rest.title);
    const { headers = {}, ...shown } = rest;
    this.name = "Problem";
    this.status = status;
    this.headers = headers;
    this.document = { type: `urn:verbatim:problem:${code}`, status, code, ...shown };
  }
}

/** What is said of an error whose own message may hold paths of this machine. */
const BY_CODE: Partial<Record<ErrorCode, { status: ContentfulStatusCode; title: string; hint?: string }>> = {
  "index-missing": {
    status: 503,
    title: "The index is empty.",
    hint: "Index some documents first.",
  },
  "index-locked": { status: 503, title: "Another program writes to the index.", hint: "Try again in a moment." },
  "out-of-space": { status: 507, title: "The server's disk is full." },
  aborted: { status: 503, title: "The request was stopped.", hint: "Try again." },
};

/** Whatever was thrown, as what may be told. */
export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof FilterSyntaxError) {
    const problem = new Problem(400, error.code, { title: error.message, hint: error.hint, where: "where" });
    problem.document.position = error.position;
    return problem;
  }
  if (error instanceof VerbatimError) {
    if (error.code === "invalid-argument") return new Problem(400, error.code, argumentText(error));
    const known = BY_CODE[error.code];
    if (known !== undefined) {
      const { status, title, hint } = known;
      return new Problem(status, error.code, {
        title,
        hint,
        headers: status === 503 ? { "Retry-After": "1" } : {},
      });
    }
    return new Problem(500, error.code, { title: "The server cannot answer.", hint: "Its log says why." });
  }
  return new Problem(500, "internal", { title: "The server cannot answer.", hint: "Its log says why." });
}

/** Messages of wrong arguments are made of the request, but one of them names the folder of the index. */
function argumentText({ message, hint, where, found, expected }: VerbatimError) {
  if (/^The index in /.test(message)) {
    return { title: `The index is at version ${found}, not yet at ${expected}.`, hint: "Ask again after the commit." };
  }
  return { title: message, hint, where };
}

/** The answer to a request that failed. */
export function problemResponse(c: Context, error: unknown): Response {
  const { status, document, headers } = toProblem(error);
  for (const [name, value] of Object.entries(headers)) c.header(name, value);
  c.header("Content-Type", "application/problem+json");
  c.header("Cache-Control", "no-store");
  const requestId = c.get("requestId") as string | undefined;
  return c.body(JSON.stringify(requestId === undefined ? document : { ...document, requestId }), status);
}
