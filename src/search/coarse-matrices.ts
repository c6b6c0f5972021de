/** First dimensions of all start rows, in the kernel's memory: loaded once for each segment's files, however many versions have them. */

import { throwIfAborted, VerbatimError } from "../errors.js";
import type { SegmentReader } from "../index/types.js";
import type { Centroids } from "../math/centroids.js";
import type { Kernel, Matrix } from "../math/kernel.js";
import type { Turns } from "./turns.js";

/** Rows put in lists before the thread is left to others: some six milliseconds. */
const ARRANGED_AT_ONCE = 16_384;

/** One matrix, and how many sessions hold it. */
class SharedMatrix {
  readonly loading: Promise<Matrix>;
  failed = false;
  #holders = 1;

  constructor(reader: SegmentReader, kernel: Kernel, dimensions: number) {
    this.loading = this.#load(reader, kernel.createMatrix(reader.startRowCount, dimensions, reader.coarseBits));
    this.loading.catch(() => {
      this.failed = true;
    });
  }

  hold(): this {
    this.#holders++;
    return this;
  }

  /** Puts the rows in lists, a stretch at a time, when it is its turn. */
  async arrange(centroids: Centroids, turns: Turns): Promise<void> {
    this.hold();
    try {
      const matrix = await this.loading;
      while (this.#holders > 1 && !matrix.arrange(centroids, ARRANGED_AT_ONCE)) {
        await turns.next();
      }
    } finally {
      this.release();
    }
  }

  release(): void {
    if (--this.#holders > 0) return;
    this.loading.then(
      (matrix) => matrix.free(),
      () => {},
    );
  }

  async #load(reader: SegmentReader, matrix: Matrix): Promise<Matrix> {
    try {
      await reader.readCoarse((firstRow, rows) => {
        if (this.#holders > 0) matrix.set(firstRow, rows);
      });
      if (this.#holders === 0) throw new VerbatimError("aborted", "The index was closed while it was asked.");
      return matrix;
    } catch (error) {
      matrix.free();
      throw error;
    }
  }
}

export class CoarseMatrices {
  readonly #kernel: Kernel;
  readonly #dimensions: number;
  readonly #byFiles = new Map<object, SharedMatrix>();

  /** @param before  of another version on the same kernel: what it has loaded of `segments` is shared */
  constructor(
    kernel: Kernel,
    dimensions: number,
    { segments, before }: { segments: readonly SegmentReader[]; before?: CoarseMatrices },
  ) {
    this.#kernel = kernel;
    this.#dimensions = dimensions;
    for (const { files } of segments) {
      const shared = before === undefined ? undefined : before.#byFiles.get(files);
      if (shared !== undefined && !shared.failed) this.#byFiles.set(files, shared.hold());
    }
  }

  /** Read at the first call, then kept. Loading is shared between callers, so a signal ends the waiting, not the loading. */
  async get(reader: SegmentReader, signal?: AbortSignal): Promise<Matrix> {
    let shared = this.#byFiles.get(reader.files);
    if (shared === undefined || shared.failed) {
      shared = new SharedMatrix(reader, this.#kernel, this.#dimensions);
      this.#byFiles.set(reader.files, shared);
    }
    const matrix = await shared.loading;
    throwIfAborted(signal);
    return matrix;
  }

  /**
   * Puts the rows of all matrices that have been read in lists, one matrix after another; stops when this is closed.
   * @throws VerbatimError `out-of-space` where there is no room for the lists: what has none is scanned whole
   */
  async arrange(centroids: Centroids, turns: Turns): Promise<void> {
    for (const shared of [...this.#byFiles.values()]) await shared.arrange(centroids, turns);
  }

  /** Gives the kernel's memory back that nobody else holds. */
  close(): void {
    for (const shared of this.#byFiles.values()) shared.release();
    this.#byFiles.clear();
  }
}
