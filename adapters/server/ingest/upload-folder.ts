/**
 * Uploads on their way to the indexing process: a file each, in a temporary folder that only this
 * user can read. Files go when their job ends, the folder when the server stops, and folders of
 * servers that were killed at the next start.
 */

import { randomUUID } from "node:crypto";
import { lstat, mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { StorageLock } from "../../../src/index/ports.js";
import { takeLock } from "../../node/storage/lock-file.js";
import { errno, storageError } from "../../node/storage/storage-error.js";

const PREFIX = "verbatim-uploads-";
/** Names that `#create` gives; a folder with any other name is not ours to remove. */
const NAME = /^verbatim-uploads-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}(\.new)?$/;
/** A folder has this ending until its lock is written. */
const UNFINISHED = ".new";
/** Name of the stored file: the name that it was sent under may be too long for this disk. */
const CONTENT = "content";
/** An unfinished folder older than this is left over, in milliseconds. */
const ABANDONED_MS = 60 * 60 * 1000;

export interface StoredUpload {
  path: string;
  bytes: number;
}

export class UploadFolder {
  readonly #parent: string;
  #open: Promise<{ folder: string; lock: StorageLock }> | undefined;
  #next = 1;

  /** @param parent  default: the system's folder for temporary files */
  constructor(parent: string = tmpdir()) {
    this.#parent = parent;
  }

  /**
   * Writes the chunks to a file as they arrive. If `chunks` throws, nothing is left behind.
   * @throws VerbatimError `out-of-space`, `permission-denied`, `io-error`; what `chunks` throws
   */
  async store(chunks: AsyncIterable<Uint8Array>): Promise<StoredUpload> {
    let own: string | undefined;
    try {
      own = await this.#newFolder();
      const path = join(own, CONTENT);
      return { path, bytes: await writeAll(path, chunks) };
    } catch (error) {
      if (own !== undefined) await rm(own, { recursive: true, force: true });
      throw isSystemError(error) ? storageError(error, { doing: "written", path: own ?? this.#parent }) : error;
    }
  }

  /** Removes a stored file and its folder. */
  async remove(path: string): Promise<void> {
    await rm(join(path, ".."), { recursive: true, force: true });
  }

  /** Removes all files. */
  async close(): Promise<void> {
    const opened = await this.#open?.catch(() => undefined);
    this.#open = undefined;
    if (opened !== undefined) await rm(opened.folder, { recursive: true, force: true });
  }

  /**
   * Removes the folders that servers which are gone have left behind.
   * @returns how many there were
   */
  async removeLeftovers(): Promise<number> {
    let removed = 0;
    for (const name of await readdir(this.#parent).catch(() => [])) {
      const folder = join(this.#parent, name);
      if (!NAME.test(name)) continue;
      const lock = await leftOverLock(folder);
      if (lock === undefined) continue;
      try {
        await rm(folder, { recursive: true, force: true });
        removed++;
      } catch {
        await lock.release?.().catch(() => {}); // a file in it is in use, or protected: the next start tries again
      }
    }
    return removed;
  }

  /** Makes the folder of one upload. Systems that clean /tmp may have removed the folder around it. */
  async #newFolder(): Promise<string> {
    const name = String(this.#next++);
    const opened = this.#opened();
    try {
      return await makeFolder(join((await opened).folder, name));
    } catch (error) {
      if (errno(error) !== "ENOENT") throw error;
      if (this.#open === opened) this.#open = undefined;
      return await makeFolder(join((await this.#opened()).folder, name));
    }
  }

  #opened(): Promise<{ folder: string; lock: StorageLock }> {
    this.#open ??= this.#create();
    this.#open.catch(() => {
      this.#open = undefined;
    });
    return this.#open;
  }

  async #create(): Promise<{ folder: string; lock: StorageLock }> {
    const folder = join(this.#parent, PREFIX + randomUUID());
    const unfinished = folder + UNFINISHED;
    await mkdir(unfinished, { mode: 0o700 });
    const lock = await takeLock(unfinished);
    await rename(unfinished, folder);
    return { folder, lock };
  }
}

async function makeFolder(path: string): Promise<string> {
  await mkdir(path, { mode: 0o700 });
  return path;
}

/** @returns how many bytes were written. Errors that the disk reports only when a file is closed are thrown, too. */
async function writeAll(path: string, chunks: AsyncIterable<Uint8Array>): Promise<number> {
  const file = await open(path, "wx", 0o600);
  let bytes = 0;
  try {
    for await (const chunk of chunks) {
      await file.appendFile(chunk);
      bytes += chunk.length;
    }
  } finally {
    await file.close();
  }
  return bytes;
}

/** The lock of a folder of this user whose owner is certainly gone; without `release` if it was never locked. */
async function leftOverLock(folder: string): Promise<Partial<StorageLock> | undefined> {
  try {
    const { uid, mtimeMs } = await lstat(folder);
    if (process.getuid !== undefined && uid !== process.getuid()) return undefined;
    if (folder.endsWith(UNFINISHED)) return Date.now() - mtimeMs > ABANDONED_MS ? {} : undefined;
    return await takeLock(folder);
  } catch {
    return undefined;
  }
}

function isSystemError(error: unknown): boolean {
  return error instanceof Error && typeof (error as NodeJS.ErrnoException).syscall === "string";
}
