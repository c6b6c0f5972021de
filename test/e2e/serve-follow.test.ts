/**
 * `verbatim serve PATH`: from a folder and no index to answers in one command, following the
 * folder, and stopped in the middle.
 */

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { getPriority, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import type { JobView, ResultView } from "../../adapters/server/http/schemas.js";
import { projectRoot, tinyModel } from "../cli/run-cli.js";

const main = join(projectRoot, "dist", "adapters", "cli", "main.js");
const env: NodeJS.ProcessEnv = { ...process.env, VERBATIM_MODEL: tinyModel };
let folder: string;
let child: ChildProcess | undefined;

beforeAll(() => {
  spawnSync(process.execPath, [join(projectRoot, "scripts", "prepare.mjs")], { stdio: "inherit" });
  folder = mkdtempSync(join(tmpdir(), "verbatim-follow-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));
afterEach(async () => {
  if (child?.exitCode === null && child.signalCode === null) {
    const ended = new Promise((done) => child!.once("close", done));
    child.kill("SIGKILL");
    await ended;
  }
  child = undefined;
});

interface Started {
  url: string;
  token: string;
  pid: number;
  stderr: () => string;
  ended: Promise<number | null>;
}

async function start(cwd: string, args: readonly string[], more: NodeJS.ProcessEnv = {}): Promise<Started> {
  const started = spawn(process.execPath, [main, "serve", ...args, "--port", "0", "--json"], {
    cwd,
    env: { ...env, ...more },
  });
  child = started;
  let stdout = "";
  let stderr = "";
  started.stderr.on("data", (bytes: Buffer) => {
    stderr += bytes.toString();
  });
  const ended = new Promise<number | null>((done) => started.once("close", done));
  await new Promise<void>((done) => {
    started.stdout.on("data", (bytes: Buffer) => {
      stdout += bytes.toString();
      if (stdout.includes("\n")) done();
    });
    void ended.then(() => done());
  });
  expect(stdout, stderr).toMatch(/^\{.*\}\n$/);
  const printed = JSON.parse(stdout) as { url: string; token: string; pid: number };
  expect(printed.pid).toBe(started.pid);
  return { ...printed, stderr: () => stderr, ended };
}

async function until<T>(what: () => Promise<T | undefined | false>): Promise<T> {
  for (;;) {
    const result = await what();
    if (result !== undefined && result !== false) return result;
    await new Promise((done) => setTimeout(done, 100));
  }
}

async function titles(url: string): Promise<string[]> {
  const response = await fetch(`${url}v1/documents?limit=500`);
  const { documents } = (await response.json()) as { documents: { id: string }[] };
  return documents.map(({ id }) => id).sort();
}

/**
 * The jobs that have not ended. A busy machine may answer 408, which is not what is tested here.
 */
async function jobs(url: string): Promise<JobView[]> {
  const response = await fetch(`${url}v1/status`);
  if (response.status === 408) return [];
  expect(response.status).toBe(200);
  return ((await response.json()) as { jobs: JobView[] }).jobs;
}

/** Fields of /proc/PID/stat after the second one, which may contain spaces and brackets. */
function statOf(path: string): string[] {
  const [, rest = ""] = /.*\) (.*)/s.exec(readFileSync(`${path}/stat`, "latin1")) ?? [];
  return rest.split(" ");
}

const niceOf = (path: string): number => Number(statOf(path)[16]);

function childrenOf(pid: number): string[] {
  const processes = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return processes.filter((name) => existsSync(`/proc/${name}/stat`) && Number(statOf(`/proc/${name}`)[1]) === pid);
}

const checked = (cwd: string): number | null =>
  spawnSync(process.execPath, [main, "check"], { cwd, env, encoding: "utf8" }).status;

it("indexes a folder, follows it, and keeps uploads", async () => {
  const cwd = join(folder, "live");
  mkdirSync(join(cwd, "docs"), { recursive: true });
  writeFileSync(join(cwd, "docs", "history.txt"), "The observatory was founded by Ines Calder in 1911.\n");
  const { url, token, ended, stderr } = await start(cwd, ["."]);
  const has = (...ids: string[]) => until(async () => (await titles(url)).join() === [...ids].sort().join());
  await has("docs/history.txt");
  const headers = { Authorization: `Bearer ${token}` };
  const sent = await fetch(`${url}v1/uploads?wait=true&name=ferry.md`, {
    method: "POST",
    headers,
    body: "# The ferry\n\nThe ferry captain was Otto Brandt.\n",
  });
  expect((await sent.json()) as JobView).toMatchObject({ state: "done", documents: 1 });
  const put = await fetch(`${url}v1/documents/docs%2Fput?wait=true`, {
    method: "PUT",
    headers: { ...headers, "Content-Type": "application/json" },
    body: JSON.stringify({ text: "The mill was sold by Karl Voss." }),
  });
  expect((await put.json()) as JobView).toMatchObject({ state: "done" });
  writeFileSync(join(cwd, "docs", "pump.txt"), "The pump stops when the tank is full.\n");
  await has("docs/history.txt", "docs/pump.txt", "docs/put", "ferry.md");
  appendFileSync(join(cwd, "docs", "pump.txt"), "Its motor was built by Ann Doe.\n");
  const answered = async (): Promise<ResultView | false> => {
    const body = JSON.stringify({ question: "who built the motor?", minConfidence: 0 });
    const response = await fetch(`${url}v1/ask`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body,
    });
    const result = (await response.json()) as ResultView;
    return result.answers.some(({ context }) => context.includes("Ann Doe")) && result;
  };
  await until(answered);
  rmSync(join(cwd, "docs", "history.txt"));
  await has("docs/pump.txt", "docs/put", "ferry.md"); // an upload has no file that could be removed
  child!.kill("SIGINT");
  expect(await ended, stderr()).toBe(0);
  const events = stderr()
    .trim()
    .split("\n")
    .map((line) => (JSON.parse(line) as { event: string }).event);
  expect(events).toContain("followed");
  expect(stderr()).not.toContain("history.txt"); // a log names no documents
  expect(checked(cwd)).toBe(0);
});

it("is stopped by Ctrl-C in the middle of a long run, saves what is complete, and continues the next time", async () => {
  const cwd = join(folder, "long");
  mkdirSync(cwd);
  const line = (i: number) => JSON.stringify({ id: `${i}`, text: `The bell number ${i} rings at noon. `.repeat(40) });
  writeFileSync(join(cwd, "many.jsonl"), Array.from({ length: 1500 }, (_, i) => line(i)).join("\n"));
  const first = await start(cwd, ["many.jsonl"]);
  const job = async () => (await jobs(first.url)).find(({ documents }) => documents > 20);
  expect((await until(job)).state).toBe("running");
  if (process.platform === "linux") {
    // The process that indexes, with its encoder threads, has a lower priority than the one that
    // answers.
    const own = niceOf(`/proc/${first.pid}`);
    expect(own).toBe(getPriority());
    const [indexer] = childrenOf(first.pid);
    const tasks = readdirSync(`/proc/${indexer}/task`).map((task) => niceOf(`/proc/${indexer}/task/${task}`));
    expect(tasks.filter((nice) => nice > own).length).toBeGreaterThan(1);
  }
  child!.kill("SIGINT");
  expect(await first.ended, first.stderr()).toBe(0);
  expect(checked(cwd)).toBe(0);
  const kept = JSON.parse(spawnSync(process.execPath, [main, "info", "--json"], { cwd, env, encoding: "utf8" }).stdout);
  expect(kept.documents).toBeGreaterThan(0);
  expect(kept.documents).toBeLessThan(1500);
  const second = await start(cwd, ["many.jsonl", "--no-watch"]);
  // it continues where it stopped
  await until(async () => (await jobs(second.url)).find(({ unchanged }) => unchanged === kept.documents));
  child!.kill("SIGINT");
  child!.kill("SIGINT"); // a second one ends it at once and does no harm
  await second.ended;
  expect(checked(cwd)).toBe(0);
});

it("opens the page with a file that only this user can read, and removes it at the end", async () => {
  const cwd = join(folder, "open");
  mkdirSync(cwd);
  const opener = join(cwd, process.platform === "darwin" ? "open" : "xdg-open");
  writeFileSync(opener, '#!/bin/sh\ncp -p "$1" opened.html; printf %s "$*" > arguments.txt\n');
  chmodSync(opener, 0o755);
  const { token, url, ended } = await start(cwd, ["--open"], { PATH: `${cwd}:${process.env.PATH}` });
  const file = await until(
    async () => existsSync(join(cwd, "arguments.txt")) && readFileSync(join(cwd, "arguments.txt"), "utf8"),
  );
  expect(file).not.toContain(token);
  expect(readFileSync(join(cwd, "opened.html"), "utf8")).toContain(`content="0; url=${url}#token=${token}"`);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  child!.kill("SIGTERM");
  expect(await ended).toBe(0);
  expect(existsSync(file)).toBe(false);
});

it("reports a missing path at once", () => {
  const serve = (...args: string[]) =>
    spawnSync(process.execPath, [main, "serve", ...args, "--port", "0"], { cwd: folder, env, encoding: "utf8" });
  const { status, stderr, stdout } = serve("nowhere");
  expect([status, stdout]).toEqual([3, ""]);
  expect(stderr).toMatch(/^verbatim: nowhere cannot be found\.\n {2}hint: .+\n$/);
  const reader = serve("--reader", "on", "--reader-model", "nowhere");
  expect([reader.status, reader.stdout]).toEqual([3, ""]);
});
