/**
 * Real processes: a writer that adds, replaces, deletes and merges is killed at a random moment
 * while others ask. Afterwards the index is intact, has everything that the writer reported as
 * committed, and the next writer takes over the lock.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FileStorage } from "../../adapters/node/storage/file-storage.js";
import { checkIndex } from "../../src/index/maintain/check.js";
import { openIndexWriter } from "../../src/index/write/writer.js";
import { seededRandom } from "../support/random.js";
import { WHOLE } from "./harness.js";

const ROUNDS = Number(process.env.VERBATIM_ROUNDS ?? (WHOLE ? 300 : 20));
const READERS = WHOLE ? 4 : 2;
/** The longest pause of a reader, in milliseconds. */
const REST_MS = WHOLE ? "20" : "250";
const SEED = Number(process.env.VERBATIM_SEED ?? 1);
/**
 * A writer is killed after at most this many commits and milliseconds. A commit takes some ten, so
 * this can be anywhere in its work.
 */
const MAX_COMMITS = 10;
const MAX_MILLISECONDS = 60;

const script = (name: string) => join(import.meta.dirname, "../../dist.test/test/faults/processes", name);

function start(name: string, args: readonly string[]): ChildProcess {
  return spawn(process.execPath, [script(name), ...args], { stdio: ["ignore", "pipe", "inherit"] });
}

/** Lines of a process's output as they arrive. */
function linesOf(child: ChildProcess): string[] {
  const lines: string[] = [];
  createInterface({ input: child.stdout! }).on("line", (line) => lines.push(line));
  return lines;
}

/** On a shared machine a process may wait for minutes. */
const PATIENCE_MS = WHOLE ? 3_600_000 : 600_000;

