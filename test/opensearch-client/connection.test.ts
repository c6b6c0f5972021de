/** The connection to a cluster: TLS, credentials, retries and errors, against stubs. */

import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { isClusterAddress, parseAddress, shownAddress } from "../../adapters/opensearch/address.js";
import { createIndex } from "../../adapters/opensearch/alias-lookup.js";
import { BulkLoader, deletion } from "../../adapters/opensearch/bulk.js";
import { Connection, type ConnectionOptions } from "../../adapters/opensearch/connection/connection.js";
import { openLoader } from "../../adapters/opensearch/open.js";
import { startFakeCluster } from "./fake-cluster.js";
import { type Stub, type StubAnswer, startStub } from "./stub.js";

const file = (name: string): string => join(import.meta.dirname, name);
const TLS = { key: readFileSync(file("localhost.key"), "utf8"), cert: readFileSync(file("localhost.pem"), "utf8") };
const WHOLE = { timed_out: false, _shards: { failed: 0, total: 2 }, hits: { hits: [] } };
const NO_PAUSES = [0, 0, 0, 0, 0];

const open: Array<{ close(): Promise<void> }> = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

async function stub(answer: StubAnswer, tls?: typeof TLS): Promise<Stub> {
  const started = await startStub(answer, tls);
  open.push(started);
  return started;
}

interface ConnectOptions extends ConnectionOptions {
  env?: Record<string, string>;
}

async function connect(address: string, { env = {}, ...options }: ConnectOptions = {}): Promise<Connection> {
  const connection = await Connection.open(parseAddress(address, env), options);
  open.push(connection);
  return connection;
}

describe("TLS and credentials", () => {
  it("trusts the given certificate, and sends user and password", async () => {
    const server = await stub(() => ({ status: 200, body: WHOLE }), TLS);
    const env = { VERBATIM_OPENSEARCH_CA: file("localhost.pem"), VERBATIM_OPENSEARCH_PASSWORD: "pa:ss" };
    const connection = await connect(`opensearch+https://us%20er@127.0.0.1:${server.port}/docs`, { env });
    await connection.search("/docs/_search", { query: { match_all: {} } });
    const [request] = server.requests;
    expect(request!.authorization).toBe(`Basic ${Buffer.from("us er:pa:ss").toString("base64")}`);
    expect(request).toMatchObject({ method: "POST", path: "/docs/_search" });
  });

  it("rejects other certificates, sends nothing, and says which variable to set", async () => {
    const server = await stub(() => ({ status: 200, body: WHOLE }), TLS);
    const connection = await connect(`opensearch+https://127.0.0.1:${server.port}/docs`);
    await expect(connection.search("/docs/_search", {})).rejects.toMatchObject({
      code: "io-error",
      hint: expect.stringContaining("VERBATIM_OPENSEARCH_CA"),
    });
    expect(server.requests).toEqual([]);
  });

  it("explains where credentials go when they are refused, without printing them", async () => {
    const server = await stub(() => ({ status: 401, body: { error: "Unauthorized" } }));
    const connection = await connect(`opensearch://ana:secret@127.0.0.1:${server.port}/docs`);
    const error = await connection.search("/docs/_search", {}).catch((thrown) => thrown);
    expect(error).toMatchObject({
      code: "permission-denied",
      hint: expect.stringContaining("VERBATIM_OPENSEARCH_PASSWORD"),
    });
    expect(`${error.message} ${error.hint}`).not.toContain("secret");
    expect(error.message).toContain(`opensearch://127.0.0.1:${server.port}/docs`);
  });

  it("rejects a missing certificate file", () => {
    const folder = mkdtempSync(join(tmpdir(), "verbatim-ca-"));
    const env = { VERBATIM_OPENSEARCH_CA: join(folder, "ca.pem") };
    expect(() => parseAddress("opensearch://h/docs", env)).toThrow(/cannot be read/);
    writeFileSync(env.VERBATIM_OPENSEARCH_CA, TLS.cert);
    expect(parseAddress("opensearch://h/docs", env).ca).toBe(TLS.cert);
    rmSync(folder, { recursive: true });
  });
});

