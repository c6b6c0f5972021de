/** What a request sends: its body and its query, checked. */

import type { z } from "zod";
import { Problem } from "./problems.js";
import type { RequestContext } from "./service.js";

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
