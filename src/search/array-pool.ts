/** A pool of arrays for sums: in a large index, allocating an array costs more than filling it. */

/** Arrays kept for the next question; more are in use only while questions overlap. */
const MAX_FREE = 8;

export class ArrayPool {
  #free: Float64Array[] = [];

  /** An array of zeros, to return with `give`. An array that is not returned is garbage-collected. */
  take(length: number): Float64Array {
    const at = this.#free.findIndex((array) => array.length === length);
    if (at < 0) return new Float64Array(length);
    return this.#free.splice(at, 1)[0]!.fill(0);
  }

  give(...arrays: Float64Array[]): void {
    this.#free = [...arrays, ...this.#free].slice(0, MAX_FREE);
  }

  clear(): void {
    this.#free = [];
  }
}
