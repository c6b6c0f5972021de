/** Numbers by document id, for any number of documents: about 40 bytes for an id, outside the heap. */

import { documentIdHash } from "../index/format/content-hash.js";
import { HashTable, KEY_WORDS } from "../index/write/hash-table.js";

/** Ids are compared by 128 bits of their hash, as the index compares them. */
export class IdTable {
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
  set(id: string, value = 0): void {
    this.#table.add(keyOf(id))[0] = value + 1;
  }
}

function keyOf(id: string): Uint32Array {
  const { buffer, byteOffset } = documentIdHash(id);
  return new Uint32Array(buffer, byteOffset, KEY_WORDS);
}
