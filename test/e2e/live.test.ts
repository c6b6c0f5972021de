/** A live index through the built program: real processes, real signals, a real disk. */

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { projectRoot, tinyModel } from "../cli/run-cli.js";

// Every command is a process that loads the encoder again, and the machine may be busy with something else.
const PATIENCE_MS = 200_000;

const main = join(projectRoot, "dist", "adapters", "cli", "main.js");
const env: NodeJS.ProcessEnv = { ...process.env, VERBATIM_MODEL: tinyModel };
let root: string;
let cwd: string;
let made = 0;

beforeAll(() => {
  spawnSync(process.execPath, [join(projectRoot, "scripts", "prepare.mjs")], { stdio: "inherit" });
  root = mkdtempSync(join(tmpdir(), "verbatim-live-"));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));
beforeEach(() => {
  cwd = join(root, String(++made));
  mkdirSync(join(cwd, "notes"), { recursive: true });
  writeFileSync(join(cwd, "notes", "bell.txt"), "The bell rings at noon.\n");
  writeFileSync(join(cwd, "notes", "pump.txt"), "The pump stops at four bar.\n");
});

interface Ran {
  status: number | null;
  stdout: string;
  stderr: string;
}

function verbatim(...args: string[]): Ran {
  return spawnSync(process.execPath, [main, ...args], { cwd, env, input: "", encoding: "utf8" });
}

/** Sources of the answers, each once, sorted. */
function sources(...args: string[]): string[] {
  const { status, stdout, stderr } = verbatim("ask", "what is there?", "--json", "--top-k", "50", ...args);
  expect([0, 1], stderr).toContain(status);
  const { answers } = JSON.parse(stdout) as { answers: Array<{ source: string }> };
  return [...new Set(answers.map(({ source }) => source))].sort();
}

async function until(what: () => string, reached: () => boolean): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  while (!reached()) {
    if (performance.now() > end) throw new Error(`It never came to be: ${what()}`);
    await new Promise((done) => setTimeout(done, 50));
  }
}

interface Started {
  child: ChildProcess;
  output(): string;
  /** Exit status and signal. */
  ended: Promise<[number | null, NodeJS.Signals | null]>;
}

function start(...args: string[]): Started {
  const child = spawn(process.execPath, [main, ...args], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (bytes: Buffer) => {
      output += bytes.toString();
    });
  const ended = new Promise<[number | null, NodeJS.Signals | null]>((done) =>
    child.once("close", (status, signal) => done([status, signal])),
  );
  onTestFinished(() => void child.kill("SIGKILL"));
  return { child, output: () => output, ended };
}

