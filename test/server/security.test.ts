/** What must not happen: other sites read, strangers write, one caller takes all capacity. */

import { describe, expect, it } from "vitest";
import { ConcurrencyLimiter } from "../../adapters/server/http/concurrency-limiter.js";
import { serve } from "../../adapters/server/index.js";
import { RateLimit } from "../../adapters/server/security/rate-limit.js";
import { Tokens } from "../../adapters/server/security/tokens.js";
import { ADMIN, ASK, problemOf, type Served, served, TOWN, WRITE } from "./served.js";

const question = { question: "who founded the observatory?" };

describe("Host and Origin", () => {
  const ask = ({ send }: Served, headers: Record<string, string>) =>
    send("POST", "/v1/ask", { json: question, headers });

  it("allow only the names of this machine while only it can connect", async () => {
    const server = await served();
    for (const host of [
      "localhost",
      "localhost:4180",
      "127.0.0.1:9",
      "127.1.2.3",
      "[::1]:4180",
      "LOCALHOST",
      "localhost.",
    ]) {
      expect((await ask(server, { Host: host })).status, host).toBe(200);
    }
    for (const host of [
      "evil.example",
      "evil.example:4180",
      "127.0.0.1.evil.example",
      "localhost.evil.example",
      "0.0.0.0",
      "192.168.1.4",
    ]) {
      expect(await problemOf(await ask(server, { Host: host })), host).toMatchObject({ status: 421 });
    }
    for (const host of ["", "a b", "[::1", "localhost:999999", "user@localhost"]) {
      expect((await ask(server, { Host: host })).status, host).toBe(400);
    }
    const open = await served({ parts: { site: { loopback: false, cors: [] } } });
    expect((await ask(open, { Host: "answers.example" })).status).toBe(200);
  });

  it("allow pages of this server and of the named sites only", async () => {
    const server = await served({ parts: { site: { loopback: true, cors: ["https://docs.example"] } } });
    const origin = (Origin: string) => ask(server, { Host: "localhost:4180", Origin });
    expect((await origin("http://localhost:4180")).status).toBe(200);
    const named = await origin("https://docs.example");
    expect(named.headers.get("Access-Control-Allow-Origin")).toBe("https://docs.example");
    for (const other of [
      "null",
      "https://evil.example",
      "http://localhost:4181",
      "https://docs.example.evil.example",
      "http://docs.example",
    ]) {
      const refused = await origin(other);
      expect(refused.status, other).toBe(403);
      expect(refused.headers.get("Access-Control-Allow-Origin")).toBeNull();
    }
    const preflight = await server.send("OPTIONS", "/v1/ask", { headers: { Origin: "https://docs.example" } });
    expect([preflight.status, preflight.headers.get("Access-Control-Allow-Methods")]).toEqual([
      204,
      "GET, POST, PUT, DELETE",
    ]);
    expect((await server.send("OPTIONS", "/v1/ask", { headers: { Origin: "https://evil.example" } })).status).toBe(403);
  });

  it("refuse what a browser fetches for another site without an Origin, but not links", async () => {
    const { send } = await served();
    const from = (site: string, mode: string, path = "/v1/documents") =>
      send("GET", path, { headers: { "Sec-Fetch-Site": site, "Sec-Fetch-Mode": mode } });
    expect((await from("cross-site", "no-cors")).status).toBe(403);
    expect((await from("same-origin", "cors")).status).toBe(200);
    expect((await from("cross-site", "navigate", "/plain?q=who")).status).toBe(200);
    expect(
      (
        await send("POST", "/plain", {
          body: "q=who",
          headers: { "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate" },
        })
      ).status,
    ).toBe(403);
  });
});

