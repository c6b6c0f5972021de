/** First dimensions of all start rows, in the kernel's memory. */

import { VerbatimError } from "../errors.js";
import type { CoarseLists, SegmentReader } from "../index/types.js";
import type { Kernel, Matrix } from "../kernel/kernel.js";
import { type Centroids, EVERY_LIST, LISTS } from "../vectors/centroids.js";
import { ByFiles } from "./by-files.js";

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

async function openRows(
  reader: SegmentReader,
  { kernel, dimensions, isClosed }: { kernel: Kernel; dimensions: number; isClosed: () => boolean },
): Promise<CoarseRows> {
  const lists = await reader.coarseLists();
  if (lists !== undefined)
    return new CoarseRows(kernel.createListedMatrix(lists.firsts, dimensions, reader.coarseBits), lists);
  const matrix = kernel.createMatrix(reader.startRowCount, dimensions, reader.coarseBits);
  try {
    await reader.readCoarse((firstRow, rows) => {
      if (!isClosed()) matrix.set(firstRow, rows);
    });
    if (isClosed()) throw new VerbatimError("aborted", "The index was closed while it was asked.");
    return new CoarseRows(matrix, undefined);
  } catch (error) {
    matrix.free();
    throw error;
  }
}

/** Coarse rows of a snapshot's segments; `before` is of another version on the same kernel. */
export const coarseMatrices = (
  kernel: Kernel,
  dimensions: number,
  shared: { segments: readonly SegmentReader[]; before?: ByFiles<CoarseRows> },
): ByFiles<CoarseRows> => new ByFiles((reader, isClosed) => openRows(reader, { kernel, dimensions, isClosed }), shared);
