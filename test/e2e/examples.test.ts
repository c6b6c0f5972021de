/** The examples run as a person runs them, and print what they promise. */

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { projectRoot } from "../cli/run-cli.js";
import { assistantOver } from "../mcp/assistant.js";

const main = join(projectRoot, "dist", "adapters", "cli", "main.js");
const example = (name: string): string => join(projectRoot, "examples", name);
let cwd: string;
let child: ChildProcess | undefined;

beforeAll(() => {
  spawnSync(process.execPath, [join(projectRoot, "scripts", "prepare.mjs")], { stdio: "inherit" });
  cwd = mkdtempSync(join(tmpdir(), "verbatim-examples-"));
  mkdirSync(join(cwd, "docs"));
  for (const name of ["history.md", "meeting-notes.txt"])
    cpSync(join(projectRoot, "samples", name), join(cwd, "docs", name));
});
afterAll(async () => {
  if (child?.exitCode === null) {
    const ended = new Promise((done) => child!.once("close", done));
    child.kill("SIGKILL");
    await ended;
  }
  rmSync(cwd, { recursive: true, force: true });
});

function run(name: string, ...args: string[]) {
  return spawnSync(process.execPath, [example(name), ...args], { cwd, encoding: "utf8" });
}

it("library.mjs indexes a folder and asks it, and reports a folder that does not exist", () => {
  const { status, stdout, stderr } = run("library.mjs", "docs", "who founded the observatory?");
  expect(status, stderr).toBe(0);
  expect(stdout).toMatch(
    /^\n2 documents, \d+ passages, 0 files skipped\nInes Calder {2}\(docs\/history\.md:11, 437–448\)\n/,
  );
  writeFileSync(join(cwd, "broken.pdf"), "no PDF");
  expect(run("library.mjs", "docs", " ").status).toBe(1);
});

describe("examples without a server", () => {
  const index = (): void => {
    const indexed = spawnSync(process.execPath, [main, "index", "docs", "--index", "my.index"], {
      cwd,
      encoding: "utf8",
    });
    expect(indexed.status, indexed.stderr).toBe(0);
  };

  const expected: Array<[name: string, args: string[], output: RegExp]> = [
    ["documents-in-memory.mjs", [], /observatory\? Ines Calder \(history\)\n.*captain\? Otto Brandt \(ferry\)\n$/],
    ["filters.mjs", [], /^before 2020: Mara Lind\nnew: Jan Roe\n$/],
    ["streaming.mjs", ["docs", "who founded the observatory?"], /^phrase search: Ines Calder\n(.*: Ines Calder\n)*$/],
    [
      "update-and-delete.mjs",
      [],
      /^at first, version 1: Mara Lind\nbefore refresh, version 1: Mara Lind\nafter refresh, version 2: Jan Roe\nafter delete, version 3: no answer\n$/,
    ],
    [
      "check-quotations.mjs",
      [],
      /^stitched: The obs.*\nnot-found: the captain of the ferry was Ann Doe\n {2}missing: Otto Brandt\.?\n {2}added: Ann Doe\nmisattributed: The captain of the ferry\n$/,
    ],
    ["custom-storage.mjs", [], /^Ines Calder: [1-9]\d* reads, [1-9]\d* bytes\n$/],
    ["publish-site.mjs", ["docs", "site"], /^2 documents, [1-9]\d* KiB in site\n$/],
    ["evaluate.mjs", ["docs", "own.jsonl"], /^2 questions: 1 right, 1 among five, [01] not answered\n$/],
  ];

  it.each(expected)("%s", (name, args, output) => {
    const lines = [
      { question: "who founded the observatory?", answers: ["Ines Calder"] },
      { question: "who wrote the opera?", answers: ["Nobody in these documents"] },
    ];
    writeFileSync(join(cwd, "own.jsonl"), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    const { status, stdout, stderr } = run(name, ...args);
    expect(status, stderr).toBe(0);
    expect(stdout).toMatch(output);
  });

  it("browser-page.html embeds the element that a published site has", () => {
    expect(run("publish-site.mjs", "docs", "answers").status).toBe(0);
    const page = readFileSync(example("browser-page.html"), "utf8");
    const [, script = ""] = /<script type="module" src="\/(answers\/[^"]+)">/.exec(page) ?? [];
    expect(readFileSync(join(cwd, script), "utf8")).toContain("verbatim-ask");
    expect(page).toContain('<verbatim-ask src="/answers/">');
  });

  it("maintain.mjs checks, copies and lists an index", () => {
    index();
    const { status, stdout, stderr } = run("maintain.mjs", "my.index", "snapshot");
    expect(status, stderr).toBe(0);
    expect(stdout).toMatch(/^undamaged, every byte read\n2 documents copied, \d+ of \d+ files shared\n/);
    expect(stdout).toMatch(/docs\/history\.md \(.*\): \d+ characters\n/);
  });

  it("mcp-client.mjs asks over MCP and verifies the quotation", () => {
    index();
    const env = { ...process.env, VERBATIM: `${process.execPath} ${main}` };
    const asked = spawnSync(process.execPath, [example("mcp-client.mjs"), "my.index"], { cwd, encoding: "utf8", env });
    expect(asked.status, asked.stderr).toBe(0);
    expect(asked.stdout).toMatch(/^tools: ask, quote, .*\nInes Calder \(docs\/history\.md\), verified: exact\n$/);
  });
});

