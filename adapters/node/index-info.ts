/** What an index holds, read without the model. */

import { readdir } from "node:fs/promises";
import { resolve } from "node:path";
import { shellWord, VerbatimError } from "../../src/errors.js";
import { type IndexInfo, indexInfo, textBytes } from "../../src/index/index-info.js";
import { committedVersions, isIndexFile, lacksManifest } from "../../src/index/manifest/manifest.js";
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
  throw lacksManifest(names) ? lostManifest(shown) : await noIndex(path, shown);
}

/** As `requireIndex`, for commands that can do without a manifest. @throws VerbatimError `index-missing` */
export async function requireIndexFiles(path: string, shown: string = path): Promise<void> {
  const names = await namesIn(new FileStorage(resolve(path)));
  if (committedVersions(names).length === 0 && !lacksManifest(names)) throw await noIndex(path, shown);
}

/**
 * A new index must not share a folder with other files: `index` reads no documents from a folder that has an index in
 * it.
 * @param shown  the path as the person gave it, for the message
 * @throws VerbatimError `invalid-argument` if there are visible files and none of an index
 */
export async function refuseFolderOfFiles(path: string, shown: string = path): Promise<void> {
  const entries = await readdir(resolve(path), { withFileTypes: true }).catch(() => []); // reported when it is opened
  if (entries.some(({ name }) => isIndexFile(name))) return;
  const isOwn = (name: string): boolean => name.startsWith(".") || /^lock(?:\.|$)/.test(name); // locks may be left over
  const other = entries.find((entry) => entry.isFile() && !isOwn(entry.name));
  if (other === undefined) return;
  throw new VerbatimError("invalid-argument", `${shown} holds other files, such as ${other.name}.`, {
    where: path,
    hint: "Choose a new folder, or an empty one.",
  });
}

/** With a command that can be copied, whatever the path. */
function lostManifest(shown: string): VerbatimError {
  const { code, message, where } = manifestMissing(shown);
  const hint = `Run verbatim repair --index ${shellWord(shown)} to recover the documents.`;
  return new VerbatimError(code, message, { where, hint });
}

async function noIndex(path: string, shown: string): Promise<VerbatimError> {
  const entries = await readdir(resolve(path)).catch((error: NodeJS.ErrnoException) => error.code);
  const isUsed = entries === "ENOTDIR" || (Array.isArray(entries) && entries.some((name) => !name.startsWith(".")));
  const what = entries === "ENOTDIR" ? "is a file, not an index" : "has no index in it";
  return new VerbatimError("index-missing", isUsed ? `${shown} ${what}.` : `There is no index in ${shown}.`, {
    hint: isUsed
      ? `Name the folder of an index, or create one: verbatim index ${shellWord(shown)}`
      : `Create one: verbatim index PATH --index ${shellWord(shown)}`,
  });
}
