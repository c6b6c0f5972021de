/**
 * Limits how much work runs at once. The rest waits, and callers take turns, so that a batch of one
 * caller does not delay the others. When too much waits, more is refused.
 */

import { Problem } from "./problems.js";

export interface ConcurrencyLimits {
  concurrency: number;
  maxWaiting: number;
  maxWaitingPerClient: number;
}

interface Waiting {
  start: () => void;
  /** Removes it from the queue, when its caller is gone. */
  signal: AbortSignal;
}

export class ConcurrencyLimiter {
  readonly #limits: ConcurrencyLimits;
  /** By caller, the next in turn first: a Map keeps the order of insertion. */
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
   * @param client  the caller that takes a turn
   * @param work  receives how long it waited, in milliseconds
   * @throws Problem 429 at once when too much waits; 503 when the signal fires before its turn;
   *   what `work` throws
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

  /** Resolves when nothing runs or waits. */
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
        this.#resolveIdle();
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
      this.#resolveIdle();
      return;
    }
    const [client, queue] = first.value;
    const entry = queue.shift()!;
    this.#queues.delete(client);
    if (queue.length > 0) this.#queues.set(client, queue); // to the end: the others are next
    this.#waiting--;
    this.#running++;
    setImmediate(entry.start); // lets timers fire and requests be read in between
  }

  #resolveIdle(): void {
    if (this.#running > 0 || this.#waiting > 0) return;
    const resolvers = this.#idle;
    this.#idle = [];
    for (const resolve of resolvers) resolve();
  }
}

export function timedOut(): Problem {
  return new Problem(503, "timeout", {
    title: "The request could not be answered in time.",
    hint: "Try again when the server is less busy.",
    headers: { "Retry-After": "2" },
  });
}
