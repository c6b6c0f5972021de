/**
 * npx tsx scripts/client-types.ts: regenerates the client's types from the server's OpenAPI
 * document. A test fails if they are out of date.
 */

import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import openapiTS, { astToString } from "openapi-typescript";
import { DEFAULT_LIMITS } from "../adapters/server/http/limits.js";
import { openApiDocument } from "../adapters/server/http/openapi.js";
import { createSchemas } from "../adapters/server/http/schemas.js";

export const CLIENT_TYPES: string = fileURLToPath(new URL("../adapters/client/api.ts", import.meta.url));

const HEAD = `/** The bodies and routes of the API. Made from its OpenAPI document by scripts/client-types.ts: not to be changed by hand. */
// biome-ignore-all lint: made by a program
// biome-ignore-all format: made by a program

`;

export async function clientTypes(): Promise<string> {
  // The version says nothing about the types, so a release does not change them.
  const document = openApiDocument(createSchemas(DEFAULT_LIMITS), "0");
  return HEAD + astToString(await openapiTS(JSON.stringify(document)));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(CLIENT_TYPES, await clientTypes());
