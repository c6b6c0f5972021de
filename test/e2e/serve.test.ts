/** `verbatim serve` as started by a user: real sockets, the indexing process, signals. */

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import type { JobView, ResultView } from "../../adapters/server/http/schemas.js";
import { projectRoot, tinyModel } from "../cli/run-cli.js";

const main = join(projectRoot, "dist", "adapters", "cli", "main.js");
const env: NodeJS.ProcessEnv = { ...process.env, VERBATIM_MODEL: tinyModel };
let folder: string;
let running: Running | undefined;

interface Running {
  child: ChildProcess;
  url: string;
  token: string;
  stderr: () => string;
  ended: Promise<number | null>;
}

beforeAll(() => {
  spawnSync(process.execPath, [join(projectRoot, "scripts", "prepare.mjs")], { stdio: "inherit" });
  folder = mkdtempSync(join(tmpdir(), "verbatim-serve-"));
  mkdirSync(join(folder, "notes"));
  writeFileSync(join(folder, "notes", "history.txt"), "The observatory was founded by Ines Calder in 1911.\n");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));
afterEach(async () => {
  running?.child.kill("SIGKILL");
  await running?.ended;
  running = undefined;
});

async function serve(...args: string[]): Promise<Running> {
  const child = spawn(process.execPath, [main, "serve", ...args, "--port", "0"], { cwd: folder, env });
  let stdout = "";
  let stderr = "";
  child.stderr.on("data", (bytes: Buffer) => {
    stderr += bytes.toString();
  });
  const ended = new Promise<number | null>((done) => child.once("close", done));
  await new Promise<void>((done) => {
    child.stdout.on("data", (bytes: Buffer) => {
      stdout += bytes.toString();
      if (stdout.includes("\n")) done();
    });
    void ended.then(() => done());
  });
  const [, url = "", token = ""] = /^Open (http:\S+\/)(?:#token=(\S+))? /.exec(stdout) ?? [];
  running = { child, url, token, stderr: () => stderr, ended };
  return running;
}

it("indexes uploads to an empty server with the model that it was started with", async () => {
  for (const name of ["verbatim-en", "verbatim-multi"]) {
    cpSync(tinyModel, join(folder, "models", name), { recursive: true });
    const file = join(folder, "models", name, "model.json");
    const passageModelHash = (name === "verbatim-en" ? "a" : "b").repeat(64);
    writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, "utf8")), name, passageModelHash }));
  }
  const models = { VERBATIM_MODEL: "", VERBATIM_MODELS: join(folder, "models") };
  Object.assign(env, models);
  try {
    for (const [model, args] of [
      ["verbatim-en", []],
      ["verbatim-multi", ["--model", "multi"]],
    ] as const) {
      const { url, token, child, ended } = await serve("--index", `empty-${model}`, ...args);
      const response = await fetch(`${url}v1/uploads?wait=true&name=kessel.txt`, {
        method: "POST",
        headers: { Authorization: `Bearer ${token}` },
        body: "Der Kessel wurde im März ersetzt, und der Klempner hat den alten hinter dem Haus abgestellt.\n",
      });
      expect(await response.json()).toMatchObject({ state: "done", documents: 1 });
      child.kill("SIGTERM");
      await ended;
      const info = spawnSync(process.execPath, [main, "info", "--index", `empty-${model}`, "--json"], {
        cwd: folder,
        env,
      });
      expect(JSON.parse(info.stdout.toString())).toMatchObject({ model });
    }
  } finally {
    Object.assign(env, { VERBATIM_MODEL: tinyModel, VERBATIM_MODELS: "" });
  }
}, 120_000);

async function ready(url: string): Promise<void> {
  while (!(await fetch(`${url}readyz`)).ok) await new Promise((done) => setTimeout(done, 100));
}

const post = (url: string, body: object): Promise<Response> =>
  fetch(url, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });

