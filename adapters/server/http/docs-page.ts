/**
 * The OpenAPI document as a page for people, without scripts and without anything from other
 * servers.
 */

import { type Html, html, page } from "./html.js";

interface Operation {
  summary: string;
  "x-scope"?: string;
  parameters?: { name: string; in: string; required?: boolean; description?: string; schema: unknown }[];
  requestBody?: { content: Record<string, { schema: unknown }>; description?: string };
  responses: Record<string, { description: string }>;
}

export function docsPage(document: Record<string, unknown>): string {
  const paths = document.paths as Record<string, Record<string, Operation>>;
  const { schemas } = document.components as { schemas: Record<string, unknown> };
  const info = document.info as { title: string; version: string; description: string };
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => operationHtml(method, path, operation)),
  );
  return page(
    `${info.title}: the API`,
    html`<main class="docs">
<h1>${info.title} ${info.version}</h1>
<p>${info.description} For programs: <a href="/openapi.json">openapi.json</a>. Questions are asked <a href="/">here</a>.</p>
<pre><code>curl -s http://127.0.0.1:4180/v1/ask -H 'Content-Type: application/json' -d '{"question": "who founded the observatory?"}'</code></pre>
${operations}
<h2>Schemas</h2>
${Object.entries(schemas).map(([name, schema]) => schemaHtml(name, schema))}
</main>`,
  );
}

function operationHtml(method: string, path: string, operation: Operation): Html {
  const { summary, parameters = [], requestBody, responses } = operation;
  const scope = operation["x-scope"];
  return html`<section>
<h2><code>${method.toUpperCase()} ${path}</code></h2>
<p>${summary}${scope === undefined ? undefined : html` <em>Scope: ${scope}.</em>`}</p>
${parameters.length === 0 ? undefined : html`<ul>${parameters.map(parameterHtml)}</ul>`}
${requestBody === undefined ? undefined : html`<p>Body: ${Object.entries(requestBody.content).map(contentHtml)}</p>`}
<ul>${Object.entries(responses).map(([status, { description }]) => html`<li><code>${status}</code> ${description}</li>`)}</ul>
</section>`;
}

function parameterHtml(parameter: NonNullable<Operation["parameters"]>[number]): Html {
  const { name, description, required, schema } = parameter;
  return html`<li><code>${name}</code> (${parameter.in}${required ? ", required" : ""}) ${description} <code>${JSON.stringify(schema)}</code></li>`;
}

function contentHtml([type, { schema }]: [string, { schema: unknown }]): Html {
  const name = (schema as { $ref?: string }).$ref?.split("/").at(-1);
  return html`<code>${type}</code> ${name === undefined ? undefined : html`<a href="#schema-${name}">${name}</a>`}`;
}

function schemaHtml(name: string, schema: unknown): Html {
  return html`<h3 id="schema-${name}">${name}</h3><pre><code>${JSON.stringify(schema, null, 2)}</code></pre>`;
}