describe("tokens", () => {
  it("allow what their scope says, and no more", async () => {
    const { send } = await served({ withTokens: true });
    const id = "/v1/documents/pump";
    const table = [
      ["POST", "/v1/ask", { json: question }, "ask"],
      ["POST", "/v1/explain", { json: question }, "ask"],
      ["POST", "/v1/quote", { json: { quotations: [{ text: "The pump" }] } }, "ask"],
      ["GET", "/v1/documents", {}, "ask"],
      ["GET", id, {}, "ask"],
      ["PUT", id, { json: { text: "The pump hums." } }, "write"],
      ["POST", "/v1/uploads?name=a.txt", { body: "a word" }, "write"],
      ["GET", "/v1/jobs/job-1", {}, "write"],
      ["DELETE", "/v1/jobs/job-1", {}, "write"],
      ["DELETE", `${id}?wait=true`, {}, "write"],
      ["GET", "/metrics", {}, "admin"],
    ] as const;
    for (const [method, path, given, needs] of table) {
      const label = `${method} ${path}`;
      const none = await send(method, path, given);
      expect(await problemOf(none), label).toMatchObject({ status: 401, code: "token-needed" });
      expect(none.headers.get("WWW-Authenticate")).toMatch(/^Bearer/);
      expect((await send(method, path, { ...given, token: "guess-0123456789abc" })).status, label).toBe(401);
      for (const [scope, token] of [
        ["ask", ASK],
        ["write", WRITE],
        ["admin", ADMIN],
      ] as const) {
        if (["ask", "write", "admin"].indexOf(scope) >= ["ask", "write", "admin"].indexOf(needs)) continue;
        expect(await problemOf(await send(method, path, { ...given, token })), label).toMatchObject({
          status: 403,
          code: "scope-missing",
        });
      }
      const enough = { ask: ASK, write: WRITE, admin: ADMIN }[needs];
      expect((await send(method, path, { ...given, token: enough })).status, label).toBeLessThan(300);
    }
    expect(await (await send("GET", "/v1/status")).json()).toMatchObject({
      documents: 0,
      scope: null,
      tokenNeeded: true,
    });
  });

  it("are required for writing even where asking is free, and a read-only server writes nothing", async () => {
    const put = { json: { text: "A word." } };
    expect((await (await served()).send("PUT", "/v1/documents/a", put)).status).toBe(401);
    const reader = await served({ parts: { ingestion: undefined } });
    expect(await problemOf(await reader.send("PUT", "/v1/documents/a", { ...put, token: WRITE }))).toMatchObject({
      status: 403,
      code: "read-only",
    });
  });

  it("are read from a file; errors name the line, but not its content", () => {
    const hash = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"; // of "test"
    expect(Tokens.parse(`write sha256:${hash}`).find("test")?.scope).toBe("write");
    expect(Tokens.parse(`ask ${WRITE}\r\nwrite ${WRITE}\r\n`).find(WRITE)?.scope).toBe("write");
    expect(Tokens.parse(`ask ${ASK}`).find(`${ASK}x`)).toBeUndefined();
    for (const text of [
      "",
      "# none",
      "root secret-0123456789ab",
      "ask short",
      "ask",
      `ask ${ASK} more`,
      "ask sha256:12",
    ]) {
      expect(() => Tokens.parse(text), text).toThrow(/token/);
      try {
        Tokens.parse(text);
      } catch (error) {
        expect(String(error)).not.toMatch(/secret|short|more/);
      }
    }
  });

  it("are required to listen to others, and to be asked by every site", async () => {
    const base = { paths: [], index: "/nowhere", port: 0, readOnly: true, cwd: "/", log: () => {} };
    await expect(serve({ ...base, host: "0.0.0.0", cors: [] })).rejects.toThrow(/Without a token/);
    await expect(serve({ ...base, host: "127.0.0.1", cors: ["*"] })).rejects.toThrow(/Without a token/);
    await expect(serve({ ...base, host: "127.0.0.1", cors: ["docs.example/x"] })).rejects.toThrow(/not an origin/);
    await expect(serve({ ...base, host: "127.0.0.1", cors: [], paths: ["a"] })).rejects.toThrow(
      /read-only server cannot/,
    );
  });
});

