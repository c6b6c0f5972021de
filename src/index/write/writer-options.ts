/** What a writer of an index is told when it is opened, and what it is given to add. */

import type { IndexLevel } from "../format/level.js";
import type { ManifestModel } from "../manifest/manifest.js";
import type { PreparedDocument, PreparedPassage } from "../types.js";
import type { Durability } from "./without-syncs.js";

export interface IndexWriterOptions {
  /** The model that encodes the passages. `ModelInfo` fits. Default: the index's own; a new index needs one. */
  model?: ManifestModel;
  /** How much of each passage is kept, for a new index: default `full`. An existing one keeps its own, until `upgrade`. */
  level?: IndexLevel;
  /** Of what this writer adds, at most the index's: a lower one is raised by `upgrade` later. Default: the index's. */
  addedLevel?: IndexLevel;
  /** Largest term weights kept of a unit at level `thin`, 1 … 4096: more find better, and cost a byte or two each. Default 64. */
  thinTerms?: number;
  /** A segment is closed after the document that brings it to so many passages; ≥ 1, default 16,384. Larger: quicker questions, fewer files, more lost in a crash. */
  segmentPassages?: number;
  /** … or to so many bytes on disk and in postings; default 1 GiB. */
  segmentBytes?: number;
  /** Commit whenever a segment is full (default), so that a crash loses at most one. False: only `commit` commits, all or nothing. */
  autoCommit?: boolean;
  /** Merge small segments in the background after a commit, and wait for it in `close`. Default false. */
  autoMerge?: boolean;
  /** Default "full". */
  durability?: Durability;
  /** Told why a merge in the background came to nothing; the index is as it was. */
  onMergeError?: (error: unknown) => void;
  /** Stops opening and `add`; what was added before can still be committed. */
  signal?: AbortSignal;
}

/** A document whose passages may still be streaming in, so that one of any size needs bounded memory. */
export type StreamedDocument = Omit<PreparedDocument, "passages"> & {
  /** `documentContentHash(document)`, where the caller has it already. */
  contentHash?: string | undefined;
  passages: PreparedDocument["passages"] | Iterable<PreparedPassage> | AsyncIterable<PreparedPassage>;
};
