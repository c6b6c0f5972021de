/** Vectors of all passages, in the kernel's memory or in memory that threads share. */

import { VerbatimError } from "../errors.js";
import type { IndexSnapshot, SegmentReader } from "../index/types.js";
import type { Kernel, Matrix } from "../kernel/kernel.js";
import type { SharedRows } from "../kernel/shared-rows.js";
import type { Numbering } from "./numbering.js";
import { SegmentCache } from "./segment-cache.js";

/** The vectors of a segment that another thread has loaded, if there is one. */
export type FindSharedVectors = (segment: SegmentReader) => SharedRows | undefined;

interface LoadedVectors {
  /** undefined at level `lexical`, which stores none, and for a model without vectors. */
  matrix: Matrix | undefined;
  close(): void;
}

/** Vectors by segment; they stay the searcher's. */
export interface SegmentMatrices {
  kernel: Kernel;
  /** One per segment; undefined for one that stores none. */
  matrices: ReadonlyArray<Matrix | undefined>;
  /** First global number of each segment's passages, and their number in all: [segments + 1]. */
  firstPassages: Uint32Array;
}

export class PassageVectors {
  readonly #kernel: Kernel;
  readonly #snapshot: IndexSnapshot;
  readonly #numbering: Numbering;
  readonly #loaded: SegmentCache<LoadedVectors>;

  constructor(
    kernel: Kernel,
    dimensions: number,
    rest: {
      snapshot: IndexSnapshot;
      numbering: Numbering;
      before: PassageVectors | undefined;
      findShared: FindSharedVectors | undefined;
    },
  ) {
    this.#kernel = kernel;
    this.#snapshot = rest.snapshot;
    this.#numbering = rest.numbering;
    const before = rest.before === undefined ? undefined : rest.before.#loaded;
    const { findShared } = rest;
    this.#loaded = new SegmentCache((reader, isClosed) => load(reader, { kernel, dimensions, isClosed, findShared }), {
      segments: rest.snapshot.segments,
      ...(before === undefined ? {} : { before }),
    });
  }

  /**
   * The vectors of all segments, read when a question first needs them.
   * @throws VerbatimError `corrupt-segment`, `aborted`
   */
  async loaded(signal?: AbortSignal): Promise<SegmentMatrices> {
    const loaded = await Promise.all(this.#snapshot.segments.map((segment) => this.#loaded.get(segment, signal)));
    const matrices = loaded.map(({ matrix }) => matrix);
    return { kernel: this.#kernel, matrices, firstPassages: this.#numbering.firstPassages };
  }

  /** Loads all vectors, which the first question would otherwise wait for. */
  async warmUp(): Promise<void> {
    for (const segment of this.#snapshot.segments) await this.#loaded.get(segment);
  }

  close(): void {
    this.#loaded.close();
  }
}

interface LoadOptions {
  kernel: Kernel;
  dimensions: number;
  isClosed: () => boolean;
  findShared: FindSharedVectors | undefined;
}

async function load(
  reader: SegmentReader,
  { kernel, dimensions, isClosed, findShared }: LoadOptions,
): Promise<LoadedVectors> {
  if (reader.level === "lexical" || dimensions === 0) return { matrix: undefined, close: () => {} };
  const shared = findShared?.(reader);
  const opened = shared && kernel.openShared(shared);
  if (opened !== undefined) return { matrix: opened, close: () => opened.free() };
  const matrix = kernel.createMatrix(reader.passageCount, dimensions);
  try {
    await reader.readVectors((firstPassage, rows) => {
      if (!isClosed()) matrix.set(firstPassage, rows);
    });
    if (isClosed()) throw new VerbatimError("aborted", "The index was closed while it was asked.");
    return { matrix, close: () => matrix.free() };
  } catch (error) {
    matrix.free();
    throw error;
  }
}
