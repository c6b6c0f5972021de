/**
 * The calls of `verbatim-qa/node` that write, check, publish and watch. Each loads its modules when
 * it is first called, because a program that only asks starts faster without them.
 */

import type { Writer } from "../../src/api/writer.js";
import type { CheckReport } from "../../src/index/maintain/check.js";
import type { RepairReport } from "../../src/index/maintain/repair.js";
import type { CopyOptions, CopyReport } from "../../src/index/maintain/snapshot.js";
import type { IndexPathsOptions, IndexPathsSummary } from "./ingest/index-paths.js";
import type { UpgradePathOptions, UpgradeSummary } from "./ingest/upgrade-path.js";
import type { CheckIndexOptions, RepairIndexOptions } from "./maintain-index.js";
import type { OpenWriterOptions } from "./open-writer.js";
import type { PublishOptions, PublishReport } from "./publish/publish-site.js";
import type { WatchOptions } from "./watch/watch-paths.js";

/**
 * Indexes files, folders, globs and `-` (standard input). Documents whose content is already in the index are kept,
 * changed ones are replaced, those of renamed files are kept under the new name, unreadable ones are reported and
 * skipped. An existing index is changed only by whole commits.
 * @throws VerbatimError `invalid-argument`, `index-locked`, `model-mismatch`, `model-missing`, `out-of-space`,
 *   `permission-denied`, …
 */
export async function indexPaths(paths: readonly string[], options: IndexPathsOptions): Promise<IndexPathsSummary> {
  return (await import("./ingest/index-paths.js")).indexPaths(paths, options);
}

/**
 * Raises an index to a level. Readers and servers keep answering meanwhile.
 * @throws VerbatimError `index-missing`, `index-locked`, `model-mismatch`, `model-missing`, `invalid-argument` (a
 *   lower level than the index's), `out-of-space`, …: the index is as it was or better
 */
export async function upgradePath(path: string, options: UpgradePathOptions): Promise<UpgradeSummary> {
  return (await import("./ingest/upgrade-path.js")).upgradePath(path, options);
}

/**
 * Opens an index for writing, and creates it if there is none. There is one writer at a time.
 * @throws VerbatimError `index-locked`, `model-mismatch`, `model-missing`, `permission-denied`, and those of
 *   `openIndex`
 */
export async function openWriter(options: OpenWriterOptions): Promise<Writer> {
  return (await import("./open-writer.js")).openWriter(options);
}

/**
 * Reads every byte of an index and verifies checksums, bounds and offsets. Reports damage and never throws for it.
 * @throws VerbatimError `index-missing`, `unsupported-format`, `aborted`
 */
export async function checkIndex(path: string, options?: CheckIndexOptions): Promise<CheckReport> {
  return (await import("./maintain-index.js")).checkIndex(path, options);
}

/**
 * Checks an index and commits a version of what is undamaged. Rebuilds files that repeat others, keeps the whole
 * documents of damaged segments, and lists what to index again. Leaves an undamaged index alone.
 * @throws VerbatimError `index-missing`, `index-locked`, `unsupported-format`, `corrupt-manifest`, `out-of-space`,
 *   `aborted`
 */
export async function repairIndex(path: string, options?: RepairIndexOptions): Promise<RepairReport> {
  return (await import("./maintain-index.js")).repairIndex(path, options);
}

/**
 * Copies the newest version of an index to an empty folder; files are shared (hard links) if both folders are on one
 * disk. Writers and open indexes continue meanwhile.
 * @throws VerbatimError `index-missing`, `invalid-argument` (the target holds an index), `corrupt-segment`,
 *   `out-of-space`, `aborted`
 */
export async function snapshotIndex(path: string, target: string, options?: CopyOptions): Promise<CopyReport> {
  return (await import("./maintain-index.js")).snapshotIndex(path, target, options);
}

/**
 * Makes a snapshot the content of an index, in one step. With `replace` an existing index gets it as its next
 * version; without, an existing index is an error.
 * @throws VerbatimError as `snapshotIndex`, and `index-locked`
 */
export async function restoreIndex(
  snapshot: string,
  path: string,
  options?: CopyOptions & { replace?: boolean },
): Promise<CopyReport> {
  return (await import("./maintain-index.js")).restoreIndex(snapshot, path, options);
}

/**
 * Writes a site of static files: a page that searches an index in the browser, with no server behind it. Files that
 * already have the right content are not written again.
 * @throws VerbatimError `index-missing`, `model-missing`, `model-mismatch`, `invalid-argument` (a
 *   folder with other files, or deleted documents at level "full"), `aborted`, and those of the
 *   index and the file system
 */
export async function publishSite(options: PublishOptions): Promise<PublishReport> {
  return (await import("./publish/publish-site.js")).publishSite(options);
}

/**
 * Indexes what has changed since the last run, then every change as it happens, until the signal
 * fires: new, changed, renamed and removed files, also in new folders; ignore files are respected.
 * The index is locked only while a round writes to it.
 * @throws VerbatimError `invalid-argument`; `unreadable-document` if none of the paths exists;
 *   `io-error` if the system cannot watch this many folders; those of `indexPaths` except
 *   `index-locked`
 */
export async function watchPaths(paths: readonly string[], options: WatchOptions): Promise<void> {
  return (await import("./watch/watch-paths.js")).watchPaths(paths, options);
}
