/** Loads on `verbatim mcp --http`, for `npx tsx test/server/abuse/run.ts`. */

import { type Load, repeated, type Target } from "./loads.js";

const HEADERS = { "Content-Type": "application/json", Accept: "application/json, text/event-stream" };

export async function post({ port }: Pick<Target, "port">, message: unknown, signal?: AbortSignal): Promise<Response> {
  const body = JSON.stringify(message);
  return fetch(`http://127.0.0.1:${port}/mcp`, { method: "POST", headers: HEADERS, body, signal });
}

export function call(name: string, params: object, id = 1): object {
  return { jsonrpc: "2.0", id, method: name, params };
}

const passages = (id: number): object =>
  call("tools/call", { name: "passages", arguments: { question: "when does the bell ring?", topK: 50 } }, id);
const resource = (id: number): object => call("resources/read", { uri: "verbatim://documents/large.txt" }, id);

/** One body with a hundred calls. */
export function mcpBatches(count: number): Load {
  return repeated("batches of 100 MCP calls", count, async (target, signal) => {
    const batch = Array.from({ length: 100 }, (_, id) => (id % 2 === 0 ? passages(id) : resource(id)));
    await (await post(target, batch, signal)).arrayBuffer();
  });
}

/** A hundred bodies at once, again and again. */
export function mcpCalls(name: "passages" | "resources/read"): Load {
  return repeated(`MCP ${name}`, 100, async (target, signal) => {
    await (await post(target, name === "passages" ? passages(1) : resource(1), signal)).arrayBuffer();
  });
}
