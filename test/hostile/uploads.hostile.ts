/** All hostile files, uploaded to a running server one after another while another client asks. */

import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { getPriority, setPriority, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { families, goodText, questionOf } from "./families.js";
import { childrenOf, cli, hasProc, residentBytes, runProgram } from "./run.js";

const MAX_BYTES = 1.5 * 1024 ** 3;
/** Between two looks at the job. */
const EVERY_MS = 25;
/** Between two questions of the good client, and two looks at the memory. */
const ASK_EVERY_MS = 200;
const GOOD_FILES = 3;

interface Job {
  id: string;
  state: "waiting" | "running" | "done" | "failed" | "cancelled";
  error?: { code: string; title: string };
}

let folder: string;
let server: ChildProcess;
let address: { url: string; token: string };
/** The last thing the server wrote to its log. */
let log = "";

async function api(method: string, path: string, body?: string | Uint8Array): Promise<Response> {
  const headers: Record<string, string> = { Authorization: `Bearer ${address.token}` };
  if (path === "/v1/ask") headers["Content-Type"] = "application/json";
  return fetch(new URL(path, address.url), { method, headers, body: body as RequestInit["body"] });
}

/** The document of the first answer. */
async function firstAnswer(question: string): Promise<string | undefined> {
  const response = await api("POST", "/v1/ask", JSON.stringify({ question, topK: 1, strategy: "lexical" }));
  expect(response.status).toBe(200);
  const { answers } = (await response.json()) as { answers: { documentId: string }[] };
  return answers[0]?.documentId;
}

/**
 * The server's indexing process gives way to all other programs. Where the test may, it takes that back: on a machine
 * that does other work, too, the uploads would take hours.
 */
function raisePriority(pids = childrenOf(server.pid!)): void {
  for (const pid of pids) {
    try {
      if (getPriority(pid) > 0) setPriority(pid, 0);
    } catch {} // it has ended, or this user may not
    raisePriority(childrenOf(pid));
  }
}

describe("a server", () => {
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "verbatim-hostile-uploads-"));
    for (let i = 0; i < GOOD_FILES; i++) writeFileSync(join(folder, `good-${i}.txt`), goodText(i));
    const { status } = await runProgram([cli, "index", ".", "--index", "index", "--level", "lexical"], { cwd: folder });
    expect(status).toBe(0);
    server = spawn(process.execPath, [cli, "serve", "--index", "index", "--port", "0", "--json"], { cwd: folder });
    server.stderr!.on("data", (bytes: Buffer) => {
      log = (log + bytes.toString()).slice(-10_000);
    });
    const line = await new Promise<string>((resolve, reject) => {
      let stdout = "";
      server.stdout!.on("data", (bytes: Buffer) => {
        stdout += bytes.toString();
        if (stdout.includes("\n")) resolve(stdout);
      });
      server.once("close", (code) => reject(new Error(`The server ended with status ${code}: ${log}`)));
    });
    address = JSON.parse(line);
  }, 120_000);

  afterAll(() => {
    server.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  });

  it.each(families)("uploads of %s harm nothing but themselves", { timeout: 1_200_000 }, async (family, inputs) => {
    let slowestMs = 0;
    let longest = { milliseconds: 0, name: "" };
    let peakBytes = 0;
    let askedAt = Number.NEGATIVE_INFINITY;
    for (const { name, content } of inputs) {
      const body = content();
      await new Promise((resolve) => setTimeout(resolve, EVERY_MS)); // the server may have closed an idle connection
      const response = await api("POST", `/v1/uploads?name=${encodeURIComponent(`${family}-${name}`)}`, body);
      if (response.status === 413) continue; // larger than any upload may be
      expect([name, response.status]).toEqual([name, 202]);
      raisePriority();
      let job = (await response.json()) as Job;
      const started = performance.now();
      while (job.state === "waiting" || job.state === "running") {
        await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
        if (performance.now() - askedAt >= ASK_EVERY_MS) {
          askedAt = performance.now();
          expect(await firstAnswer(questionOf(0))).toBe("good-0.txt");
          slowestMs = Math.max(slowestMs, performance.now() - askedAt);
          peakBytes = Math.max(peakBytes, residentBytes(server.pid!));
        }
        job = (await (await api("GET", `/v1/jobs/${job.id}`)).json()) as Job;
      }
      const milliseconds = Math.round(performance.now() - started);
      if (milliseconds > longest.milliseconds) longest = { milliseconds, name };
      if (process.env.VERBATIM_HOSTILE_VERBOSE)
        console.log(`  ${name} ${job.state} ${milliseconds} ms ${job.error?.title ?? ""}`);
      expect([name, ["done", "failed"].includes(job.state), job.error?.code]).not.toEqual([name, true, "internal"]);
      expect(`${job.error?.title ?? ""}`).not.toMatch(/[\n\r]|undefined/);
    }
    for (let i = 0; i < GOOD_FILES; i++) expect(await firstAnswer(questionOf(i))).toBe(`good-${i}.txt`);
    const peak = Math.round(peakBytes / 2 ** 20);
    console.log(
      `${family}: ${inputs.length} uploads, longest ${longest.milliseconds} ms (${longest.name}), ` +
        `slowest question ${Math.round(slowestMs)} ms, peak ${peak} MiB`,
    );
    if (hasProc) expect(peakBytes).toBeLessThan(MAX_BYTES);
  });

  it("the server still works, and stops", { timeout: 120_000 }, async () => {
    expect((await api("GET", "/readyz")).status).toBe(200);
    const stopped = new Promise((resolve) => server.once("close", resolve));
    server.kill("SIGTERM");
    expect(await stopped).toBe(0);
  });
});
