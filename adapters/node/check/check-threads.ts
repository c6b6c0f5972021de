/**
 * Checks an index on several cores: the same check as `checkIndex`, its parts spread over worker
 * threads.
 */

import { createHash } from "node:crypto";
import { availableParallelism } from "node:os";
import {
  type CheckHelpers,
  type CheckOptions,
  type CheckReport,
  checkIndex,
} from "../../../src/index/maintain/check.js";
import type { CheckFindings, CheckHooks, CheckJob } from "../../../src/index/maintain/check-job.js";
import { IndexProblem } from "../../../src/index/maintain/check-problem.js";
import { RpcClient } from "../../rpc/client.js";
import { FileStorage } from "../storage/file-storage.js";
import { workerEndpoint } from "../threads/endpoints.js";
import { startWorker } from "../threads/start-worker.js";
import type { CheckService, CheckSetup } from "./check-service.js";

/**
 * Each thread holds one segment's tables and a megabyte of a file; more threads would only wait for
 * the disk.
 */
const MAX_THREADS = 8;

/**
 * @param folder  the index's folder
 * @param options.threads  1…; default: one per core, at most 8
 * @throws VerbatimError as `checkIndex`
 */
export async function checkFolder(
  folder: string,
  options: Omit<CheckOptions, "helpers" | "sha256"> & { threads?: number } = {},
): Promise<CheckReport> {
  const { threads = Math.min(MAX_THREADS, availableParallelism()), ...rest } = options;
  const storage = new FileStorage(folder);
  if (threads < 2) return checkIndex(storage, { ...rest, sha256: () => createHash("sha256") });
  const helpers = new CheckThreads(folder, threads);
  try {
    return await checkIndex(storage, { ...rest, helpers });
  } finally {
    await helpers.close();
  }
}

/**
 * What is read is used once: a large young generation means fewer collections, and emptier ones.
 */
const YOUNG_GENERATION_MB = 64;

interface Task {
  job: CheckJob;
  hooks: CheckHooks;
  resolve: (findings: CheckFindings) => void;
  reject: (error: unknown) => void;
}

interface Thread {
  client: RpcClient<CheckService>;
  /** What the thread does now, or did last. */
  kind: CheckJob["part"]["kind"] | undefined;
}

class CheckThreads implements CheckHelpers {
  readonly #folder: string;
  readonly #maxThreads: number;
  readonly #idle: Thread[] = [];
  readonly #all: Thread[] = [];
  readonly #waiting: Task[] = [];
  #closed = false;

  constructor(folder: string, maxThreads: number) {
    this.#folder = folder;
    this.#maxThreads = maxThreads;
  }

  run(job: CheckJob, hooks: CheckHooks): Promise<CheckFindings> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ job, hooks, resolve, reject });
      this.#next();
    });
  }

  /** Terminates the threads, even in the middle of a part. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(this.#all.map(({ client }) => client.terminate()));
  }

  #next(): void {
    if (this.#closed || this.#waiting.length === 0) return;
    const thread = this.#idle.pop() ?? (this.#all.length < this.#maxThreads ? this.#start() : undefined);
    if (thread) void this.#do(this.#choose(thread), thread);
  }

  /**
   * A thread continues with the kind of work that it did before: code that is new to it runs
   * several times slower until it is compiled, half a second of work in all. Otherwise it begins
   * what no other thread does.
   */
  #choose(thread: Thread): Task {
    const others = new Set(this.#all.flatMap((other) => (other === thread ? [] : [other.kind])));
    const first = (wanted: (kind: Thread["kind"]) => boolean): number =>
      this.#waiting.findIndex(({ job }) => wanted(job.part.kind));
    const at = [first((kind) => kind === thread.kind), first((kind) => !others.has(kind)), 0].find((n) => n >= 0)!;
    const [task] = this.#waiting.splice(at, 1);
    thread.kind = task!.job.part.kind;
    return task!;
  }

  #start(): Thread {
    const worker = startWorker("check-worker", import.meta.url, {
      workerData: { folder: this.#folder } satisfies CheckSetup,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
    });
    const thread: Thread = { client: new RpcClient(workerEndpoint(worker), { name: "the check" }), kind: undefined };
    this.#all.push(thread);
    return thread;
  }

  async #do({ job, hooks, resolve, reject }: Task, thread: Thread): Promise<void> {
    try {
      const findings = await thread.client.call("check", job, { signal: hooks.signal, onProgress: hooks.onBytes });
      const problems = findings.problems.map(
        ({ file, what, section, block }) => new IndexProblem(file, what, { section, block }),
      );
      resolve({ ...findings, problems });
    } catch (error) {
      reject(error);
    }
    this.#idle.push(thread);
    this.#next();
  }
}
