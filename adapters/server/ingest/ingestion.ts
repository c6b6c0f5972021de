/**
 * Changes on their way into the index: queued here, applied in order by the indexing process,
 * visible after each commit.
 */

import type { VerbatimError } from "../../../src/errors.js";
import type { Limits } from "../http/limits.js";
import type { Log } from "../http/log.js";
import type { PathRedactor } from "../http/path-redactor.js";
import { toProblem } from "../http/problems.js";
import type { IndexingView, JobView } from "../http/schemas.js";
import { untilAborted } from "../until-aborted.js";
import { failureOf } from "./failure.js";
import { Follower } from "./follower.js";
import { Indexer } from "./indexer.js";
import { hasEnded, type Job } from "./job.js";
import { JobQueue } from "./job-queue.js";
import { causedByExit, JobResults, PROCESS_ENDED } from "./job-results.js";
import type { ApplyEvent, Change, Failure, IngestSetup } from "./protocol.js";
import { UploadFolder } from "./upload-folder.js";

/**
 * Milliseconds in which a cancelled job must end; then its process is killed. Files that were
 * indexed are committed first, which takes time; of an upload, only what it had committed is kept.
 */
const CANCEL_MS = { paths: 5000, put: 2000, upload: 2000, delete: 2000 };
const KILLED_TITLE = "A change was cancelled and did not stop in time, so the indexing process was restarted.";

interface IngestionParts {
  setup: IngestSetup;
  limits: Pick<Limits, "maxJobs" | "maxJobBytes" | "stopMs">;
  redactor: PathRedactor;
  log: Log;
  /** Makes what was committed visible to questions. */
  refresh: () => Promise<unknown>;
  /** Default: in the system's folder for temporary files. */
  uploads?: UploadFolder;
}

export class Ingestion {
  readonly #parts: IngestionParts;
  readonly #indexer: Indexer;
  readonly #uploads: UploadFolder;
  readonly #jobs: JobQueue;
  readonly #results: JobResults;
  readonly #followers = new Set<Follower>();
  #running = false;
  #stopping = false;
  #restarts = 0;
  /** The cancelled job that the process was killed for. */
  #killedFor: Job | undefined;
  #lastFailure: { at: string; title: string } | undefined;

  constructor(parts: IngestionParts) {
    this.#parts = parts;
    this.#jobs = new JobQueue(parts.limits);
    this.#uploads = parts.uploads ?? new UploadFolder();
    this.#results = new JobResults({ ...parts, jobs: this.#jobs, uploads: this.#uploads });
    this.#indexer = new Indexer({ setup: parts.setup, onLost: (error, stderr) => this.#lost(error, stderr) });
  }

  /** Number of jobs that are waiting or running. */
  get openJobCount(): number {
    return this.#jobs.open.length;
  }

  /** Jobs that are waiting or running, in order. */
  get openJobs(): JobView[] {
    return this.#jobs.open.map(({ view }) => view);
  }

