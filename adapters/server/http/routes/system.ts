/** Health, metrics, status, and the description of the API. */

import type { Hono } from "hono";
import { accessOf, requireScope } from "../access.js";
import { serveStatic, staticFile } from "../assets.js";
import { docsPage } from "../docs-page.js";
import { openApiDocument } from "../openapi.js";
import { Problem } from "../problems.js";
import { type Env, requireIndex, type Service } from "../service.js";

export function registerSystem(
  app: Hono<Env>,
  service: Service,
  about: { version: string; stopping: () => boolean },
): void {
  const { index, schemas, metrics } = service;
  const document = openApiDocument(schemas, about.version);

  app.get("/healthz", (c) => c.text("ok\n"));

  app.get("/readyz", (c) => {
    if (about.stopping()) throw stopping();
    requireIndex(service);
    const interrupted = service.ingestion?.status.following === "interrupted";
    return c.text(interrupted ? "ready; following is interrupted, see /v1/status\n" : "ready\n");
  });

  app.get("/metrics", async (c) => {
    requireScope(c, service, "admin");
    c.header("Content-Type", metrics.contentType);
    return c.body(await metrics.text());
  });

  app.get("/v1/status", (c) => {
    const { ingestion, anonymous } = service;
    const access = accessOf(c, service);
    // Only callers that may ask see what is served.
    const info = access === undefined ? undefined : index.info;
    return c.json({
      version: info?.version ?? 0,
      documents: info?.documents ?? 0,
      passages: info?.passages ?? 0,
      ...(info === undefined ? {} : { model: info.model }),
      writable: ingestion !== undefined,
      tokenNeeded: anonymous === undefined,
      scope: access?.scope ?? null,
      jobs: access === undefined ? [] : (ingestion?.openJobs ?? []),
      ...(access === undefined || ingestion === undefined ? {} : { indexing: ingestion.status }),
    });
  });

  serveStatic(app, "/openapi.json", staticFile(JSON.stringify(document), "application/json"));
  serveStatic(app, "/docs", staticFile(docsPage(document), "text/html; charset=utf-8"));
}

function stopping(): Problem {
  return new Problem(503, "stopping", { title: "The server is stopping.", headers: { "Retry-After": "2" } });
}
