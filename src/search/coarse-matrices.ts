/** First dimensions of all start rows, in the kernel's memory: loaded once for each segment's files, however many versions have them. */

import { throwIfAborted, VerbatimError } from "../errors.js";
import type { CoarseLists, SegmentReader } from "../index/types.js";
import type { Kernel, Matrix } from "../kernel/kernel.js";
import { Shared } from "../shared.js";
import { type Centroids, EVERY_LIST, LISTS } from "../vectors/centroids.js";

/** Lists that are read before others have the thread. */
const LISTS_AT_ONCE = 32;

/** The rows of one segment: what is loaded of them stays. */
export class CoarseRows {
  readonly matrix: Matrix;
  readonly #lists: CoarseLists | undefined;
  /** State of each list: true if it is in the matrix, a promise while it is read. */
  readonly #known: Array<true | Promise<void> | undefined> = [];
  #closed = false;

  constructor(matrix: Matrix, lists: CoarseLists | undefined) {
    this.matrix = matrix;
    this.#lists = lists;
  }

  /** The inverted lists of the rows; undefined if rows are stored contiguously and all loaded. */
  get centroids(): Centroids | undefined {
    return this.#lists?.centroids;
  }

  /**
   * Reading is shared between questions, so it continues if one of them is aborted.
   * @returns when the rows of these lists are in the matrix; undefined if they are already. @throws VerbatimError `corrupt-segment`, what the storage throws
   */
  load(lists: Uint16Array = EVERY_LIST): Promise<unknown> | undefined {
    const known = this.#known;
    if (this.#lists === undefined) return undefined;
    const missing = lists.filter((list) => known[list] === undefined);
    if (missing.length > 0) this.#read(missing, this.#lists);
    const waiting = new Set<Promise<void>>();
    for (const list of lists) if (known[list] !== true) waiting.add(known[list]!);
    return waiting.size === 0 ? undefined : Promise.all(waiting);
  }

  /** Loads all rows, some at a time; stops when they are closed. @throws as `load` */
  async loadAll(): Promise<void> {
    for (let first = 0; first < LISTS && !this.#closed; first += LISTS_AT_ONCE)
      await this.load(EVERY_LIST.subarray(first, first + LISTS_AT_ONCE));
  }

  close(): void {
    this.#closed = true;
    this.matrix.free();
  }

  #read(missing: Uint16Array, stored: CoarseLists): void {
    const reading = stored
      .read(missing, (list, numbers, rows) => {
        if (!this.#closed) this.matrix.setList(list, numbers, rows);
      })
      .then(
        () => {
          for (const list of missing) this.#known[list] = true;
        },
        (error: unknown) => {
          for (const list of missing) this.#known[list] = undefined; // the next question tries again
          throw error;
        },
      );
    reading.catch(() => {}); // reported to the callers that still wait
    for (const list of missing) this.#known[list] = reading;
  }
}

/** One segment's rows while they are opened, and afterwards. */
class OpeningRows {
  readonly opening: Promise<CoarseRows>;
  failed = false;
  #closed = false;

  constructor(reader: SegmentReader, kernel: Kernel, dimensions: number) {
    this.opening = this.#open(reader, kernel, dimensions);
    this.opening.catch(() => {
      this.failed = true;
    });
  }

  close(): void {
    this.#closed = true;
    this.opening.then(
      (rows) => rows.close(),
      () => {},
    );
  }

  async #open(reader: SegmentReader, kernel: Kernel, dimensions: number): Promise<CoarseRows> {
    const lists = await reader.coarseLists();
    if (lists !== undefined)
      return new CoarseRows(kernel.createListedMatrix(lists.firsts, dimensions, reader.coarseBits), lists);
    const matrix = kernel.createMatrix(reader.startRowCount, dimensions, reader.coarseBits);
    try {
      await reader.readCoarse((firstRow, rows) => {
        if (!this.#closed) matrix.set(firstRow, rows);
      });
      if (this.#closed) throw new VerbatimError("aborted", "The index was closed while it was asked.");
      return new CoarseRows(matrix, undefined);
    } catch (error) {
      matrix.free();
      throw error;
    }
  }
}

export class CoarseMatrices {
  readonly #kernel: Kernel;
  readonly #dimensions: number;
  readonly #byFiles = new Map<object, Shared<OpeningRows>>();

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
      if (shared !== undefined && !shared.value.failed) this.#byFiles.set(files, shared.hold());
    }
  }

  /** Opened at the first call, then kept. Shared between callers, so a signal ends the waiting, not the work. */
  async get(reader: SegmentReader, signal?: AbortSignal): Promise<CoarseRows> {
    let shared = this.#byFiles.get(reader.files);
    if (shared === undefined || shared.value.failed) {
      const rows = new OpeningRows(reader, this.#kernel, this.#dimensions);
      shared = new Shared(rows, () => rows.close());
      this.#byFiles.set(reader.files, shared);
    }
    const rows = await shared.value.opening;
    throwIfAborted(signal);
    return rows;
  }

  /** Frees the kernel memory that has no other user. */
  close(): void {
    for (const shared of this.#byFiles.values()) void shared.release();
    this.#byFiles.clear();
  }
}
