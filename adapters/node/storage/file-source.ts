/** A file as a `ByteSource`. */

import { constants, readSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { inflateRawSync } from "node:zlib";
import { throwIfAborted, VerbatimError } from "../../../src/errors.js";
import type { ByteSource, Inflate } from "../../../src/index/ports.js";
import { storageError } from "./storage-error.js";

/**
 * Reads of up to this size, in bytes, block the thread. The data that a question needs is nearly
 * always in the page cache. Such a read then takes 4 µs; through the thread pool it takes 20 µs of
 * work, and 200 µs of waiting on a busy machine (measured with 8 KiB). A question makes hundreds of
 * them. The price: a read that does go to the disk blocks the thread for as long (0.1 ms on an
 * SSD).
 */
const DEFAULT_BLOCKING_READ_BYTES = 65_536;

/** Without waiting: a named pipe in the place of a file has no writer. Windows has no such flag. */
const { O_RDONLY, O_NONBLOCK = 0 } = constants;

/** @throws VerbatimError `io-error`, `permission-denied` */
export async function openFileSource(path: string, options: { blockingReadBytes?: number } = {}): Promise<FileSource> {
  let handle: FileHandle;
  try {
    handle = await open(path, O_RDONLY | O_NONBLOCK);
  } catch (error) {
    throw storageError(error, { doing: "opened", path });
  }
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw notRegular(path);
    return new FileSource(path, handle, { size: stats.size, ...options });
  } catch (error) {
    await handle.close();
    throw storageError(error, { doing: "read", path });
  }
}

function notRegular(path: string): VerbatimError {
  const hint = "Remove it, or choose another folder with --index.";
  return new VerbatimError("io-error", `${path} cannot be opened: it is not a regular file.`, { where: path, hint });
}

class FileSource implements ByteSource {
  readonly inflate: Inflate = (bytes, most) => inflateRawSync(bytes, { maxOutputLength: most });
  #path: string;
  #handle: FileHandle;
  #size: number;
  #blockingReadBytes: number;
  #closed = false;

  constructor(path: string, handle: FileHandle, options: { size: number; blockingReadBytes?: number }) {
    this.#path = path;
    this.#handle = handle;
    this.#size = options.size;
    this.#blockingReadBytes = options.blockingReadBytes ?? DEFAULT_BLOCKING_READ_BYTES;
  }

  async size(): Promise<number> {
    return this.#size;
  }

  async read(offset: number, length: number, signal?: AbortSignal): Promise<Uint8Array> {
    // not zeroed, not shared with Node's pool, and not a Buffer
    const bytes = new Uint8Array(Buffer.allocUnsafeSlow(length).buffer);
    await this.readInto(bytes, offset, signal);
    return bytes;
  }

  async readInto(bytes: Uint8Array, offset: number, signal?: AbortSignal): Promise<void> {
    throwIfAborted(signal);
    const { length } = bytes;
    if (this.#closed)
      throw new VerbatimError("io-error", `${this.#path} was read after it was closed.`, { where: this.#path });
    for (let at = 0; at < length; ) {
      const read = await this.#readSome(bytes, at, offset + at);
      if (read === 0) {
        throw new VerbatimError(
          "io-error",
          `${this.#path} ends at byte ${offset + at}; ${length - at} more were expected.`,
          {
            where: this.#path,
            found: at,
            expected: length,
            hint: "The file was truncated or replaced while it was open; open the index again.",
          },
        );
      }
      at += read;
    }
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#handle.close();
  }

  async #readSome(bytes: Uint8Array, at: number, position: number): Promise<number> {
    const length = bytes.length - at;
    try {
      if (length <= this.#blockingReadBytes) return readSync(this.#handle.fd, bytes, at, length, position);
      return (await this.#handle.read(bytes, at, length, position)).bytesRead;
    } catch (error) {
      throw storageError(error, { doing: "read", path: this.#path });
    }
  }
}