describe("limits", () => {
  it("of bodies, also of those without a length", async () => {
    const { send } = await served({ limits: { maxJsonBytes: 1000, maxUploadBytes: 2000 } });
    const json = { question: "x".repeat(1200) };
    expect((await send("POST", "/v1/ask", { json })).status).toBe(413);
    const endless = new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(500)),
    });
    const given = { body: endless, token: WRITE };
    expect((await send("POST", "/v1/uploads?name=a.txt", given)).status).toBe(413);
  });

  it("of a document's metadata", async () => {
    const { send } = await served({ limits: { maxMetadataBytes: 10_000, maxDocumentBytes: 50_000 } });
    const put = async (metadata: unknown) =>
      send("PUT", "/v1/documents/a", { json: { text: "a", metadata }, token: WRITE });
    expect((await put({ year: 1911 })).status).toBeLessThan(300);
    for (const metadata of [
      { a: "x".repeat(6000) },
      Object.fromEntries(Array.from({ length: 800 }, (_, i) => [i, 1])),
    ]) {
      expect(await problemOf(await put(metadata))).toMatchObject({ status: 413, where: "metadata" });
    }
    expect((await put({ a: "x".repeat(60_000) })).status).toBe(413);
  });

  it("of questions, batches, answers and filters", async () => {
    const { send } = await served();
    const ask = async (json: object) => problemOf(await send("POST", "/v1/ask", { json }));
    expect(await ask({ question: "x".repeat(2001) })).toMatchObject({ status: 400, where: "question" });
    expect(await ask({ question: "  " })).toMatchObject({ status: 400, where: "question" });
    expect(await ask({ questions: [] })).toMatchObject({ status: 400, where: "questions" });
    expect(await ask({ questions: Array(65).fill("who?") })).toMatchObject({ status: 400, where: "questions" });
    expect(await ask({ questions: ["who?", ""] })).toMatchObject({ status: 400, where: "questions.1" });
    expect(await ask({ question: "who?", questions: ["who?"] })).toMatchObject({ status: 400 });
    expect(await ask({})).toMatchObject({ status: 400, where: "question" });
    expect(await ask({ ...question, topK: 101 })).toMatchObject({ status: 400, where: "topK" });
    expect(await ask({ ...question, where: "x".repeat(4001) })).toMatchObject({ status: 400, where: "where" });
    expect(await ask({ ...question, topk: 3 })).toMatchObject({ status: 400 }); // a misspelt name is not ignored
  });

  it("of a caller's rate, with the seconds to wait", async () => {
    const { send } = await served({ limits: { ratePerSecond: 1, rateBurst: 2 } });
    const ask = () => send("POST", "/v1/ask", { json: question });
    expect([(await ask()).status, (await ask()).status]).toEqual([200, 200]);
    const third = await ask();
    expect(await problemOf(third)).toMatchObject({ status: 429, code: "too-fast" });
    expect(third.headers.get("Retry-After")).toBe("1");
    let now = 0;
    const rate = new RateLimit({ perSecond: 10, burst: 5 }, () => now);
    rate.take("a", 5);
    expect(() => rate.take("a", 1)).toThrow();
    rate.take("b", 5); // the limit is per caller
    now = 100;
    rate.take("a", 1);
    expect(() => rate.take("a", 1)).toThrow();
  });

  it("of a caller's document reads, and of an address's requests of any kind, which are not logged", async () => {
    const reader = await served({ limits: { ratePerSecond: 1, rateBurst: 2 } });
    const statuses = async (...paths: string[]) => {
      const all: number[] = [];
      for (const path of paths) all.push((await reader.send("GET", path)).status);
      return all;
    };
    const paths = ["/v1/documents/history", "/v1/documents", "/v1/documents/history", "/v1/documents"];
    expect(await statuses(...paths, "/plain/document?id=history")).toEqual([200, 200, 429, 429, 429]);
    const { send, log, app } = await served({ limits: { requestsPerSecond: 1, requestBurst: 3 } });
    for (const expected of [200, 200, 200, 429, 429])
      expect((await send("GET", "/openapi.json")).status).toBe(expected);
    expect(log).toHaveLength(3);
    expect(await app.metrics.text()).toContain('verbatim_refused_total{reason="too-fast"} 2');
  });

  it("of the text in one response, also on the plain page", async () => {
    const long = { ...TOWN[0]!, id: "long", text: "word ".repeat(400) };
    const { send } = await served({ documents: [long], limits: { maxTextUnits: 1000 } });
    const read = async (query: string) =>
      (await (await send("GET", `/v1/documents/long${query}`)).json()) as { from: number; to: number; text: string };
    expect(await read("")).toMatchObject({ from: 0, to: 1000 });
    expect(await read("?from=1500&to=2000")).toMatchObject({ from: 1500, to: 2000, text: "word ".repeat(100) });
    expect((await send("GET", "/plain/document?id=long&start=0&end=1001")).status).toBe(404);
  });

  it("of guesses at tokens", async () => {
    const { send } = await served({ limits: { ratePerSecond: 1, rateBurst: 25 } });
    const guess = async (i: number) => (await send("GET", "/v1/documents", { token: `guess-number-${i}-0123` })).status;
    expect([await guess(1), await guess(2), await guess(3)]).toEqual([401, 401, 429]);
  });

  it("of time", async () => {
    const { send } = await served({ limits: { questionMs: 1, concurrency: 1 } });
    const batch = { questions: Array.from({ length: 40 }, (_, i) => `who founded the observatory number ${i}?`) };
    const response = await send("POST", "/v1/ask", { json: batch });
    expect(await problemOf(response)).toMatchObject({ status: 503, code: "timeout" });
  });
});