describe("a live index", () => {
  it("what is deleted is not found by the next question", () => {
    expect(verbatim("index", "notes").status).toBe(0);
    expect(sources()).toEqual(["notes/bell.txt", "notes/pump.txt"]);
    expect(verbatim("delete", "notes/bell.txt").status).toBe(0);
    expect(sources()).toEqual(["notes/pump.txt"]);
    expect(sources("--where", 'id = "notes/bell.txt"')).toEqual([]);
  });

  it("watch follows a folder while others ask, until Ctrl-C", async () => {
    const { child, output, ended } = start("watch", "notes");
    const line = (text: string): Promise<void> =>
      until(
        () => `${text}, after ${output()}`,
        () => output().includes(`${text}\n`),
      );
    await until(output, () => output().includes("ready "));
    writeFileSync(join(cwd, "notes", "mill.txt"), "The mill was sold to Ada Brown.\n");
    await line("new      notes/mill.txt");
    expect(sources()).toEqual(["notes/bell.txt", "notes/mill.txt", "notes/pump.txt"]);
    writeFileSync(join(cwd, "notes", "mill.txt"), "The mill was given to Ada Brown.\n");
    await line("changed  notes/mill.txt");
    mkdirSync(join(cwd, "notes", "old"));
    renameSync(join(cwd, "notes", "mill.txt"), join(cwd, "notes", "old", "mill.txt"));
    await line("renamed  notes/mill.txt → notes/old/mill.txt");
    expect(sources("--where", 'folder = "notes/old"')).toEqual(["notes/old/mill.txt"]);
    rmSync(join(cwd, "notes", "bell.txt"));
    await line("removed  notes/bell.txt");
    expect(sources()).toEqual(["notes/old/mill.txt", "notes/pump.txt"]);
    child.kill("SIGINT");
    expect(await ended, output()).toEqual([0, null]);
    expect(verbatim("check").status).toBe(0);
    expect(existsSync(join(cwd, ".verbatim", "lock"))).toBe(false);
  });

  it("a snapshot outlives the index, and brings it back", () => {
    verbatim("index", "notes", "--index", "i");
    expect(verbatim("snapshot", "copy", "--index", "i").status).toBe(0);
    verbatim("delete", "--where", "exists id", "--index", "i");
    expect(sources("--index", "i")).toEqual([]);
    expect(sources("--index", "copy")).toEqual(["notes/bell.txt", "notes/pump.txt"]);
    expect(verbatim("restore", "copy", "--index", "i", "--replace").status).toBe(0);
    expect(sources("--index", "i")).toEqual(["notes/bell.txt", "notes/pump.txt"]);
    rmSync(join(cwd, "copy"), { recursive: true });
    expect(verbatim("check", "--index", "i").status).toBe(0);
  });

  it("after a flipped byte: check finds it, repair says what is lost, index brings it back", () => {
    verbatim("index", "notes/bell.txt");
    verbatim("index", "notes/pump.txt");
    const name = readdirSync(join(cwd, ".verbatim"))
      .sort()
      .find((file) => file.endsWith(".text"))!;
    const path = join(cwd, ".verbatim", name);
    const bytes = readFileSync(path);
    bytes[70]! ^= 1;
    writeFileSync(path, bytes);
    const checked = verbatim("check");
    expect([checked.status, checked.stdout.includes(name)]).toEqual([3, true]);
    const repaired = verbatim("repair", "--json");
    expect(repaired.status, repaired.stderr).toBe(0);
    const { documentsToReadAgain } = JSON.parse(repaired.stdout) as { documentsToReadAgain: Array<{ source: string }> };
    expect(documentsToReadAgain.map(({ source }) => source)).toEqual(["notes/bell.txt"]);
    expect(verbatim("check").status).toBe(0);
    expect(sources()).toEqual(["notes/pump.txt"]);
    verbatim("index", "notes");
    expect(sources()).toEqual(["notes/bell.txt", "notes/pump.txt"]);
  });

  it("a second Ctrl-C ends an index run at once, and nothing that was committed is lost", async () => {
    verbatim("index", "notes");
    const line = (i: number) => JSON.stringify({ id: `${i}`, text: `The bell number ${i} rings at noon. `.repeat(40) });
    writeFileSync(join(cwd, "many.jsonl"), Array.from({ length: 3000 }, (_, i) => line(i)).join("\n"));
    const { child, output, ended } = start("index", "many.jsonl", "--threads", "2");
    const segments = () => readdirSync(join(cwd, ".verbatim")).filter((name) => name.startsWith("s000002")).length;
    await until(output, () => segments() > 0);
    child.kill("SIGINT");
    await until(output, () => output().includes("Stopping and saving"));
    child.kill("SIGINT");
    const [status, signal] = await ended;
    // Killed by the signal, unless it was done with saving before the second came.
    expect([status, signal].includes(130) || signal === "SIGINT", `${status} ${signal} ${output()}`).toBe(true);
    expect(output()).not.toMatch(/Napi|terminate|abort/i);
    expect(verbatim("check").status).toBe(0);
    expect(sources("--where", "exists folder")).toEqual(expect.arrayContaining(["notes/bell.txt", "notes/pump.txt"]));
    expect(verbatim("delete", "--where", 'source = "many.jsonl"', "--json").stderr).toBe(""); // the lock of the dead is taken over
  });
});
