/**
 * The way of questions to the engine: so many at once, the others wait; callers take turns, so that a batch of one does not keep the
 * others waiting; when too many wait, the next is told to come again.
 */

import { Problem } from "./problems.js";

export interface ConcurrencyLimits {
  concurrency: number;
  maxWaiting: number;
  maxWaitingPerClient: number;
}

interface Waiting {
  start: () => void;
  /** Leaves the queue when its caller has gone. */
  signal: AbortSignal;
}

export class ConcurrencyLimiter {
  readonly #limits: ConcurrencyLimits;
  /** Callers with waiting questions, the next in turn first: Map keeps the order of insertion. */
  readonly #queues = new Map<string, Waiting[]>();
  #running = 0;
  #waiting = 0;
  #idle: (() => void)[] = [];

  constructor(limits: ConcurrencyLimits) {
    this.#limits = limits;
  }

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /**
   * @param client  whose turn it is
   * @returns what `work` gives, and how long it waited, in milliseconds
   * @throws Problem 429 at once when too many wait; 503 when the signal fires before its turn; what `work` throws
   */
  async run<T>(client: string, signal: AbortSignal, work: (waitMs: number) => Promise<T>): Promise<T> {
    const arrived = performance.now();
    if (this.#running < this.#limits.concurrency && this.#waiting === 0) this.#running++;
    else await this.#wait(client, signal);
    try {
      if (signal.aborted) throw timedOut();
      return await work(performance.now() - arrived);
    } finally {
      this.#running--;
      this.#next();
    }
  }

  /** Fulfilled when nothing runs or waits. */
  idle(): Promise<void> {
    if (this.#running === 0 && this.#waiting === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  #wait(client: string, signal: AbortSignal): Promise<void> {
    const { maxWaiting, maxWaitingPerClient } = this.#limits;
    const queue = this.#queues.get(client) ?? [];
    if (this.#waiting >= maxWaiting || queue.length >= maxWaitingPerClient) {
      throw new Problem(429, "too-busy", {
        title: "Too many requests are waiting.",
        hint: "Try again after the seconds of Retry-After.",
        headers: { "Retry-After": "1" },
      });
    }
    return new Promise<void>((resolve, reject) => {
      const leave = (): void => {
        const at = queue.indexOf(entry);
        if (at === -1) return;
        queue.splice(at, 1);
        if (queue.length === 0) this.#queues.delete(client);
        this.#waiting--;
        this.#tellIdle();
        reject(timedOut());
      };
      const entry: Waiting = {
        signal,
        start: () => {
          signal.removeEventListener("abort", leave);
          resolve();
        },
      };
      if (signal.aborted) {
        reject(timedOut());
        return;
      }
      signal.addEventListener("abort", leave, { once: true });
      queue.push(entry);
      this.#queues.set(client, queue);
      this.#waiting++;
    });
  }

  #next(): void {
    const first = this.#queues.entries().next();
    if (first.done) {
      this.#tellIdle();
      return;
    }
    const [client, queue] = first.value;
    const entry = queue.shift()!;
    this.#queues.delete(client);
    if (queue.length > 0) this.#queues.set(client, queue); // to the end: it is the others' turn
    this.#waiting--;
    this.#running++;
    setImmediate(entry.start); // between two questions the loop turns: timers fire, requests are read
  }

  #tellIdle(): void {
    if (this.#running > 0 || this.#waiting > 0) return;
    const told = this.#idle;
    this.#idle = [];
    for (const resolve of told) resolve();
  }
}

export function timedOut(): Problem {
  return new Problem(503, "timeout", {
    title: "The request could not be answered in time.",
    hint: "Try again when the server is less busy.",
    headers: { "Retry-After": "2" },
  });
}
