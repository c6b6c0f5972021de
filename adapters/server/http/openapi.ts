/** The OpenAPI 3.1 document, made from the table of routes and the schemas that requests are checked with. */

import { z } from "zod";
import { ROUTES, type RouteDescription, type SchemaName } from "./route-table.js";
import type { Schemas } from "./schemas.js";

/** Any request may be malformed, from another site, for another host name, or one too many. */
const ALWAYS = [400, 403, 421, 429];

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
  if (ok.status === 202) responses["200"] = { description: "The job has ended.", ...contentOf(ok) };
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
