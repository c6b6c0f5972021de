/** Bytes by key, the ones used longest ago dropped first. */

export class LruBytes {
  readonly #most: number;
  readonly #entries = new Map<string, Uint8Array>();
  #bytes = 0;

  /** @param most  bytes kept */
  constructor(most: number) {
    this.#most = most;
  }

  get(key: string): Uint8Array | undefined {
    const found = this.#entries.get(key);
    if (found === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, found);
    return found;
  }

  set(key: string, bytes: Uint8Array): void {
    this.#bytes += bytes.length - (this.#entries.get(key)?.length ?? 0);
    this.#entries.delete(key);
    this.#entries.set(key, bytes);
    for (const [oldest, { length }] of this.#entries) {
      if (this.#bytes <= this.#most) break;
      this.#entries.delete(oldest);
      this.#bytes -= length;
    }
  }
}
