/** A file as a `ByteSource`. */

import { readSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { inflateRawSync } from "node:zlib";
import { throwIfAborted, VerbatimError } from "../../../src/errors.js";
import type { ByteSource, Inflate } from "../../../src/index/ports.js";
import { storageError } from "./storage-error.js";

/**
 * Reads up to so many bytes block the thread. What an index reads for a question lies in the page cache nearly always, and then
 * such a read costs 4 µs; by way of the thread pool it costs 20 µs of work, and on a busy machine 200 µs of waiting (measured, 8 KiB).
 * A question makes hundreds of them. The price: one that does go to the disk holds up the thread for as long (0.1 ms on an SSD).
 */
export const DEFAULT_BLOCKING_READ_BYTES = 65_536;

/** @throws VerbatimError `io-error`, `permission-denied` */
export async function openFileSource(path: string, options: { blockingReadBytes?: number } = {}): Promise<FileSource> {
  let handle: FileHandle;
  try {
    handle = await open(path, "r");
  } catch (error) {
    throw storageError(error, { doing: "opened", path });
  }
  try {
    return new FileSource(path, handle, { size: (await handle.stat()).size, ...options });
  } catch (error) {
    await handle.close();
    throw storageError(error, { doing: "read", path });
  }
}

export class FileSource implements ByteSource {
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
    const bytes = new Uint8Array(Buffer.allocUnsafeSlow(length).buffer); // not zeroed, memory of its own, and no Buffer
    await this.readInto(bytes, offset, signal);
    return bytes;
  }

  async readInto(bytes: Uint8Array, offset: number, signal?: AbortSignal): Promise<void> {
    throwIfAborted(signal);
    const { length } = bytes;
    if (this.#closed)
      throw new VerbatimError("io-error", `${this.#path} is read after it was closed.`, { where: this.#path });
    for (let at = 0; at < length; ) {
      const read = await this.#readSome(bytes, at, offset + at);
      if (read === 0) {
        throw new VerbatimError(
          "io-error",
          `${this.#path} ends at ${offset + at}, ${length - at} bytes before the end of what is read.`,
          {
            where: this.#path,
            found: at,
            expected: length,
            hint: "The file was cut short or replaced while it was open; open the index again.",
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
