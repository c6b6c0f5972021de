/**
 * Threads that answer: the same answers as in this thread, the newest version, and nothing lost
 * when a thread is.
 */

import { EventEmitter } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Worker } from "node:worker_threads";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { indexPaths, openIndex } from "../../adapters/node/index.js";
import { openEncoder } from "../../adapters/node/models/encoder/encoder.js";
import { openReader } from "../../adapters/node/models/reader/reader.js";
import { FileStorage } from "../../adapters/node/storage/file-storage.js";
import type { Reply, Request } from "../../adapters/rpc/protocol.js";
import { AnswerThreads } from "../../adapters/server/answering/answer-threads.js";
import type {
  AnsweringSetup,
  NewestVersion,
  SharedVectors,
} from "../../adapters/server/answering/answering-service.js";
import { loadVectors } from "../../adapters/server/answering/load-vectors.js";
import { NewestSnapshot } from "../../adapters/server/newest-snapshot.js";
import type { AskResult } from "../../src/ask/result.js";
import type { SharedRows } from "../../src/kernel/shared-rows.js";
import { projectRoot, tinyModel } from "../cli/run-cli.js";

/** The default is one second, which a busy machine may need for anything. */
const patience = { timeout: 60_000 };

const QUESTIONS = ["who founded the observatory?", "who built the bridge?", "where?", "when was the tower sold?"];
const tinyReader = join(projectRoot, "test", "golden", "tiny-reader");
let folder: string;
let index: string;
const nothing: AnsweringSetup["served"] = { paths: [], cwd: "/" };

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "verbatim-threads-"));
  index = join(folder, "my.index");
  writeFileSync(
    join(folder, "a.txt"),
    "The observatory was founded by Ines Calder in 1911. The bridge was built in 1890.",
  );
  writeFileSync(join(folder, "b.txt"), "The tower was sold in 1920 by Otto Brandt. It is on the hill.");
  await indexPaths(["a.txt", "b.txt"], { index, cwd: folder, modelFolder: tinyModel, threads: 1 });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A version whose vectors no thread shares. */
const at = (atLeastVersion: number): NewestVersion => ({ atLeastVersion, vectors: new Map() });

/** Everything in a result except times. */
const comparable = ({ answers, passages, question, strategy, reading }: AskResult) => ({
  ...{ answers, passages, question, strategy },
  read: reading?.passages,
});

async function withThreads(
  setup: Partial<AnsweringSetup>,
  work: (threads: AnswerThreads) => Promise<void>,
  count = 1,
): Promise<void> {
  const threads = new AnswerThreads({
    setup: { index, modelFolder: tinyModel, served: nothing, ...setup },
    threads: count,
  });
  try {
    await work(threads);
  } finally {
    await threads.close();
  }
}

