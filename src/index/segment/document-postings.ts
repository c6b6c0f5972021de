/** "Which documents have this n-gram?" said by the postings of their passages: stored again they were a third of a text's own size. */

import type { Postings } from "../types.js";
import type { KeyedList, PostingsLists } from "./keyed-postings.js";

/**
 * A document's count is the sum of its passages' counts, at most 255: a sentence in which two passages overlap counts twice, an n-gram
 * across the seam of two passages does not count. (Answers of 500 held-out questions: the same with either count.)
 */
export class DocumentPostings implements PostingsLists {
  readonly #passages: PostingsLists;
  readonly #documents: Uint32Array;

  /** @param documents  document of every passage, never descending */
  constructor(passages: PostingsLists, documents: Uint32Array) {
    this.#passages = passages;
    this.#documents = documents;
  }

  async find(key: number, signal?: AbortSignal): Promise<Postings | undefined> {
    const postings = await this.#passages.find(key, signal);
    return postings === undefined ? undefined : this.summed(postings);
  }

  async *all(signal?: AbortSignal): AsyncGenerator<KeyedList[]> {
    for await (const lists of this.#passages.all(signal))
      yield lists.map(({ key, postings }) => ({ key, postings: this.summed(postings) }));
  }

  /** Of a list of passages. They ascend, and their documents with them. */
  summed({ units, values }: Postings): Postings {
    const documents = new Uint32Array(units.length);
    const counts = new Uint8Array(units.length);
    let found = 0;
    for (let i = 0; i < units.length; i++) {
      const document = this.#documents[units[i]!]!;
      if (found > 0 && documents[found - 1] === document) {
        counts[found - 1] = Math.min(255, counts[found - 1]! + values[i]!);
      } else {
        documents[found] = document;
        counts[found++] = values[i]!;
      }
    }
    return { units: documents.subarray(0, found), values: counts.subarray(0, found) };
  }
}
