/**
 * Problem documents (RFC 9457): what went wrong, for programs and people, without a path or a stack
 * of this machine.
 */

import type { Context } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { type ErrorCode, VerbatimError } from "../../../src/errors.js";
import { FilterSyntaxError } from "../../../src/filter/syntax-error.js";

interface ProblemDocument {
  /** A name, not an address. */
  type: string;
  title: string;
  status: number;
  /** For programs: an `ErrorCode` of the engine, or one of the server. */
  code: string;
  detail?: string;
  /** What to do next. */
  hint?: string;
  /** The part of the request: "topK", "questions.2". */
  where?: string;
  /** Position in a filter, in UTF-16 units. */
  position?: number;
  /** With the code `index-building`: 0 to 1, null when it is not known. */
  progress?: number | null;
  /** Finds the request in the log. */
  requestId?: string;
}

/** Thrown by routes and checks. Callers see everything in it. */
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

/** Public texts for errors whose own messages may contain paths of this machine. */
const BY_CODE: Partial<Record<ErrorCode, { status: ContentfulStatusCode; title: string; hint?: string }>> = {
  "index-missing": {
    status: 503,
    title: "The index is empty.",
    hint: "Index some documents first.",
  },
  "index-locked": { status: 503, title: "Another program is writing to the index.", hint: "Try again in a moment." },
  "out-of-space": { status: 507, title: "The server's disk is full." },
  aborted: { status: 503, title: "The request was stopped.", hint: "Try again." },
};

/** Converts anything that was thrown into what the caller may see. */
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
    return new Problem(500, error.code, { title: "Internal error.", hint: "See the log of the server." });
  }
  return new Problem(500, "internal", { title: "Internal error.", hint: "See the log of the server." });
}

/**
 * Messages about arguments are made from the request, except one that names the folder of the
 * index.
 */
function argumentText({ message, hint, where, found, expected }: VerbatimError) {
  if (/^The index in /.test(message)) {
    return { title: `The index is at version ${found}, not yet at ${expected}.`, hint: "Ask again after the commit." };
  }
  return { title: message, hint, where };
}

/** The response to a request that failed. */
export function problemResponse(c: Context, error: unknown): Response {
  const { status, document, headers } = toProblem(error);
  for (const [name, value] of Object.entries(headers)) c.header(name, value);
  c.header("Content-Type", "application/problem+json");
  c.header("Cache-Control", "no-store");
  const requestId = c.get("requestId") as string | undefined;
  return c.body(JSON.stringify(requestId === undefined ? document : { ...document, requestId }), status);
}
