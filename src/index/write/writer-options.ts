/** Options of an index writer, and the documents that it takes. */

import type { IndexLevel } from "../format/level.js";
import type { ManifestModel } from "../manifest/manifest.js";
import type { PreparedDocument, PreparedPassage } from "../types.js";
import type { Durability } from "./without-syncs.js";

export interface IndexWriterOptions {
  /**
   * The model that encodes the passages; a `ModelInfo` fits. Default: that of the index; required
   * for a new index.
   */
  model?: ManifestModel;
  /**
   * Level of a new index: how much of each passage is stored. Default `full`. An existing index
   * keeps its level until `upgrade`.
   */
  level?: IndexLevel;
  /**
   * Level of what this writer adds, at most the index's; `upgrade` raises it later. Default: the
   * index's.
   */
  addedLevel?: IndexLevel;
  /**
   * Term weights stored per passage at level `thin`, 1 … 4096: more find better, and take a byte or
   * two each. Default 64.
   */
  thinTerms?: number;
  /**
   * Start without the documents of an existing index, whose level is kept. The first commit replaces all of them, and
   * may have another model; full segments are not committed before it. Default false.
   */
  startEmpty?: boolean;
  /**
   * A segment is closed after the document that brings it to this many passages; ≥ 1, default
   * 16,384. Larger segments answer faster and need fewer files, but a crash loses more.
   */
  segmentPassages?: number;
  /** A segment is also closed at this many bytes on disk and in postings; default 1 GiB. */
  segmentBytes?: number;
  /**
   * Commit whenever a segment is full (default), so that a crash loses at most one. False: only
   * `commit` commits.
   */
  autoCommit?: boolean;
  /**
   * Merge small segments in the background after a commit, and wait for it in `close`. Default
   * false; true for `openWriter`.
   */
  autoMerge?: boolean;
  /** "full": an acknowledged commit is on the disk. "relaxed": see docs/durability.md. Default "full". */
  durability?: Durability;
  /**
   * Called with the error if a merge in the background fails; the index is unchanged, and the next commit tries
   * again.
   */
  onMergeError?: (error: unknown) => void;
  /** Stops opening and `add`; what was added before can still be committed. */
  signal?: AbortSignal;
}

/**
 * A document whose passages may still be streaming in, so that one of any size needs bounded
 * memory.
 */
export type StreamedDocument = Omit<PreparedDocument, "passages"> & {
  /** `documentContentHash(document)`, where the caller has it already. */
  contentHash?: string | undefined;
  passages: PreparedDocument["passages"] | Iterable<PreparedPassage> | AsyncIterable<PreparedPassage>;
};
