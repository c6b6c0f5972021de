/**
 * A cache that drops what was used longest ago when its entries cost more than the limit. Iteration order of a Map is
 * its memory.
 */
export class Lru<K, V> {
  readonly #limit: number;
  readonly #costOf: (value: V) => number;
  readonly #entries = new Map<K, V>();
  #cost = 0;

  constructor(limit: number, costOf: (value: V) => number = () => 1) {
    this.#limit = limit;
    this.#costOf = costOf;
  }

  get(key: K): V | undefined {
    const value = this.#entries.get(key);
    if (value === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, value);
    return value;
  }

  set(key: K, value: V): void {
    this.#drop(key);
    this.#entries.set(key, value);
    this.#cost += this.#costOf(value);
    for (const oldest of this.#entries.keys()) {
      if (this.#cost <= this.#limit) break;
      this.#drop(oldest);
    }
  }

  get size(): number {
    return this.#entries.size;
  }

  delete(key: K): void {
    this.#drop(key);
  }

  clear(): void {
    this.#entries.clear();
    this.#cost = 0;
  }

  #drop(key: K): void {
    const value = this.#entries.get(key);
    if (value === undefined) return;
    this.#cost -= this.#costOf(value);
    this.#entries.delete(key);
  }
}