it("server.mjs serves a folder, client.mjs asks it, and puts a document in with the token", async () => {
  const started = spawn(process.execPath, [example("server.mjs"), "docs"], { cwd });
  child = started;
  let printed = "";
  const until = (text: string) =>
    new Promise<void>((done, fail) => {
      started.stdout.on("data", (bytes: Buffer) => {
        printed += bytes.toString();
        if (printed.includes(text)) done();
      });
      started.once("close", (status) => fail(new Error(`it ended with status ${status}`)));
    });
  await until("everything is indexed\n");
  const [, url = "", token = ""] = /^(http:\S+\/)#token=(\S+)\n/.exec(printed) ?? [];
  const asked = run("client.mjs", url);
  expect(asked.status, asked.stderr).toBe(0);
  expect(asked.stdout).toMatch(/final: Ines Calder \(docs\/history\.md\)\n2 documents\n$/);
  const written = run("client.mjs", url, token);
  expect(written.status, written.stderr).toBe(0);
  expect(written.stdout).toMatch(/^put: done, version \d+\nasked: Otto Brandt\n/);
  const refused = run("client.mjs", url, "not-the-token-of-this-run");
  expect([refused.status, refused.stderr]).toEqual([1, expect.stringMatching(/^401 token-unknown: /)]);
  const ended = new Promise((done) => started.once("close", done));
  started.kill("SIGINT");
  expect(await ended).toBe(0);
});

it("mcp.json starts the tools", async () => {
  const indexed = spawnSync(process.execPath, [main, "index", "docs", "--index", "my.index"], {
    cwd,
    encoding: "utf8",
  });
  expect(indexed.status, indexed.stderr).toBe(0);
  const { mcpServers } = JSON.parse(readFileSync(example("mcp.json"), "utf8")) as {
    mcpServers: { verbatim: { command: string; args: string[] } };
  };
  const { command, args } = mcpServers.verbatim;
  const { version } = JSON.parse(readFileSync(join(projectRoot, "package.json"), "utf8")) as { version: string };
  const pinned = args.indexOf(`verbatim-qa@${version}`);
  expect([command, pinned, args.includes("--ignore-scripts")]).toEqual(["npx", 2, true]);
  expect(args.at(-1)).toBe("/home/you/my.index");
  const own = [main, ...args.slice(pinned + 1, -1), join(cwd, "my.index")]; // the built program instead of the published one
  const transport = new StdioClientTransport({ command: process.execPath, args: own, cwd });
  const { client, call } = await assistantOver(transport);
  const { output } = await call("ask", { question: "who founded the observatory?", topK: 1 });
  expect(output.answers[0]).toMatchObject({ text: "Ines Calder", documentId: "docs/history.md", start: 437, end: 448 });
  await client.close();
});
