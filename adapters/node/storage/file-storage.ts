/**
 * A folder on disk as `Storage`. Tested on Linux; macOS and Windows follow Node's documentation
 * (see `syncDirectory`).
 */

import { type FileHandle, link, lstat, open, readdir, rename, stat, unlink } from "node:fs/promises";
import { join } from "node:path";
import { shellWord, VerbatimError } from "../../../src/errors.js";
import type { ByteSource, FileWriter, Storage, StorageLock } from "../../../src/index/ports.js";
import { openFileSource } from "./file-source.js";
import { errno, storageError } from "./storage-error.js";

/**
 * Another disk, a file system without links, too many links, or a file that was removed meanwhile:
 * the caller copies instead.
 */
const CANNOT_LINK = new Set(["EXDEV", "EPERM", "EACCES", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK", "ENOENT"]);

/** Why a folder cannot be created that the user has named, by the system's error. */
const REFUSALS: Readonly<Record<string, string>> = {
  EEXIST: "is a file, not a folder",
  ENOENT: "cannot be created: the file system does not allow folders there",
};

export interface FileStorageOptions {
  /**
   * See DEFAULT_BLOCKING_READ_BYTES. 0: never block the thread, for a server whose index is on a
   * slow disk.
   */
  blockingReadBytes?: number;
}

export class FileStorage implements Storage {
  readonly place: string;
  #options: FileStorageOptions;

  /** @param folder  need not exist; `lock` creates it */
  constructor(folder: string, options: FileStorageOptions = {}) {
    this.place = folder;
    this.#options = options;
  }

  async exists(): Promise<boolean> {
    try {
      return (await stat(this.place)).isDirectory();
    } catch (error) {
      if (errno(error) === "ENOENT" || errno(error) === "ENOTDIR") return false;
      throw storageError(error, { doing: "accessed", path: this.place });
    }
  }

  /** @throws VerbatimError `index-missing` if the folder does not exist */
  async list(): Promise<string[]> {
    try {
      return (await readdir(this.place)).sort();
    } catch (error) {
      if (errno(error) === "ENOENT") throw this.#missing();
      throw this.#error(error, "read");
    }
  }

  open(name: string): Promise<ByteSource> {
    return openFileSource(join(this.place, name), this.#options);
  }

  /** Readable and writable for the owner only: an index holds the text of private documents. */
  async create(name: string): Promise<FileWriter> {
    const path = join(this.place, name);
    try {
      return new FileOnDisk(path, await open(path, "wx", 0o600));
    } catch (error) {
      throw this.#error(error, "created", name);
    }
  }

  /**
   * By link and unlink: `rename` of POSIX would replace `to`, perhaps the manifest of a writer that
   * took the lock meanwhile.
   */
  async rename(from: string, to: string): Promise<void> {
    const [oldPath, newPath] = [join(this.place, from), join(this.place, to)];
    try {
      await link(oldPath, newPath);
      await unlink(oldPath);
    } catch (error) {
      if (!CANNOT_LINK.has(errno(error) ?? "") || errno(error) === "ENOENT") throw this.#error(error, "renamed", from);
      await this.#renameWithoutLink(from, to);
    }
  }

  async remove(name: string): Promise<void> {
    try {
      await unlink(join(this.place, name));
    } catch (error) {
      throw this.#error(error, "removed", name);
    }
  }

  /**
   * Makes a hard link and syncs the file, as a copy would be synced. A symbolic link is not linked,
   * because its target can change later.
   */
  async link(from: Storage, name: string, as: string): Promise<boolean> {
    if (!(from instanceof FileStorage)) return false;
    const path = join(this.place, as);
    try {
      const linked = join(from.place, name);
      if (!(await lstat(linked)).isFile()) return false;
      await link(linked, path);
    } catch (error) {
      if (CANNOT_LINK.has(errno(error) ?? "")) return false;
      throw this.#error(error, "linked", as);
    }
    let handle: FileHandle | undefined;
    try {
      handle = await open(path, "r");
      await handle.sync();
    } catch (error) {
      // EPERM: Windows syncs only files that are open for writing
      if (errno(error) !== "EPERM") throw this.#error(error, "synced", as);
    } finally {
      await handle?.close();
    }
    return true;
  }

  /** Does nothing on Windows, which cannot sync a folder and need not: NTFS journals names. */
  async syncDirectory(): Promise<void> {
    if (process.platform === "win32") return;
    let handle: FileHandle | undefined;
    try {
      handle = await open(this.place, "r");
      await handle.sync();
    } catch (error) {
      // EINVAL: not supported by some network mounts
      if (errno(error) !== "EINVAL") throw this.#error(error, "synced");
    } finally {
      await handle?.close();
    }
  }

  /**
   * Creates the folder, for its owner only, if it is missing. An existing folder keeps its
   * permissions.
   */
  async lock(): Promise<StorageLock> {
    const [{ createFolder }, { takeLock }] = await Promise.all([
      import("./create-folder.js"),
      import("./lock-file.js"),
    ]);
    await createFolder(this.place, 0o700).catch((error: unknown) => {
      const refusal = REFUSALS[errno(error) ?? ""];
      if (refusal === undefined) throw this.#error(error, "created");
      throw new VerbatimError("invalid-argument", `${this.place} ${refusal}.`, {
        where: this.place,
        hint: "Name another folder with --index.",
      });
    });
    return takeLock(this.place);
  }

  /** On file systems without hard links the check and the rename are two steps. */
  async #renameWithoutLink(from: string, to: string): Promise<void> {
    try {
      const taken = await stat(join(this.place, to)).then(
        () => true,
        () => false,
      );
      if (taken) throw Object.assign(new Error(`${to} exists`), { code: "EEXIST" });
      await rename(join(this.place, from), join(this.place, to));
    } catch (error) {
      throw this.#error(error, "renamed", from);
    }
  }

  #missing(): VerbatimError {
    return new VerbatimError("index-missing", `There is no index in ${this.place}: the folder does not exist.`, {
      where: this.place,
      hint: `Create one with: verbatim index PATH --index ${shellWord(this.place)}`,
    });
  }

  #error(error: unknown, doing: string, name?: string): VerbatimError {
    return storageError(error, { doing, path: name === undefined ? this.place : join(this.place, name) });
  }
}

class FileOnDisk implements FileWriter {
  #path: string;
  #handle: FileHandle;

  constructor(path: string, handle: FileHandle) {
    this.#path = path;
    this.#handle = handle;
  }

  async append(bytes: Uint8Array): Promise<void> {
    try {
      for (let at = 0; at < bytes.length; ) {
        const { bytesWritten } = await this.#handle.write(bytes, at, bytes.length - at);
        // otherwise this loop would never end
        if (bytesWritten === 0) throw new Error("the system accepts no more bytes");
        at += bytesWritten;
      }
    } catch (error) {
      throw storageError(error, { doing: "written", path: this.#path });
    }
  }

  async sync(): Promise<void> {
    try {
      await this.#handle.sync();
    } catch (error) {
      throw storageError(error, { doing: "synced", path: this.#path });
    }
  }

  async close(): Promise<void> {
    try {
      await this.#handle.close();
    } catch (error) {
      throw storageError(error, { doing: "closed", path: this.#path });
    }
  }
}
