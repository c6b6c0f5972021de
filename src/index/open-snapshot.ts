/** Opens the current version of an index, which stays readable and unchanged until it is closed. */

import { shellWord, throwIfAborted, VerbatimError } from "../errors.js";
import { corrupt } from "./format/corrupt.js";
import {
  committedVersions,
  lacksManifest,
  type Manifest,
  type ManifestModel,
  readChecksum,
  readManifest,
} from "./manifest/manifest.js";
import type { Storage } from "./ports.js";
import { type OpenSegment, openSegment } from "./segment/segment-reader.js";
import type { IndexSnapshot } from "./types.js";

interface SnapshotOptions {
  signal?: AbortSignal;
  /** The model that encodes questions. */
  expectModel?: Pick<ManifestModel, "name" | "passageModelHash">;
  /**
   * The version that must be there, as a commit returned it; a newer one is accepted. Default: any.
   */
  atLeastVersion?: number;
  /**
   * Another version of the index, with which unchanged files are shared. It must stay open until
   * the call returns.
   */
  known?: Pick<OpenSnapshot, "segments">;
}

/** A snapshot with what only `info`, `check` and the writer use. */
export interface OpenSnapshot extends IndexSnapshot {
  readonly manifest: Manifest;
  /** The manifest's checksum, which differs between versions of the same number. */
  readonly checksum: string;
  readonly segments: readonly OpenSegment[];
}

/**
 * How often to retry: a writer may commit and remove old files after a manifest was read and before
 * its files are open.
 */
const ATTEMPTS = 5;

/**
 * @throws VerbatimError `index-missing`, `invalid-argument` (older than `atLeastVersion`),
 *   `corrupt-manifest`, `corrupt-segment`, `unsupported-format`, `model-mismatch`, `aborted`, and
 *   what the storage throws
 */
export function openSnapshot(storage: Storage, options: SnapshotOptions = {}): Promise<OpenSnapshot> {
  return openNewest(storage, options.signal, async (version, names) => {
    checkVersion(storage, version, options.atLeastVersion);
    return openVersion(storage, version, { ...options, names });
  });
}

/**
 * Opens the newest version if that is not the one that is open. Segments of both stay open, so only new
 * ones cost time.
 * @param open  stays the caller's
 * @returns undefined if `open` is the newest version, and no newer one is required
 * @throws VerbatimError as `openSnapshot`
 */
export async function openNewer(
  storage: Storage,
  open: OpenSnapshot | undefined,
  options: Omit<SnapshotOptions, "known"> = {},
): Promise<OpenSnapshot | undefined> {
  if (open === undefined) return openSnapshot(storage, options);
  const isEnough = open.version >= (options.atLeastVersion ?? 0);
  if (isEnough && (await isNewest(storage, open))) return undefined;
  return openSnapshot(storage, { ...options, known: open });
}

/**
 * Opens the newest committed version, and retries with its successor if that was committed
 * meanwhile.
 * @param open  gets the version and the names of all files; closes what it has opened when it fails
 * @throws VerbatimError `index-missing`, `corrupt-manifest` (there is none), `aborted`, and what
 *   `open` throws for the newest version
 */
export async function openNewest<T>(
  storage: Storage,
  signal: AbortSignal | undefined,
  open: (version: number, names: readonly string[]) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    throwIfAborted(signal);
    const names = await storage.list();
    const version = committedVersions(names)[0];
    if (version === undefined) throw noVersion(storage, names);
    try {
      return await open(version, names);
    } catch (error) {
      if (attempt === ATTEMPTS || committedVersions(await storage.list())[0] === version) throw error;
    }
  }
}

/**
 * Whether this is the newest committed version. If the index was deleted and made again, there may be
 * another version of the same number.
 * @throws what the storage throws
 */
export async function isNewest(
  storage: Storage,
  { version, checksum }: Pick<OpenSnapshot, "version" | "checksum">,
): Promise<boolean> {
  if (committedVersions(await storage.list())[0] !== version) return false;
  try {
    return (await readChecksum(storage, version)) === checksum;
  } catch {
    return false; // removed meanwhile; opening the newest version reports what is wrong
  }
}

function checkVersion(storage: Storage, version: number, atLeast = 0): void {
  if (version >= atLeast) return;
  throw new VerbatimError(
    "invalid-argument",
    `The index in ${storage.place} is at version ${version}, not yet at ${atLeast}.`,
    {
      found: version,
      expected: atLeast,
      hint: "Ask again after the commit that makes this version, or leave the version out.",
    },
  );
}

/** The error for a storage without a committed version that has files of these names. */
export function noVersion(storage: Storage, names: readonly string[]): VerbatimError {
  return lacksManifest(names) ? manifestMissing(storage.place) : indexMissing(storage);
}

export function manifestMissing(place: string): VerbatimError {
  return new VerbatimError("corrupt-manifest", `The manifest of the index in ${place} is missing.`, {
    where: place,
    hint: `Run verbatim repair --index ${shellWord(place)} to recover the documents.`,
  });
}

export function indexMissing(storage: Storage): VerbatimError {
  return new VerbatimError("index-missing", `There is no index in ${storage.place}.`, {
    where: storage.place,
    hint: `Create one: verbatim index PATH --index ${shellWord(storage.place)}`,
  });
}

async function openVersion(
  storage: Storage,
  version: number,
  options: SnapshotOptions & { names: readonly string[] },
): Promise<OpenSnapshot> {
  const { signal } = options;
  const known = options.known?.segments;
  const { manifest, checksum, bytes } = await readManifest(storage, version, signal);
  checkModel(manifest, options.expectModel);
  checkFilesExist(manifest, options.names);
  const opened = await Promise.allSettled(
    manifest.segments.map((segment) => openSegment(storage, segment, { manifest, signal, known })),
  );
  const segments = opened.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
  const failed = opened.find((result) => result.status === "rejected");
  if (failed) {
    await Promise.allSettled(segments.map((segment) => segment.close()));
    throw failed.reason;
  }
  const { model, totals } = manifest;
  return {
    manifest,
    checksum,
    version,
    formatVersion: manifest.formatVersion,
    passageModelHash: model.passageModelHash,
    dense: model.dense,
    coherency: model.coherency,
    vector: model.vector,
    segments,
    documentCount: totals.documents,
    passageCount: totals.passages,
    bytes: totals.bytes + bytes,
    async close() {
      await Promise.all(segments.map((segment) => segment.close()));
    },
  };
}

function checkModel({ model }: Manifest, expected: SnapshotOptions["expectModel"]): void {
  if (expected === undefined || expected.passageModelHash === model.passageModelHash) return;
  const message =
    expected.name === model.name
      ? `The index was made with another version of the model ${model.name} than the one that is loaded.`
      : `The index was made with model ${model.name}, but model ${expected.name} is loaded.`;
  throw new VerbatimError("model-mismatch", message, {
    found: model.passageModelHash,
    expected: expected.passageModelHash,
    hint: "Ask with the model that made the index, or change it: verbatim index PATH --model NAME --rebuild",
  });
}

/** @throws VerbatimError `corrupt-segment` naming the first file that is missing */
export function checkFilesExist(manifest: Manifest, names: readonly string[]): void {
  const there = new Set(names);
  for (const segment of manifest.segments) {
    for (const file of segment.files) if (!there.has(file.name)) throw corrupt(file.name, "the file is missing");
  }
}
