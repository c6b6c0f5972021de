/** Checks, repairs, copies and restores the index in a folder. */

import { resolve } from "node:path";
import type { IndexCheckOptions } from "../../src/api/index-handle.js";
import type { CheckReport } from "../../src/index/maintain/check.js";
import { type RepairReport, repairIndex as repairStorage } from "../../src/index/maintain/repair.js";
import {
  type CopyOptions,
  type CopyReport,
  restoreIndex as restoreStorage,
  snapshotIndex as snapshotStorage,
} from "../../src/index/maintain/snapshot.js";
import { checkFolder } from "./check/check-threads.js";
import { requireIndex } from "./index-info.js";
import type { ModelOptions } from "./models/choice.js";
import { installedModel } from "./models/installed-model.js";
import { FileStorage } from "./storage/file-storage.js";
import { copySideFolders } from "./storage/side-folders.js";

export interface CheckIndexOptions extends IndexCheckOptions {
  /** 1 or more. Default: one per core, at most 8. */
  threads?: number;
}

/**
 * Reads every byte of an index and verifies checksums, bounds and offsets. Reports damage and never throws for it.
 * @throws VerbatimError `index-missing`, `unsupported-format`, `aborted`
 */
export async function checkIndex(path: string, options: CheckIndexOptions = {}): Promise<CheckReport> {
  await requireIndex(path);
  return checkFolder(resolve(path), options);
}

/** The model that made the index is needed only if no manifest can be read; "auto" is then the English one. */
export interface RepairIndexOptions extends IndexCheckOptions, ModelOptions {}

/**
 * Checks an index and commits a version of what is undamaged. Rebuilds files that repeat others, keeps the whole
 * documents of damaged segments, and lists what to index again. Leaves an undamaged index alone.
 * @throws VerbatimError `index-missing`, `index-locked`, `unsupported-format`, `corrupt-manifest`, `out-of-space`, `aborted`
 */
export async function repairIndex(path: string, options: RepairIndexOptions = {}): Promise<RepairReport> {
  const { model, modelFolder, signal, onProgress } = options;
  const storage = new FileStorage(resolve(path));
  // without a manifest there may still be segments to repair; a missing folder must not be created by the lock
  if (!(await storage.exists())) await requireIndex(path);
  return repairStorage(storage, {
    signal,
    onProgress,
    model: await installedModel({ model, modelFolder, index: path }),
  });
}

/**
 * Copies the newest version of an index to an empty folder; files are shared (hard links) if both folders are on one
 * disk. Writers and open indexes continue meanwhile.
 * @throws VerbatimError `index-missing`, `invalid-argument` (the target holds an index), `corrupt-segment`, `out-of-space`, `aborted`
 */
export async function snapshotIndex(path: string, target: string, options: CopyOptions = {}): Promise<CopyReport> {
  await requireIndex(path);
  const report = await snapshotStorage(new FileStorage(resolve(path)), new FileStorage(resolve(target)), options);
  await copySideFolders(resolve(path), resolve(target));
  return report;
}

/**
 * Makes a snapshot the content of an index, in one step. With `replace` an existing index gets it as its next
 * version; without, an existing index is an error.
 * @throws VerbatimError as `snapshotIndex`, and `index-locked`
 */
export async function restoreIndex(
  snapshot: string,
  path: string,
  options: CopyOptions & { replace?: boolean } = {},
): Promise<CopyReport> {
  await requireIndex(snapshot);
  const report = await restoreStorage(new FileStorage(resolve(snapshot)), new FileStorage(resolve(path)), options);
  await copySideFolders(resolve(snapshot), resolve(path));
  return report;
}
