/** What is loaded once for each segment's files, however many versions of the index have them. */

import { throwIfAborted } from "../errors.js";
import type { SegmentReader } from "../index/types.js";
import { Shared } from "../shared.js";

/** Loads what is kept of one segment. @param isClosed  true when the result is no longer wanted */
type Load<T> = (reader: SegmentReader, isClosed: () => boolean) => Promise<T>;

/** One segment's value while it is loaded, and afterwards. */
class Loading<T extends { close(): void }> {
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

export class ByFiles<T extends { close(): void }> {
  readonly #load: Load<T>;
  readonly #byFiles = new Map<object, Shared<Loading<T>>>();

  /** @param before  of another version: what it has loaded of `segments` is shared */
  constructor(load: Load<T>, { segments, before }: { segments: readonly SegmentReader[]; before?: ByFiles<T> }) {
    this.#load = load;
    for (const { files } of segments) {
      const shared = before === undefined ? undefined : before.#byFiles.get(files);
      if (shared !== undefined && !shared.value.failed) this.#byFiles.set(files, shared.hold());
    }
  }

  /** Loaded at the first call, then kept. Shared between callers, so a signal ends the waiting, not the work. */
  async get(reader: SegmentReader, signal?: AbortSignal): Promise<T> {
    let shared = this.#byFiles.get(reader.files);
    if (shared === undefined || shared.value.failed) {
      const loading = new Loading(reader, this.#load);
      shared = new Shared(loading, () => loading.close());
      this.#byFiles.set(reader.files, shared);
    }
    const value = await shared.value.value;
    throwIfAborted(signal);
    return value;
  }

  /** Closes what has no other user. */
  close(): void {
    for (const shared of this.#byFiles.values()) void shared.release();
    this.#byFiles.clear();
  }
}
