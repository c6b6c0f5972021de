/**
 * Copies the current version of an index to another place, and back: by hard links if the places
 * can share files, else by copying.
 */

import { throwIfAborted, VerbatimError } from "../../errors.js";
import type { Component } from "../format/components.js";
import { openContainer } from "../format/container.js";
import type { FileEntry } from "../format/container-writer.js";
import { corrupt } from "../format/corrupt.js";
import {
  committedVersions,
  corruptManifest,
  freeSegmentNumber,
  lacksManifest,
  type Manifest,
  type ManifestSegment,
  manifestName,
  readManifest,
  segmentName,
  totalsOf,
} from "../manifest/manifest.js";
import { indexMissing, manifestMissing, noVersion, openNewest } from "../open-snapshot.js";
import type { ByteSource, Storage } from "../ports.js";
import { openSegment } from "../segment/segment-reader.js";
import { publishManifest } from "../write/commit.js";
import { collectGarbage, markUncommitted, removeUncommitted, unmarkUncommitted } from "../write/garbage.js";
import { lockStorage } from "../write/lock-storage.js";
import { copyFile } from "./copy-file.js";

export interface CopyOptions {
  signal?: AbortSignal;
  /** Called with the bytes in place and the total. */
  onProgress?: (done: number, total: number) => void;
  /**
   * Compare every checksum before the copy is committed, so that damage is never copied. Default
   * true.
   */
  verify?: boolean;
}

export interface CopyReport {
  /** Version of the target. */
  version: number;
  files: number;
  /** Files that the two places share, and files that were copied. */
  linked: number;
  copied: number;
  bytes: number;
  /** Live documents and passages. */
  documents: number;
  passages: number;
}

/**
 * Copies the newest version of `source`, with its number, into `target`, which becomes an index of
 * its own. The source stays usable by writers and readers.
 * @throws VerbatimError `invalid-argument` (the target holds an index), `index-missing`,
 *   `index-locked` (the target), `corrupt-manifest`, `corrupt-segment`, `out-of-space`, `aborted`,
 *   and what the storages throw; then the target is unchanged
 */
export function snapshotIndex(source: Storage, target: Storage, options: CopyOptions = {}): Promise<CopyReport> {
  return copyIndex(source, target, { ...options, replace: false, ifOccupied: "Choose a folder without an index." });
}

/**
 * Like `snapshotIndex`, but with `replace` a target that holds an index gets the source's content
 * as its next version, by one rename: readers see the old version or the new one, and the old one's
 * files stay until the next commit. Without `replace`, such a target is an error, and so is one
 * whose manifest is missing.
 * @throws as `snapshotIndex`
 */
export function restoreIndex(
  source: Storage,
  place: Storage,
  options: CopyOptions & { replace?: boolean } = {},
): Promise<CopyReport> {
  const { replace = false, ...rest } = options;
  const ifOccupied = "Choose an empty folder, or replace the index there with --replace.";
  return copyIndex(source, place, { ...rest, replace, ifOccupied });
}

async function copyIndex(
  source: Storage,
  place: Storage,
  options: CopyOptions & {
    replace: boolean;
    /** Hint of the error for a target that holds an index. */
    ifOccupied: string;
  },
): Promise<CopyReport> {
  if (!(await source.exists())) throw indexMissing(source);
  const copied = await source.list();
  if (committedVersions(copied).length === 0) throw noVersion(source, copied);
  const { storage: target, lock } = await lockStorage(place);
  try {
    const names = await target.list();
    const current = committedVersions(names)[0];
    if (current !== undefined && !options.replace) throw occupied(target, options.ifOccupied);
    if (lacksManifest(names)) throw manifestMissing(target.place);
    if (current === undefined)
      await collectGarbage(target, []); // left by a crash before the first commit
    else await removeUncommitted(target, current);
    const opened = await openSource(source, options.signal);
    try {
      return await new IndexCopy(opened, target, { source, current, names, options }).run();
    } finally {
      await Promise.allSettled([...opened.files.values()].map((file) => file.close()));
    }
  } finally {
    await lock.release();
  }
}

function occupied(target: Storage, hint: string): VerbatimError {
  return new VerbatimError("invalid-argument", `${target.place} already has an index.`, {
    where: target.place,
    hint,
  });
}

/** A version with all its files open: it can be copied whatever a writer does meanwhile. */
interface OpenSource {
  manifest: Manifest;
  files: Map<string, ByteSource>;
}

function openSource(source: Storage, signal: AbortSignal | undefined): Promise<OpenSource> {
  return openNewest(source, signal, async (version) => {
    const files = new Map<string, ByteSource>();
    try {
      const { manifest } = await readManifest(source, version, signal);
      for (const { name } of manifest.segments.flatMap((segment) => segment.files))
        files.set(name, await source.open(name));
      return { manifest, files };
    } catch (error) {
      await Promise.allSettled([...files.values()].map((file) => file.close()));
      throw error;
    }
  });
}

function checkTotals({ version, totals, segments }: Manifest): void {
  const { documents, passages, bytes } = totalsOf(segments);
  if (totals.documents === documents && totals.passages === passages && totals.bytes === bytes) return;
  throw corruptManifest(manifestName(version), "its totals are not those of its segments");
}

