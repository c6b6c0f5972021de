/**
 * Limits how much work runs at once. The rest waits in a fair queue, so that a flood of one caller
 * does not delay the others. When too much waits, what would be last is refused.
 */

import { FairQueue, type QueueEntry } from "./fair-queue.js";
import { Problem } from "./problems.js";

interface ConcurrencyLimits {
  concurrency: number;
  maxWaiting: number;
  maxWaitingPerClient: number;
}

interface WorkRequest {
  /** The caller that wants to work. */
  client: string;
  /** Estimated work, compared with a question. Default 1. */
  cost?: number;
  /** Nothing else may run meanwhile: for long work on the thread that all others need. */
  alone?: boolean;
  /** Fires when the caller is gone or its time is up. */
  signal: AbortSignal;
}

interface Waiting extends QueueEntry {
  alone: boolean;
  start: () => void;
  refuse: (problem: Problem) => void;
}

export class ConcurrencyLimiter {
  readonly #limits: ConcurrencyLimits;
  readonly #queue = new FairQueue<Waiting>();
  #running = 0;
  #runsAlone = false;
  #idle: (() => void)[] = [];

  constructor(limits: ConcurrencyLimits) {
    this.#limits = limits;
  }

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#queue.size;
  }

  /**
   * @param work  receives how long it waited, in milliseconds
   * @throws Problem 429 when too much waits, also while it waits; 503 when the signal fires before
   *   its turn; what `work` throws
   */
  async run<T>(request: WorkRequest, work: (waitMs: number) => Promise<T>): Promise<T> {
    const arrived = performance.now();
    const { alone = false } = request;
    if (this.#queue.size === 0 && this.#mayStart(alone)) this.#started(alone);
    else await this.#wait(request);
    try {
      if (request.signal.aborted) throw timedOut();
      return await work(performance.now() - arrived);
    } finally {
      this.#running--;
      this.#runsAlone = false;
      this.#startNext();
    }
  }

  /** Resolves when nothing runs or waits. */
  idle(): Promise<void> {
    if (this.#running === 0 && this.#queue.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  #wait({ client, cost = 1, alone = false, signal }: WorkRequest): Promise<void> {
    this.#makeRoom({ client, cost });
    return new Promise<void>((resolve, reject) => {
      if (signal.aborted) {
        reject(timedOut());
        return;
      }
      const leave = (): void => {
        if (!this.#queue.remove(entry)) return;
        this.#startNext();
        reject(timedOut());
      };
      const entry: Waiting = {
        client,
        cost,
        alone,
        start: () => {
          signal.removeEventListener("abort", leave);
          resolve();
        },
        refuse: (problem) => {
          signal.removeEventListener("abort", leave);
          reject(problem);
        },
      };
      signal.addEventListener("abort", leave, { once: true });
      this.#queue.add(entry);
    });
  }

  /** @throws Problem 429 when there is none */
  #makeRoom(entry: QueueEntry): void {
    const { maxWaiting, maxWaitingPerClient } = this.#limits;
    if (this.#queue.sizeOf(entry.client) >= maxWaitingPerClient) throw tooBusy();
    if (this.#queue.size < maxWaiting) return;
    const displaced = this.#queue.displace(entry);
    if (displaced === undefined) throw tooBusy();
    displaced.refuse(tooBusy());
  }

  #mayStart(alone: boolean): boolean {
    return this.#running < (alone ? 1 : this.#limits.concurrency) && !this.#runsAlone;
  }

  #started(alone: boolean): void {
    this.#running++;
    this.#runsAlone = alone;
  }

  #startNext(): void {
    for (let next = this.#queue.next; next !== undefined && this.#mayStart(next.alone); next = this.#queue.next) {
      this.#queue.take();
      this.#started(next.alone);
      setImmediate(next.start); // lets timers fire and requests be read in between
    }
    this.#resolveIdle();
  }

  #resolveIdle(): void {
    if (this.#running > 0 || this.#queue.size > 0) return;
    const resolvers = this.#idle;
    this.#idle = [];
    for (const resolve of resolvers) resolve();
  }
}

function tooBusy(): Problem {
  return new Problem(429, "too-busy", {
    title: "Too many requests are waiting.",
    hint: "Wait the number of seconds in Retry-After, then try again.",
    headers: { "Retry-After": "1" },
  });
}

export function timedOut(): Problem {
  return new Problem(503, "timeout", {
    title: "The request could not be answered in time.",
    hint: "Try again when the server is less busy.",
    headers: { "Retry-After": "2" },
  });
}
