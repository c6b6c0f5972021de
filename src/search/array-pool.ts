/** A pool of arrays for sums: for a large index, allocating one costs more than filling it. */

/** Arrays kept for the next question; more are in use only while questions overlap. */
const KEPT = 8;

export class Scratch {
  #free: Float64Array[] = [];

  /** An array of zeros. It is the caller's until it is given back; one that never is only costs memory. */
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