async function until(condition: () => boolean, what: string): Promise<void> {
  for (const begun = Date.now(); !condition(); ) {
    if (Date.now() - begun > PATIENCE_MS) throw new Error(`never: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

const ended = (child: ChildProcess): Promise<number | null> =>
  new Promise((resolve) =>
    child.exitCode === null && child.signalCode === null ? child.on("close", resolve) : resolve(child.exitCode),
  );

describe("kill -9", () => {
  let folder: string;
  const readers: Array<{ child: ChildProcess; lines: string[] }> = [];
  let writer: ChildProcess | undefined;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "verbatim-kill-"));
  });
  afterAll(async () => {
    for (const { child } of readers) child.kill("SIGKILL");
    writer?.kill("SIGKILL"); // still running if the test failed
    await rm(folder, { recursive: true, force: true });
  });

  it("at any moment loses nothing that was acknowledged, while other processes ask", async () => {
    const index = join(folder, "index");
    const random = seededRandom(SEED);
    /**
     * What the index must hold: id → seed of its text, or none; and what it may hold, from
     * unacknowledged changes.
     */
    const truth = new Map<string, string>();
    let version = 0;
    let acknowledged = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const what = `round ${round} of seed ${SEED} (VERBATIM_SEED=${SEED})`;
      writer = start("writer.js", [index, String(SEED * 10_000 + round)]);
      const lines = linesOf(writer);
      await until(() => lines.includes("ready"), `${what}: the writer starts`);
      if (readers.length === 0) {
        await until(() => lines.some((line) => line.startsWith("committed")), `${what}: a first version`);
        for (let n = 0; n < READERS; n++) {
          const child = start("reader.js", [index, String(n), REST_MS]);
          readers.push({ child, lines: linesOf(child) });
        }
      }
      const commits = random.whole(0, MAX_COMMITS);
      const isCommit = (line: string) => line.startsWith("committed");
      await until(() => lines.filter(isCommit).length >= commits, `${what}: ${commits} commits`);
      await new Promise((resolve) => setTimeout(resolve, random.whole(0, MAX_MILLISECONDS)));
      writer.kill("SIGKILL");
      await ended(writer);
      let pending = new Map<string, string | undefined>();
      for (const line of lines) {
        const [word, id, value] = line.split(" ") as [string, string, string];
        if (word === "adding") pending.set(id, value);
        else if (word === "deleting") pending.set(id, undefined);
        else if (word === "committed") {
          for (const [changed, to] of pending) to === undefined ? truth.delete(changed) : truth.set(changed, to);
          pending = new Map();
          version = Number(id);
          acknowledged++;
        }
      }
      const storage = new FileStorage(index);
      if (version === 0) continue;
      const report = await checkIndex(storage);
      expect(report.problems.map(String), what).toEqual([]);
      expect(report.version, what).toBeGreaterThanOrEqual(version);
      const next = await openIndexWriter(storage); // takes the dead writer's lock over
      const found = new Map<string, string>();
      for await (const { id, metadata } of next.documents()) found.set(id, String(metadata.seed));
      await next.close();
      for (const [id, seed] of truth) {
        const allowed = pending.has(id) ? [seed, pending.get(id)] : [seed];
        expect(allowed, `${what}: ${id}`).toContain(found.get(id));
      }
      for (const [id, seed] of found) {
        const allowed = pending.has(id) ? [truth.get(id), pending.get(id)] : [truth.get(id)];
        expect(allowed, `${what}: ${id}`).toContain(seed);
      }
      truth.clear();
      for (const [id, seed] of found) truth.set(id, seed);
      for (const { child, lines: said } of readers) {
        expect([child.exitCode, said.filter((line) => line.startsWith("wrong"))], what).toEqual([null, []]);
      }
    }
    for (const { child } of readers) child.kill("SIGTERM");
    for (const { child, lines } of readers) {
      expect(await ended(child)).toBe(0);
      expect(lines.filter((line) => line.startsWith("wrong"))).toEqual([]);
      expect(lines.at(-1)).toMatch(/^asked [1-9]/);
    }
    console.info(
      `kill -9: ${ROUNDS} rounds, ${acknowledged} acknowledged commits, none lost; readers: ${readers.map(({ lines }) => lines.at(-1)).join("; ")}`,
    );
  }, 21_600_000);
});

describe("several processes", () => {
  it("merge in turns while others ask, with correct answers and no losses", async () => {
    const folder = await mkdtemp(join(tmpdir(), "verbatim-merge-"));
    const index = join(folder, "index");
    const rounds = WHOLE ? 100 : 6;
    const children: ChildProcess[] = [];
    const begin = (name: string, args: string[]) => {
      const child = start(name, args);
      children.push(child);
      return { child, lines: linesOf(child) };
    };
    try {
      const mergers = [1, 2].map((seed) => begin("merger.js", [index, String(seed), String(rounds)]));
      await until(() => mergers.some(({ lines }) => lines.length > 0), "a first version");
      const asking = [3, 4].map((seed) => begin("reader.js", [index, String(seed), REST_MS]));
      for (const { child } of mergers) expect(await ended(child)).toBe(0);
      await until(() => asking.every(({ lines }) => lines.length > 0), "readers that ask");
      for (const { child } of asking) child.kill("SIGTERM");
      for (const { child, lines } of asking) {
        expect(await ended(child)).toBe(0);
        expect(lines.filter((line) => line.startsWith("wrong"))).toEqual([]);
        expect(lines.at(-1)).toMatch(/^asked [1-9]/);
      }
      expect((await checkIndex(new FileStorage(index))).problems.map(String)).toEqual([]);
      const writer = await openIndexWriter(new FileStorage(index));
      const found: string[] = [];
      for await (const { id } of writer.documents()) found.push(id);
      await writer.close();
      const kept = [1000, 2000].flatMap((first) =>
        // each round adds two and deletes the second of the round before
        Array.from({ length: rounds * 2 }, (_, n) => first + n).filter(
          (n) => n % 2 === 0 || n === first + rounds * 2 - 1,
        ),
      );
      expect(found.sort()).toEqual(kept.map((n) => `doc-${n}`).sort());
      console.info(
        `merging processes: 2 × ${rounds} turns, ${mergers.map(({ lines }) => lines.at(-1)).join(" and ")} times; readers: ${asking.map(({ lines }) => lines.at(-1)).join("; ")}`,
      );
    } finally {
      for (const child of children) child.kill("SIGKILL");
      await rm(folder, { recursive: true, force: true });
    }
  }, 21_600_000);
});

describe("the lock", () => {
  it("admits one of many concurrent writers, and the next when that one is dead", async () => {
    const folder = await mkdtemp(join(tmpdir(), "verbatim-lock-"));
    try {
      for (let round = 0; round < (WHOLE ? 20 : 2); round++) {
        const children = Array.from({ length: 4 }, () => start("locker.js", [folder]));
        const lines = children.map(linesOf);
        await until(() => lines.every((said) => said.length > 0), "everyone says whether it has the lock");
        const holders = lines.filter((said) => said[0] === "locked");
        expect(holders.length).toBe(1);
        expect(lines.filter((said) => said[0]!.startsWith("index-locked")).length).toBe(3);
        for (const child of children) child.kill("SIGKILL");
        await Promise.all(children.map(ended));
      }
      const lock = await new FileStorage(folder).lock(); // the last holder was killed too
      await expect(new FileStorage(folder).lock()).rejects.toMatchObject({
        code: "index-locked",
        message: expect.stringContaining(String(process.pid)),
      });
      await lock.release();
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
