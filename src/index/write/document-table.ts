/** Where each document of the index is: about 75 bytes for a document, outside the heap. */

import { fromHex, toHex } from "../format/hex.js";
import { HashTable, KEY_WORDS } from "./hash-table.js";
import type { LiveSegment } from "./writer-state.js";

export interface LiveDocument {
  segment: LiveSegment;
  /** Number in the segment. */
  document: number;
  passages: number;
  /** 32 hex digits. */
  contentHash: string;
}

/** Words of a value: one more than the segment's number, the document's number, its passages, its content hash. */
const SEGMENT = 0;
const DOCUMENT = 1;
const PASSAGES = 2;
const CONTENT = 3;
const VALUE_WORDS = CONTENT + KEY_WORDS;

/** The documents by id hash, 32 hex digits. */
export class DocumentTable {
  readonly #table = new HashTable(VALUE_WORDS);
  /** By number; undefined for a number that is free again. */
  readonly #segments: (LiveSegment | undefined)[] = [];
  readonly #numbers = new Map<LiveSegment, number>();
  /** Documents of each segment. */
  readonly #counts: number[] = [];

  get size(): number {
    return this.#table.size;
  }

  has(key: string): boolean {
    return this.#table.get(wordsOf(key)) !== undefined;
  }

  /** A copy: changes to it do not reach the table. */
  get(key: string): LiveDocument | undefined {
    const value = this.#table.get(wordsOf(key));
    if (value === undefined) return undefined;
    return {
      segment: this.#segments[value[SEGMENT]! - 1]!,
      document: value[DOCUMENT]!,
      passages: value[PASSAGES]!,
      contentHash: hexOf(value.subarray(CONTENT)),
    };
  }

  /** Adds a document, or replaces the one with the same key. */
  set(key: string, { segment, document, passages, contentHash }: LiveDocument): void {
    const value = this.#table.add(wordsOf(key));
    const before = value[SEGMENT]!;
    value[SEGMENT] = this.#count(segment);
    if (before !== 0) this.#uncount(before);
    value[DOCUMENT] = document;
    value[PASSAGES] = passages;
    value.set(wordsOf(contentHash), CONTENT);
  }

  /** @returns false if there is none */
  delete(key: string): boolean {
    const words = wordsOf(key);
    const value = this.#table.get(words);
    if (value === undefined) return false;
    this.#uncount(value[SEGMENT]!);
    return this.#table.delete(words);
  }

  /**
   * Points documents that were copied to another segment at it.
   * @param numbers  for each old segment the new number of its documents, −1 for those that stay
   */
  reassign(target: LiveSegment, numbers: ReadonlyMap<LiveSegment, Int32Array>): void {
    const moved = this.#segments.map((live) => live && numbers.get(live));
    for (const value of this.#table.values()) {
      const before = value[SEGMENT]!;
      const number = moved[before - 1]?.[value[DOCUMENT]!] ?? -1;
      if (number < 0) continue;
      value[DOCUMENT] = number;
      value[SEGMENT] = this.#count(target);
      this.#uncount(before);
    }
  }

  /** Counts a document of the segment. @returns what a value has for it */
  #count(segment: LiveSegment): number {
    let number = this.#numbers.get(segment);
    if (number === undefined) {
      const free = this.#segments.indexOf(undefined);
      number = free < 0 ? this.#segments.length : free;
      this.#segments[number] = segment;
      this.#numbers.set(segment, number);
      this.#counts[number] = 0;
    }
    this.#counts[number]!++;
    return number + 1;
  }

  #uncount(valued: number): void {
    const number = valued - 1;
    if (--this.#counts[number]! > 0) return;
    this.#numbers.delete(this.#segments[number]!);
    this.#segments[number] = undefined;
  }
}

function wordsOf(hex: string): Uint32Array {
  return new Uint32Array(fromHex(hex).buffer);
}

function hexOf({ buffer, byteOffset, byteLength }: Uint32Array): string {
  return toHex(new Uint8Array(buffer, byteOffset, byteLength));
}
