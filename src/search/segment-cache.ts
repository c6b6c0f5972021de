/** One loaded value per segment, shared by all open versions of an index that have its files. */

import { throwIfAborted } from "../errors.js";
import type { SegmentReader } from "../index/types.js";
import { Shared } from "../shared.js";

/** Loads the value of one segment. @param isClosed  true when the value is no longer wanted */
type Load<T> = (reader: SegmentReader, isClosed: () => boolean) => Promise<T>;

/** One segment's value while it is loaded, and afterwards. */
class Entry<T extends { close(): void }> {
  readonly value: Promise<T>;
  failed = false;
  #closed = false;

  constructor(reader: SegmentReader, load: Load<T>) {
    this.value = load(reader, () => this.#closed);
    this.value.catch(() => {
      this.failed = true;
    });
  }

  close(): void {
    this.#closed = true;
    this.value.then(
      (value) => value.close(),
      () => {},
    );
  }
}

export class SegmentCache<T extends { close(): void }> {
  readonly #load: Load<T>;
  /** By `SegmentReader.files`. */
  readonly #entries = new Map<object, Shared<Entry<T>>>();

  /** @param before  the cache of another version, whose values of `segments` are shared */
  constructor(load: Load<T>, { segments, before }: { segments: readonly SegmentReader[]; before?: SegmentCache<T> }) {
    this.#load = load;
    for (const { files } of segments) {
      const shared = before === undefined ? undefined : before.#entries.get(files);
      if (shared !== undefined && !shared.value.failed) this.#entries.set(files, shared.hold());
    }
  }

  /**
   * The value, which the first call loads. Callers share the work, so a signal ends the waiting only.
   * @throws VerbatimError `aborted`, and what loading throws; the next call then loads again
   */
  async get(reader: SegmentReader, signal?: AbortSignal): Promise<T> {
    let shared = this.#entries.get(reader.files);
    if (shared === undefined || shared.value.failed) {
      const entry = new Entry(reader, this.#load);
      shared = new Shared(entry, () => entry.close());
      this.#entries.set(reader.files, shared);
    }
    const value = await shared.value.value;
    throwIfAborted(signal);
    return value;
  }

  /** Closes the values that no other version uses. */
  close(): void {
    for (const shared of this.#entries.values()) void shared.release();
    this.#entries.clear();
  }
}
