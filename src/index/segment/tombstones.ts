/**
 * Component `tombstones-<n>`: one bit per document of a segment, set if it is deleted
 * (docs/index-format.md §9).
 */

import { type Container, openContainer } from "../format/container.js";
import type { FileEntry } from "../format/container-writer.js";
import { corrupt } from "../format/corrupt.js";
import type { Storage } from "../ports.js";

/** A set of document numbers below `documentCount`. */
export class Tombstones {
  readonly documentCount: number;
  #bits: Uint8Array;
  #count = 0;

  constructor(documentCount: number, bits = new Uint8Array((documentCount + 7) >> 3)) {
    this.documentCount = documentCount;
    this.#bits = bits;
    for (let n = 0; n < bits.length; n++) for (let rest = bits[n]!; rest > 0; rest &= rest - 1) this.#count++;
  }

  /** Number of deleted documents. */
  get count(): number {
    return this.#count;
  }

  has(document: number): boolean {
    return (this.#bits[document >> 3]! & (1 << (document & 7))) !== 0;
  }

  /** @returns false if it was deleted before */
  add(document: number): boolean {
    if (this.has(document)) return false;
    this.#bits[document >> 3]! |= 1 << (document & 7);
    this.#count++;
    return true;
  }

  bytes(): Uint8Array {
    return this.#bits;
  }
}

/** @throws VerbatimError `corrupt-segment` */
export async function readTombstones(
  storage: Storage,
  file: FileEntry,
  options: { documentCount: number; passageModelHash: string; signal?: AbortSignal },
): Promise<Tombstones> {
  const container = await openContainer(storage, file, { ...options, component: "tombstones" });
  try {
    return await decodeTombstones(container, options.documentCount, options.signal);
  } finally {
    await container.close();
  }
}

async function decodeTombstones(
  container: Container,
  documentCount: number,
  signal?: AbortSignal,
): Promise<Tombstones> {
  const section = container.section("documents");
  if (section.length !== (documentCount + 7) >> 3)
    throw corrupt(section.where, `it does not have ${documentCount} documents`);
  const bits = new Uint8Array(await section.readAll(signal)); // a copy: more tombstones may be added to it
  const unused = documentCount & 7;
  if (unused !== 0 && bits.at(-1)! >>> unused !== 0)
    throw corrupt(section.where, "it deletes documents that do not exist");
  return new Tombstones(documentCount, bits);
}
