/** The jobs of a server: the waiting ones in order, the ones that ended recently, and room for more. */

import type { Limits } from "../http/limits.js";
import { Problem } from "../http/problems.js";
import { type Job, newJob } from "./job.js";
import type { Change } from "./protocol.js";

/** Ended jobs that can still be looked up. */
const MAX_ENDED_JOBS = 1000;

export class JobQueue {
  readonly #limits: Pick<Limits, "maxJobs" | "maxJobBytes">;
  readonly #jobs = new Map<string, Job>();
  /** Jobs that have not ended, in order; the first one is running. */
  readonly #open = new Map<number, Job>();
  /** Bytes of uploads that are being received. */
  #receiving = 0;
  #nextNumber = 1;
  #closed = false;

  constructor(limits: Pick<Limits, "maxJobs" | "maxJobBytes">) {
    this.#limits = limits;
  }

  /** Jobs that have not ended, in order. */
  get open(): Job[] {
    return [...this.#open.values()];
  }

  get first(): Job | undefined {
    const { value } = this.#open.values().next();
    return value;
  }

  find(id: string): Job | undefined {
    return this.#jobs.get(id);
  }

  /** The change as a job that is not in the queue yet. */
  newJob(change: Change): Job {
    return newJob(this.#nextNumber++, change);
  }

  /** @throws Problem as `requireRoom` */
  add(job: Job): void {
    this.requireRoom(job.bytes);
    this.#jobs.set(job.view.id, job);
    this.#open.set(job.number, job);
    for (const [id, { number }] of this.#jobs) {
      if (this.#jobs.size <= MAX_ENDED_JOBS) break;
      if (!this.#open.has(number)) this.#jobs.delete(id);
    }
  }

  /** The job has ended; it can still be looked up. */
  end(job: Job): void {
    this.#open.delete(job.number);
  }

  /** Accepts nothing from now on. */
  close(): void {
    this.#closed = true;
  }

  /** Passes an upload's chunks on while there is room for them. @throws Problem as `requireRoom` */
  async counting<T>(
    chunks: AsyncIterable<Uint8Array>,
    store: (counted: AsyncIterable<Uint8Array>) => Promise<T>,
  ): Promise<T> {
    this.requireRoom(0);
    let received = 0;
    const counted = async function* (this: JobQueue): AsyncGenerator<Uint8Array> {
      for await (const chunk of chunks) {
        this.requireRoom(chunk.length);
        received += chunk.length;
        this.#receiving += chunk.length;
        yield chunk;
      }
    };
    try {
      return await store(counted.call(this));
    } finally {
      this.#receiving -= received;
    }
  }

  /** @throws Problem 429 when too much waits, 503 when the server stops */
  requireRoom(bytes: number): void {
    const { maxJobs, maxJobBytes } = this.#limits;
    if (this.#closed) throw new Problem(503, "stopping", { title: "The server is stopping." });
    const queued = this.open.reduce((sum, job) => sum + job.bytes, this.#receiving);
    if (this.#open.size < maxJobs && queued + bytes <= maxJobBytes) return;
    throw new Problem(429, "too-busy", {
      title: "Too many changes are waiting.",
      hint: "Send it again when some of them are done.",
      headers: { "Retry-After": "5" },
    });
  }
}
