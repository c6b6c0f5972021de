/**
 * Writers in different PID namespaces, as in two containers that share a folder and a host name:
 * neither can see whether the process of the other lives, so the lock of one must hold against the
 * other, and no acknowledged commit may be lost.
 */

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, it } from "vitest";
import { FileStorage } from "../../adapters/node/storage/file-storage.js";
import { checkIndex } from "../../src/index/maintain/check.js";
import { openIndexWriter } from "../../src/index/write/writer.js";
import { WHOLE } from "./harness.js";

const ROUNDS = Number(process.env.VERBATIM_ROUNDS ?? (WHOLE ? 50 : 3));
const OWN_NAMESPACE = ["--pid", "--fork", "--mount-proc", "--kill-child"];
const hasNamespaces = spawnSync("unshare", [...OWN_NAMESPACE, "true"]).status === 0;

const script = (name: string): string => join(import.meta.dirname, "../../dist.test/test/faults/processes", name);

/** Starts a script as an early process of a new PID namespace. */
function startContained(name: string, args: readonly string[]): { child: ChildProcess; lines: string[] } {
  const command = [...OWN_NAMESPACE, process.execPath, script(name), ...args];
  const child = spawn("unshare", command, { stdio: ["pipe", "pipe", "inherit"] });
  const lines: string[] = [];
  createInterface({ input: child.stdout! }).on("line", (line) => lines.push(line));
  return { child, lines };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}

const ended = (child: ChildProcess): Promise<unknown> =>
  new Promise((resolve) => ((child.exitCode ?? child.signalCode) === null ? child.on("close", resolve) : resolve(0)));

it.skipIf(!hasNamespaces)(
  "the lock holds across PID namespaces, and no acknowledged commit is lost",
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "verbatim-namespace-"));
    const index = join(folder, "index");
    const acknowledged = new Set<string>();
    const started: ChildProcess[] = [];
    const start = (first: number): ReturnType<typeof startContained> => {
      const process = startContained("appender.js", [index, String(first), "2"]);
      started.push(process.child);
      return process;
    };
    const note = (lines: readonly string[]): void => {
      for (const line of lines) if (line.startsWith("committed ")) acknowledged.add(line.slice("committed ".length));
    };
    try {
      for (let round = 0; round < ROUNDS; round++) {
        const first = start(round * 1000);
        await until(() => first.lines.includes("locked"));
        const intruder = start(round * 1000 + 500);
        intruder.child.stdin!.end();
        await ended(intruder.child);
        expect(intruder.lines, `round ${round}`).toEqual(["index-locked"]);
        const committed = first.lines.length + (round % 5);
        await until(() => first.lines.length > committed);
        const killed = round % 2 === 0;
        if (killed) first.child.kill("SIGKILL");
        else first.child.stdin!.end();
        await ended(first.child);
        note(first.lines);
        if (killed) {
          const refusal = expect.objectContaining({ code: "index-locked", hint: expect.stringContaining("remove") });
          await expect(new FileStorage(index).lock()).rejects.toEqual(refusal);
          await rm(join(index, "lock"));
        }
        expect((await checkIndex(new FileStorage(index))).problems.map(String)).toEqual([]);
        const writer = await openIndexWriter(new FileStorage(index));
        const found = new Set<string>();
        for await (const { id } of writer.documents()) found.add(id);
        await writer.close();
        for (const id of acknowledged) expect(found, `round ${round}`).toContain(id);
      }
      console.info(`PID namespaces: ${ROUNDS} rounds, ${acknowledged.size} acknowledged commits, none lost`);
    } finally {
      for (const child of started) child.kill("SIGKILL");
      await rm(folder, { recursive: true, force: true });
    }
  },
  21_600_000,
);