describe("answers", () => {
  it("become errors if a shard failed", async () => {
    const server = await stub(() => ({ status: 200, body: { ...WHOLE, _shards: { failed: 1, total: 2 } } }));
    const connection = await connect(`opensearch://127.0.0.1:${server.port}/docs`);
    await expect(connection.search("/docs/_search", {})).rejects.toMatchObject({
      code: "io-error",
      message: expect.stringContaining("Only a part"),
    });
  });

  it("are requested again while the cluster recovers", async () => {
    let asked = 0;
    const server = await stub(() => {
      asked++;
      return asked <= 5 ? { status: 503, body: { error: { reason: "no shard" } } } : { status: 200, body: WHOLE };
    });
    const connection = await connect(`opensearch://127.0.0.1:${server.port}/docs`, { limits: { pausesMs: NO_PAUSES } });
    await expect(connection.search("/docs/_search", {})).resolves.toMatchObject({ timed_out: false });
    expect(asked).toBe(6);
  });

  it("are requested at most six times, by one layer, before the failure is reported", async () => {
    const server = await stub(() => ({ status: 503, body: { error: { reason: "no shard" } } }));
    const connection = await connect(`opensearch://127.0.0.1:${server.port}/docs`, { limits: { pausesMs: NO_PAUSES } });
    await expect(connection.search("/docs/_search", {})).rejects.toMatchObject({
      code: "io-error",
      message: expect.stringContaining("no shard"),
    });
    expect(server.requests).toHaveLength(6);
  });

  it("of several searches must each be complete", async () => {
    let asked = 0;
    const failed = { error: { reason: "shard failed" }, status: 503 };
    const server = await stub(() => ({
      status: 200,
      body: { responses: ++asked === 1 ? [WHOLE, failed] : [WHOLE, WHOLE] },
    }));
    const connection = await connect(`opensearch://127.0.0.1:${server.port}/docs`);
    expect(await connection.searches("/docs", [{}, {}])).toHaveLength(2);
    expect(asked).toBe(2);
  });

  it("for a missing index say how to create one", async () => {
    const error = { type: "index_not_found_exception", reason: "no such index [docs]" };
    const server = await stub(() => ({ status: 404, body: { error: { ...error, root_cause: [error] } } }));
    const connection = await connect(`opensearch://127.0.0.1:${server.port}/docs`);
    await expect(connection.search("/docs/_search", {})).rejects.toMatchObject({
      code: "index-missing",
      hint: expect.stringContaining("verbatim index PATH --to ADDRESS"),
    });
  });

  const lostTask = {
    type: "resource_not_found_exception",
    reason: "task [node:7] isn't running and hasn't stored its results",
  };
  const lostContext = { type: "search_context_missing_exception", reason: "No search context found for id [7]" };
  it.each([
    // as OpenSearch 3.6 sends them
    [
      "a lost task",
      lostTask,
      { ...lostTask, root_cause: [{ type: "index_not_found_exception", reason: "no such index [.tasks]" }] },
    ],
    [
      "an expired point in time",
      lostContext,
      { type: "search_phase_execution_exception", reason: "all shards failed", root_cause: [lostContext] },
    ],
  ])("for %s give the cluster's reason, and do not claim that the index is missing", async (_, expected, error) => {
    const { type, reason } = expected;
    const server = await stub(() => ({ status: 404, body: { error } }));
    const connection = await connect(`opensearch://127.0.0.1:${server.port}/docs`);
    await expect(connection.search("/docs/_search", {})).rejects.toMatchObject({
      ...{ code: "io-error", found: type },
      message: expect.stringContaining(reason),
    });
    expect(server.requests).toHaveLength(1);
  });
});

