/** Removes what no manifest names: what a crash left, and what a newer version replaced (docs/index-format.md §10.2). */

import { committedVersions, isIndexFile, type Manifest, manifestName, readManifest } from "./manifest.js";
import type { Storage } from "./ports.js";

/**
 * Removes the files of the index's names that none of `manifests` names. Old manifests go first, so that what is left never seems
 * to be a version without its files. A file that cannot be removed now is left for the next commit.
 * @param keep  further names
 */
export async function collectGarbage(
  storage: Storage,
  manifests: readonly Manifest[],
  keep: readonly string[] = [],
): Promise<void> {
  const used = new Set(keep);
  for (const manifest of manifests) {
    used.add(manifestName(manifest.version));
    for (const segment of manifest.segments) for (const file of segment.files) used.add(file.name);
  }
  const names = await storage.list().catch(() => []);
  const unused = names.filter((name) => isIndexFile(name) && !used.has(name));
  unused.sort((a, b) => Number(b.startsWith("manifest-")) - Number(a.startsWith("manifest-")) || (a < b ? -1 : 1));
  for (const name of unused) await storage.remove(name).catch(() => {});
}

/** The manifest before the live one, if it is there and whole: its files are kept one commit longer. */
export async function previousManifest(storage: Storage, names: readonly string[]): Promise<Manifest | undefined> {
  const version = committedVersions(names)[1];
  if (version === undefined) return undefined;
  try {
    return (await readManifest(storage, version)).manifest;
  } catch {
    return undefined; // it does not count any more; a reader would not open it either
  }
}
