/** Checks, repairs, copies and restores the index in a folder. */

import { resolve } from "node:path";
import type { IndexCheckOptions } from "../../src/api/index-handle.js";
import { hasCode } from "../../src/errors.js";
import type { CheckReport } from "../../src/index/maintain/check.js";
import { type RepairReport, repairIndex as repairStorage } from "../../src/index/maintain/repair.js";
import {
  type CopyOptions,
  type CopyReport,
  restoreIndex as restoreStorage,
  snapshotIndex as snapshotStorage,
} from "../../src/index/maintain/snapshot.js";
import { checkFolder } from "./check/check-threads.js";
import { refuseFolderOfFiles, requireIndex, requireIndexFiles } from "./index-info.js";
import { folderWithHash, type ModelOptions } from "./models/choice.js";
import { installedModel } from "./models/installed-model.js";
import { FileStorage } from "./storage/file-storage.js";
import { copySideFolders } from "./storage/side-folders.js";

export interface CheckIndexOptions extends IndexCheckOptions {
  /** 1 or more. Default: one per core, at most 8. */
  threads?: number;
}

export async function checkIndex(path: string, options: CheckIndexOptions = {}): Promise<CheckReport> {
  await requireIndexFiles(path);
  return checkFolder(resolve(path), options);
}

/** The model that made the index is needed only if no manifest can be read; "auto" finds it if it is installed. */
export interface RepairIndexOptions extends IndexCheckOptions, ModelOptions {}

export async function repairIndex(path: string, options: RepairIndexOptions = {}): Promise<RepairReport> {
  const { model, modelFolder, signal, onProgress } = options;
  await requireIndexFiles(path); // a missing folder must not be created by the lock
  const storage = new FileStorage(resolve(path));
  const repair = async (models: ModelOptions): Promise<RepairReport> =>
    repairStorage(storage, { signal, onProgress, model: await installedModel({ ...models, index: path }) });
  try {
    return await repair({ model, modelFolder });
  } catch (error) {
    const chosen = modelFolder !== undefined || (model ?? "auto") !== "auto";
    if (chosen || !hasCode(error, "model-mismatch")) throw error;
    // there is no manifest to name the model, but the segments do
    const folder = await folderWithHash(String(error.found));
    if (folder === undefined) throw error;
    return repair({ modelFolder: folder });
  }
}

export async function snapshotIndex(path: string, target: string, options: CopyOptions = {}): Promise<CopyReport> {
  await requireIndex(path);
  await refuseFolderOfFiles(target);
  const report = await snapshotStorage(new FileStorage(resolve(path)), new FileStorage(resolve(target)), options);
  await copySideFolders(resolve(path), resolve(target));
  return report;
}

export async function restoreIndex(
  snapshot: string,
  path: string,
  options: CopyOptions & { replace?: boolean } = {},
): Promise<CopyReport> {
  await requireIndex(snapshot);
  await refuseFolderOfFiles(path);
  const report = await restoreStorage(new FileStorage(resolve(snapshot)), new FileStorage(resolve(path)), options);
  await copySideFolders(resolve(snapshot), resolve(path));
  return report;
}
