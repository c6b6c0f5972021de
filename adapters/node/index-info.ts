/** What an index holds, read without the model. */

import { resolve } from "node:path";
import { VerbatimError } from "../../src/errors.js";
import { type IndexInfo, indexInfo, textBytes } from "../../src/index/index-info.js";
import { committedVersions, lacksManifest } from "../../src/index/manifest/manifest.js";
import { manifestMissing, openSnapshot } from "../../src/index/open-snapshot.js";
import { FileStorage } from "./storage/file-storage.js";

export interface IndexTotals extends IndexInfo {
  /** UTF-8 bytes of the live documents' extracted texts, for comparison with the index's size. */
  textBytes: number;
}

/**
 * @returns undefined when there is no committed version
 * @throws VerbatimError `corrupt-manifest`, `corrupt-segment`, `unsupported-format`
 */
export async function readTotals(storage: FileStorage): Promise<IndexTotals | undefined> {
  if (!(await hasManifest(storage))) return undefined;
  const snapshot = await openSnapshot(storage);
  try {
    return { ...indexInfo(snapshot), textBytes: await textBytes(snapshot) };
  } finally {
    await snapshot.close();
  }
}

/** True when there is a committed version to open. */
async function hasManifest(storage: FileStorage): Promise<boolean> {
  return committedVersions(await namesIn(storage)).length > 0;
}

async function namesIn(storage: FileStorage): Promise<string[]> {
  return (await storage.exists()) ? storage.list() : [];
}

/** Whether a folder has an index with a committed version. */
export const hasIndex = (path: string): Promise<boolean> => hasManifest(new FileStorage(resolve(path)));

/**
 * @param shown  the path as the person gave it, for the message
 * @throws VerbatimError `index-missing`; `corrupt-manifest` if there are segments without a manifest
 */
export async function requireIndex(path: string, shown: string = path): Promise<void> {
  const names = await namesIn(new FileStorage(resolve(path)));
  if (committedVersions(names).length > 0) return;
  throw lacksManifest(names) ? manifestMissing(shown) : noIndex(shown);
}

/** As `requireIndex`, for commands that can do without a manifest. @throws VerbatimError `index-missing` */
export async function requireIndexFiles(path: string, shown: string = path): Promise<void> {
  const names = await namesIn(new FileStorage(resolve(path)));
  if (committedVersions(names).length === 0 && !lacksManifest(names)) throw noIndex(shown);
}

function noIndex(shown: string): VerbatimError {
  return new VerbatimError("index-missing", `There is no index in ${shown}.`, {
    hint: `Make one: verbatim index PATH --index ${shown}`,
  });
}