describe("answering threads", () => {
  it("give the same answers as this thread, concurrently, and move to a new version", async () => {
    const encoder = await openEncoder({ modelFolder: tinyModel, threads: 1 });
    const here = await openIndex({ path: index, encoder });
    await withThreads(
      {},
      async (threads) => {
        await threads.refresh(at(here.version));
        const together = await Promise.all([...QUESTIONS, ...QUESTIONS].map((question) => threads.ask(question)));
        for (const [i, question] of [...QUESTIONS, ...QUESTIONS].entries()) {
          expect(comparable(together[i]!)).toEqual(comparable(await here.ask(question)));
        }
        writeFileSync(join(folder, "c.txt"), "The lighthouse was painted by Karl Voss in 1870.");
        await indexPaths(["c.txt"], { index, cwd: folder, modelFolder: tinyModel, threads: 1 });
        const version = await here.refresh();
        await threads.refresh(at(version));
        const question = "who painted the lighthouse?";
        for (const result of await Promise.all([threads.ask(question), threads.ask(question)])) {
          expect(comparable(result)).toEqual(comparable(await here.ask(question)));
          expect(result.answers.map(({ documentId }) => documentId)).toContain("c.txt");
        }
      },
      2,
    );
    await here.close();
    await encoder.close();
  });

  it("scan vectors that are in memory once, in every thread and version", async () => {
    const own = join(folder, "shared.index");
    const index = async (...paths: string[]): Promise<void> => {
      await indexPaths(paths, { index: own, cwd: folder, modelFolder: tinyModel, threads: 1 });
    };
    await index("a.txt", "b.txt");
    const encoder = await openEncoder({ modelFolder: tinyModel, threads: 1 });
    const here = await openIndex({ path: own, encoder });
    const snapshots = new NewestSnapshot(new FileStorage(own));
    const pages = ({ memory }: SharedRows): number => memory.buffer.byteLength / 65_536;
    const load = async (known: SharedVectors): Promise<SharedVectors> => {
      await snapshots.refresh();
      const snapshot = snapshots.hold()!;
      const vectors = await loadVectors(snapshot.value, known);
      await snapshot.release();
      return vectors;
    };
    await withThreads(
      { index: own },
      async (threads) => {
        const first = await load(new Map());
        const [rows] = [...first.values()];
        const before = pages(rows!);
        await threads.refresh({ atLeastVersion: 1, vectors: first });
        const ask = () => Promise.all(QUESTIONS.map((question) => threads.ask(question)));
        const expected = () => Promise.all(QUESTIONS.map((question) => here.ask(question)));
        expect((await ask()).map(comparable)).toEqual((await expected()).map(comparable));
        expect(pages(rows!)).toBe(before + 3); // each thread has a page of its own
        writeFileSync(join(folder, "e.txt"), "The mill was built by Rosa Thorn in 1902.");
        await index("e.txt");
        const version = await here.refresh();
        const second = await load(first);
        expect([...second.values()][0]).toBe(rows);
        expect(second.size).toBe(2);
        await threads.refresh({ atLeastVersion: version, vectors: second });
        expect((await ask()).map(comparable)).toEqual((await expected()).map(comparable));
        expect(pages(rows!)).toBe(before + 3);
        expect(pages([...second.values()][1]!)).toBe(before + 3);
        for (const { memory } of second.values()) new Int8Array(memory.buffer, 0, 64).fill(127); // no thread has a copy
        expect((await ask()).map(comparable)).not.toEqual((await expected()).map(comparable));
      },
      3,
    );
    await snapshots.close();
    await here.close();
    await encoder.close();
  });

  it("load vectors themselves that could not be shared, and report damage", async () => {
    const own = join(folder, "torn.index");
    await indexPaths(["a.txt"], { index: own, cwd: folder, modelFolder: tinyModel, threads: 1 });
    const file = readdirSync(own).find((name) => name.endsWith(".vectors"))!;
    const bytes = readFileSync(join(own, file));
    bytes[64]! ^= 1;
    writeFileSync(join(own, file), bytes);
    const snapshots = new NewestSnapshot(new FileStorage(own));
    await snapshots.refresh();
    const snapshot = snapshots.hold()!;
    const vectors = await loadVectors(snapshot.value, new Map());
    expect(vectors.size).toBe(0);
    await snapshot.release();
    await withThreads({ index: own }, async (threads) => {
      await threads.refresh({ atLeastVersion: 1, vectors });
      await expect(threads.ask(QUESTIONS[0]!)).rejects.toMatchObject({ code: "corrupt-segment" });
    });
    await snapshots.close();
  });

  it("read with a reader of their own, and stream the answers so far", async () => {
    const encoder = await openEncoder({ modelFolder: tinyModel, threads: 1 });
    const reader = await openReader({ folder: tinyReader, model: encoder.model, threads: 1 });
    const here = await openIndex({ path: index, encoder, reader });
    await withThreads({ reader: { folder: tinyReader, info: reader.info } }, async (threads) => {
      await threads.refresh(at(1));
      const options = { reader: "on", advanced: { readerPassages: 3 } } as const;
      for (const question of QUESTIONS) {
        const result = await threads.ask(question, options);
        expect(result.reading!.passages).toBeGreaterThan(1); // several batches, until no other passage can win
        expect(comparable(result)).toEqual(comparable(await here.ask(question, options)));
      }
      const steps: AskResult[] = [];
      for await (const step of threads.askStream(QUESTIONS[0]!, options)) steps.push(step);
      const expected: AskResult[] = [];
      for await (const step of here.askStream(QUESTIONS[0]!, options)) expected.push(step);
      expect(steps.length).toBeGreaterThan(2);
      expect(steps.map(comparable)).toEqual(expected.map(comparable));
      for await (const step of threads.askStream(QUESTIONS[0]!, options)) {
        expect(step.answers.length).toBeGreaterThan(0);
        break; // a caller that leaves early holds up no other
      }
      expect((await threads.ask(QUESTIONS[1]!)).question).toBe(QUESTIONS[1]);
    });
    await here.close();
    await reader.close();
    await encoder.close();
  });

  it("filter by the folder that callers see, and by no path of the server", async () => {
    const notes = join(folder, "notes");
    const cwd = join(folder, "work");
    for (const made of [notes, cwd]) mkdirSync(made);
    writeFileSync(join(notes, "d.txt"), "The quay was closed by Ada Quill.");
    const own = join(folder, "own.index");
    await indexPaths([notes], { index: own, cwd, modelFolder: tinyModel, threads: 1 });
    await withThreads({ index: own, served: { paths: [notes], cwd } }, async (threads) => {
      await threads.refresh(at(1));
      const found = async (where: string): Promise<number[]> => {
        const options = { where, minConfidence: 0 };
        const counts = [(await threads.ask("who closed the quay?", options)).answers.length];
        for await (const { answers } of threads.askStream("who closed the quay?", options)) counts.push(answers.length);
        return counts;
      };
      expect((await found('folder = "notes"')).every((count) => count > 0)).toBe(true);
      expect(new Set(await found(`folder = "${notes}" or source contains "${folder}"`))).toEqual(new Set([0]));
    });
  });

  it("report a damaged reader by its code, and answer other questions", async () => {
    const encoder = await openEncoder({ modelFolder: tinyModel, threads: 1 });
    const { info } = await openReader({ folder: tinyReader, model: encoder.model });
    const damaged = join(folder, "damaged-reader");
    cpSync(tinyReader, damaged, { recursive: true });
    writeFileSync(join(damaged, "reader.onnx"), "no network");
    await withThreads({ reader: { folder: damaged, info } }, async (threads) => {
      await threads.refresh(at(1));
      await expect(threads.ask(QUESTIONS[0]!, { reader: "on" })).rejects.toMatchObject({ code: "model-missing" });
      expect((await threads.ask(QUESTIONS[0]!, { reader: "off" })).answers.length).toBeGreaterThan(0);
    });
    await encoder.close();
  });

  it("keep the errors of the engine, and stop when the caller does", async () => {
    await withThreads({}, async (threads) => {
      await expect(threads.ask("who?")).rejects.toMatchObject({ code: "invalid-argument" });
      await threads.refresh(at(1));
      const where = threads.ask("who?", { where: "year >" });
      await expect(where).rejects.toMatchObject({ code: "invalid-argument", hint: expect.any(String) });
      await expect(threads.ask("who?", { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: "aborted" });
      const stop = new AbortController();
      const stopped = threads.ask("who?", { signal: stop.signal });
      stop.abort();
      await expect(stopped).rejects.toMatchObject({ code: "aborted" });
      expect((await threads.ask("who?")).question).toBe("who?");
    });
    const nowhere = new AnswerThreads({
      setup: { index: join(folder, "no.index"), modelFolder: tinyModel, served: nothing },
      threads: 1,
    });
    await expect(nowhere.refresh(at(1))).rejects.toMatchObject({ code: "index-missing" });
    await nowhere.close();
  });
});

/** A thread that answers what the test wants it to. */
class FakeThread extends EventEmitter {
  readonly heard: Request[] = [];
  postMessage(message: Request): void {
    this.heard.push(message);
    if (message.rpc === "call" && message.method === "refresh") {
      queueMicrotask(() => this.say({ rpc: "result", id: message.id, result: undefined }));
    }
    if (message.rpc === "close") queueMicrotask(() => this.emit("exit", 0));
  }
  say(message: Reply): void {
    this.emit("message", message);
  }
  calls(method: string): (Request & { rpc: "call" })[] {
    return this.heard.filter((message) => message.rpc === "call").filter((call) => call.method === method);
  }
  ref(): void {}
  unref(): void {}
  async terminate(): Promise<number> {
    return 0;
  }
}

describe("a thread that is lost", () => {
  const started: FakeThread[] = [];
  const start = (): Worker => {
    const thread = new FakeThread();
    started.push(thread);
    return thread as unknown as Worker;
  };

  it("fails its own questions, and is replaced", async () => {
    const threads = new AnswerThreads({
      setup: { index, modelFolder: undefined, served: nothing },
      threads: 2,
      start,
    });
    await threads.refresh(at(3));
    const [first, second] = started;
    const one = threads.ask("one?");
    const two = threads.ask("two?");
    await vi.waitFor(() => expect(second!.calls("ask")).toHaveLength(1), patience);
    first!.emit("error", new Error("out of memory"));
    first!.emit("exit", 1);
    await expect(one).rejects.toThrow("out of memory");
    expect(started).toHaveLength(3);
    const refreshed = [expect.objectContaining({ params: at(3) })];
    await vi.waitFor(() => expect(started[2]!.calls("refresh")).toEqual(refreshed), patience);
    const [asked] = second!.calls("ask");
    second!.say({ rpc: "result", id: asked!.id, result: { question: "two?" } });
    expect((await two).question).toBe("two?");
    await threads.close();
    expect(started).toHaveLength(3);
  });

  it("is not replaced if it never had an index open", async () => {
    started.length = 0;
    const threads = new AnswerThreads({
      setup: { index, modelFolder: undefined, served: nothing },
      threads: 1,
      start,
    });
    const refreshing = threads.refresh(at(1));
    started[0]!.emit("error", new Error("no such module"));
    await expect(refreshing).rejects.toThrow("no such module");
    expect(started).toHaveLength(1);
    await expect(threads.ask("who?")).rejects.toMatchObject({ code: "invalid-argument" });
    await threads.refresh(at(1));
    expect(started).toHaveLength(2);
    await threads.close();
  });
});
