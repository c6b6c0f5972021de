/** What all routes use, and the checks that they share. */

import type { Context } from "hono";
import type { z } from "zod";
import type { ReaderMode } from "../../../src/reader/types.js";
import type { Ingestion } from "../ingest/ingestion.js";
import type { OriginalFiles } from "../original-files.js";
import type { RateLimit } from "../security/rate-limit.js";
import { type Access, allows, bearerToken, type Scope, type Tokens } from "../security/tokens.js";
import type { OpenIndex, ServedIndex } from "../served-index.js";
import type { ConcurrencyLimiter } from "./concurrency-limiter.js";
import type { Limits } from "./limits.js";
import type { Log } from "./log.js";
import type { Metrics } from "./metrics.js";
import { Problem } from "./problems.js";
import type { Schemas } from "./schemas.js";

/** Options of questions that do not set them. */
export interface AskDefaults {
  /** Default: that of `AskOptions`. */
  reader?: ReaderMode;
  minConfidence: number | "calibrated";
}

export interface Service {
  defaults: AskDefaults;
  index: ServedIndex;
  /** Undefined for a read-only server. */
  ingestion:
    | Pick<Ingestion, "submit" | "upload" | "cancel" | "job" | "settled" | "openJobs" | "waiting" | "status">
    | undefined;
  tokens: Tokens | undefined;
  /** Scope of callers without a token; undefined: none. */
  anonymous: Scope | undefined;
  /** Undefined: original files are not sent. */
  originals: OriginalFiles | undefined;
  limits: Limits;
  schemas: Schemas;
  /** Questions. */
  limiter: ConcurrencyLimiter;
  /** Lists and texts of documents. */
  reads: ConcurrencyLimiter;
  /** Documents in JSON bodies, which are in memory as a whole. */
  writes: ConcurrencyLimiter;
  /** Questions, and guesses at tokens. */
  rate: RateLimit;
  /** Document reads, by their length: see UNITS_PER_TOKEN in routes/documents.ts. */
  readRate: RateLimit;
  metrics: Metrics;
  log: Log;
  /** A stopping server ends them when it no longer waits for requests. */
  calls: CallSignals;
}

/** Decides who may do what. */
type AccessRules = Pick<Service, "tokens" | "anonymous" | "rate">;

export interface Env {
  Variables: { requestId: string; client: string };
}

export type RequestContext = Context<Env>;

/**
 * @returns the caller and its scope
 * @throws Problem 401 without a known token, 403 when its scope is not enough, 429 for many unknown
 *   ones
 */
export function requireScope(c: RequestContext, service: AccessRules, needs: Scope): Access {
  const access = accessOf(c, service);
  if (access !== undefined && allows(access.scope, needs)) return access;
  if (access === undefined || bearerToken(c.req.header("Authorization")) === undefined) {
    throw new Problem(401, "token-needed", {
      title: `A token with the scope "${needs}" is required.`,
      hint: "Send it in the header Authorization: Bearer TOKEN.",
      headers: { "WWW-Authenticate": 'Bearer realm="verbatim"' },
    });
  }
  throw new Problem(403, "scope-missing", {
    title: `The token does not have the scope "${needs}".`,
    hint: "Ask the operator of the server for one that has it.",
  });
}

/** @returns undefined for a caller that may do nothing @throws Problem 401 for an unknown token */
export function accessOf(c: RequestContext, { tokens, anonymous, rate }: AccessRules): Access | undefined {
  const token = bearerToken(c.req.header("Authorization"));
  const client = c.get("client");
  if (token === undefined) return anonymous === undefined ? undefined : { scope: anonymous, client };
  const found = token === "" ? undefined : tokens?.find(token);
  if (found !== undefined) return found;
  rate.take(client, 10); // guesses are limited to a tenth of the rate of questions
  throw new Problem(401, "token-unknown", {
    title: "The token is unknown.",
    headers: { "WWW-Authenticate": 'Bearer realm="verbatim", error="invalid_token"' },
  });
}

/**
 * @returns what answers questions
 * @throws Problem 503 while the index has no committed version, with the progress of the job that
 *   builds it
 */
export function requireIndex({ index, ingestion }: Pick<Service, "index" | "ingestion">): OpenIndex {
  const building = index.isOpen ? undefined : ingestion?.openJobs.find(({ state }) => state === "running");
  if (building === undefined) return index.requireOpen();
  const { progress, documents } = building;
  const share = progress === null ? "" : ` ${Math.floor(progress * 100)} % done,`;
  const problem = new Problem(503, "index-building", {
    title: `The index is being built:${share} ${documents} ${documents === 1 ? "document" : "documents"} so far.`,
    hint: "Try again in a moment; GET /v1/status shows the progress.",
    headers: { "Retry-After": "2" },
  });
  problem.document.progress = progress;
  throw problem;
}

