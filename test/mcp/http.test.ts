/** MCP over HTTP: the checks of the server apply here too, and the SDK's own client passes them. */

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { createMcpApp, type McpApp } from "../../adapters/mcp/http.js";
import { refreshOrLog } from "../../adapters/mcp/refresh.js";
import { DEFAULT_LIMITS, type Limits } from "../../adapters/server/http/limits.js";
import { Tokens } from "../../adapters/server/security/tokens.js";
import { ServedIndex } from "../../adapters/server/served-index.js";
import { ASK, problemOf, served } from "../server/served.js";

const REQUESTS = Number(process.env.VERBATIM_MALFORMED ?? 200);
vi.setConfig({ testTimeout: 300_000 + REQUESTS * 60 });

async function app(options: { tokens?: Tokens; limits?: Partial<Limits> } = {}): Promise<McpApp> {
  const { index } = await served();
  return createMcpApp({
    index,
    refresh: refreshOrLog(index, () => {}),
    version: "0.0.0",
    defaults: { minConfidence: "calibrated" },
    log: () => {},
    callMs: 120_000,
    tokens: options.tokens,
    anonymous: options.tokens === undefined ? "ask" : undefined,
    site: { loopback: true, cors: [] },
    limits: { ...DEFAULT_LIMITS, ...options.limits },
  });
}

const message = { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} };

/** @param given.port  of the client's end, which identifies the connection */
function post(
  to: McpApp,
  given: {
    headers?: Record<string, string>;
    body?: string;
    method?: string;
    port?: number;
    signal?: AbortSignal;
  } = {},
) {
  const headers = {
    Host: "127.0.0.1:4181",
    "Content-Type": "application/json",
    Accept: "application/json, text/event-stream",
    ...given.headers,
  };
  const { method = "POST", body = JSON.stringify(message), port, signal } = given;
  const environment = { incoming: { socket: { remoteAddress: "127.0.0.1", remotePort: port } } };
  const request = { method, headers, signal, ...(method === "POST" ? { body } : {}) };
  return to.request("http://127.0.0.1:4181/mcp", request, environment);
}

/** A client whose requests go directly to the app. */
async function clientOf(to: McpApp, token?: string): Promise<Client> {
  const fetch = async (url: string | URL, init?: RequestInit): Promise<Response> => {
    const headers = new Headers(init?.headers);
    headers.set("Host", "127.0.0.1:4181");
    if (token !== undefined) headers.set("Authorization", `Bearer ${token}`);
    return to.request(url.toString(), { ...init, headers });
  };
  const client = new Client({ name: "test", version: "0" });
  await client.connect(new StreamableHTTPClientTransport(new URL("http://127.0.0.1:4181/mcp"), { fetch }));
  return client;
}