describe("a cluster that accepts requests and does not answer", () => {
  async function silentAddress(): Promise<string> {
    const silent = createServer(() => {}).listen(0, "127.0.0.1");
    await once(silent, "listening");
    open.push({
      close: async () => {
        silent.closeAllConnections();
        silent.close();
      },
    });
    return `opensearch://127.0.0.1:${(silent.address() as AddressInfo).port}/docs`;
  }

  it("is reported once the time for the request is over", async () => {
    const limits = { tryMs: 20, withinMs: 60, pausesMs: NO_PAUSES };
    const connection = await connect(await silentAddress(), { limits });
    await expect(connection.search("/docs/_search", {})).rejects.toMatchObject({
      code: "io-error",
      message: expect.stringMatching(/^opensearch:.*\/docs did not answer within \d+ s\.$/),
      hint: expect.stringContaining("_cluster/health"),
    });
  });

  it("is reported while a search waits for it", async () => {
    const waited = new AbortController();
    const onWait = (): void => waited.abort();
    const connection = await connect(await silentAddress(), { onWait, limits: { waitMs: 10 } });
    const asked = connection.search("/docs/_search", {}, { signal: waited.signal });
    await expect(asked).rejects.toMatchObject({ code: "aborted" });
  });

  it("is reported as a warning of the process if the caller does not report it, without the password", async () => {
    const waited = new AbortController();
    const warnings: string[] = [];
    const onWarning = ({ message }: Error): void => {
      warnings.push(message);
      waited.abort();
    };
    process.on("warning", onWarning);
    const address = (await silentAddress()).replace("://", "://ana:secret@");
    const connection = await connect(address, { limits: { waitMs: 10 } });
    await expect(connection.search("/docs/_search", {}, { signal: waited.signal })).rejects.toThrow();
    process.off("warning", onWarning);
    expect(warnings[0]).toBe(
      `Waiting for ${shownAddress(address)}: a part of it does not answer (see GET _cluster/health).`,
    );
  });
});

describe("entries by id", () => {
  const found = (_id: string) => ({ _id, found: true, _source: { n: _id } });

  it("are the existing ones", async () => {
    const server = await stub(() => ({ status: 200, body: { docs: [found("a"), { _id: "b", found: false }] } }));
    const connection = await connect(`opensearch://127.0.0.1:${server.port}/docs`);
    expect(await connection.entries("docs.1", ["a", "b"], { fields: ["n", "m"] })).toEqual(
      new Map([["a", { n: "a" }]]),
    );
    expect(server.requests).toMatchObject([
      { path: "/docs.1/_mget", query: { _source_includes: "n,m" }, body: JSON.stringify({ ids: ["a", "b"] }) },
    ]);
  });

  it("are never treated as missing if their shard does not answer, but requested again", async () => {
    let asked = 0;
    const error = { type: "no_shard_available_action_exception", reason: "No shard available for [get]" };
    const server = await stub(() => ({
      status: 200,
      body: { docs: [++asked < 3 ? { _id: "a", error } : found("a"), { _id: "b", found: false }] },
    }));
    const connection = await connect(`opensearch://127.0.0.1:${server.port}/docs`);
    expect([...(await connection.entries("docs.1", ["a", "b"])).keys()]).toEqual(["a"]);
    expect(asked).toBe(3);
  });

  it("of a missing index say how to create one", async () => {
    const error = { type: "index_not_found_exception", reason: "no such index [docs.1]" };
    const server = await stub(() => ({ status: 200, body: { docs: [{ _id: "a", error }] } }));
    const connection = await connect(`opensearch://127.0.0.1:${server.port}/docs`);
    await expect(connection.entries("docs.1", ["a"])).rejects.toMatchObject({ code: "index-missing" });
    expect(server.requests).toHaveLength(1);
  });
});

