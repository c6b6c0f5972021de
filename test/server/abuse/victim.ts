/**
 * A server under load, started as a process, and a well-behaved client that measures it.
 */

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { projectRoot, tinyModel } from "../../cli/run-cli.js";
import type { Load, Target } from "./loads.js";
import { call, post } from "./mcp-loads.js";

/** The program that vitest compiled from the sources, or a built one for full loads. */
const MAIN = resolve(process.env.VERBATIM_MAIN ?? join(projectRoot, "dist.test", "adapters", "cli", "main.js"));
const ENVIRONMENT = { ...process.env, VERBATIM_MODEL: process.env.VERBATIM_MODEL ?? tinyModel };
/** A refused or reset connection is tried again: the server may close an idle one to make room. */
const TRIES = 5;

export interface Measured {
  load: string;
  questions: number;
  /** Questions without an answer after all tries, and answers other than 200. */
  failed: number;
  slowestMs: number;
  medianMs: number;
  /** The slowest question in the `calmMs` after the load, on the same machine. */
  calmSlowestMs: number;
  peakMiB: number;
  /** Those of the process that writes, and of its parser. */
  writingPeakMiB: number;
  /** Resident memory afterwards, compared with before. */
  growthMiB: number;
}

export class Victim implements Target {
  readonly folder: string;
  readonly port: number;
  readonly token: string;
  readonly pid: number;
  /** The index is on a file system of its own, of `diskMiB`. */
  readonly hasOwnDisk: boolean;
  readonly #program: "serve" | "mcp";
  readonly #child: ChildProcess;
  readonly #ended: Promise<number | null>;
  /** Its end: the last 100,000 characters. */
  stderr = "";
  /** Warnings of Node in all of standard error. */
  readonly warnings: string[] = [];

  private constructor(parts: {
    folder: string;
    hasOwnDisk: boolean;
    child: ChildProcess;
    printed: { url: string; token: string; pid: number };
    program: "serve" | "mcp";
  }) {
    this.#program = parts.program;
    this.hasOwnDisk = parts.hasOwnDisk;
    this.folder = parts.folder;
    this.port = Number(new URL(parts.printed.url).port);
    this.token = parts.printed.token;
    this.pid = parts.printed.pid;
    this.#child = parts.child;
    this.#ended = new Promise((done) => parts.child.once("close", done));
    createInterface(parts.child.stderr!).on("line", (line) => {
      this.stderr = `${this.stderr}${line}\n`.slice(-100_000);
      if (/^\(node:\d+\) \w*Warning:/.test(line)) this.warnings.push(line);
    });
  }

