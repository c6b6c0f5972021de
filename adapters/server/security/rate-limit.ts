/** How fast one caller may send: a token bucket per caller. */

import { Problem } from "../http/problems.js";

/**
 * Callers that are remembered. The one that called longest ago is forgotten first, which fills its
 * bucket.
 */
const MAX_CLIENTS = 10_000;

interface Bucket {
  tokens: number;
  at: number;
}

export class RateLimit {
  readonly #perSecond: number;
  readonly #burst: number;
  readonly #now: () => number;
  readonly #buckets = new Map<string, Bucket>();

  /** @param now  a monotonic clock, in milliseconds */
  constructor(options: { perSecond: number; burst: number }, now: () => number = () => performance.now()) {
    this.#perSecond = options.perSecond;
    this.#burst = options.burst;
    this.#now = now;
  }

  /** @throws Problem 429 with the seconds after which there are `count` tokens */
  take(client: string, count: number): void {
    const now = this.#now();
    const known = this.#buckets.get(client) ?? { tokens: this.#burst, at: now };
    const tokens = Math.min(this.#burst, known.tokens + ((now - known.at) / 1000) * this.#perSecond);
    this.#buckets.delete(client);
    const enough = tokens >= Math.min(count, this.#burst);
    this.#buckets.set(client, { tokens: enough ? tokens - count : tokens, at: now });
    if (this.#buckets.size > MAX_CLIENTS) this.#buckets.delete(this.#buckets.keys().next().value!);
    if (enough) return;
    const seconds = Math.max(1, Math.ceil((Math.min(count, this.#burst) - tokens) / this.#perSecond));
    throw new Problem(429, "too-fast", {
      title: "Too many requests in a short time.",
      hint: "Wait the number of seconds in Retry-After, then try again.",
      headers: { "Retry-After": String(seconds) },
    });
  }
}
