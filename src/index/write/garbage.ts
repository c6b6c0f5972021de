/**
 * Removes files that no manifest names: left by a crash, or replaced by a newer version
 * (docs/index-format.md §10.2).
 */

import {
  committedVersions,
  isIndexFile,
  type Manifest,
  manifestName,
  readManifest,
  UNCOMMITTED,
} from "../manifest/manifest.js";
import type { Storage } from "../ports.js";
import type { LiveSegment } from "./writer-state.js";

/**
 * Removes the index's files that none of `manifests` names. Old manifests are removed first, so
 * that no version ever lacks its files. Files that cannot be removed now are left for the next
 * commit.
 * @param underConstruction  names of segments that no manifest names yet
 */
export async function collectGarbage(
  storage: Storage,
  manifests: readonly Manifest[],
  underConstruction: ReadonlySet<string> = new Set(),
): Promise<void> {
  const used = new Set<string>(manifests.length === 0 ? [UNCOMMITTED] : []);
  for (const manifest of manifests) {
    used.add(manifestName(manifest.version));
    for (const segment of manifest.segments) for (const file of segment.files) used.add(file.name);
  }
  const names = await storage.list().catch(() => []);
  const unused = names.filter(
    (name) => isIndexFile(name) && !used.has(name) && !underConstruction.has(name.split(".")[0]!),
  );
  unused.sort((a, b) => Number(b.startsWith("manifest-")) - Number(a.startsWith("manifest-")) || (a < b ? -1 : 1));
  for (const name of unused) await storage.remove(name).catch(() => {});
}

/**
 * Marks the storage as one without a commit yet, before its first segment file is created: if the
 * run is interrupted, its files are not mistaken for an index whose manifest was removed. The first
 * commit removes the mark (`collectGarbage`).
 */
export async function markUncommitted(storage: Storage): Promise<void> {
  if (!(await storage.list()).includes(UNCOMMITTED)) await (await storage.create(UNCOMMITTED)).close();
  await storage.syncDirectory(); // a crash must not keep segment files without the mark
}

/** Removes the mark when nothing was committed, unless segment files are left. Never throws. */
export async function unmarkUncommitted(storage: Storage): Promise<void> {
  try {
    const names = (await storage.list()).filter(isIndexFile);
    if (names.length !== 1 || names[0] !== UNCOMMITTED) return;
    await storage.syncDirectory(); // the segment files go first
    await storage.remove(UNCOMMITTED);
  } catch {
    // the next writer removes it
  }
}

/**
 * Removes what an unfinished commit left in the way of the next one: its manifest under
 * construction, and tombstones of versions that do not exist. For commits without a manifest that
 * says what is garbage.
 * @param version  highest committed one
 */
export async function removeUncommitted(storage: Storage, version: number): Promise<void> {
  for (const name of await storage.list()) {
    const tombstones = Number(/\.tombstones-([0-9]+)$/.exec(name)?.[1] ?? 0);
    if (isIndexFile(name) && (name.endsWith(".tmp") || tombstones > version)) await storage.remove(name);
  }
}

/**
 * Removes the files of complete segments that the last commit does not name, when a writer is
 * closed.
 */
export async function removeNew(
  storage: Storage,
  index: { manifest: Manifest | undefined; segments: readonly Pick<LiveSegment, "name" | "entry">[] },
): Promise<void> {
  const committed = new Set(index.manifest?.segments.map(({ name }) => name));
  for (const { name, entry } of index.segments) {
    if (committed.has(name)) continue;
    for (const file of entry!.files) await storage.remove(file.name).catch(() => {});
  }
}

/**
 * The manifest before the current one, if it exists and is intact: its files are kept one commit
 * longer.
 */
export async function previousManifest(storage: Storage, names: readonly string[]): Promise<Manifest | undefined> {
  const version = committedVersions(names)[1];
  if (version === undefined) return undefined;
  try {
    return (await readManifest(storage, version)).manifest;
  } catch {
    return undefined; // it is not current any more, and a reader would not open it either
  }
}