describe("a new index", () => {
  const MODEL = { name: "m", passageModelHash: "h", vocabularySize: 9, dense: 8, coherency: 2, vector: 16 };

  /** @returns the last health request */
  async function made(dataNodes: number, awaited: { status: number; body: unknown }): Promise<Record<string, string>> {
    const cluster = await startFakeCluster("docs", {
      health: ({ query }) =>
        "wait_for_status" in query ? awaited : { status: 200, body: { number_of_data_nodes: dataNodes } },
    });
    open.push(cluster);
    const { loader } = await openLoader({ address: cluster.address }, MODEL);
    open.push(loader);
    const last = cluster.stub.requests.at(-1)!;
    expect(last).toMatchObject({ method: "GET", path: `/_cluster/health/${loader.connected.index}` });
    return last.query;
  }

  it("has its replicas before anything is loaded", async () => {
    expect(await made(2, { status: 200, body: { status: "green" } })).toMatchObject({ wait_for_status: "green" });
  });

  it("is created even if its replicas do not become available", async () => {
    await made(2, { status: 408, body: { status: "yellow", timed_out: true } });
  });

  it("does not wait for replicas in a cluster of one node", async () => {
    expect(await made(1, { status: 500, body: {} })).toEqual({});
  });

  it("whose creation is not acknowledged because the reply is lost is used, not reported as existing", async () => {
    const created: string[] = [];
    const server = await stub(({ method, path }) => {
      if (method !== "PUT" || path.startsWith("/_index_template")) return { status: 200, body: {} };
      const exists = created.includes(path);
      created.push(path);
      const reason = `index [${path.slice(1)}] already exists`;
      return exists
        ? { status: 400, body: { error: { type: "resource_already_exists_exception", reason } } }
        : undefined;
    });
    const connection = await connect(`opensearch://127.0.0.1:${server.port}/docs`);
    const { index } = await createIndex(connection, { model: MODEL });
    expect(created).toEqual([`/${index}`, `/${index}`]);
  });
});

describe("loading", () => {
  const itemsOf = (body: string): string[] =>
    body
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).delete._id);

  it("slows down when the cluster is busy, and resends only rejected entries", async () => {
    let calls = 0;
    const server = await stub(({ body }) => {
      const first = ++calls === 1;
      const items = itemsOf(body).map((_id, n) => ({ delete: { _id, status: first && n % 2 === 0 ? 429 : 200 } }));
      return { status: 200, body: { errors: first, items } };
    });
    const loader = new BulkLoader(await connect(`opensearch://127.0.0.1:${server.port}/docs`), "docs");
    for (const id of ["a", "b", "c"]) await loader.add(deletion(id));
    await loader.flush();
    expect(server.requests.map(({ body }) => itemsOf(body))).toEqual([
      ["a", "b", "c"],
      ["a", "c"],
    ]);
    expect(loader.busy).toBe(1);
  });

  it("reports waiting while the cluster rejects entries, and stops afterwards", async () => {
    let calls = 0;
    const server = await stub(({ body }) => {
      const status = ++calls < 4 ? 429 : 200; // for 200, 500 and 1,000 milliseconds
      return {
        status: 200,
        body: { errors: calls < 4, items: itemsOf(body).map((_id) => ({ delete: { _id, status } })) },
      };
    });
    let reports = 0;
    const connection = await connect(`opensearch://127.0.0.1:${server.port}/docs`, {
      onWait: () => void reports++,
      limits: { waitMs: 100 },
    });
    const loader = new BulkLoader(connection, "docs");
    await loader.add(deletion("a"));
    await loader.flush();
    const during = reports;
    expect(during).toBeGreaterThan(1);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(reports).toBe(during);
  });

  async function deletionOf(reply: { status: number; error?: { type: string; reason: string } }): Promise<void> {
    const server = await stub(() => ({
      status: 200,
      body: { errors: reply.error !== undefined, items: [{ delete: { _id: "a", ...reply } }] },
    }));
    const loader = new BulkLoader(await connect(`opensearch://127.0.0.1:${server.port}/docs`), "docs");
    await loader.add(deletion("a"));
    await loader.flush();
  }

  it.each([
    [400, "mapper_parsing_exception", "no such field"],
    [404, "index_not_found_exception", "no such index"],
  ])("stops at an entry that the index does not take (%i, %s), and names it", async (status, type, reason) => {
    await expect(deletionOf({ status, error: { type, reason } })).rejects.toMatchObject({
      code: "io-error",
      message: expect.stringContaining(`a: ${reason}`),
    });
  });

  it("reports a failed request to later additions, which do not wait for the end", async () => {
    const error = { type: "mapper_parsing_exception", reason: "no such field" };
    const server = await stub(({ body }) => {
      const items = itemsOf(body).map((_id) => ({ delete: { _id, status: 400, error } }));
      return { status: 200, body: { errors: true, items } };
    });
    const loader = new BulkLoader(await connect(`opensearch://127.0.0.1:${server.port}/docs`), "docs");
    const addMany = async (): Promise<void> => {
      for (let n = 0; n < 20_000; n++) await loader.add(deletion(`id-${n}`)); // 20 requests
    };
    await expect(addMany()).rejects.toMatchObject({ message: expect.stringContaining("no such field") });
    await expect(loader.add(deletion("last"))).rejects.toThrow("no such field");
    await expect(loader.flush()).rejects.toThrow("no such field");
    expect(server.requests.length).toBeLessThan(20);
  });

  it("deletes entries that no longer exist", async () => {
    await expect(deletionOf({ status: 404 })).resolves.toBeUndefined();
  });
});

