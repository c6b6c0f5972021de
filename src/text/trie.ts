/**
 * A set of strings with lookup of prefixes. Edges are in one open-addressing hash table keyed by
 * (node, UTF-16 unit), so each step is one probe and no object is dereferenced.
 */
export class Trie {
  /** End of the last match of `longest`. */
  matchEnd = 0;

  /** Edge slots: parent node + 1 (0 = free), unit, child node. */
  readonly #parents: Int32Array;
  readonly #labels: Uint16Array;
  readonly #children: Int32Array;
  readonly #mask: number;
  /** Entry that ends at each node, or −1. */
  readonly #values: Int32Array;
  #nodes = 1;

  /** @param entries  an entry's value is its index; empty strings are ignored; the last of equal strings wins */
  constructor(entries: readonly string[]) {
    let edges = 1;
    for (const entry of entries) edges += entry.length;
    let capacity = 16;
    while (capacity < 2 * edges) capacity *= 2;
    this.#mask = capacity - 1;
    this.#parents = new Int32Array(capacity);
    this.#labels = new Uint16Array(capacity);
    this.#children = new Int32Array(capacity);
    const values = new Int32Array(edges).fill(-1);
    for (const [value, entry] of entries.entries()) {
      if (entry === "") continue;
      let node = 0;
      for (let i = 0; i < entry.length; i++) node = this.#addEdge(node, entry.charCodeAt(i));
      values[node] = value;
    }
    this.#values = values.slice(0, this.#nodes);
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
      if (this.#parents[slot] === 0) break;
      node = this.#children[slot]!;
      i++;
      const value = values[node]!;
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
    return this.#parents[slot] === 0 ? -1 : this.#children[slot]!;
  }

  /** The value of the entry that ends at a node, or −1. */
  valueAt(node: number): number {
    return this.#values[node]!;
  }

  #addEdge(node: number, unit: number): number {
    const slot = this.#slot(node, unit);
    if (this.#parents[slot] === 0) {
      this.#parents[slot] = node + 1;
      this.#labels[slot] = unit;
      this.#children[slot] = this.#nodes++;
    }
    return this.#children[slot]!;
  }

  /** The slot of an edge, or the free slot for it. */
  #slot(node: number, unit: number): number {
    const parents = this.#parents;
    const labels = this.#labels;
    const mask = this.#mask;
    let slot = (Math.imul(node, 0x9e3779b1) ^ Math.imul(unit, 0x85ebca6b)) >>> 7;
    for (slot &= mask; parents[slot] !== 0; slot = (slot + 1) & mask) {
      if (parents[slot] === node + 1 && labels[slot] === unit) break;
    }
    return slot;
  }
}
