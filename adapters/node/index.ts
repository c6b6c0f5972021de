/**
 * `verbatim-qa/node`: the engine with paths in place of ports.
 *
 *     import { indexPaths, openIndex } from "verbatim-qa/node";
 *
 *     await indexPaths(["notes", "papers/*.pdf"], { index: "my.index" });
 *     const index = await openIndex({ path: "my.index" });
 *     const { answers } = await index.ask("who founded the observatory?");
 *     await index.close();
 */

import { resolve } from "node:path";
import type { Index } from "../../src/api/index-handle.js";
import { openIndex as openIndexOf } from "../../src/api/open-index.js";
import { openWriter as openWriterOf, type Writer } from "../../src/api/writer.js";
import type { Encoder } from "../../src/encode/types.js";
import type { IndexLevel } from "../../src/index/format/level.js";
import type { Durability } from "../../src/index/write/without-syncs.js";
import type { Reader } from "../../src/reader/types.js";
import { requireIndex } from "./index-info.js";
import { openEncoder } from "./models/encoder/encoder.js";
import { FileStorage } from "./storage/file-storage.js";

export type { Index } from "../../src/api/index-handle.js";
export type { Writer } from "../../src/api/writer.js";
export type { AskOptions } from "../../src/ask/options.js";
export type { AskResult } from "../../src/ask/result.js";
export { type ErrorCode, VerbatimError } from "../../src/errors.js";
export { FilterSyntaxError } from "../../src/filter/syntax-error.js";
export type { IndexLevel } from "../../src/index/format/level.js";
export type { IndexInfo } from "../../src/index/index-info.js";
export type { IngestProgress, SkippedDocument } from "../../src/ingest/ingest.js";
export type { Reader, ReaderMode, Reading } from "../../src/reader/types.js";
export type { Strategy } from "../../src/search/strategies/names.js";
export type { Answer, AnswerPlaceFields } from "../../src/search/types.js";
export type { Document, Place, SourceMap } from "../../src/types.js";
export type { DocumentFormat, SkippedInput } from "./documents/input.js";
export {
  type DocumentChange,
  type IndexPathsOptions,
  type IndexPathsProgress,
  type IndexPathsSummary,
  indexPaths,
} from "./ingest/index-paths.js";
export { type UpgradePathOptions, type UpgradeSummary, upgradePath } from "./ingest/upgrade-path.js";
export { openEncoder } from "./models/encoder/encoder.js";
export { openReader } from "./models/reader/reader.js";
export { type WatchOptions, watchPaths } from "./watch/watch-paths.js";

export interface OpenIndexOptions {
  /** Folder of the index. */
  path: string;
  /** Default: the model that ships with the package. Not read when `encoder` is given. */
  modelFolder?: string;
  /** Encoder threads, 1…64; default: one a core, each started when it is needed (a lone question needs none). Not read when `encoder` is given. */
  threads?: number;
  /** An encoder to share between indexes; it stays the caller's to close. Default: one of its own, closed with the index. */
  encoder?: Encoder;
  /** From `openReader`, for `readerMode`; it stays the caller's to close. Default: none. */
  reader?: Reader;
  /** Read your writes: fails unless the index is at the version that a commit returned, or at a newer one. */
  atLeastVersion?: number;
  signal?: AbortSignal;
}

/**
 * Opens the newest committed version of an index for asking.
 * @throws VerbatimError `index-missing`, `model-mismatch`, `model-missing`, `corrupt-manifest`, `corrupt-segment`,
 *   `unsupported-format`, `aborted`
 */
export async function openIndex(options: OpenIndexOptions): Promise<Index> {
  const { path, modelFolder, threads, encoder, reader, atLeastVersion, signal } = options;
  await requireIndex(path); // before the model is loaded: the answer is the same and quicker
  const storage = new FileStorage(resolve(path));
  if (encoder !== undefined) return openIndexOf({ storage, encoder, reader, atLeastVersion, signal });
  const own = await openEncoder({ modelFolder, threads });
  return openWithOwn(own, () => openIndexOf({ storage, encoder: own, reader, atLeastVersion, signal }));
}

export interface OpenWriterOptions extends Omit<OpenIndexOptions, "atLeastVersion" | "reader"> {
  /** Encoder threads, 1…64; default: one a core. */
  threads?: number;
  /** How much of each passage is kept, for a new index; an existing one keeps its own until `upgrade`. Default "full". */
  level?: IndexLevel;
  /** Of what this writer adds, at most the index's; `upgrade` raises it. Default: the index's. */
  addedLevel?: IndexLevel;
  /** Term weights kept of a passage at level "thin", 1 … 4096. Default 64. */
  thinTerms?: number;
  /** "relaxed" does not wait for the disk: docs/durability.md says what that risks. Default "full". */
  durability?: Durability;
  /** Merge small segments in the background after a commit. Default true. */
  autoMerge?: boolean;
  /** Told why a merge in the background came to nothing; the index is as it was. */
  onMergeError?: (error: unknown) => void;
}

/**
 * Opens an index for writing, and makes it when it is missing. One writer at a time.
 * @throws VerbatimError `index-locked`, `model-mismatch`, `permission-denied`, and those of `openIndex` but `index-missing`
 */
export async function openWriter(options: OpenWriterOptions): Promise<Writer> {
  const { path, modelFolder, threads, encoder, ...others } = options;
  const { level, addedLevel, thinTerms, durability, autoMerge, onMergeError, signal } = others;
  const storage = new FileStorage(resolve(path));
  const levels = { level, addedLevel, thinTerms };
  const rest = { storage, ...levels, durability, autoMerge, onMergeError, signal };
  if (encoder !== undefined) return openWriterOf({ ...rest, encoder });
  const own = await openEncoder({ modelFolder, threads });
  return openWithOwn(own, () => openWriterOf({ ...rest, encoder: own }));
}

/** Opens something whose `close` also closes the encoder that was made for it. */
async function openWithOwn<T extends { close(): Promise<void> }>(encoder: Encoder, open: () => Promise<T>): Promise<T> {
  let opened: T;
  try {
    opened = await open();
  } catch (error) {
    await encoder.close();
    throw error;
  }
  const close = opened.close.bind(opened);
  opened.close = async () => {
    try {
      await close();
    } finally {
      await encoder.close();
    }
  };
  return opened;
}
