/** Numbers by document id, for any number of documents: about 35 bytes for an id, outside the heap. */

import { documentIdHash } from "../index/format/content-hash.js";
import { HashTable, KEY_WORDS } from "../index/write/hash-table.js";

export interface IdSet {
  has(id: string): boolean;
  add(id: string): void;
}

/** Ids are compared by 128 bits of their hash, as the index compares them. */
export class IdTable implements IdSet {
  readonly #table = new HashTable(1);

  get size(): number {
    return this.#table.size;
  }

  has(id: string): boolean {
    return this.get(id) !== undefined;
  }

  get(id: string): number | undefined {
    const value = this.#table.get(keyOf(id));
    return value === undefined ? undefined : value[0]! - 1;
  }

  /** @param value  from 0 to 2³² − 2 */
  set(id: string, value: number): void {
    this.#table.add(keyOf(id))[0] = value + 1;
  }

  add(id: string): void {
    this.set(id, 0);
  }
}

function keyOf(id: string): Uint32Array {
  const { buffer, byteOffset } = documentIdHash(id);
  return new Uint32Array(buffer, byteOffset, KEY_WORDS);
}
