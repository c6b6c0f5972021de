/** `verbatim mcp` over pipes, in this process: what it answers at the end of its input, and what it logs. */

import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { beforeEach, describe, expect, it } from "vitest";
import { run } from "../../adapters/cli/program.js";
import { temporaryFolder, tinyModel, verbatim } from "../cli/run-cli.js";

let cwd: string;
beforeEach(async () => {
  cwd = await temporaryFolder();
  await writeFile(join(cwd, "mill.txt"), "The mill was sold by Karl Voss in 1911.\n");
  await verbatim(["index", "mill.txt", "--quiet"], { cwd });
});

interface Reply {
  id: number | null;
  // biome-ignore lint/suspicious/noExplicitAny: each test knows what it asked for
  result?: any;
  error?: { code: number; message: string };
}

interface Served {
  send(...lines: string[]): void;
  /** Waits for the next line of standard output. */
  reply(): Promise<Reply>;
  /** Ends the input. @returns exit status, the replies that were not read yet, and the log */
  end(): Promise<{ status: number; replies: Reply[]; log: Record<string, unknown>[] }>;
}

function serve(): Served {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const signal = new AbortController().signal;
  const status = run(["mcp"], { stdin, stdout, stderr, cwd, env: { VERBATIM_MODEL: tinyModel }, signal });
  const output = stdout.setEncoding("utf8")[Symbol.asyncIterator]();
  let unread = "";
  const parsed = <T>(lines: string): T[] =>
    lines
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line) as T);
  return {
    send: (...lines) => void stdin.write(lines.map((line) => `${line}\n`).join("")),
    async reply() {
      while (!unread.includes("\n")) unread += (await output.next()).value;
      const end = unread.indexOf("\n") + 1;
      const line = unread.slice(0, end);
      unread = unread.slice(end);
      return parsed<Reply>(line)[0]!;
    },
    async end() {
      stdin.end();
      const ended = await status;
      stdout.end();
      stderr.end();
      for (let next = await output.next(); !next.done; next = await output.next()) unread += next.value;
      return { status: ended, replies: parsed<Reply>(unread), log: parsed(await text(stderr)) };
    },
  };
}

const message = (id: number, method: string, params: object = {}): string =>
  JSON.stringify({ jsonrpc: "2.0", id, method, params });
const call = (id: number, name: string, input: object): string => message(id, "tools/call", { name, arguments: input });
const initialize = message(1, "initialize", {
  protocolVersion: "2025-06-18",
  capabilities: {},
  clientInfo: { name: "test", version: "0" },
});
const asked = (id: number): string => call(id, "ask", { question: "who sold the mill?", minConfidence: 0 });

it("answers the calls that are in progress when its input ends", async () => {
  const server = serve();
  server.send(initialize, call(2, "quote", { quotation: "sold by Karl Voss" }), asked(3));
  const { status, replies, log } = await server.end();
  expect(status).toBe(0);
  expect(log).toEqual([]);
  expect(replies.map(({ id }) => id).sort()).toEqual([1, 2, 3]);
  const results = new Map(replies.map(({ id, result }) => [id, result]));
  expect(results.get(1).serverInfo).toMatchObject({ name: "verbatim" });
  expect(results.get(2).structuredContent).toMatchObject({ exact: true });
  expect(results.get(3).structuredContent.answers[0]).toMatchObject({ documentId: "mill.txt" });
});

it("does not wait for a cancelled call, and does not log it", async () => {
  const server = serve();
  const cancel = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 2 } };
  server.send(initialize, asked(2), JSON.stringify(cancel));
  const { status, replies, log } = await server.end();
  expect([status, replies.map(({ id }) => id), log]).toEqual([0, [1], []]);
});

it("answers and logs each line that is not a message, without its content", async () => {
  const server = serve();
  server.send("secret words", '{"id":7,"method":"ping"}', `[${message(8, "ping")}]`, message(9, "ping"));
  const { replies, log } = await server.end();
  expect(replies.map(({ id, error }) => [id, error?.code])).toEqual([
    [null, -32700],
    [null, -32600],
    [null, -32600],
    [9, undefined],
  ]);
  expect(log.map(({ level, event }) => [level, event])).toEqual(new Array(3).fill(["warn", "invalid message"]));
  expect(JSON.stringify(log)).not.toMatch(/secret|ping/);
});

it("answers from the open version after the index got another model, and logs that once", async () => {
  const model = JSON.parse(await readFile(join(tinyModel, "model.json"), "utf8")) as object;
  await cp(tinyModel, join(cwd, "other"), { recursive: true });
  const changed = { ...model, name: "other", passageModelHash: "b".repeat(64) };
  await writeFile(join(cwd, "other", "model.json"), JSON.stringify(changed));
  const server = serve();
  server.send(initialize, asked(2));
  expect([(await server.reply()).id, (await server.reply()).result.structuredContent.version]).toEqual([1, 1]);
  expect((await verbatim(["index", "--rebuild", "--model", join(cwd, "other")], { cwd })).status).toBe(0);
  server.send(asked(3), call(4, "list_documents", {}));
  const { replies, log } = await server.end();
  const results = new Map(replies.map(({ id, result }) => [id, result]));
  expect(results.get(3).structuredContent).toMatchObject({ version: 1, answers: [{ documentId: "mill.txt" }] });
  expect(results.get(4).structuredContent).toMatchObject({ total: 1 });
  expect(log).toEqual([
    expect.objectContaining({
      ...{ level: "warn", event: "refresh failed", code: "model-mismatch", answeringFrom: 1 },
      hint: "Restart this program to answer from the new version.",
    }),
  ]);
});

describe("documents outside of the working folder", () => {
  it("have their paths as ids and sources, and are found by their folders", async () => {
    const outside = await temporaryFolder();
    for (const folder of ["north", "south"]) {
      await mkdir(join(outside, folder));
      await writeFile(join(outside, folder, "bell.txt"), `The bell of the ${folder} rings at noon.\n`);
    }
    await verbatim(["index", outside, "--quiet"], { cwd });
    const server = serve();
    const south = join(outside, "south");
    server.send(
      initialize,
      call(2, "passages", { question: "when does the bell ring?", where: `folder = "${south}"` }),
      message(3, "resources/read", {
        uri: `verbatim://documents/${encodeURIComponent(join(south, "bell.txt"))}`,
      }),
    );
    const results = new Map((await server.end()).replies.map(({ id, result }) => [id, result]));
    expect(results.get(2).structuredContent.passages).toMatchObject([
      { documentId: join(south, "bell.txt"), source: join(south, "bell.txt") },
    ]);
    expect(results.get(3).contents[0].text).toBe("The bell of the south rings at noon.\n");
  });

  it("show no path over HTTP", async () => {
    const outside = await temporaryFolder();
    await writeFile(join(outside, "bell.txt"), "The bell rings at noon.\n");
    await verbatim(["index", outside, "--quiet"], { cwd });
    const stop = new AbortController();
    let listed: Promise<string> | undefined;
    await verbatim(["mcp", "--http", "--port", "0"], {
      cwd,
      signal: stop.signal,
      onOutput: (printed) => {
        const [, address] = /^Listening on (\S+) /.exec(printed) ?? [];
        if (address === undefined) return;
        const headers = { "Content-Type": "application/json", Accept: "application/json, text/event-stream" };
        listed = fetch(address, { method: "POST", headers, body: call(1, "list_documents", {}) })
          .then((response) => response.text())
          .finally(() => stop.abort());
      },
    });
    expect(await listed).toMatch(/elsewhere\/[0-9a-f]+\/bell\.txt/);
    expect(await listed).not.toContain(outside);
  });
});
