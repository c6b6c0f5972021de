/** All routes behind all checks, as one function from request to response, without a socket. */

import { randomUUID } from "node:crypto";
import { Hono, type MiddlewareHandler } from "hono";
import type { Ingestion } from "../ingest/ingestion.js";
import type { OriginalFiles } from "../original-files.js";
import { checkCaller, clientOf } from "../security/caller.js";
import { securityHeaders } from "../security/headers.js";
import { RateLimit } from "../security/rate-limit.js";
import type { SitePolicy } from "../security/same-site.js";
import { bearerToken, type Scope, type Tokens } from "../security/tokens.js";
import type { ServedIndex } from "../served-index.js";
import type { Asset } from "./assets.js";
import { CallSignals } from "./call-signals.js";
import { ConcurrencyLimiter } from "./concurrency-limiter.js";
import type { Limits } from "./limits.js";
import { errorDetails, type Log } from "./log.js";
import { Metrics } from "./metrics.js";
import { Problem, problemResponse, toProblem } from "./problems.js";
import { registerAsk } from "./routes/ask.js";
import { registerChanges } from "./routes/changes.js";
import { registerDocuments } from "./routes/documents.js";
import { registerOriginals } from "./routes/originals.js";
import { registerPage } from "./routes/page.js";
import { registerQuote } from "./routes/quote.js";
import { registerSystem } from "./routes/system.js";
import { createSchemas } from "./schemas.js";
import type { AskDefaults, Env, Service } from "./service.js";

export interface AppParts {
  index: ServedIndex;
  ingestion: Service["ingestion"] | Ingestion | undefined;
  /** Default: original files are not sent. */
  originals?: OriginalFiles;
  tokens: Tokens | undefined;
  /** What callers without a token may do. */
  anonymous: Scope | undefined;
  site: SitePolicy;
  limits: Limits;
  log: Log;
  assets: ReadonlyMap<string, Asset>;
  version: string;
  /**
   * Default: the reader for uncertain answers, where there is one; no answer below the model's
   * threshold.
   */
  defaults?: AskDefaults;
}

export interface App {
  fetch: Hono<Env>["fetch"];
  request: Hono<Env>["request"];
  /** Methods and paths of all routes, for example "GET /v1/documents/:id". */
  routes: readonly string[];
  metrics: Metrics;
  /**
   * /readyz answers 503 from now on.
   * @returns when no question is left, or after `limits.stopMs`
   */
  drain(): Promise<void>;
}

/** Documents read at once. They are read by the thread that also serves HTTP. */
const CONCURRENT_READS = 4;
/** JSON documents received at once. */
const CONCURRENT_WRITES = 2;

const CORS_HEADERS = {
  "Access-Control-Allow-Methods": "GET, POST, PUT, DELETE",
  "Access-Control-Allow-Headers": "Authorization, Content-Type, Accept",
  "Access-Control-Expose-Headers": "Location, Retry-After",
  "Access-Control-Max-Age": "600",
};

export function createApp(parts: AppParts): App {
  const { index, ingestion, limits, site } = parts;
  const questionLimiter = new ConcurrencyLimiter(limits);
  const readLimiter = new ConcurrencyLimiter({ ...limits, concurrency: CONCURRENT_READS });
  const writeLimiter = new ConcurrencyLimiter({ ...limits, concurrency: CONCURRENT_WRITES });
  const requests = new RateLimit({ perSecond: limits.requestsPerSecond, burst: limits.requestBurst });
  const metrics = new Metrics({
    running: () => questionLimiter.running,
    waiting: () => questionLimiter.waiting,
    jobs: () => ingestion?.openJobCount ?? 0,
    index: () => index.info,
    cachedDocuments: () => index.documents.cachedDocuments,
  });
  const calls = new CallSignals();
  let stopping = false;
  const service: Service = {
    ...parts,
    originals: parts.originals,
    defaults: parts.defaults ?? { minConfidence: "calibrated" },
    schemas: createSchemas(limits),
    questionLimiter,
    readLimiter,
    writeLimiter,
    questionRate: new RateLimit({ perSecond: limits.ratePerSecond, burst: limits.rateBurst }),
    readRate: new RateLimit({ perSecond: limits.ratePerSecond, burst: limits.rateBurst }),
    metrics,
    calls,
  };

  const app = new Hono<Env>();
  app.use(securityHeaders);
  app.use(observeRequests(service, { perCaller: requests, isStopping: () => stopping }));
  app.use(checkSite(site));

  registerAsk(app, service);
  registerQuote(app, service);
  registerDocuments(app, service);
  registerChanges(app, service);
  registerOriginals(app, service);
  registerSystem(app, service, { version: parts.version, stopping: () => stopping });
  registerPage(app, service, parts.assets);
  const routes = app.routes.filter(({ path }) => !path.includes("*")).map(({ method, path }) => `${method} ${path}`);
  answerFailures(app, service);

  return {
    fetch: app.fetch,
    request: app.request,
    routes: [...new Set(routes)],
    metrics,
    async drain() {
      stopping = true;
      const timer = setTimeout(() => calls.stop(), limits.stopMs);
      await Promise.all([questionLimiter.idle(), readLimiter.idle()]);
      clearTimeout(timer);
      calls.stop(); // requests that wait for a job return its progress
    },
  };
}

