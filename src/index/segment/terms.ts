/** Component `terms`: token id → passages with impacts (docs/index-format.md §8). */

import type { TermWeights } from "../../encode/types.js";
import type { Container } from "../format/container.js";
import type { ContainerWriter, FileEntry } from "../format/container-writer.js";
import { KeyedPostings, writePostings } from "./keyed-postings.js";
import { PostingsBuilder } from "./postings-builder.js";

/** Holds the postings of the open segment, 4 bytes each, until it is finished. */
export class TermsWriter {
  #postings = new PostingsBuilder();

  get bytes(): number {
    return this.#postings.bytes;
  }

  /** Adds the next passage. A weight of 0 adds nothing to any score and is not stored. */
  add({ terms, weights }: TermWeights): void {
    for (let i = 0; i < terms.length; i++) {
      if (weights[i]! > 0) this.#postings.add(terms[i]!, weights[i]!);
    }
    this.#postings.endUnit();
  }

  async finish(container: ContainerWriter): Promise<FileEntry> {
    await writePostings(container, "", this.#postings);
    return container.finish();
  }
}

export const openTerms = (container: Container, passages: number): KeyedPostings =>
  new KeyedPostings(container, "", passages);
