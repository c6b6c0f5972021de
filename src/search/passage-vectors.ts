/** Vectors of all passages, in the kernel's memory. */

import { VerbatimError } from "../errors.js";
import type { IndexSnapshot, SegmentReader } from "../index/types.js";
import type { Kernel, Matrix } from "../kernel/kernel.js";
import { ByFiles } from "./by-files.js";
import type { Numbering } from "./global-ids.js";

interface LoadedVectors {
  /** undefined at level `lexical`, which stores none, and for a model without vectors. */
  matrix: Matrix | undefined;
  close(): void;
}

export class PassageVectors {
  readonly #kernel: Kernel;
  readonly #snapshot: IndexSnapshot;
  readonly #numbering: Numbering;
  readonly #byFiles: ByFiles<LoadedVectors>;

  constructor(
    kernel: Kernel,
    dimensions: number,
    rest: { snapshot: IndexSnapshot; numbering: Numbering; before: PassageVectors | undefined },
  ) {
    this.#kernel = kernel;
    this.#snapshot = rest.snapshot;
    this.#numbering = rest.numbering;
    const before = rest.before === undefined ? undefined : rest.before.#byFiles;
    this.#byFiles = new ByFiles((reader, isClosed) => load(reader, { kernel, dimensions, isClosed }), {
      segments: rest.snapshot.segments,
      ...(before === undefined ? {} : { before }),
    });
  }

  /**
   * Integer inner products of a question's vector with every passage's, by global number; 0 for
   * passages without a stored one. Vectors are read when a question first needs them.
   * @param query  int16 [vector]
   * @throws VerbatimError `corrupt-segment`, `aborted`
   */
  async dots(query: Int16Array, signal?: AbortSignal): Promise<Int32Array> {
    const { firstPassages } = this.#numbering;
    const loaded = await Promise.all(this.#snapshot.segments.map((segment) => this.#byFiles.get(segment, signal)));
    const dots = new Int32Array(firstPassages.at(-1)!);
    for (const [segment, { matrix }] of loaded.entries()) {
      if (matrix === undefined) continue;
      this.#kernel.matrixDots(matrix, query, dots.subarray(firstPassages[segment]!, firstPassages[segment + 1]!));
    }
    return dots;
  }

  /** Loads all vectors, which the first question would otherwise wait for. */
  async warmUp(): Promise<void> {
    for (const segment of this.#snapshot.segments) await this.#byFiles.get(segment);
  }

  close(): void {
    this.#byFiles.close();
  }
}

async function load(
  reader: SegmentReader,
  { kernel, dimensions, isClosed }: { kernel: Kernel; dimensions: number; isClosed: () => boolean },
): Promise<LoadedVectors> {
  if (reader.level === "lexical" || dimensions === 0) return { matrix: undefined, close: () => {} };
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
