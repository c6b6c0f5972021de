/**
 * `verbatim mcp` as an assistant starts it: a separate process, over pipes and over HTTP; and the
 * transcript in docs/mcp.md.
 */

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, expect, it } from "vitest";
import { projectRoot, tinyModel } from "../cli/run-cli.js";
import { assistantOver } from "./assistant.js";

const main = join(projectRoot, "dist", "adapters", "cli", "main.js");
const env = { ...process.env, VERBATIM_MODEL: tinyModel } as Record<string, string>;
let cwd: string;

const HISTORY = `Skarn hill had no road before the war of the towers.
the observatory was founded by Ines Calder in 1911, after the council
had refused three times to pay for it.
`;

function run(...args: string[]) {
  return spawnSync(process.execPath, [main, ...args], { cwd, env, encoding: "utf8" });
}

beforeAll(() => {
  spawnSync(process.execPath, [join(projectRoot, "scripts", "prepare.mjs")], { stdio: "inherit" });
  cwd = mkdtempSync(join(tmpdir(), "verbatim-mcp-"));
  mkdirSync(join(cwd, "notes"));
  writeFileSync(join(cwd, "notes", "history.txt"), HISTORY);
  writeFileSync(join(cwd, "notes", "mill.txt"), "The mill was sold by Karl Voss.\n");
  expect(run("index", "notes").status).toBe(0);
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

const stdio = (...args: string[]) =>
  new StdioClientTransport({ command: process.execPath, args: [main, "mcp", ...args], cwd, env, stderr: "pipe" });

it("prints what the transcript in docs/mcp.md shows", async () => {
  const transport = stdio();
  const { client, call } = await assistantOver(transport);
  const page = readFileSync(join(projectRoot, "docs", "mcp.md"), "utf8");
  const [, transcript = ""] = /## Example[\s\S]*?```\n([\s\S]*?)```/.exec(page) ?? [];
  const steps = [...transcript.matchAll(/^\$ (\w+) (\{.*\})\n([\s\S]*?)(?=\n\n\$ |\n*$(?![\s\S]))/gm)];
  expect(steps).toHaveLength(5);
  for (const [, tool, input, said] of steps) {
    const { text } = await call(tool!, JSON.parse(input!) as Record<string, unknown>);
    expect(text.trimEnd(), `${tool} ${input}`).toBe(said!.trimEnd());
  }
  await client.close();
});

it("answers over pipes, sees the commits of others, and ends when the assistant disconnects", async () => {
  const transport = stdio("--min-confidence", "0");
  const { client, call, read } = await assistantOver(transport);
  let errors = "";
  transport.stderr?.on("data", (bytes: Buffer) => {
    errors += bytes.toString();
  });
  const { output } = await call("ask", { question: "who founded the observatory?" });
  expect(output.answers.length).toBeGreaterThan(0);
  for (const { documentId, start, end, text } of output.answers)
    expect((await read(documentId)).slice(start, end)).toBe(text);
  writeFileSync(join(cwd, "ferry.txt"), "The ferry captain was Otto Brandt.\n");
  expect(run("index", "ferry.txt").status).toBe(0);
  const found = await call("quote", { quotation: "The ferry captain was Otto Brandt." });
  expect(found.output.quotations).toMatchObject([
    { verdict: "exact", places: [{ documentId: "ferry.txt", start: 0, end: 34 }] },
  ]);
  expect(run("delete", "ferry.txt").status).toBe(0);
  expect((await call("quote", { quotation: "The ferry captain was Otto Brandt." })).output.quotations).toMatchObject([
    { verdict: "not-found" },
  ]);
  const { pid } = transport;
  await client.close();
  while (alive(pid!)) await new Promise((done) => setTimeout(done, 50));
  expect(errors).toBe("");
});

it("ends with status 0 when its input ends, and writes only the protocol to its output", async () => {
  const message = { jsonrpc: "2.0", id: 1, method: "ping" };
  const ended = spawnSync(process.execPath, [main, "mcp"], {
    cwd,
    env,
    encoding: "utf8",
    input: `${JSON.stringify(message)}\n`,
  });
  expect([ended.status, ended.stderr]).toEqual([0, ""]);
  for (const line of ended.stdout.split("\n").filter(Boolean))
    expect(JSON.parse(line)).toMatchObject({ jsonrpc: "2.0" });
});

it("reports a missing index or token at once", () => {
  const missing = run("mcp", "--index", "nowhere");
  expect([missing.status, missing.stdout]).toEqual([3, ""]);
  expect(missing.stderr).toMatch(/^verbatim: There is no index in nowhere\.\n {2}hint: .+\n$/);
  expect(run("mcp", "--port", "1").status).toBe(2);
  expect(run("mcp", "--http", "--host", "0.0.0.0").stderr).toMatch(/Without a token/);
});

it("answers over HTTP to callers that have the token", async () => {
  writeFileSync(join(cwd, "tokens.txt"), "ask a-token-of-this-test\n", { mode: 0o600 });
  const child: ChildProcess = spawn(
    process.execPath,
    [main, "mcp", "--http", "--port", "0", "--token-file", "tokens.txt"],
    { cwd, env },
  );
  try {
    const line = await new Promise<string>((done) =>
      child.stdout!.once("data", (bytes: Buffer) => done(bytes.toString())),
    );
    const [, address = ""] = /^Listening on (http:\S+\/mcp) /.exec(line) ?? [];
    const over = (token: string) =>
      new StreamableHTTPClientTransport(new URL(address), {
        requestInit: { headers: { Authorization: `Bearer ${token}` } },
      });
    const { client, call } = await assistantOver(over("a-token-of-this-test"));
    const { output } = await call("quote", { quotation: "The mill was sold by Karl Voss." });
    expect(output.quotations).toMatchObject([
      { verdict: "exact", places: [{ documentId: "notes/mill.txt", place: { line: 1 } }] },
    ]);
    await client.close();
    await expect(assistantOver(over("an-unknown-token"))).rejects.toThrow();
    const ended = new Promise((done) => child.once("close", done));
    child.kill("SIGINT");
    expect(await ended).toBe(0);
  } finally {
    child.kill("SIGKILL");
  }
});

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
