/** An index in memory: for tests, for small collections, and as the example of a storage of your own. */

import { VerbatimError } from "../errors.js";
import type { ByteSource, FileWriter, Storage, StorageLock } from "../index/ports.js";

/** Bytes of a file under construction, in the pieces that were appended. */
interface MemoryFile {
  pieces: Uint8Array[];
  size: number;
}

/**
 * A `Storage` in the memory of this process. It follows the rules of the port strictly: files are
 * written once, names are never overwritten, and closed files cannot be used.
 */
export class MemoryStorage implements Storage {
  readonly place = "memory";
  readonly #files = new Map<string, MemoryFile>();
  #locked = false;

  async exists(): Promise<boolean> {
    return true;
  }

  async list(): Promise<string[]> {
    return [...this.#files.keys()].sort();
  }

  async open(name: string): Promise<ByteSource> {
    const file = this.#file(name);
    const bytes = joined(file);
    let isOpen = true;
    return {
      size: async () => bytes.length,
      read: async (offset, length) => {
        if (!isOpen) throw closed(name);
        if (offset < 0 || length < 0 || offset + length > bytes.length) {
          throw new VerbatimError("io-error", `${name} has ${bytes.length} bytes; ${length} at ${offset} were read.`);
        }
        return bytes.subarray(offset, offset + length);
      },
      close: async () => {
        isOpen = false;
      },
    };
  }

  async create(name: string): Promise<FileWriter> {
    this.#requireFree(name);
    const file: MemoryFile = { pieces: [], size: 0 };
    this.#files.set(name, file);
    let isOpen = true;
    return {
      append: async (bytes) => {
        if (!isOpen) throw closed(name);
        file.pieces.push(bytes.slice());
        file.size += bytes.length;
      },
      sync: async () => {
        if (!isOpen) throw closed(name);
      },
      close: async () => {
        isOpen = false;
      },
    };
  }

  async rename(from: string, to: string): Promise<void> {
    const file = this.#file(from);
    this.#requireFree(to);
    this.#files.delete(from);
    this.#files.set(to, file);
  }

  async remove(name: string): Promise<void> {
    this.#file(name);
    this.#files.delete(name);
  }

  async syncDirectory(): Promise<void> {}

  async lock(): Promise<StorageLock> {
    if (this.#locked) {
      throw new VerbatimError("index-locked", "Another writer has this index open.", {
        hint: "Close the other writer first.",
      });
    }
    this.#locked = true;
    return {
      verify: async () => {},
      release: async () => {
        this.#locked = false;
      },
    };
  }

  #file(name: string): MemoryFile {
    const file = this.#files.get(name);
    if (file === undefined) throw new VerbatimError("io-error", `There is no file ${name}.`, { where: name });
    return file;
  }

  #requireFree(name: string): void {
    if (this.#files.has(name)) throw new VerbatimError("io-error", `The file ${name} exists already.`, { where: name });
  }
}

/** The file's bytes in one array, which replaces its pieces. */
function joined(file: MemoryFile): Uint8Array {
  if (file.pieces.length === 1) return file.pieces[0]!;
  const bytes = new Uint8Array(file.size);
  let at = 0;
  for (const piece of file.pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  file.pieces = [bytes];
  return bytes;
}

function closed(name: string): VerbatimError {
  return new VerbatimError("internal", `The file ${name} was used after it was closed.`, { where: name });
}
