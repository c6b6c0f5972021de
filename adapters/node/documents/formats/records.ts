/** What records (JSONL lines, CSV rows, SQuAD paragraphs) share: unique ids, metadata of plain values. */

import { mixed } from "../../../../src/text/murmur3.js";
import type { MetadataValue } from "../../../../src/types.js";
import type { SkippedInput } from "../input.js";

/** A metadata value that can be kept (scalar, or list of scalars as strings), or undefined. */
function metadataValue(value: unknown): MetadataValue | undefined {
  if (typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number" && Number.isFinite(value)) return value;
  if (Array.isArray(value) && value.every((item) => typeof item === "string" || typeof item === "number")) {
    return value.map(String);
  }
  return undefined;
}

/** The entries that can be kept, or undefined if there are none. "__proto__" is a name like any other. */
export function metadataOf(entries: Iterable<[string, unknown]>): Record<string, MetadataValue> | undefined {
  const kept = new Map<string, MetadataValue>();
  for (const [name, raw] of entries) {
    const value = metadataValue(raw);
    if (value !== undefined) kept.set(name, value);
  }
  return kept.size === 0 ? undefined : Object.fromEntries(kept);
}

const FIRST_CAPACITY = 1024;

/**
 * A set of ids in 8 bytes each (a `Set` of 20 million strings takes gigabytes and ends at 2^24 entries): only a 64-bit
 * hash of each is kept. Chance of a wrong "seen" among n ids: n² / 2^65, 10⁻⁵ for 20 million.
 */
export class SeenIds {
  #table = new Uint32Array(2 * FIRST_CAPACITY);
  #size = 0;

  /** Adds an id. @returns false when it was there already */
  add(id: string): boolean {
    if (2 * this.#size >= this.#table.length / 2) this.#grow();
    const [high, low] = hash64(id);
    if (!insert(this.#table, high, low)) return false;
    this.#size++;
    return true;
  }

  has(id: string): boolean {
    const [high, low] = hash64(id);
    const mask = this.#table.length / 2 - 1;
    for (let place = low & mask; ; place = (place + 1) & mask) {
      const h = this.#table[2 * place];
      const l = this.#table[2 * place + 1];
      if (h === high && l === low) return true;
      if (h === 0 && l === 0) return false;
    }
  }

  #grow(): void {
    const larger = new Uint32Array(this.#table.length * 2);
    for (let i = 0; i < this.#table.length; i += 2) {
      const high = this.#table[i]!;
      const low = this.#table[i + 1]!;
      if (high !== 0 || low !== 0) insert(larger, high, low);
    }
    this.#table = larger;
  }
}

/** Open addressing, linear probing; (0, 0) is an empty place. */
function insert(table: Uint32Array, high: number, low: number): boolean {
  const mask = table.length / 2 - 1;
  for (let place = low & mask; ; place = (place + 1) & mask) {
    const h = table[2 * place];
    const l = table[2 * place + 1];
    if (h === high && l === low) return false;
    if (h === 0 && l === 0) {
      table[2 * place] = high;
      table[2 * place + 1] = low;
      return true;
    }
  }
}

/** Two 32-bit multiplicative hashes with the finisher of MurmurHash3; never (0, 0). */
function hash64(text: string): [high: number, low: number] {
  let high = 0x9e3779b9;
  let low = 0x85ebca6b;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    high = Math.imul(high ^ unit, 0x9e3779b1);
    low = Math.imul(low ^ unit, 0x5f356495);
    high ^= low >>> 15;
    low ^= high >>> 13;
  }
  const mixedHigh = mixed(high ^ text.length);
  const mixedLow = mixed(low ^ mixedHigh);
  return mixedHigh === 0 && mixedLow === 0 ? [0, 1] : [mixedHigh, mixedLow];
}

/** Broken records of one file that are reported one by one; the rest are only counted. */
const MAX_REPORTED = 20;

type RecordSkip = Omit<SkippedInput, "source" | "code"> & { code: "unreadable-document" };

/** Reports the first broken records of a file, then counts. */
export class RecordSkips {
  readonly #report: (skip: RecordSkip) => void;
  #count = 0;

  constructor(report: (skip: RecordSkip) => void) {
    this.#report = report;
  }

  /** @param reason  continues "line 17 " */
  report(skip: RecordSkip): void {
    this.#count++;
    if (this.#count <= MAX_REPORTED) this.#report(skip);
  }

  /** Reports the number of the remaining ones; call it at the end of the file. */
  finish(): void {
    const count = this.#count - MAX_REPORTED;
    if (count <= 0) return;
    this.#report({ reason: `has ${count} more records that were skipped`, code: "unreadable-document", count });
  }
}
