/**
 * Merges the postings of several segments list by list, with at most one group of each in memory.
 */

import { throwIfAborted } from "../../errors.js";
import type { ContainerWriter } from "../format/container-writer.js";
import type { Postings } from "../format/postings-codec.js";
import type { Pause } from "../format/time-slices.js";
import { type KeyedList, KeyedPostingsWriter, type PostingsLists } from "../segment/keyed-postings.js";

/** One segment's lists, and the new numbers of its units. */
interface PostingsSource {
  lists: Pick<PostingsLists, "all">;
  /**
   * New number of each unit, −1 if it is dropped; ascending, and above those of the source before.
   */
  units: Int32Array;
}

/**
 * Writes the sections of `prefix`: for each key the lists of all sources, concatenated and
 * renumbered, without dropped units.
 * @throws VerbatimError `corrupt-segment`, `aborted`, and what the storage throws
 */
export async function mergePostings(
  container: ContainerWriter,
  prefix: string,
  options: { sources: readonly PostingsSource[]; signal?: AbortSignal; pause: Pause },
): Promise<void> {
  const { signal, pause } = options;
  const writer = new KeyedPostingsWriter(container, prefix);
  const cursors = options.sources.map((source) => new Cursor(source, signal));
  const fill = async (cursor: Cursor): Promise<void> => {
    throwIfAborted(signal);
    const waiting = pause();
    if (waiting) await waiting;
    await cursor.fill();
  };
  for (const cursor of cursors) await fill(cursor);
  for (;;) {
    const key = Math.min(...cursors.map((cursor) => cursor.key));
    if (key === Number.POSITIVE_INFINITY) break;
    const parts: Postings[] = [];
    for (const cursor of cursors) {
      if (cursor.key !== key) continue;
      const part = cursor.take();
      if (part.units.length > 0) parts.push(part);
      if (cursor.empty) await fill(cursor);
    }
    if (parts.length > 0 && writer.add(key, join(parts))) await writer.closeGroup();
  }
  await writer.finish();
}

function join(parts: readonly Postings[]): Postings {
  if (parts.length === 1) return parts[0]!;
  const count = parts.reduce((sum, { units }) => sum + units.length, 0);
  const joined: Postings = { units: new Uint32Array(count), values: new Uint8Array(count) };
  let at = 0;
  for (const { units, values } of parts) {
    joined.units.set(units, at);
    joined.values.set(values, at);
    at += units.length;
  }
  return joined;
}

/** Current position in one source. */
class Cursor {
  #batches: AsyncGenerator<KeyedList[]>;
  #units: Int32Array;
  #lists: KeyedList[] = [];
  #at = 0;

  constructor({ lists, units }: PostingsSource, signal: AbortSignal | undefined) {
    this.#batches = lists.all(signal);
    this.#units = units;
  }

  /** Key of the next list; infinity at the end. */
  get key(): number {
    return this.#lists[this.#at]?.key ?? Number.POSITIVE_INFINITY;
  }

  /** Whether the group in memory is used up. */
  get empty(): boolean {
    return this.#at >= this.#lists.length;
  }

  /** Reads the next group; the cursor stays empty at the end. */
  async fill(): Promise<void> {
    const next = await this.#batches.next();
    this.#lists = next.done === true ? [] : next.value;
    this.#at = 0;
  }

  /** Takes the next list, renumbered. */
  take(): Postings {
    const { units, values } = this.#lists[this.#at++]!.postings;
    let kept = 0;
    for (let i = 0; i < units.length; i++) {
      const unit = this.#units[units[i]!]!;
      if (unit < 0) continue;
      units[kept] = unit; // the list was decoded for this cursor alone
      values[kept++] = values[i]!;
    }
    return kept === units.length
      ? { units, values }
      : { units: units.subarray(0, kept), values: values.subarray(0, kept) };
  }
}
