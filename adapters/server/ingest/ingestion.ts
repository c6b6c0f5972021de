/** Changes on their way into the index: taken in order by one thread, told of while they run, seen by questions after each commit. */

import { randomUUID } from "node:crypto";
import type { Worker } from "node:worker_threads";
import { VerbatimError } from "../../../src/errors.js";
import { startWorker } from "../../node/threads/start-worker.js";
import type { Log } from "../http/log.js";
import type { PathRedactor } from "../http/path-redactor.js";
import { Problem, toProblem } from "../http/problems.js";
import type { JobView } from "../http/schemas.js";
import type { Change, Failure, IngestReply, IngestRequest, IngestSetup, Outcome, Skip } from "./protocol.js";

/** Jobs that are done and can still be asked after. */
const REMEMBERED = 1000;
/** While a long job runs, what it has committed is looked for so often, in milliseconds. */
const REFRESH_EVERY_MS = 1000;

interface Job {
  number: number;
  view: JobView;
  bytes: number;
  settled: Promise<void>;
  settle: () => void;
}

export interface IngestionParts {
  setup: IngestSetup;
  limits: { maxJobs: number; maxJobBytes: number };
  redactor: PathRedactor;
  log: Log;
  /** Lets questions see what was committed. */
  refresh: () => Promise<unknown>;
}

export class Ingestion {
  readonly #parts: IngestionParts;
  readonly #jobs = new Map<string, Job>();
  readonly #open = new Map<number, Job>();
  #worker: Worker | undefined;
  #nextNumber = 1;
  #stopping = false;
  #refreshedAt = 0;

  constructor(parts: IngestionParts) {
    this.#parts = parts;
  }

  /** Jobs that are not done. */
  get waiting(): number {
    return this.#open.size;
  }

