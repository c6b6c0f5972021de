/**
 * A set of strings with lookup of prefixes. Edges are in one open-addressing hash table keyed by
 * (node, UTF-16 unit), and a node is the slot of the edge to it plus 1, so each step is one probe
 * and touches one cache line.
 */
export class Trie {
  /** End of the last match of `longest`. */
  matchEnd = 0;

  /** Two numbers per slot: parent node + 1 (0 = free), and unit. */
  readonly #edges: Int32Array;
  readonly #mask: number;
  /** Value + 1 of the entry that ends at each node, or 0. */
  readonly #values: Int32Array;

  /** @param entries  an entry's value is its index; empty strings are ignored; the last of equal strings wins */
  constructor(entries: readonly string[]) {
    let edges = 1;
    for (const entry of entries) edges += entry.length;
    let capacity = 16;
    while (capacity < 1.25 * edges) capacity *= 2; // a quarter is used: entries share prefixes
    this.#mask = capacity - 1;
    this.#edges = new Int32Array(2 * capacity);
    this.#values = new Int32Array(capacity + 1);
    for (const [value, entry] of entries.entries()) {
      if (entry === "") continue;
      let node = 0;
      for (let i = 0; i < entry.length; i++) node = this.#addEdge(node, entry.charCodeAt(i));
      this.#values[node] = value + 1;
    }
  }

  /**
   * The longest entry that starts at `from` and ends by `to`.
   * @returns its value, and sets `matchEnd`; −1 if nothing matches. O(longest entry)
   */
  longest(units: Uint16Array, from: number, to: number): number {
    const values = this.#values;
    let found = -1;
    let node = 0;
    for (let i = from; i < to; ) {
      const slot = this.#slot(node, units[i]!);
      if (this.#edges[2 * slot] === 0) break;
      node = slot + 1;
      i++;
      const value = values[node]! - 1;
      if (value >= 0) {
        found = value;
        this.matchEnd = i;
      }
    }
    return found;
  }

  /** The node behind `node` by `unit`, or −1. Node 0 is the root. */
  child(node: number, unit: number): number {
    const slot = this.#slot(node, unit);
    return this.#edges[2 * slot] === 0 ? -1 : slot + 1;
  }

  /** The value of the entry that ends at a node, or −1. */
  valueAt(node: number): number {
    return this.#values[node]! - 1;
  }

  #addEdge(node: number, unit: number): number {
    const slot = this.#slot(node, unit);
    this.#edges[2 * slot] = node + 1;
    this.#edges[2 * slot + 1] = unit;
    return slot + 1;
  }

  /** The slot of an edge, or the free slot for it. */
  #slot(node: number, unit: number): number {
    const edges = this.#edges;
    const mask = this.#mask;
    let slot = (Math.imul(node, 0x9e3779b1) ^ Math.imul(unit, 0x85ebca6b)) >>> 7;
    for (slot &= mask; edges[2 * slot] !== 0; slot = (slot + 1) & mask) {
      if (edges[2 * slot] === node + 1 && edges[2 * slot + 1] === unit) break;
    }
    return slot;
  }
}
