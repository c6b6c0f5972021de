/** How fast one caller may ask: a bucket that fills with time, one token a question. */

import { Problem } from "../http/problems.js";

/** Callers that are remembered; the ones that have waited longest are forgotten, with a full bucket. */
const MOST_CLIENTS = 10_000;

interface Bucket {
  tokens: number;
  at: number;
}

export class RateLimit {
  readonly #perSecond: number;
  readonly #burst: number;
  readonly #now: () => number;
  readonly #buckets = new Map<string, Bucket>();

  /** @param options.now  milliseconds that only go forward */
  constructor(options: { ratePerSecond: number; rateBurst: number }, now: () => number = () => performance.now()) {
    this.#perSecond = options.ratePerSecond;
    this.#burst = options.rateBurst;
    this.#now = now;
  }

  /** @throws Problem 429 with the seconds after which there is room for as many */
  take(client: string, count: number): void {
    const now = this.#now();
    const known = this.#buckets.get(client) ?? { tokens: this.#burst, at: now };
    const tokens = Math.min(this.#burst, known.tokens + ((now - known.at) / 1000) * this.#perSecond);
    this.#buckets.delete(client);
    const enough = tokens >= Math.min(count, this.#burst);
    this.#buckets.set(client, { tokens: enough ? tokens - count : tokens, at: now });
    if (this.#buckets.size > MOST_CLIENTS) this.#buckets.delete(this.#buckets.keys().next().value!);
    if (enough) return;
    const seconds = Math.max(1, Math.ceil((Math.min(count, this.#burst) - tokens) / this.#perSecond));
    throw new Problem(429, "too-fast", {
      title: "Too many questions in a short time.",
      hint: "Ask again after the seconds of Retry-After.",
      headers: { "Retry-After": String(seconds) },
    });
  }
}