it("answers while it indexes a folder and uploads, and finds each document at once", async () => {
  const { url, token, child, ended, stderr } = await serve("notes", "--index", "i");
  expect((await fetch(`${url}healthz`)).status).toBe(200);
  await ready(url);
  const asked = (await (await post(`${url}v1/ask`, { question: "who founded the observatory?" })).json()) as ResultView;
  expect(asked.answers[0]?.documentId).toBe("notes/history.txt");
  const headers = { Authorization: `Bearer ${token}` };
  const upload = async (name: string, body: string | Uint8Array<ArrayBuffer>) => {
    const response = await fetch(`${url}v1/uploads?wait=true&name=${name}`, { method: "POST", headers, body });
    return (await response.json()) as JobView;
  };
  const sent = await upload("ferry.md", "# The ferry\n\nThe ferry captain was Otto Brandt.\n");
  expect(sent).toMatchObject({ state: "done", documents: 1, version: expect.any(Number) });
  const question = {
    question: "who was the ferry captain?",
    where: 'source = "ferry.md"',
    atLeastVersion: sent.version,
  };
  const found = (await (await post(`${url}v1/ask`, question)).json()) as ResultView;
  expect(found.answers[0]).toMatchObject({ documentId: "ferry.md", title: "The ferry" });
  const broken = await upload("broken.pdf", new Uint8Array([1, 2, 3]));
  expect(broken).toMatchObject({ state: "done", documents: 0, skipped: [{ source: "broken.pdf" }] });
  expect(JSON.stringify(broken)).not.toContain(tmpdir());
  const gone = await fetch(`${url}v1/documents/ferry.md?wait=true`, { method: "DELETE", headers });
  expect(await gone.json()).toMatchObject({ state: "done", deleted: 1 });
  expect(((await (await post(`${url}v1/ask`, question)).json()) as ResultView).answers).toEqual([]);
  child.kill("SIGTERM");
  expect(await ended, stderr()).toBe(0);
  for (const line of stderr().trim().split("\n")) expect(JSON.parse(line)).toHaveProperty("event");
  expect(stderr()).not.toContain(token);
  const checked = spawnSync(process.execPath, [main, "check", "--index", "i"], { cwd: folder, env, encoding: "utf8" });
  expect(checked.status, checked.stderr).toBe(0);
});

it("answers the questions in progress before it ends, and commits what is complete of a long run", async () => {
  const line = (i: number) => JSON.stringify({ id: `${i}`, text: `The bell number ${i} rings at noon. `.repeat(40) });
  writeFileSync(join(folder, "many.jsonl"), Array.from({ length: 3000 }, (_, i) => line(i)).join("\n"));
  spawnSync(process.execPath, [main, "index", "notes", "--index", "long"], { cwd: folder, env });
  const { url, child, ended, stderr } = await serve("many.jsonl", "--index", "long");
  await ready(url);
  while (!(await (await fetch(`${url}v1/status`)).text()).includes('"state":"running"'))
    await new Promise((done) => setTimeout(done, 50));
  const questions = Array.from({ length: 32 }, (_, i) => `who founded the observatory, once more ${i}?`);
  const asked = post(`${url}v1/ask`, { questions });
  const seen = () => fetch(`${url}metrics`).then((it) => it.status);
  await seen(); // the batch has arrived: requests are read in order
  child.kill("SIGTERM");
  const response = await asked;
  expect(response.status).toBe(200);
  expect(((await response.json()) as { results: ResultView[] }).results).toHaveLength(32);
  expect(await ended, stderr()).toBe(0);
  const checked = spawnSync(process.execPath, [main, "check", "--index", "long"], {
    cwd: folder,
    env,
    encoding: "utf8",
  });
  expect(checked.status, checked.stderr).toBe(0);
});