  get status(): IndexingView {
    const states = [...this.#followers].map(({ state }) => state);
    const following = states.includes("interrupted") ? "interrupted" : (states[0] ?? "off");
    const failure = this.#lastFailure === undefined ? {} : { lastFailure: this.#lastFailure };
    return { following, restarts: this.#restarts, ...failure };
  }

  /** For tests and operators: the process that writes. Undefined while none runs. */
  get indexerPid(): number | undefined {
    return this.#indexer.pid;
  }

  job(id: string): JobView | undefined {
    return this.#jobs.find(id)?.view;
  }

  /** Removes what servers that were killed have left behind. */
  async removeLeftovers(): Promise<void> {
    const folders = await this.#uploads.removeLeftovers();
    if (folders > 0) this.#parts.log("info", "left-over uploads removed", { folders });
  }

  /**
   * Receives an uploaded file, a chunk at a time, and submits it. A file that is not submitted is
   * removed.
   * @throws Problem 429 when too much waits, 503 when the server stops; VerbatimError
   *   `out-of-space`; what `chunks` throws
   */
  async upload(name: string, chunks: AsyncIterable<Uint8Array>): Promise<JobView> {
    const stored = await this.#jobs.counting(chunks, (counted) => this.#uploads.store(counted));
    try {
      return this.submit({ kind: "upload", name, ...stored });
    } catch (error) {
      await this.#uploads.remove(stored.path);
      throw error;
    }
  }

  /** @throws Problem 429 when too much waits, 503 when the server stops */
  submit(change: Change): JobView {
    const job = this.#jobs.newJob(change);
    this.#jobs.add(job);
    if (!this.#running) void this.#runAll();
    return job.view;
  }

  /**
   * A waiting job ends at once. A running one ends soon: what it has completed is committed. Paths
   * are not followed any more.
   * @returns undefined for an unknown job
   */
  cancel(id: string): JobView | undefined {
    const job = this.#jobs.find(id);
    if (job === undefined || hasEnded(job.view)) return job?.view;
    job.cancelled = true;
    if (job.view.state === "waiting") this.#results.end(job, "stopped");
    else this.#cancelRunning(job, CANCEL_MS[job.change.kind]);
    return job.view;
  }

  /** Resolves when the job has ended, successfully or not, or the signal fires. */
  async settled(id: string, signal?: AbortSignal): Promise<void> {
    const settled = this.#jobs.find(id)?.settled;
    await (signal === undefined ? settled : Promise.race([settled, untilAborted(signal)]));
  }

  /**
   * Cancels all jobs and ends the process. A job that does not end within `limits.stopMs` is
   * killed: what it has not committed is lost.
   */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#jobs.close();
    const until = performance.now() + this.#parts.limits.stopMs;
    const running: Promise<void>[] = [];
    for (const follower of this.#followers) running.push(follower.stop());
    for (const job of this.#jobs.open) {
      job.cancelled = true;
      if (job.view.state === "waiting") this.#results.end(job, "stopped");
      else {
        this.#cancelRunning(job, this.#parts.limits.stopMs);
        running.push(job.settled);
      }
    }
    const timer = setTimeout(() => this.#indexer.kill(), this.#parts.limits.stopMs);
    await Promise.all(running);
    clearTimeout(timer);
    await this.#indexer.stop(Math.max(500, until - performance.now()));
    await this.#uploads.close();
  }

  async #runAll(): Promise<void> {
    this.#running = true;
    for (let job = this.#jobs.first; job !== undefined; job = this.#jobs.first) {
      job.view.state = "running";
      const { change } = job;
      if (change.kind === "paths" && change.follow) await this.#follow(job, change.paths);
      else await this.#apply(job);
    }
    this.#running = false;
  }

  async #apply(job: Job): Promise<void> {
    try {
      const call = { job: job.number, change: job.change };
      const onProgress = (event: ApplyEvent): void => this.#receive(job, event);
      await this.#results.done(job, await this.#indexer.client().call("apply", call, { onProgress }));
    } catch (error) {
      this.#results.failed(job, error);
    }
  }

  #receive(job: Job, event: ApplyEvent): void {
    if (event.kind === "progress") this.#results.progress(job, event.progress);
    else this.#logFailedMerge(event.failure);
  }

  #logFailedMerge({ code, message, hint }: Failure): void {
    this.#parts.log("warn", "merge failed", { code, error: message, hint });
  }

  /** @returns when the paths are indexed, or could not be; they are followed from then on */
  #follow(job: Job, paths: string[]): Promise<void> {
    const { log } = this.#parts;
    let done: Promise<void> | undefined;
    const follower = new Follower(
      this.#indexer,
      { job, paths },
      {
        onProgress: (progress) => this.#results.progress(job, progress),
        onRound: (outcome) => {
          if (done === undefined && !hasEnded(job.view)) done = this.#results.done(job, outcome);
          else void this.#results.followed(outcome);
        },
        onMergeFailed: (failure) => this.#logFailedMerge(failure),
        onLocked: ({ code, message }) => log("warn", "waiting for another writer", { code, error: message }),
        onInterrupted: (error, retryInSeconds) => {
          if (!hasEnded(job.view)) this.#results.failed(job, error);
          const { code, message, hint } = failureOf(error);
          if (!causedByExit(error)) this.#note(toProblem(error).document.title); // else `#lost` has noted why
          log("error", "following interrupted", { code, error: message, hint, retryInSeconds });
        },
        onResumed: () => log("info", "following resumed"),
      },
    );
    this.#followers.add(follower);
    void follower.run().then(async () => {
      this.#followers.delete(follower);
      await done;
      if (!hasEnded(job.view)) this.#results.end(job, "stopped");
    });
    return job.settled;
  }

  /** @param deadlineMs  after which the process is killed */
  #cancelRunning(job: Job, deadlineMs: number): void {
    for (const follower of this.#followers) if (follower.job === job) void follower.stop();
    const timer = setTimeout(() => {
      this.#killedFor = job;
      this.#indexer.kill();
    }, deadlineMs);
    this.#indexer
      .client()
      .call("cancel", job.number)
      .catch(() => {}); // the process has died, and with it the job
    void job.settled.then(() => clearTimeout(timer));
  }

  /**
   * The job that was running fails, paths are followed again, and what waits is applied by another
   * process.
   */
  #lost(error: VerbatimError, stderr: string): void {
    const cancelled = this.#killedFor;
    this.#killedFor = undefined;
    if (this.#stopping) return;
    if (cancelled !== undefined) {
      this.#note(KILLED_TITLE);
      this.#parts.log("warn", "cancelled job killed", { job: cancelled.view.id, kind: cancelled.view.kind });
      return;
    }
    this.#restarts++;
    this.#note(PROCESS_ENDED.title);
    this.#parts.log("error", "indexing process ended", { error: error.message, ...(stderr === "" ? {} : { stderr }) });
  }

  #note(title: string): void {
    this.#lastFailure = { at: new Date().toISOString(), title };
  }
}
