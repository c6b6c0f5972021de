/**
 * How often a question crosses threads in the running server: from the socket to an answering
 * thread and back, whatever is read.
 */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { indexPaths } from "../../adapters/node/index.js";
import { type RunningServer, serve } from "../../adapters/server/serve.js";
import { projectRoot, tinyModel } from "../cli/run-cli.js";

const THREADS = 2;
const QUESTIONS = ["who founded the observatory?", "who built the bridge?", "when was the tower sold?"];
let folder: string;
let server: RunningServer;
const posted = vi.spyOn(Worker.prototype, "postMessage");
const emitted = vi.spyOn(Worker.prototype, "emit");

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "verbatim-crossings-"));
  const index = join(folder, "my.index");
  const texts = [
    "The observatory was founded by Ines Calder.",
    "The bridge was built in 1890.",
    "The tower was sold by Otto Brandt.",
  ];
  for (const [n, text] of texts.entries()) writeFileSync(join(folder, `${n}.txt`), text);
  await indexPaths(["0.txt", "1.txt", "2.txt"], { index, cwd: folder, modelFolder: tinyModel, threads: 1 });
  emitted.mockClear();
  const readerFolder = join(projectRoot, "test", "golden", "tiny-reader");
  server = await serve({ index, readOnly: true, modelFolder: tinyModel, readerFolder, reader: "on", threads: THREADS });
});
afterAll(async () => {
  await server.stop();
  posted.mockRestore();
  emitted.mockRestore();
  rmSync(folder, { recursive: true, force: true });
});

async function ask(question: string): Promise<number> {
  const response = await fetch(`${server.url}v1/ask`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ question, reader: "on" }),
  });
  const { reading } = (await response.json()) as { reading?: { passages: number } };
  return reading!.passages;
}

it("crosses threads twice, also when passages are read in several batches", async () => {
  await Promise.all([...QUESTIONS, ...QUESTIONS].map(ask)); // opens the networks
  posted.mockClear();
  const before = emitted.mock.calls.length;
  let mostRead = 0;
  for (const question of QUESTIONS) mostRead = Math.max(mostRead, await ask(question));
  expect(mostRead).toBeGreaterThan(1); // several batches, until no other passage can win
  const received = emitted.mock.calls.slice(before).filter(([event]) => event === "message");
  expect((posted.mock.calls.length + received.length) / QUESTIONS.length).toBe(2);
  // The process has no other threads that an answering thread could have called.
  const started = new Set(emitted.mock.contexts.filter((_, n) => emitted.mock.calls[n]![0] === "online"));
  expect(started.size).toBe(THREADS);
  expect(new Set(emitted.mock.contexts).size).toBe(THREADS);
});