describe("the limiter", () => {
  const signal = new AbortController().signal;
  const limits = { concurrency: 1, maxWaiting: 4, maxWaitingPerClient: 3 };

  it("lets callers take turns, refuses what is too much, and becomes idle", async () => {
    const limiter = new ConcurrencyLimiter(limits);
    const order: string[] = [];
    let open = (): void => {};
    const first = limiter.run({ client: "a", signal }, () => new Promise<void>((done) => (open = done)));
    const ask = (client: string, name: string) => limiter.run({ client, signal }, async () => void order.push(name));
    const waiting = [ask("a", "a1"), ask("a", "a2"), ask("a", "a3")];
    await expect(ask("a", "a4")).rejects.toMatchObject({ status: 429, headers: { "Retry-After": "1" } });
    waiting.push(ask("b", "b1"));
    expect([limiter.running, limiter.waiting]).toEqual([1, 4]);
    open();
    await Promise.all([first, ...waiting]);
    expect(order).toEqual(["a1", "b1", "a2", "a3"]);
    await limiter.idle();
    expect([limiter.running, limiter.waiting]).toEqual([0, 0]);
  });

  it("refuses the last one of the longest queue when another caller comes", async () => {
    const limiter = new ConcurrencyLimiter(limits);
    let open = (): void => {};
    const first = limiter.run({ client: "a", signal }, () => new Promise<void>((done) => (open = done)));
    const outcome = (client: string) =>
      limiter.run({ client, signal }, async () => "answered").catch(({ status }: { status: number }) => status);
    const outcomes = ["a", "a", "a", "b", "c", "d", "e"].map(outcome);
    open();
    expect(await Promise.all(outcomes)).toEqual(["answered", 429, 429, "answered", "answered", "answered", 429]);
    await first;
    await limiter.idle();
  });

  it("runs what must be alone when nothing else runs", async () => {
    const limiter = new ConcurrencyLimiter({ concurrency: 2, maxWaiting: 10, maxWaitingPerClient: 10 });
    const running = new Set<string>();
    const together: string[] = [];
    const run = (name: string, alone: boolean) =>
      limiter.run({ client: name, alone, signal }, async () => {
        running.add(name);
        await new Promise((done) => setTimeout(done, 1));
        together.push([...running].sort().join("+"));
        running.delete(name);
      });
    const order = [["a"], ["b"], ["X", true], ["c"], ["d"], ["Y", true], ["Z", true], ["e"]] as const;
    await Promise.all(order.map(([name, alone = false]) => run(name, alone)));
    expect(together).toHaveLength(order.length);
    expect(together.some((names) => names.includes("+"))).toBe(true);
    expect(together.filter((names) => /[XYZ]/.test(names))).toEqual(["X", "Y", "Z"]);
    const gone = new AbortController();
    const first = run("f", false);
    const second = limiter.run({ client: "W", alone: true, signal: gone.signal }, async () => "never");
    const third = run("g", false);
    gone.abort();
    await expect(second).rejects.toMatchObject({ status: 503 });
    await Promise.all([first, third]);
    await limiter.idle();
  });

  it("refuses a question whose time is up, and continues after an error", async () => {
    const limiter = new ConcurrencyLimiter(limits);
    let open = (): void => {};
    const first = limiter.run({ client: "a", signal }, () => new Promise<void>((done) => (open = done)));
    const gone = new AbortController();
    const second = limiter.run({ client: "b", signal: gone.signal }, async () => "never");
    gone.abort();
    await expect(second).rejects.toMatchObject({ status: 503 });
    const third = limiter.run({ client: "b", signal }, async () => {
      throw new Error("no");
    });
    open();
    await first;
    await expect(third).rejects.toThrow("no");
    expect(await limiter.run({ client: "c", signal }, async () => "yes")).toBe("yes");
  });
});

