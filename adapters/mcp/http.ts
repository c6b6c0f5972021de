/** Streamable HTTP: every request is answered by itself, behind the checks of adapters/server/security. */

import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import { Hono } from "hono";
import { ConcurrencyLimiter } from "../server/http/concurrency-limiter.js";
import type { Limits } from "../server/http/limits.js";
import { errorDetails } from "../server/http/log.js";
import { Problem, problemResponse, toProblem } from "../server/http/problems.js";
import { type Env, readBody, requireScope } from "../server/http/service.js";
import { checkCaller, clientOf } from "../server/security/caller.js";
import { securityHeaders } from "../server/security/headers.js";
import { RateLimit } from "../server/security/rate-limit.js";
import type { SitePolicy } from "../server/security/same-site.js";
import type { Scope, Tokens } from "../server/security/tokens.js";
import { createMcpServer, type McpParts } from "./server.js";

export interface McpAppParts extends Omit<McpParts, "turn"> {
  tokens: Tokens | undefined;
  /** What callers without a token may do; undefined: nothing. */
  anonymous: Scope | undefined;
  site: SitePolicy;
  limits: Limits;
}

export interface McpApp {
  fetch: Hono<Env>["fetch"];
  request: Hono<Env>["request"];
  /** Fulfilled when no call is left. */
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
    const { client } = requireScope(c, { tokens, anonymous, rate }, "ask");
    rate.take(client, 1);
    const body = await readBody(c, limits.maxJsonBytes);
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
    const server = createMcpServer({ ...parts, turn: (signal, work) => limiter.run(client, signal, work) });
    await server.connect(transport);
    try {
      return await transport.handleRequest(c.req.raw, { parsedBody: jsonOf(body) });
    } finally {
      await server.close();
    }
  });
  // No session is kept, so there is nothing to listen to (GET) and nothing to end (DELETE).
  app.all("/mcp", () => {
    throw new Problem(405, "wrong-method", { title: "Only POST is for this address.", headers: { Allow: "POST" } });
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

function jsonOf(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw new Problem(400, "bad-json", { title: "The body is not JSON in UTF-8." });
  }
}