/** Fires when the caller is gone, the server stops waiting, or the time of a question is over. */
export function callSignal(c: RequestContext, { calls, limits }: Pick<Service, "calls" | "limits">): AbortSignal {
  return calls.signalFor(c.req.raw.signal, limits.questionMs);
}

/**
 * Signals of the calls in progress. (With `AbortSignal.any`, a signal of the whole server would keep an entry of each
 * call for ever in Node.js 20.)
 */
export class CallSignals {
  readonly #open = new Set<AbortController>();
  #isStopped = false;

  /** A signal that fires with the caller's, after some milliseconds, or at `stop`. */
  signalFor(caller: AbortSignal, milliseconds: number): AbortSignal {
    const call = new AbortController();
    const end = (): void => {
      this.#open.delete(call);
      call.abort(new DOMException("The call took too long.", "TimeoutError"));
    };
    if (this.#isStopped) call.abort();
    else {
      this.#open.add(call);
      setTimeout(end, milliseconds).unref();
    }
    return AbortSignal.any([caller, call.signal]);
  }

  stop(): void {
    this.#isStopped = true;
    for (const call of this.#open) call.abort();
    this.#open.clear();
  }
}

/** @throws Problem 403 on a read-only server */
export function requireIngestion({ ingestion }: Service): NonNullable<Service["ingestion"]> {
  if (ingestion !== undefined) return ingestion;
  throw new Problem(403, "read-only", {
    title: "This server is read-only.",
    hint: "Start it without --read-only to change documents.",
  });
}

/**
 * The body, chunk by chunk.
 * @throws Problem 413 as soon as more than `maxBytes` have arrived, 400 for a body that ends early
 */
export async function* bodyChunks(c: RequestContext, maxBytes: number): AsyncGenerator<Uint8Array> {
  const tooLarge = (): Problem =>
    new Problem(413, "too-large", { title: `The body is larger than ${maxBytes} bytes.`, hint: "Send less at once." });
  if (Number(c.req.header("Content-Length")) > maxBytes) throw tooLarge();
  const reader = c.req.raw.body?.getReader();
  if (reader === undefined) return;
  let length = 0;
  let ended = false;
  try {
    while (!ended) {
      const { done, value } = await reader.read().catch(() => {
        throw new Problem(400, "cut-off", { title: "The request body was truncated." });
      });
      ended = done;
      if (value === undefined) continue;
      length += value.length;
      if (length > maxBytes) throw tooLarge();
      yield value;
    }
  } finally {
    if (!ended) await reader.cancel().catch(() => {});
  }
}

/** @throws Problem as `bodyChunks` */
export async function readBody(c: RequestContext, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of bodyChunks(c, maxBytes)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/**
 * @param options.check  runs before the schema, which is slow for very many values
 * @throws Problem 415, 413, 400 with the part that is wrong; what `check` throws
 */
export async function readJson<S extends z.ZodType>(
  c: RequestContext,
  schema: S,
  maxBytes: number,
  { check = () => {} }: { check?: (value: unknown) => void } = {},
): Promise<z.output<S>> {
  const type = c.req.header("Content-Type") ?? "";
  if (!/^application\/json *(;|$)/i.test(type)) {
    throw new Problem(415, "not-json", {
      title: "The body must be JSON.",
      hint: "Send it with Content-Type: application/json.",
    });
  }
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let value: unknown;
  try {
    let text = "";
    for await (const chunk of bodyChunks(c, maxBytes)) text += decoder.decode(chunk, { stream: true });
    value = JSON.parse(text + decoder.decode());
  } catch (error) {
    if (error instanceof Problem) throw error;
    throw new Problem(400, "bad-json", { title: "The body is not JSON in UTF-8." });
  }
  check(value);
  return parsed(schema, value);
}

/** @throws Problem 400 that names the invalid part */
export function parsed<S extends z.ZodType>(schema: S, value: unknown, name = ""): z.output<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const path = (issue?.path ?? []).map(String);
  const where = [name, ...path].filter((part) => part !== "").join(".");
  throw new Problem(400, "invalid-argument", {
    title: `${where === "" ? "The request" : where}: ${issue?.message ?? "is invalid"}`.slice(0, 300),
    hint: "/docs describes what can be sent.",
    ...(where === "" ? {} : { where: where.slice(0, 100) }),
  });
}

/** The query string as an object. Of parameters with one name, the last one counts. */
export function queryOf(c: RequestContext): Record<string, string> {
  return Object.fromEntries(new URL(c.req.url).searchParams);
}
