/** A published index as a read-only `Storage`: `openIndex` runs on it as on a folder. */

import { VerbatimError } from "../../src/errors.js";
import { copyU32 } from "../../src/index/format/columns.js";
import type { ByteSource, FileWriter, Storage, StorageLock } from "../../src/index/ports.js";
import { unpackJson } from "../../src/publish/blob.js";
import { blocksOf, type FileTable, type SiteFile } from "../../src/publish/site-manifest.js";
import { Lru } from "../../src/search/lru.js";
import { type BlockReading, BlockSource } from "./block-source.js";
import type { SiteBlobs } from "./site-blobs.js";

/** Limit on blocks in memory: enough for the columns and rows of a few thousand passages. */
const MEMORY_BYTES = 48 * 1024 * 1024;
const INDEX_FOLDER = "index/";

/** Files of a published site, by name. */
export class SiteFiles {
  readonly #files = new Map<string, { file: SiteFile; crcs: Uint32Array }>();
  readonly #reading: BlockReading;

  private constructor(table: FileTable, crcs: Uint32Array, blobs: SiteBlobs) {
    const ranges = blocksOf(table);
    for (const [n, file] of table.files.entries()) {
      const { first, count } = ranges[n]!;
      this.#files.set(file.name, { file, crcs: crcs.subarray(first, first + count) });
    }
    const memory = new Lru<string, Uint8Array>(MEMORY_BYTES, (bytes) => bytes.length);
    this.#reading = { blobs, blockBytes: table.blockBytes, memory, wholeChunks: false };
  }

  /**
   * @param table  name of the file table's blob.
   * @throws VerbatimError `io-error`, `corrupt-segment`, `unsupported-format`
   */
  static async open(blobs: SiteBlobs, table: string): Promise<SiteFiles> {
    const parsed = await readTable(blobs, table);
    return new SiteFiles(parsed, copyU32(await blobs.blob(parsed.crcs)), blobs);
  }

  get names(): string[] {
    return [...this.#files.keys()];
  }

  /** @throws VerbatimError `io-error` when the site has no such file */
  source(name: string): BlockSource {
    const found = this.#files.get(name);
    if (found !== undefined) return new BlockSource(found.file, found.crcs, this.#reading);
    const hint = "Publish the index again.";
    throw new VerbatimError("io-error", `The site has no file ${name}.`, { where: name, hint });
  }
}

/**
 * Names of all blobs of files, the checksums included.
 * @param table  name of the file table's blob
 * @throws VerbatimError as `SiteFiles.open`
 */
export async function fileBlobs(blobs: SiteBlobs, table: string): Promise<string[]> {
  const { crcs, files } = await readTable(blobs, table);
  return [crcs, ...files.flatMap(({ chunks }) => chunks)];
}

const readTable = async (blobs: SiteBlobs, table: string): Promise<FileTable> =>
  unpackJson<FileTable>(await blobs.blob(table), table);

export class SiteStorage implements Storage {
  readonly place: string;
  readonly #files: SiteFiles;

  constructor(files: SiteFiles, place: string) {
    this.#files = files;
    this.place = place;
  }

  async exists(): Promise<boolean> {
    return true;
  }

  async list(): Promise<string[]> {
    const names = this.#files.names.filter((name) => name.startsWith(INDEX_FOLDER));
    return names.map((name) => name.slice(INDEX_FOLDER.length));
  }

  async open(name: string): Promise<ByteSource> {
    return this.#files.source(INDEX_FOLDER + name);
  }

  create(): Promise<FileWriter> {
    return this.#readOnly();
  }

  rename(): Promise<void> {
    return this.#readOnly();
  }

  remove(): Promise<void> {
    return this.#readOnly();
  }

  syncDirectory(): Promise<void> {
    return this.#readOnly();
  }

  lock(): Promise<StorageLock> {
    return this.#readOnly();
  }

  async #readOnly(): Promise<never> {
    throw new VerbatimError("permission-denied", `The published index at ${this.place} is read-only.`, {
      where: this.place,
      hint: "Change the index that it was published from, and publish it again.",
    });
  }
}