class IndexCopy {
  #opened: OpenSource;
  #source: Storage;
  #target: Storage;
  /** Highest version in the target, damaged or not. */
  #current: number | undefined;
  #names: readonly string[];
  #options: CopyOptions;
  #report: CopyReport;
  #made: string[] = [];

  constructor(
    opened: OpenSource,
    target: Storage,
    rest: { source: Storage; current: number | undefined; names: readonly string[]; options: CopyOptions },
  ) {
    this.#opened = opened;
    this.#target = target;
    this.#source = rest.source;
    this.#current = rest.current;
    this.#names = rest.names;
    this.#options = rest.options;
    const { documents, passages } = opened.manifest.totals;
    const version = rest.current === undefined ? opened.manifest.version : rest.current + 1;
    this.#report = { version, files: 0, linked: 0, copied: 0, bytes: 0, documents, passages };
  }

  async run(): Promise<CopyReport> {
    try {
      checkTotals(this.#opened.manifest);
      if (this.#current === undefined) await markUncommitted(this.#target);
      const previous = await this.#previous();
      const { manifest } = this.#opened;
      const free = Math.max(freeSegmentNumber(this.#names), previous?.nextSegment ?? 1);
      const renamed = this.#current !== undefined;
      const segments: ManifestSegment[] = [];
      for (const [i, segment] of manifest.segments.entries()) {
        const name = renamed ? segmentName(free + i) : segment.name;
        segments.push(await this.#putSegment(segment, name));
      }
      const { version } = this.#report;
      const nextSegment = renamed ? free + segments.length : manifest.nextSegment;
      const copy: Manifest = { ...manifest, version, nextSegment, segments };
      for (const segment of segments) await this.#checkOpens(segment);
      await this.#target.syncDirectory();
      throwIfAborted(this.#options.signal);
      await publishManifest(this.#target, copy);
      await collectGarbage(this.#target, previous ? [copy, previous] : [copy]);
      return this.#report;
    } catch (error) {
      await this.#rollBack();
      throw error;
    }
  }

  /** The target's own version, whose files stay on disk until the commit after this one. */
  async #previous(): Promise<Manifest | undefined> {
    if (this.#current === undefined) return undefined;
    try {
      return (await readManifest(this.#target, this.#current)).manifest;
    } catch {
      return undefined; // damaged: a reason to restore
    }
  }

  async #putSegment(segment: ManifestSegment, name: string): Promise<ManifestSegment> {
    const files: FileEntry[] = [];
    for (const file of segment.files) {
      const [, component] = file.name.split(".") as [string, string];
      const kept = name === segment.name || !component.startsWith("tombstones-");
      const as = `${name}.${kept ? component : `tombstones-${this.#report.version}`}`;
      await this.#putFile(file, as);
      const entry = { ...file, name: as };
      await this.#verify(entry, component.replace(/-\d+$/, "") as Component);
      files.push(entry);
    }
    return { ...segment, name, files };
  }

  /**
   * Refuses a manifest whose counts are not those of its files: such an index would be reported as
   * restored and never open.
   */
  async #checkOpens(segment: ManifestSegment): Promise<void> {
    const { signal } = this.#options;
    const opened = await openSegment(this.#target, segment, { manifest: this.#opened.manifest, signal });
    await opened.close();
  }

  async #putFile(file: FileEntry, as: string): Promise<void> {
    throwIfAborted(this.#options.signal);
    const before = this.#report.bytes;
    this.#made.push(as);
    if (await this.#target.link?.(this.#source, file.name, as)) this.#report.linked++;
    else {
      await this.#copyFile(file, as);
      this.#report.copied++;
    }
    this.#report.files++;
    this.#report.bytes = before + file.bytes;
    this.#reportProgress();
  }

  async #copyFile({ name, bytes: size }: FileEntry, as: string): Promise<void> {
    const from = this.#opened.files.get(name)!;
    if ((await from.size()) !== size) throw corrupt(name, "its size is not the one in the manifest");
    const onBytes = (bytes: number): void => {
      this.#report.bytes += bytes;
      this.#reportProgress();
    };
    await copyFile(from, this.#target, { name, as, size, signal: this.#options.signal, onBytes });
  }

  /**
   * Checks that each file is the one that the manifest names; with `verify` also every byte of it.
   */
  async #verify(file: FileEntry, component: Component): Promise<void> {
    const { passageModelHash } = this.#opened.manifest.model;
    const { signal, verify = true } = this.#options;
    const container = await openContainer(this.#target, file, { component, passageModelHash, signal });
    try {
      for (const section of verify ? container.sections : []) {
        const damaged = await section.damagedBlocks(() => {}, signal);
        if (damaged.length > 0) throw corrupt(`${section.where}, block ${damaged[0]}`, "checksum does not match");
      }
    } finally {
      await container.close();
    }
  }

  #reportProgress(): void {
    this.#options.onProgress?.(this.#report.bytes, this.#opened.manifest.totals.bytes);
  }

  /**
   * Removes the copied files unless the new manifest is there: then the copy succeeded before the
   * error.
   */
  async #rollBack(): Promise<void> {
    const names = await this.#target.list().catch(() => undefined);
    if (names === undefined || committedVersions(names)[0] !== this.#current) return;
    for (const name of this.#made) await this.#target.remove(name).catch(() => {});
    if (this.#current === undefined) await unmarkUncommitted(this.#target);
  }
}