  /** Those that are not done, in order. */
  get openJobs(): JobView[] {
    return [...this.#open.values()].map(({ view }) => view);
  }

  job(id: string): JobView | undefined {
    return this.#jobs.get(id)?.view;
  }

  /** @throws Problem 429 when too much waits, 503 when the server stops */
  submit(change: Change): JobView {
    const { maxJobs, maxJobBytes } = this.#parts.limits;
    const bytes = sizeOf(change);
    const queued = [...this.#open.values()].reduce((sum, job) => sum + job.bytes, 0);
    if (this.#stopping) throw new Problem(503, "stopping", { title: "The server is stopping." });
    if (this.#open.size >= maxJobs || queued + bytes > maxJobBytes) {
      throw new Problem(429, "too-busy", {
        title: "Too many changes wait already.",
        hint: "Send it again when some are done.",
        headers: { "Retry-After": "5" },
      });
    }
    const job = newJob(this.#nextNumber++, change.kind, bytes);
    this.#jobs.set(job.view.id, job);
    this.#open.set(job.number, job);
    for (const [id, { number }] of this.#jobs) {
      if (this.#jobs.size <= REMEMBERED) break;
      if (!this.#open.has(number)) this.#jobs.delete(id);
    }
    if (this.#open.size === 1) job.view.state = "running";
    const worker = this.#startWorker();
    worker.ref();
    worker.postMessage({ kind: "run", id: job.number, change } satisfies IngestRequest);
    return job.view;
  }

  /** Fulfilled when the job has ended, well or not, or the signal fires. */
  async settled(id: string, signal: AbortSignal): Promise<void> {
    const job = this.#jobs.get(id);
    if (job === undefined || signal.aborted) return;
    await Promise.race([
      job.settled,
      new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true })),
    ]);
  }

  /** Ends the job under way cleanly (what is complete is committed), those that wait fail; then the thread ends. */
  async stop(): Promise<void> {
    this.#stopping = true;
    const worker = this.#worker;
    if (worker === undefined) return;
    const ended = new Promise<void>((resolve) => worker.once("exit", () => resolve()));
    worker.ref();
    worker.postMessage({ kind: "stop" } satisfies IngestRequest);
    worker.postMessage({ kind: "close" } satisfies IngestRequest);
    await ended;
  }

  #startWorker(): Worker {
    if (this.#worker !== undefined) return this.#worker;
    const worker = startWorker("worker", import.meta.url, { workerData: this.#parts.setup });
    worker.on("message", (reply: IngestReply) => this.#take(reply));
    const fail = (error: unknown): void => {
      if (this.#worker === worker) this.#worker = undefined; // the next change starts another
      for (const job of [...this.#open.values()]) {
        const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
        this.#failed(job, { code: this.#stopping ? "aborted" : "internal", message, hint: undefined });
      }
    };
    worker.on("error", fail);
    worker.on("exit", (code) => fail(new Error(`The thread that writes ended with status ${code}.`)));
    this.#worker = worker;
    return worker;
  }

  #take(reply: IngestReply): void {
    if (reply.kind === "followed") void this.#followed(reply.outcome);
    else if (reply.kind === "locked" || reply.kind === "lost") {
      const { code, message: error, hint } = reply.failure;
      if (reply.kind === "lost") this.#parts.log("error", "not followed", { code, error, hint });
      else this.#parts.log("warn", "waiting for another writer", { code, error });
    } else this.#takeOf(reply);
  }

  async #followed({ skipped, stopped: _, ...counts }: Outcome): Promise<void> {
    await this.#refresh();
    this.#tellSkipped(skipped);
    this.#parts.log("info", "followed", { ...counts, skipped: skipped.length });
  }

  #tellSkipped(skipped: readonly Skip[]): void {
    for (const skip of skipped) this.#parts.log("debug", "skipped", { ...skip });
  }

  #takeOf(reply: Extract<IngestReply, { id: number }>): void {
    const job = this.#open.get(reply.id);
    if (job === undefined) return;
    if (reply.kind === "failed") this.#failed(job, reply.failure);
    else if (reply.kind === "done") void this.#done(job, reply.outcome);
    else {
      const { share, ...counts } = reply.progress;
      Object.assign(job.view, counts, { state: "running", progress: share });
      this.#parts.log("debug", "progress", { kind: job.view.kind, ...counts, share });
      if (performance.now() - this.#refreshedAt > REFRESH_EVERY_MS) void this.#refresh();
    }
  }

  async #done(job: Job, { stopped, skipped, ...counts }: Outcome): Promise<void> {
    const { redactor, log } = this.#parts;
    await this.#refresh();
    Object.assign(job.view, counts, {
      state: stopped ? "stopped" : "done",
      progress: stopped ? job.view.progress : 1,
      skipped: skipped.map((skip) => ({ ...skip, source: redactor.redact(skip.source) })),
    });
    const { id, kind } = job.view;
    this.#tellSkipped(skipped);
    log("info", "job", { job: id, kind, ...counts, skipped: skipped.length, stopped });
    this.#end(job);
  }

  #failed(job: Job, failure: Failure): void {
    const { code, message, hint } = failure;
    const { document } = toProblem(new VerbatimError(code, message, { hint }));
    job.view.state = code === "aborted" ? "stopped" : "failed";
    job.view.error = { code, title: document.title, ...(document.hint === undefined ? {} : { hint: document.hint }) };
    this.#parts.log(code === "aborted" ? "info" : "error", "job failed", {
      job: job.view.id,
      kind: job.view.kind,
      code,
      error: message,
      hint,
    });
    this.#end(job);
  }

  #end(job: Job): void {
    this.#open.delete(job.number);
    job.settle();
    const next = this.#open.values().next();
    if (!next.done) next.value.view.state = "running";
    else if (!this.#stopping) this.#worker?.unref(); // a stop waits for its end
  }

  async #refresh(): Promise<void> {
    this.#refreshedAt = performance.now();
    try {
      await this.#parts.refresh();
    } catch (error) {
      const { message } = error instanceof Error ? error : { message: String(error) };
      this.#parts.log("error", "refresh failed", { error: message });
    }
  }
}

function newJob(number: number, kind: Change["kind"], bytes: number): Job {
  let settle = (): void => {};
  const settled = new Promise<void>((resolve) => {
    settle = resolve;
  });
  const none = { documents: 0, unchanged: 0, deleted: 0, passages: 0 };
  const view: JobView = { id: randomUUID(), kind, state: "waiting", progress: 0, ...none, skipped: [], version: null };
  return { number, view, bytes, settled, settle };
}

function sizeOf(change: Change): number {
  if (change.kind === "upload") return change.bytes.length;
  if (change.kind === "put") return change.documents.reduce((sum, { text }) => sum + text.length * 2, 0);
  return 0;
}