describe("stopping", () => {
  it("finishes the questions in progress and is not ready", async () => {
    const { app, send } = await served({ limits: { concurrency: 1 } });
    const asked = Array.from({ length: 10 }, () => send("POST", "/v1/ask", { json: question }));
    await new Promise((done) => setTimeout(done, 0));
    const drained = app.drain();
    expect((await send("GET", "/readyz")).status).toBe(503);
    expect((await Promise.all(asked)).map(({ status }) => status)).toEqual(Array(10).fill(200));
    await drained;
  });
});

describe("every response", () => {
  it("forbids scripts but our own, sniffing, framing and sharing", async () => {
    const { send } = await served();
    const paths = ["/", "/docs", "/plain?q=who", "/v1/documents", "/nothing", "/healthz", "/v1/documents/unknown"];
    for (const path of paths) {
      const { headers } = await send("GET", path);
      const policy = headers.get("Content-Security-Policy") ?? "";
      expect(policy, path).toContain("default-src 'none'");
      expect(policy).not.toMatch(/unsafe|https?:|\*/);
      expect(headers.get("X-Content-Type-Options")).toBe("nosniff");
      expect(headers.get("Cross-Origin-Resource-Policy")).toBe("same-origin");
      expect(headers.get("X-Powered-By")).toBeNull();
    }
  });

  it("that never changes is sent with its hash, and not again to those that have it", async () => {
    const { send } = await served();
    for (const path of ["/openapi.json", "/docs"]) {
      const first = await send("GET", path);
      const etag = first.headers.get("ETag")!;
      expect(etag).toMatch(/^"[0-9a-f]{16}"$/);
      const again = await send("GET", path, { headers: { "If-None-Match": etag } });
      expect([again.status, await again.text()]).toEqual([304, ""]);
    }
  });

  it("to an unsupported method names the supported ones", async () => {
    const { send } = await served();
    const response = await send("GET", "/v1/ask");
    expect([response.status, response.headers.get("Allow")]).toEqual([405, "POST"]);
  });
});
