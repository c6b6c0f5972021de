/**
 * A folder in memory that is stricter than any real one: what was not synced may be lost, torn or mixed up in a
 * crash, operations can be made to fail one by one, the disk can fill up, bits can flip. Everything follows from
 * seeds, so each failure can be replayed.
 */

import { VerbatimError } from "../../src/errors.js";
import type { ByteSource, FileWriter, Storage, StorageLock } from "../../src/index/ports.js";
import { seededRandom } from "./random.js";
import { type File, survives } from "./torn-file.js";

type DirectoryChange =
  | { kind: "create"; name: string; file: File }
  | { kind: "remove"; name: string }
  | { kind: "rename"; from: string; to: string };

/** Thrown by every operation from the crash on: the process is gone. */
export class Crash extends Error {
  constructor() {
    super("the machine has crashed");
    this.name = "Crash";
  }
}

export interface Failure {
  /** Number of the operation that fails first, from 1. */
  at: number;
  error: () => Error;
  /** All later ones fail, too. Default: once. */
  persistent?: boolean;
}

/** One append that takes fewer bytes than it was given. */
export interface ShortWrite {
  /** Number of the append, from 1. */
  at: number;
  /** Share of its bytes that are taken, 0 … 1. */
  share: number;
  /** The error that it throws; undefined for a disk that reports success. */
  error: (() => Error) | undefined;
}

export class MemoryStorage implements Storage {
  readonly place = "memory";
  /** Operations so far, by name. */
  readonly counts = new Map<string, number>();
  /** Bytes read of each file. */
  readonly read = new Map<string, number>();
  /** Sources that were opened and not closed. */
  openFiles = 0;
  /** Names of all operations so far, in order. */
  readonly log: string[] = [];
  /** Bytes that fit on the disk. */
  capacity = Number.POSITIVE_INFINITY;
  /** Longest answer to a read; beyond it the source gives fewer bytes than were asked for. */
  shortReads = Number.POSITIVE_INFINITY;
  shortWrite: ShortWrite | undefined;
  /** False: no file can be shared with another folder. */
  links = true;
  #files = new Map<string, File>();
  /** The directory as it would be found after a crash right now, at least. */
  #safe = new Map<string, File>();
  #unsynced: DirectoryChange[] = [];
  #failure: Failure | undefined;
  #crashAt = Number.POSITIVE_INFINITY;
  #crashed = false;
  #lockHolder: symbol | undefined;

  static of(files: ReadonlyMap<string, Uint8Array>): MemoryStorage {
    const storage = new MemoryStorage();
    for (const [name, bytes] of files) {
      const file = { bytes: bytes.slice(), length: bytes.length, synced: bytes.length };
      storage.#files.set(name, file);
      storage.#safe.set(name, file);
    }
    return storage;
  }

  get operations(): number {
    return this.log.length;
  }