describe("addresses", () => {
  it("name hosts, an index and options for creating it", () => {
    expect(parseAddress("opensearch://a,b:9201/my.docs?shards=2&replicas=0&vectors=true")).toMatchObject({
      nodes: ["http://a:9200", "http://b:9201"],
      name: "my.docs",
      ...{ shards: 2, replicas: 0, vectors: true },
      auth: undefined,
    });
    expect(parseAddress("opensearch+https://h/x").nodes).toEqual(["https://h:9200"]);
  });

  it("have user and password before the last @, so that a password may contain / and @", () => {
    const address = "opensearch://ana:pa/s@s@localhost:9/notes";
    expect(parseAddress(address)).toMatchObject({
      nodes: ["http://localhost:9"],
      ...{ name: "notes", shown: "opensearch://localhost:9/notes" },
      auth: { username: "ana", password: "pa/s@s" },
    });
  });

  it("have a scheme in any case", () => {
    const address = "OpenSearch+HTTPS://ana:secret@h/notes";
    expect(isClusterAddress(address)).toBe(true);
    expect(parseAddress(address).nodes).toEqual(["https://h:9200"]);
  });

  it.each([
    ["opensearch://ana:secret@localhost:9/notes", "opensearch://localhost:9/notes"],
    ["opensearch://ana:sec/ret@localhost:9/notes", "opensearch://localhost:9/notes"],
    ["opensearch://ana:secret@x@localhost:9/notes", "opensearch://localhost:9/notes"],
    ["OpenSearch://ana:secret@localhost:9/notes", "OpenSearch://localhost:9/notes"],
    ["opensearch+http://ana:secret@localhost:9/notes", "opensearch+http://localhost:9/notes"],
    ["opensearch://localhost:9/notes", "opensearch://localhost:9/notes"],
    ["./folder@home/my.index", "./folder@home/my.index"],
  ])("%s are shown as %s", (address, shown) => {
    expect(shownAddress(address)).toBe(shown);
  });

  it.each([
    "opensearch://host",
    "opensearch://host/",
    "opensearch://host/Upper",
    "opensearch://ho st/x",
    "opensearch://u:secret@host/x?shards=0",
    "opensearch://u:se/cret/secret@host/Upper",
    "opensearch://u:secret%@host/x",
    "OPENSEARCH://u:secret@host",
    "opensearch://host/x?colour=red",
  ])("%s is refused, without its password", (address) => {
    expect(() => parseAddress(address)).toThrow(
      expect.objectContaining({ code: "invalid-argument", message: expect.not.stringContaining("secret") }),
    );
  });
});

describe("an aborted question", () => {
  it("ends at once, even if a cluster without quorum does not answer, and affects nothing else", async () => {
    const silent = createServer(() => {}).listen(0, "127.0.0.1");
    await once(silent, "listening");
    const uncaught: unknown[] = [];
    const note = (error: unknown): void => void uncaught.push(error);
    const others = process.listeners("uncaughtException");
    process.removeAllListeners("uncaughtException").on("uncaughtException", note);
    try {
      const connection = await connect(`opensearch://127.0.0.1:${(silent.address() as AddressInfo).port}/docs`);
      const asked = connection.search("/docs/_search", {}, { signal: AbortSignal.timeout(50) });
      await expect(asked).rejects.toMatchObject({ code: "aborted" });
      await new Promise((resolve) => setTimeout(resolve, 20));
      expect(uncaught).toEqual([]);
    } finally {
      process.removeListener("uncaughtException", note);
      for (const other of others) process.on("uncaughtException", other);
      silent.closeAllConnections();
      silent.close();
    }
  });
});
