/**
 * Streamable HTTP without sessions, behind the checks of adapters/server/security. One request is
 * one message.
 */

import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import { Hono } from "hono";
import { requireScope } from "../server/http/access.js";
import { ConcurrencyLimiter } from "../server/http/concurrency-limiter.js";
import type { Limits } from "../server/http/limits.js";
import { errorDetails } from "../server/http/log.js";
import { Problem, problemResponse, toProblem } from "../server/http/problems.js";
import { readBody } from "../server/http/request-body.js";
import type { Env } from "../server/http/service.js";
import { checkCaller, clientOf, connectionOf } from "../server/security/caller.js";
import { securityHeaders } from "../server/security/headers.js";
import { RateLimit } from "../server/security/rate-limit.js";
import type { SitePolicy } from "../server/security/same-site.js";
import type { Scope, Tokens } from "../server/security/tokens.js";
import type { McpParts } from "./calls.js";
import { createMcpServer } from "./server.js";

/**
 * A call that costs more, compared with a question, runs alone: a question waits for other threads a
 * few times, and would each time wait for a piece of the other call.
 */
const MAX_SHARED_COST = 2;

interface McpAppParts extends Omit<McpParts, "turn" | "gone"> {
  tokens: Tokens | undefined;
  /** Scope of callers without a token; undefined: they are refused. */
  anonymous: Scope | undefined;
  site: SitePolicy;
  limits: Limits;
}

export interface McpApp {
  fetch: Hono<Env>["fetch"];
  request: Hono<Env>["request"];
  /** Fulfilled when no call is running or waiting. */
  idle(): Promise<void>;
}

export function createMcpApp(parts: McpAppParts): McpApp {
  const { site, limits, log, tokens, anonymous } = parts;
  const limiter = new ConcurrencyLimiter(limits);
  const rate = new RateLimit({ perSecond: limits.ratePerSecond, burst: limits.rateBurst });
  const app = new Hono<Env>();
  app.use(securityHeaders);
  app.use(async (c, next) => {
    c.set("client", clientOf(c));
    checkCaller(c, site);
    await next();
  });
  app.get("/healthz", (c) => c.text("ok\n"));

  app.post("/mcp", async (c) => {
    const access = requireScope(c, { tokens, anonymous, questionRate: rate }, "ask");
    // Without tokens all callers are on this machine, and an address does not identify one.
    const client = tokens === undefined ? connectionOf(c) : access.client;
    rate.take(client, 1);
    const message = parseMessage(await readBody(c, limits.maxJsonBytes));
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
    const turn: McpParts["turn"] = (call, work) =>
      limiter.run({ client, ...call, alone: call.cost > MAX_SHARED_COST }, work);
    const server = createMcpServer({ ...parts, turn, gone: c.req.raw.signal });
    await server.connect(transport);
    try {
      return await transport.handleRequest(c.req.raw, { parsedBody: message });
    } finally {
      await server.close();
    }
  });
  // There are no sessions, so there is nothing to listen to (GET) or to end (DELETE).
  app.all("/mcp", () => {
    throw new Problem(405, "wrong-method", { title: "Only POST is allowed here.", headers: { Allow: "POST" } });
  });
  app.notFound((c) =>
    problemResponse(
      c,
      new Problem(404, "no-route", { title: "There is nothing here.", hint: "The tools are at /mcp." }),
    ),
  );
  app.onError((error, c) => {
    if (toProblem(error).status >= 500 && !(error instanceof Problem)) log("error", "failed", errorDetails(error));
    return problemResponse(c, error);
  });
  return { fetch: app.fetch, request: app.request, idle: () => limiter.idle() };
}

/**
 * @throws Problem 400 for what is not JSON, or is a batch: a batch would run any number of calls
 *   for the price of one
 */
function parseMessage(bytes: Uint8Array): unknown {
  let message: unknown;
  try {
    message = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw new Problem(400, "bad-json", { title: "The body is not JSON in UTF-8." });
  }
  if (Array.isArray(message)) {
    throw new Problem(400, "batch-refused", {
      title: "JSON-RPC batches are not supported.",
      hint: "Send each message in a request of its own.",
    });
  }
  return message;
}