  /** Files as they are seen now. */
  files(): Map<string, Uint8Array> {
    return new Map(
      [...this.#files]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, file]) => [name, file.bytes.slice(0, file.length)]),
    );
  }

  /** From operation number `at` on (counted from 1) nothing works; that one may be carried out or not. */
  crashAt(at: number): void {
    this.#crashAt = at;
  }

  failAt(failure: Failure): void {
    this.#failure = failure;
  }

  /** Flips one bit of a file, synced or not. */
  flipBit(name: string, bit: number): void {
    const file = this.#files.get(name)!;
    file.bytes[bit >> 3]! ^= 1 << (bit & 7);
  }

  /** Removes the lock as a person would who believes that its owner is gone. */
  breakLock(): void {
    this.#lockHolder = undefined;
  }

  /**
   * What a new start finds: each change that was not synced is there or not, in parts or in whole, as the seed
   * decides.
   */
  crash(seed: number): MemoryStorage {
    this.#crashed = true;
    const random = seededRandom(seed);
    const directory = new Map(this.#safe);
    for (const change of this.#unsynced) {
      if (random.next() < 0.5) continue;
      if (change.kind === "create") directory.set(change.name, change.file);
      else if (change.kind === "remove") directory.delete(change.name);
      else {
        const file = this.#renamed(change, directory);
        directory.delete(change.from);
        if (file) directory.set(change.to, file);
      }
    }
    return MemoryStorage.of(new Map([...directory].map(([name, file]) => [name, survives(file, random)])));
  }

  async exists(): Promise<boolean> {
    return this.#do("exists", () => true);
  }

  async list(): Promise<string[]> {
    return this.#do("list", () => [...this.#files.keys()].sort());
  }

  async open(name: string): Promise<ByteSource> {
    return this.#do("open", () => {
      const file = this.#file(name);
      let open = true;
      this.openFiles++;
      return {
        size: () => this.#do("size", () => file.length),
        read: (offset, length) =>
          this.#do("read", () => {
            if (!open) throw new VerbatimError("internal", `${name} is read after it was closed`);
            this.read.set(name, (this.read.get(name) ?? 0) + length);
            if (offset < 0 || length < 0 || offset + length > file.length)
              throw new VerbatimError("io-error", `${name}: short read`);
            return file.bytes.slice(offset, offset + Math.min(length, this.shortReads));
          }),
        close: async () => {
          if (open) this.openFiles--;
          open = false;
        },
      };
    });
  }

  async create(name: string): Promise<FileWriter> {
    return this.#do("create", () => {
      if (this.#files.has(name)) throw new VerbatimError("io-error", `${name} exists already`);
      const file: File = { bytes: new Uint8Array(256), length: 0, synced: 0 };
      this.#files.set(name, file);
      this.#unsynced.push({ kind: "create", name, file });
      let open = true;
      const whileOpen = (work: () => void) => () => {
        if (!open) throw new VerbatimError("internal", `${name} is closed`);
        work();
      };
      return {
        append: (bytes) =>
          this.#do(
            "append",
            whileOpen(() => this.#append(file, bytes)),
          ),
        sync: () =>
          this.#do(
            "sync",
            whileOpen(() => {
              file.synced = file.length;
            }),
          ),
        close: () =>
          this.#do("close", () => {
            open = false;
          }),
      };
    });
  }

  async rename(from: string, to: string): Promise<void> {
    return this.#do("rename", () => {
      const file = this.#file(from);
      if (this.#files.has(to)) throw new VerbatimError("io-error", `${to} exists already`);
      this.#files.delete(from);
      this.#files.set(to, file);
      this.#unsynced.push({ kind: "rename", from, to });
    });
  }

  async link(from: Storage, name: string, as: string): Promise<boolean> {
    return this.#do("link", () => {
      const file = from instanceof MemoryStorage ? from.#files.get(name) : undefined;
      if (!this.links || file === undefined) return false;
      if (this.#files.has(as)) throw new VerbatimError("io-error", `${as} exists already`);
      this.#files.set(as, file);
      this.#unsynced.push({ kind: "create", name: as, file });
      return true;
    });
  }

  async remove(name: string): Promise<void> {
    return this.#do("remove", () => {
      this.#file(name);
      this.#files.delete(name);
      this.#unsynced.push({ kind: "remove", name });
    });
  }

  async syncDirectory(): Promise<void> {
    return this.#do("syncDirectory", () => {
      this.#safe = new Map(this.#files);
      this.#unsynced = [];
    });
  }

  async lock(): Promise<StorageLock> {
    return this.#do("lock", () => {
      if (this.#lockHolder) throw new VerbatimError("index-locked", "The index is being written to.");
      const holder = Symbol();
      this.#lockHolder = holder;
      return {
        verify: async () => {
          if (this.#lockHolder !== holder)
            throw new VerbatimError("index-locked", "The lock is held by another writer.");
        },
        release: async () => {
          if (this.#lockHolder === holder) this.#lockHolder = undefined;
        },
      };
    });
  }

  /** One operation: counted, and refused or cut short as was asked for. */
  async #do<T>(name: string, work: () => T): Promise<T> {
    if (this.#crashed) throw new Crash();
    this.log.push(name);
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
    if (this.operations >= this.#crashAt) {
      if (this.operations % 2 === 0) work();
      this.#crashed = true;
      throw new Crash();
    }
    const failure = this.#failure;
    if (failure && (this.operations === failure.at || (failure.persistent && this.operations > failure.at)))
      throw failure.error();
    return work();
  }

  #append(file: File, given: Uint8Array): void {
    const short = this.counts.get("append") === this.shortWrite?.at ? this.shortWrite : undefined;
    const bytes = short === undefined ? given : given.subarray(0, Math.floor(given.length * short.share));
    this.#appendAll(file, bytes);
    if (short?.error) throw short.error();
  }

  #appendAll(file: File, bytes: Uint8Array): void {
    let used = 0;
    for (const other of this.#files.values()) used += other.length;
    const fits = Math.max(0, Math.min(bytes.length, this.capacity - used));
    if (file.length + fits > file.bytes.length) {
      const grown = new Uint8Array(Math.max(file.bytes.length * 2, file.length + fits));
      grown.set(file.bytes.subarray(0, file.length));
      file.bytes = grown;
    }
    file.bytes.set(bytes.subarray(0, fits), file.length); // a full disk takes what fits
    file.length += fits;
    if (fits < bytes.length) throw new VerbatimError("out-of-space", "There is no room left on the disk.");
  }

  #file(name: string): File {
    const file = this.#files.get(name);
    if (!file) throw new VerbatimError("io-error", `${name} does not exist`);
    return file;
  }

  /**
   * The file that a rename moved, even where its creation did not survive: the new name then stands for the same
   * file.
   */
  #renamed(change: { from: string; to: string }, directory: ReadonlyMap<string, File>): File | undefined {
    const created = this.#unsynced.findLast((other) => other.kind === "create" && other.name === change.from);
    return directory.get(change.from) ?? (created?.kind === "create" ? created.file : undefined);
  }
}
