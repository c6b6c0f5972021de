/**
 * The copy of a site in the browser's cache. It holds the blobs of the opened version and, until
 * everything that an offline visit needs of that version is cached, those of the last version that
 * was complete.
 */

import type { SiteManifest } from "../../src/publish/site-manifest.js";
import { decodeStart, type Start } from "../../src/publish/start.js";
import type { SiteBlobs } from "./site-blobs.js";
import { fileBlobs } from "./site-storage.js";

/** Concurrent requests, so that questions do not wait behind them. */
const REQUESTS = 2;

export interface OfflineCopyOptions {
  /** Limit on the size of what is cached. */
  maxBytes: number;
  hasPhrases: boolean;
  /** Resolves when no question is being answered. */
  whenQuiet: () => Promise<void>;
  signal?: AbortSignal;
}

export class OfflineCopy {
  readonly #blobs: SiteBlobs;
  readonly #manifest: SiteManifest;
  readonly #start: Start;

  /** @param version  the opened version */
  constructor(blobs: SiteBlobs, version: { manifest: SiteManifest; start: Start }) {
    this.#blobs = blobs;
    this.#manifest = version.manifest;
    this.#start = version.start;
  }

  /**
   * Caches what an offline visit needs, makes offline visits use this version, and drops the blobs
   * of all others.
   * @returns false when something could not be cached; then nothing is dropped
   */
  async complete(options: OfflineCopyOptions): Promise<boolean> {
    const names = await this.#offlineBlobs(options);
    if (names === undefined) {
      await this.dropOthers(); // an older version that is complete stays
      return true;
    }
    const kept = await this.#blobs.kept();
    const missing = names.filter((name) => !kept.has(name));
    const work = async (): Promise<void> => {
      for (let name = missing.pop(); name !== undefined && !options.signal?.aborted; name = missing.pop()) {
        await options.whenQuiet();
        await this.#blobs.keep(name);
      }
    };
    await Promise.all(Array.from({ length: REQUESTS }, work));
    const now = await this.#blobs.kept(); // another tab may have dropped some meanwhile
    if (!names.every((name) => now.has(name))) return false;
    await this.#blobs.commit();
    await this.dropOthers();
    return true;
  }

  /** Drops blobs that neither this version nor an offline visit needs. Requests nothing. */
  async dropOthers(): Promise<void> {
    const kept = await this.#blobs.kept();
    const needed = new Set(await this.#cachedBlobs(this.#manifest, { start: this.#start, kept }));
    const complete = await this.#blobs.committed();
    if (complete !== undefined && !isSameVersion(complete, this.#manifest)) {
      for (const name of await this.#completeBlobs(complete, kept)) needed.add(name);
    }
    await this.#blobs.drop([...kept].filter((name) => !needed.has(name)));
  }

  /** What an offline visit needs, without phrases if they do not fit; undefined if not even the rest does. */
  async #offlineBlobs({ maxBytes, hasPhrases }: OfflineCopyOptions): Promise<string[] | undefined> {
    const { files, bytes } = this.#manifest;
    if (bytes.terms > maxBytes) return undefined;
    const names = sentenceBlobs(this.#manifest, this.#start);
    if (files !== undefined && hasPhrases && bytes.terms + bytes.phrases <= maxBytes) {
      names.push(files, ...(await fileBlobs(this.#blobs, files)));
    }
    return names;
  }

  /** The blobs of a version that can be in the cache: those of files only if their table is. */
  async #cachedBlobs(
    manifest: SiteManifest,
    { start, kept }: { start: Start; kept: ReadonlySet<string> },
  ): Promise<string[]> {
    const names = sentenceBlobs(manifest, start);
    const { files } = manifest;
    if (files !== undefined && kept.has(files)) names.push(files, ...(await fileBlobs(this.#blobs, files)));
    return names;
  }

  /** The blobs of the complete version; none if the cache has lost or damaged its start file. */
  async #completeBlobs(manifest: SiteManifest, kept: ReadonlySet<string>): Promise<string[]> {
    if (!kept.has(manifest.start)) return [];
    try {
      const start = decodeStart(await this.#blobs.blob(manifest.start), manifest.start);
      return await this.#cachedBlobs(manifest, { start, kept });
    } catch {
      return [];
    }
  }
}

const sentenceBlobs = ({ start, list }: SiteManifest, { terms, texts }: Start): string[] => [
  start,
  list,
  ...terms.names,
  ...texts.names,
];

const isSameVersion = (a: SiteManifest, b: SiteManifest): boolean =>
  a.start === b.start && a.list === b.list && a.files === b.files;