const KNOWN_METHODS = new Set(["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"]);

/** Identifies the caller, refuses one that sends too fast, and counts and logs every other request. */
function observeRequests(
  { tokens, metrics, log }: Service,
  { perCaller, isStopping }: { perCaller: RateLimit; isStopping: () => boolean },
): MiddlewareHandler<Env> {
  return async (c, next) => {
    const started = performance.now();
    c.set("requestId", randomUUID());
    c.set("client", clientOf(c));
    try {
      const token = bearerToken(c.req.header("Authorization"));
      const known = token === undefined ? undefined : tokens?.find(token);
      perCaller.take(known?.client ?? c.get("client"), 1);
    } catch (error) {
      metrics.refused("too-fast");
      return problemResponse(c, error); // not logged: a flood must not fill the log
    }
    await next();
    const ms = performance.now() - started;
    const { method, routePath } = c.req;
    const { status } = c.res;
    const route = status === 404 && routePath.includes("*") ? "none" : routePath;
    metrics.request(KNOWN_METHODS.has(method) ? method : "other", route, { status, ms });
    if (isStopping()) c.res.headers.set("Connection", "close");
    log("info", "request", { id: c.get("requestId"), method, route, status, ms: Math.round(ms * 10) / 10 });
  };
}

/** Refuses pages of other sites, unless `site` allows them; those get the CORS headers. */
function checkSite(site: SitePolicy): MiddlewareHandler<Env> {
  return async (c, next) => {
    const origin = checkCaller(c, site);
    if (origin !== undefined) {
      c.header("Access-Control-Allow-Origin", origin);
      c.header("Vary", "Origin");
      if (c.req.method === "OPTIONS") return c.body(null, 204, CORS_HEADERS);
      c.header("Access-Control-Expose-Headers", CORS_HEADERS["Access-Control-Expose-Headers"]);
    }
    return next();
  };
}

/** Problem documents for unknown addresses and methods, and for everything that a route throws. */
function answerFailures(app: Hono<Env>, { log, metrics }: Service): void {
  const known = knownPaths(app);
  app.notFound((c) => {
    const allowed = known(c.req.path);
    if (allowed.length > 0) {
      const title = `This address does not support ${c.req.method.slice(0, 20)}.`;
      return problemResponse(c, new Problem(405, "wrong-method", { title, headers: { Allow: allowed.join(", ") } }));
    }
    return problemResponse(c, new Problem(404, "no-route", { title: "Unknown route.", hint: "See /docs." }));
  });
  app.onError((error, c) => {
    const problem = toProblem(error);
    if (problem.status >= 500 && !(error instanceof Problem)) {
      log("error", "failed", { id: c.get("requestId"), ...errorDetails(error) });
    } else metrics.refused(problem.document.code);
    return problemResponse(c, error);
  });
}

/** @returns the methods of a path */
function knownPaths(app: Hono<Env>): (path: string) => string[] {
  const patterns = app.routes
    .filter(({ path, method }) => !path.includes("*") && method !== "ALL")
    .map(({ path, method }) => ({
      method,
      pattern: new RegExp(`^${path.replace(/[.]/g, "\\.").replace(/:[a-z]+/g, "[^/]+")}$`),
    }));
  return (path) => [...new Set(patterns.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method))];
}
