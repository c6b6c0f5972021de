/** What all routes use. */

import type { Context } from "hono";
import type { ReaderMode } from "../../../src/reader/types.js";
import type { Ingestion } from "../ingest/ingestion.js";
import type { OriginalFiles } from "../original-files.js";
import type { RateLimit } from "../security/rate-limit.js";
import type { Scope, Tokens } from "../security/tokens.js";
import type { OpenIndex, ServedIndex } from "../served-index.js";
import type { CallSignals } from "./call-signals.js";
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
    | Pick<Ingestion, "submit" | "upload" | "cancel" | "job" | "settled" | "openJobs" | "openJobCount" | "status">
    | undefined;
  tokens: Tokens | undefined;
  /** Scope of callers without a token; undefined: none. */
  anonymous: Scope | undefined;
  /** Undefined: original files are not sent. */
  originals: OriginalFiles | undefined;
  limits: Limits;
  schemas: Schemas;
  questionLimiter: ConcurrencyLimiter;
  readLimiter: ConcurrencyLimiter;
  /** Only for documents in JSON bodies, which are in memory as a whole. */
  writeLimiter: ConcurrencyLimiter;
  /** Also limits guesses at tokens. */
  questionRate: RateLimit;
  /** Document reads, by their length: see UNITS_PER_TOKEN in routes/documents.ts. */
  readRate: RateLimit;
  metrics: Metrics;
  log: Log;
  /** A stopping server ends them when it no longer waits for requests. */
  calls: CallSignals;
}

export interface Env {
  Variables: { requestId: string; client: string };
}

export type RequestContext = Context<Env>;

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

/** @throws Problem 403 on a read-only server */
export function requireIngestion({ ingestion }: Service): NonNullable<Service["ingestion"]> {
  if (ingestion !== undefined) return ingestion;
  throw new Problem(403, "read-only", {
    title: "This server is read-only.",
    hint: "Start it without --read-only to change documents.",
  });
}
