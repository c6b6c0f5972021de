/**
 * Commits segments: everything is on disk first, then one rename publishes it (docs/index-format.md
 * §10.2).
 */

import { FORMAT_VERSION } from "../format/container-layout.js";
import type { FileEntry } from "../format/container-writer.js";
import { type IndexLevel, THIN_TERMS } from "../format/level.js";
import {
  encodeManifest,
  type Manifest,
  type ManifestModel,
  type ManifestSegment,
  manifestName,
  tombstonesFile,
  totalsOf,
} from "../manifest/manifest.js";
import type { Storage } from "../ports.js";
import { Tombstones } from "../segment/tombstones.js";
import { writeTombstones } from "./write-tombstones.js";
import type { LiveSegment } from "./writer-state.js";

interface CommitOptions {
  previous: Pick<Manifest, "version"> | undefined;
  model: ManifestModel;
  nextSegment: number;
  /** Default `full`. */
  level?: IndexLevel;
  thinTerms?: number;
}

/**
 * Commits `segments`, whose files are complete and synced, as the version after `previous`.
 * Deletions made while the call runs belong to the next commit.
 * @returns the manifest, which is on disk
 */
export async function commitManifest(
  storage: Storage,
  segments: readonly LiveSegment[],
  options: CommitOptions,
): Promise<Manifest> {
  const version = (options.previous?.version ?? 0) + 1;
  const { name, passageModelHash, vocabularySize, dense, coherency, vector } = options.model;
  const { level = "full", thinTerms = THIN_TERMS } = options;
  const plans = segments.map((segment) => planSegment(segment));
  const entries: ManifestSegment[] = [];
  for (const [i, { entry, tombstones }] of plans.entries()) {
    if (tombstones) {
      const file = await writeTombstones(storage, tombstones, {
        name: `${entry.name}.tombstones-${version}`,
        passageModelHash,
      });
      entry.files.push(file);
    }
    entries.push(entry);
    segments[i]!.entry = entry;
  }
  const manifest: Manifest = {
    formatVersion: FORMAT_VERSION,
    minimumReaderVersion: FORMAT_VERSION,
    version,
    nextSegment: options.nextSegment,
    level,
    ...(level === "thin" ? { thinTerms } : {}),
    model: { name, passageModelHash, vocabularySize, dense, coherency, vector },
    totals: totalsOf(entries),
    segments: entries,
  };
  await storage.syncDirectory();
  await publishManifest(storage, manifest);
  return manifest;
}

/**
 * The segment's current entry, and its tombstones if they must be written (the entry then lacks
 * their file).
 */
function planSegment(segment: LiveSegment): { entry: ManifestSegment; tombstones: Tombstones | undefined } {
  const before = segment.entry!;
  const components: FileEntry[] = before.files.filter((file) => file !== tombstonesFile(before));
  const entry: ManifestSegment = {
    ...before,
    deletedDocuments: segment.deleted.size,
    deletedPassages: segment.deletedPassages,
    files: segment.tombstonesChanged ? components : [...before.files],
  };
  if (!segment.tombstonesChanged) return { entry, tombstones: undefined };
  segment.tombstonesChanged = false;
  const tombstones = new Tombstones(before.documents);
  for (const document of segment.deleted) tombstones.add(document);
  return { entry, tombstones };
}

/** Publishes a manifest whose files are all on disk. */
export async function publishManifest(storage: Storage, manifest: Manifest): Promise<void> {
  const name = manifestName(manifest.version);
  const bytes = encodeManifest(manifest);
  const temporary = `${name}.tmp`;
  const file = await storage.create(temporary);
  try {
    await file.append(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
  await storage.rename(temporary, name);
  await storage.syncDirectory();
}
