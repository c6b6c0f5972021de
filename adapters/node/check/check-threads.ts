/** "Is this index whole?", with every core: the same check as `checkIndex`, its parts spread over threads. */

import { createHash } from "node:crypto";
import { availableParallelism } from "node:os";
import type { Worker } from "node:worker_threads";
import { throwIfAborted } from "../../../src/errors.js";
import {
  type CheckHelpers,
  type CheckOptions,
  type CheckReport,
  checkIndex,
} from "../../../src/index/maintain/check.js";
import type { CheckFindings, CheckHooks, CheckJob } from "../../../src/index/maintain/check-job.js";
import { IndexProblem } from "../../../src/index/maintain/check-problem.js";
import { FileStorage } from "../storage/file-storage.js";
import { carriedError } from "../threads/serialized-error.js";
import { startWorker } from "../threads/start-worker.js";
import type { CheckReply, CheckSetup } from "./check-protocol.js";

/** Each holds one segment's tables and a megabyte of a file; beyond so many the disk is what is waited for. */
const MOST_THREADS = 8;

/**
 * @param folder  of the index
 * @param options.threads  1…; default: one a core, at most 8
 * @throws VerbatimError as `checkIndex`
 */
export async function checkFolder(
  folder: string,
  options: Omit<CheckOptions, "helpers" | "sha256"> & { threads?: number } = {},
): Promise<CheckReport> {
  const { threads = Math.min(MOST_THREADS, availableParallelism()), ...rest } = options;
  const storage = new FileStorage(folder);
  if (threads < 2) return checkIndex(storage, { ...rest, sha256: () => createHash("sha256") });
  const helpers = new CheckThreads(folder, threads);
  try {
    return await checkIndex(storage, { ...rest, helpers });
  } finally {
    await helpers.close();
  }
}

const YOUNG_MEGABYTES = 64;

interface Task {
  job: CheckJob;
  hooks: CheckHooks;
  resolve: (findings: CheckFindings) => void;
  reject: (error: unknown) => void;
}

type Kind = CheckJob["part"]["kind"];

class CheckThreads implements CheckHelpers {
  readonly #folder: string;
  readonly #most: number;
  readonly #idle: Worker[] = [];
  readonly #all: Worker[] = [];
  /** What each thread does now or did last. */
  readonly #kinds = new Map<Worker, Kind>();
  readonly #waiting: Task[] = [];
  #closed = false;

  constructor(folder: string, most: number) {
    this.#folder = folder;
    this.#most = most;
  }

  run(job: CheckJob, hooks: CheckHooks): Promise<CheckFindings> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ job, hooks, resolve, reject });
      this.#next();
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(this.#all.map((worker) => worker.terminate()));
  }

  #next(): void {
    if (this.#closed || this.#waiting.length === 0) return;
    const worker = this.#idle.pop() ?? (this.#all.length < this.#most ? this.#start() : undefined);
    if (worker) this.#give(worker, this.#choose(worker));
  }

  /**
   * A thread goes on with what it does: code that is new to it runs several times slower until it is compiled, half a second of work in
   * all. Else it begins what nobody else is at.
   */
  #choose(worker: Worker): Task {
    const mine = this.#kinds.get(worker);
    const others = new Set(this.#all.flatMap((other) => (other === worker ? [] : [this.#kinds.get(other)])));
    const first = (wanted: (kind: Kind) => boolean): number =>
      this.#waiting.findIndex(({ job }) => wanted(job.part.kind));
    const at = [first((kind) => kind === mine), first((kind) => !others.has(kind)), 0].find((place) => place >= 0)!;
    const [task] = this.#waiting.splice(at, 1);
    this.#kinds.set(worker, task!.job.part.kind);
    return task!;
  }

  #start(): Worker {
    const worker = startWorker("check-worker", import.meta.url, {
      workerData: { folder: this.#folder } satisfies CheckSetup,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MEGABYTES }, // what is read is looked at once: fewer, emptier collections
    });
    this.#all.push(worker);
    return worker;
  }

  #give(worker: Worker, { job, hooks, resolve, reject }: Task): void {
    const { signal, onBytes } = hooks;
    const done = (): void => {
      worker.off("message", hear).off("error", fail);
      signal?.removeEventListener("abort", stop);
    };
    const fail = (error: unknown): void => {
      done();
      reject(error);
    };
    const stop = (): void => {
      try {
        throwIfAborted(signal);
      } catch (error) {
        fail(error); // the thread ends with `close`
      }
    };
    const hear = (reply: CheckReply): void => {
      if (reply.kind === "bytes") {
        onBytes(reply.bytes);
        return;
      }
      done();
      this.#idle.push(worker);
      if (reply.kind === "error") reject(carriedError(reply.error));
      else {
        const problems = reply.findings.problems.map(
          ({ file, what, section, block }) => new IndexProblem(file, what, { section, block }),
        );
        resolve({ ...reply.findings, problems });
      }
      this.#next();
    };
    worker.on("message", hear).on("error", fail);
    signal?.addEventListener("abort", stop, { once: true });
    if (signal?.aborted) stop();
    else worker.postMessage(job);
  }
}