  /**
   * @param options.largeUnits  length of the text `large.txt`
   * @param options.diskMiB  size of the file system for the index, where this process may mount one
   * @param options.program  "mcp": the server for assistants, over HTTP
   */
  static async start(options: { largeUnits: number; diskMiB?: number; program?: "serve" | "mcp" }): Promise<Victim> {
    const { largeUnits, diskMiB, program = "serve" } = options;
    const index = "index";
    const folder = mkdtempSync(join(tmpdir(), "verbatim-abuse-"));
    writeFileSync(join(folder, "history.txt"), "The observatory was founded by Ines Calder in 1911.\n");
    mkdirSync(join(folder, index));
    const hasOwnDisk =
      diskMiB !== undefined &&
      spawnSync("mount", ["-t", "tmpfs", "-o", `size=${diskMiB}m`, "tmpfs", join(folder, index)]).status === 0;
    const sentence = (i: number): string => `The bell number ${i} rings at noon in the tower of Skarn hill. `;
    const text = Array.from({ length: Math.ceil(largeUnits / 60) }, (_, i) => sentence(i)).join("");
    writeFileSync(join(folder, "large.txt"), text.slice(0, largeUnits));
    const setting = { cwd: folder, env: ENVIRONMENT };
    const run = (...args: string[]) => [process.execPath, [MAIN, ...args]] as const;
    const made = spawnSync(...run("index", "history.txt", "large.txt", "--index", index, "--level", "lexical"), {
      ...{ ...setting, encoding: "utf8" as const },
    });
    if (made.status !== 0) throw new Error(`The index could not be made: ${made.stderr}`);
    const command = program === "serve" ? ["serve", "--json"] : ["mcp", "--http"];
    const child = spawn(...run(...command, "--index", index, "--port", "0"), setting);
    let stdout = "";
    await new Promise<void>((done, fail) => {
      child.stdout.on("data", (bytes: Buffer) => {
        stdout += bytes.toString();
        if (stdout.includes("\n")) done();
      });
      child.once("close", (status) => fail(new Error(`The server ended with status ${status}.`)));
    });
    const url = /http:[^ ]+/.exec(stdout)?.[0] ?? "";
    const printed = program === "serve" ? JSON.parse(stdout) : { url, token: "", pid: child.pid };
    const victim = new Victim({ folder, hasOwnDisk, child, printed, program });
    for (let i = 0; i < 20; i++) await victim.ask();
    return victim;
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** @returns milliseconds, or undefined without an answer */
  async ask(): Promise<number | undefined> {
    const started = performance.now();
    for (let attempt = 0; attempt < TRIES && this.isRunning; attempt++) {
      try {
        const response = await this.#ask(AbortSignal.timeout(30_000));
        const text = await response.text();
        if (response.status === 200 && text.includes("Ines Calder")) return performance.now() - started;
      } catch {}
      await new Promise((done) => setTimeout(done, 50));
    }
    return undefined;
  }

  #ask(signal: AbortSignal): Promise<Response> {
    const question = { question: "who founded the observatory?", topK: 1 };
    if (this.#program === "mcp") return post(this, call("tools/call", { name: "ask", arguments: question }), signal);
    return fetch(`http://127.0.0.1:${this.port}/v1/ask`, {
      method: "POST",
      headers: {
        ...{ "Content-Type": "application/json", Connection: "close" },
        Authorization: `Bearer ${this.token}`, // a caller of its own, with its own rate and turn
      },
      body: JSON.stringify(question),
      signal,
    });
  }

  /** Resident memory of the server and the processes that it started, in MiB. */
  memory(): { server: number; indexing: number } {
    const started = childrenOf(this.pid).flatMap((pid) => [pid, ...childrenOf(pid)]);
    const indexing = started.reduce((sum, pid) => sum + residentMiB(pid), 0);
    return { server: residentMiB(this.pid), indexing };
  }

  /**
   * Asks at all times while the load lasts and for `calmMs` afterwards, then waits until the memory
   * is back, at most `settleMs`.
   */
  async endure(
    load: Load,
    options: { seconds: number; calmMs: number; settleMs: number; allowedMiB: number },
  ): Promise<Measured> {
    const before = this.memory().server;
    const stop = await load.start(this);
    const until = performance.now() + options.seconds * 1000;
    const times: number[] = [];
    let failed = 0;
    let peakMiB = before;
    let writingPeakMiB = 0;
    while (performance.now() < until && this.isRunning) {
      const ms = await this.ask();
      if (ms === undefined) failed++;
      else times.push(ms);
      const { server, indexing } = this.memory();
      peakMiB = Math.max(peakMiB, server);
      writingPeakMiB = Math.max(writingPeakMiB, indexing);
      await new Promise((done) => setTimeout(done, 50));
    }
    await stop();
    const settled = performance.now() + options.settleMs;
    const calmUntil = performance.now() + options.calmMs;
    let calmSlowestMs = 0;
    do {
      const ms = await this.ask();
      if (performance.now() < calmUntil) calmSlowestMs = Math.max(calmSlowestMs, ms ?? Infinity);
      await new Promise((done) => setTimeout(done, 200));
    } while (
      performance.now() < calmUntil ||
      (this.memory().server > before + options.allowedMiB && performance.now() < settled && this.isRunning)
    );
    return {
      load: load.name,
      questions: times.length + failed,
      failed,
      slowestMs: Math.round(Math.max(...times)),
      medianMs: Math.round(times.sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? NaN),
      calmSlowestMs: Math.round(calmSlowestMs),
      peakMiB: Math.round(peakMiB),
      writingPeakMiB: Math.round(writingPeakMiB),
      growthMiB: Math.round(this.memory().server - before),
    };
  }

  /** @returns milliseconds from SIGTERM to the end */
  async stop(): Promise<{ status: number | null; ms: number }> {
    const started = performance.now();
    this.#child.kill("SIGTERM");
    const status = await this.#ended;
    return { status, ms: performance.now() - started };
  }

  async remove(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#ended;
    if (this.hasOwnDisk) spawnSync("umount", [join(this.folder, "index")]);
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function residentMiB(pid: number): number {
  try {
    return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1] ?? 0) / 1024;
  } catch {
    return 0; // it has ended
  }
}

export function childrenOf(pid: number): number[] {
  const children: number[] = [];
  for (const name of readdirSync("/proc").filter((entry) => /^\d+$/.test(entry))) {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "latin1");
      if (Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]) === pid) children.push(Number(name));
    } catch {} // it has ended
  }
  return children;
}
