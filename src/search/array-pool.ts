/** Arrays of sums that questions take turns with: a fresh one of a large index costs more to get than to fill. */

/** Arrays that are kept for the next question; more are in use only while questions overlap. */
const KEPT = 8;

export class Scratch {
  #free: Float64Array[] = [];

  /** Zeros. The array is the caller's until it is given back; one that never is, is only a little waste. */
  take(length: number): Float64Array {
    const at = this.#free.findIndex((array) => array.length === length);
    if (at < 0) return new Float64Array(length);
    return this.#free.splice(at, 1)[0]!.fill(0);
  }

  give(...arrays: Float64Array[]): void {
    this.#free = [...arrays, ...this.#free].slice(0, KEPT);
  }

  clear(): void {
    this.#free = [];
  }
}