it("serves read-only and sees what others commit; reports a port in use, a public address without a token, a bad token file", async () => {
  spawnSync(process.execPath, [main, "index", "notes", "--index", "read"], { cwd: folder, env });
  const { url, token } = await serve("--index", "read", "--read-only");
  expect(token).toBe("");
  const put = await fetch(`${url}v1/documents/a`, {
    method: "PUT",
    headers: { "Content-Type": "application/json" },
    body: '{"text":"a"}',
  });
  expect([401, 403]).toContain(put.status);
  const again = (...args: string[]) =>
    spawnSync(process.execPath, [main, "serve", "--index", "read", ...args], { cwd: folder, env, encoding: "utf8" });
  writeFileSync(join(folder, "mill.txt"), "The mill was sold by Karl Voss.\n");
  expect(spawnSync(process.execPath, [main, "index", "mill.txt", "--index", "read"], { cwd: folder, env }).status).toBe(
    0,
  );
  const listed = () => fetch(`${url}v1/documents?contains=mill`).then((it) => it.json() as Promise<{ total: number }>);
  while ((await listed()).total === 0) await new Promise((done) => setTimeout(done, 100)); // commits of others become visible
  const used = again("--port", new URL(url).port);
  expect([used.status, used.stderr]).toEqual([
    3,
    expect.stringMatching(/^verbatim: Port \d+ is in use\.\n {2}hint: .+\n$/),
  ]);
  expect(again("--host", "0.0.0.0").stderr).toMatch(
    /Without a token the server accepts connections from this machine only/,
  );
  writeFileSync(join(folder, "tokens.txt"), "root 0123456789abcdef\n", { mode: 0o600 });
  const bad = again("--token-file", "tokens.txt");
  expect([bad.status, bad.stderr]).toEqual([2, expect.stringMatching(/Line 1 of the token file/)]);
  expect(again("--cors", "docs.example").status).toBe(2);
});

it("survives bytes that are not HTTP, other hosts, slow and truncated bodies", async () => {
  spawnSync(process.execPath, [main, "index", "notes", "--index", "raw"], { cwd: folder, env });
  const { url, token, stderr } = await serve("--index", "raw");
  const { hostname: host, port } = new URL(url);
  const raw = (text: string | Uint8Array): Promise<string> =>
    new Promise((done) => {
      let received = "";
      const socket = connect(Number(port), host, () => socket.end(text));
      socket.on("data", (bytes) => {
        received += bytes.toString("latin1");
      });
      socket.on("error", () => done(received));
      socket.on("close", () => done(received));
    });
  const head = (path: string, more = "") =>
    `GET ${path} HTTP/1.1\r\nHost: ${host}:${port}\r\nConnection: close\r\n${more}\r\n`;
  expect(await raw(head("/healthz"))).toMatch(/^HTTP\/1\.1 200/);
  const odd = [
    "\r\n\r\n",
    "GET\r\n\r\n",
    new Uint8Array(1000).fill(255),
    head("/../../etc/passwd"),
    head("/assets/../../package.json"),
    head("/assets/..%2f..%2fpackage.json"),
    head("//evil.example/x"),
    head("http://evil.example/"),
    head("/%"),
    head(`/${"a".repeat(20_000)}`),
    head("/", `X: ${"y".repeat(20_000)}\r\n`),
    head("/", "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n"),
    `GET /healthz HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n`,
    `POST /v1/ask HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"question":`,
    `POST /v1/ask HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`,
  ];
  for (const text of odd) {
    const received = await raw(text);
    expect(received, String(text).slice(0, 80)).not.toMatch(/^HTTP\/1\.1 (2|5)/);
    expect(received).not.toMatch(/node:|\.js:|root:x:|"name": "verbatim-qa"/);
  }
  const tooMuch = await new Promise<number | undefined>((done) => {
    const headers = { Authorization: `Bearer ${token}`, "Content-Length": String(1e9) };
    const sending = request(`${url}v1/uploads?name=a.txt`, { method: "POST", headers }, (response) =>
      done(response.statusCode),
    );
    sending.on("error", () => done(undefined));
    sending.write("a");
  });
  expect(tooMuch).toBe(413);
  expect((await fetch(`${url}healthz`)).status).toBe(200);
  expect(stderr()).not.toContain('"level":"error"');
});
