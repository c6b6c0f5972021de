/**
 * The k best of a stream of (id, score): a bounded heap whose root is the worst kept entry.
 * The order is total, so the result never depends on the order of offers: score descending, ties by id ascending.
 * NaN is never kept. Offer is O(log k), and O(1) for an entry worse than the root.
 */
export class TopK {
  readonly #limit: number;
  readonly #ids: Float64Array;
  readonly #scores: Float64Array;
  #count = 0;

  /** @param limit  entries kept, ≥ 0 */
  constructor(limit: number) {
    this.#limit = limit;
    this.#ids = new Float64Array(limit);
    this.#scores = new Float64Array(limit);
  }

  /** The score an entry has to beat: the worst kept score once `limit` entries are kept, −∞ before. */
  get worst(): number {
    return this.#count === this.#limit && this.#limit > 0 ? this.#scores[0]! : Number.NEGATIVE_INFINITY;
  }

  /** @param id  an integer from 0 to 2^32 − 1, offered once */
  offer(id: number, score: number): void {
    if (this.#count === this.#limit) {
      if (this.#limit === 0 || !isBetter(score, id, this.#scores[0]!, this.#ids[0]!)) return;
      this.#siftDown(this.#count, id, score);
    } else if (!Number.isNaN(score)) {
      this.#siftUp(this.#count++, id, score);
    }
  }

  /** Best first. Leaves the heap as it is. */
  sorted(): { ids: Uint32Array; scores: Float64Array } {
    const heapIds = this.#ids;
    const heapScores = this.#scores;
    const order = Array.from({ length: this.#count }, (_, slot) => slot);
    order.sort((a, b) => heapScores[b]! - heapScores[a]! || heapIds[a]! - heapIds[b]!);
    return {
      ids: Uint32Array.from(order, (slot) => heapIds[slot]!),
      scores: Float64Array.from(order, (slot) => heapScores[slot]!),
    };
  }

  #siftUp(last: number, id: number, score: number): void {
    let hole = last;
    while (hole > 0) {
      const parent = (hole - 1) >> 1;
      if (!isBetter(this.#scores[parent]!, this.#ids[parent]!, score, id)) break;
      this.#move(parent, hole);
      hole = parent;
    }
    this.#put(hole, id, score);
  }

  #siftDown(count: number, id: number, score: number): void {
    let hole = 0;
    for (;;) {
      let child = 2 * hole + 1;
      if (child >= count) break;
      if (child + 1 < count && this.#isBetterSlot(child, child + 1)) child++;
      if (!isBetter(score, id, this.#scores[child]!, this.#ids[child]!)) break;
      this.#move(child, hole);
      hole = child;
    }
    this.#put(hole, id, score);
  }

  #isBetterSlot(a: number, b: number): boolean {
    return isBetter(this.#scores[a]!, this.#ids[a]!, this.#scores[b]!, this.#ids[b]!);
  }

  #move(from: number, to: number): void {
    this.#put(to, this.#ids[from]!, this.#scores[from]!);
  }

  #put(slot: number, id: number, score: number): void {
    this.#ids[slot] = id;
    this.#scores[slot] = score;
  }
}

function isBetter(score: number, id: number, otherScore: number, otherId: number): boolean {
  return score > otherScore || (score === otherScore && id < otherId);
}