describe("MCP over HTTP", () => {
  it("answers several calls at once", async () => {
    const to = await app();
    const client = await clientOf(to);
    const calls = ["who founded the observatory?", "when does the pump stop?", "who opened the bridge?"].map(
      (question) => client.callTool({ name: "ask", arguments: { question, topK: 1 } }),
    );
    const answered = (await Promise.all(calls)) as unknown as { structuredContent: { answers: { title: string }[] } }[];
    expect(answered.map((it) => it.structuredContent.answers[0]!.title)).toEqual(["History", "Pump", "Bridge"]);
    const quoted = await client.callTool({ name: "quote", arguments: { quotation: "It is 86 metres long." } });
    expect(quoted.structuredContent).toMatchObject({ exact: true });
  });

  it("accepts only the names of this machine, and no page of another site", async () => {
    const to = await app();
    expect((await post(to)).status).toBe(200);
    expect(await problemOf(await post(to, { headers: { Host: "evil.example" } }))).toMatchObject({ status: 421 });
    expect(await problemOf(await post(to, { headers: { Origin: "https://evil.example" } }))).toMatchObject({
      status: 403,
    });
    expect(
      await problemOf(await post(to, { headers: { "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "cors" } })),
    ).toMatchObject({
      status: 403,
    });
    const answer = await post(to, { headers: { Origin: "http://127.0.0.1:4181" } });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("Access-Control-Allow-Origin")).toBeNull();
    expect(answer.headers.get("X-Content-Type-Options")).toBe("nosniff");
  });

  it("requires a token if there is a token file", async () => {
    const to = await app({ tokens: Tokens.parse(`ask ${ASK}`) });
    expect(await problemOf(await post(to))).toMatchObject({ status: 401, code: "token-needed" });
    expect(
      await problemOf(await post(to, { headers: { Authorization: "Bearer wrong-token-0123456789" } })),
    ).toMatchObject({ status: 401 });
    expect((await (await clientOf(to, ASK)).listTools()).tools).toHaveLength(4);
  });

  it("refuses other methods, and requests that are too large, too fast, or not JSON", async () => {
    const to = await app({ limits: { maxJsonBytes: 1000, rateBurst: 12, ratePerSecond: 0.001 } });
    for (const method of ["GET", "DELETE"])
      expect(await problemOf(await post(to, { method }))).toMatchObject({ status: 405 });
    expect(await problemOf(await post(to, { body: "[".repeat(2000) }))).toMatchObject({ status: 413 });
    expect(await problemOf(await post(to, { body: "{" }))).toMatchObject({ status: 400 });
    const odd = await post(to, { body: '{"jsonrpc": "2.0", "id": 1}' });
    expect(odd.status).toBeGreaterThanOrEqual(400);
    expect(odd.status).toBeLessThan(500);
    const statuses: number[] = [];
    for (let i = 0; i < 12; i++) statuses.push((await post(to)).status);
    expect(statuses).toContain(429);
    expect((await to.request("http://127.0.0.1/elsewhere", { headers: { Host: "127.0.0.1" } })).status).toBe(404);
  });

  it("refuses a batch: each message is a request of its own", async () => {
    const to = await app();
    for (const batch of [[message], [message, message], []]) {
      const refused = await problemOf(await post(to, { body: JSON.stringify(batch) }));
      expect(refused).toMatchObject({ status: 400, code: "batch-refused" });
    }
  });

  it("reads and lists resources at the rate of questions, and no more of them at once", async () => {
    const read = { ...message, method: "resources/read", params: { uri: "verbatim://documents/history" } };
    const slow = await app({ limits: { rateBurst: 3, ratePerSecond: 0.001 } });
    const statuses: number[] = [];
    for (let n = 0; n < 4; n++) statuses.push((await post(slow, { body: JSON.stringify(read) })).status);
    expect(statuses).toEqual([200, 200, 200, 429]);

    const busy = await app({ limits: { concurrency: 1, maxWaiting: 1 } });
    const list = { ...message, method: "resources/list" };
    const replies = await Promise.all(
      [read, list, read, list].map(
        async (it) =>
          (await post(busy, { body: JSON.stringify(it) })).json() as Promise<{ error?: { message: string } }>,
      ),
    );
    const errors = replies.map(({ error }) => error?.message).filter(Boolean);
    expect(errors).toHaveLength(2);
    for (const error of errors) expect(error).toMatch(/^Too many requests/);
  });

  it("drops a call that waits when its caller disconnects", async () => {
    const to = await app({ limits: { concurrency: 1 } });
    const params = { name: "ask", arguments: { question: "who founded the observatory?", topK: 1 } };
    const body = JSON.stringify({ ...message, method: "tools/call", params });
    const refresh = vi.spyOn(ServedIndex.prototype, "refresh");
    try {
      let release = (): void => {};
      const held = new Promise<number>((done) => {
        release = () => done(0);
      });
      refresh.mockImplementationOnce(() => held);
      const first = post(to, { body });
      await vi.waitFor(() => expect(refresh).toHaveBeenCalledTimes(1), { timeout: 30_000 });
      const caller = new AbortController();
      const second = Promise.resolve(post(to, { body, signal: caller.signal })).then((response) => response.text());
      await new Promise((done) => setTimeout(done, 200)); // it waits for the first one
      caller.abort();
      expect(await second.catch(() => "disconnected")).not.toContain("Ines Calder");
      release();
      expect(await (await first).text()).toContain("Ines Calder");
      expect(refresh).toHaveBeenCalledTimes(1);
    } finally {
      refresh.mockRestore();
    }
  });

  it("gives each connection without a token its own rate", async () => {
    const to = await app({ limits: { rateBurst: 3, ratePerSecond: 0.001 } });
    const statuses = async (port: number): Promise<number[]> => {
      const all: number[] = [];
      for (let n = 0; n < 5; n++) all.push((await post(to, { port })).status);
      return all;
    };
    expect(await statuses(50_001)).toEqual([200, 200, 200, 429, 429]);
    expect(await statuses(50_002)).toEqual([200, 200, 200, 429, 429]);
    const guess = (port: number) => post(to, { port, headers: { Authorization: "Bearer wrong-token-0123456789" } });
    expect((await guess(50_003)).status).toBe(401);
    expect((await guess(50_004)).status).toBe(429); // guesses are counted for the whole machine
  });

  it("answers a question among a hundred connections that ask for much more", async () => {
    const to = await app({ limits: { concurrency: 1 } });
    const tool = (name: string, given: object): string =>
      JSON.stringify({ ...message, method: "tools/call", params: { name, arguments: given } });
    const passages = tool("passages", { question: "when does the pump stop?", topK: 50 });
    const question = tool("ask", { question: "who founded the observatory?", topK: 1 });
    let served = 0;
    let stopped = false;
    const flood = Array.from({ length: 100 }, async (_, i) => {
      for (let n = 0; !stopped; n++) {
        // every other connection is closed after each request
        const port = 20_000 + i + (i % 2) * n * 100;
        expect((await post(to, { port, body: passages })).status).toBe(200);
        served++;
      }
    });
    const between: number[] = [];
    for (let n = 0; n < 6; n++) {
      const before = served;
      const answer = await (await post(to, { port: 50_000, body: question })).text();
      expect(answer).toContain("Ines Calder");
      between.push(served - before);
    }
    stopped = true;
    await Promise.all(flood);
    // a turn for each connection would be 100; the first question may have come before the flood
    expect(Math.max(...between.slice(1)), `${between}`).toBeLessThan(50);
  });

  it("answers no malformed request with a 500 or a path of the machine", async () => {
    const to = await app({ limits: { ratePerSecond: 1e6, rateBurst: 1e6 } });
    const name = fc.oneof(fc.constantFrom("ask", "quote", "passages", "list_documents", "__proto__"), fc.string());
    const call = fc.record({ name, arguments: fc.oneof(fc.object(), fc.anything()) });
    const uri = fc.oneof(
      fc.webPath().map((path) => `verbatim://documents${path}`),
      fc.string(),
    );
    const params = fc.oneof(call, fc.record({ uri }), fc.anything());
    const method = fc.oneof(
      fc.constantFrom("tools/call", "tools/list", "resources/read", "resources/list", "initialize", "ping"),
      fc.string(),
    );
    const id = fc.oneof(fc.integer(), fc.string(), fc.constant(null));
    const request = fc.record(
      { jsonrpc: fc.constantFrom("2.0", "1.0"), id, method, params },
      { requiredKeys: ["jsonrpc"] },
    );
    const whole = fc.oneof(request, fc.array(request, { maxLength: 3 })).map((it) => {
      return JSON.stringify(it, (_, value) => (typeof value === "bigint" ? String(value) : value)) ?? "";
    });
    const body = fc.oneof(
      { weight: 4, arbitrary: whole },
      { weight: 1, arbitrary: fc.oneof(fc.json(), fc.string({ unit: "binary" }), fc.constant("[".repeat(5000))) },
    );
    const accept = fc.constantFrom(
      "application/json, text/event-stream",
      "application/json",
      "text/event-stream",
      "*/*",
      "",
    );
    const type = fc.constantFrom("application/json", "text/plain");
    await fc.assert(
      fc.asyncProperty(body, accept, type, async (sent, accepts, contentType) => {
        const response = await post(to, { body: sent, headers: { Accept: accepts, "Content-Type": contentType } });
        expect(response.status, sent).toBeLessThan(500);
        expect(await response.text()).not.toMatch(/secret|node:internal|\.ts:\d|node_modules/);
      }),
      { seed: 20261121, numRuns: REQUESTS },
    );
  });
});
