/** The two ports of the index: reading bytes and keeping files. Leaf file: types only. */

/** Random access to the bytes of one write-once file. */
export interface ByteSource {
  /** Size in bytes; fixed for the life of the source. */
  size(): Promise<number>;
  /**
   * The bytes [offset, offset + length). A short read is an error of the source (`io-error`), never silently accepted.
   * The result may be a view that the caller must not write to.
   */
  read(offset: number, length: number, signal?: AbortSignal): Promise<Uint8Array>;
  /** Where the source can: fills memory that is the caller's to use again with the bytes from `offset` on. */
  readInto?(into: Uint8Array, offset: number, signal?: AbortSignal): Promise<void>;
  /** Raw DEFLATE of the runtime, where it has one. */
  readonly inflate?: Inflate;
  close(): Promise<void>;
}

/** Raw DEFLATE to at most `most` bytes. @throws whatever, for bytes that are none or give more */
export type Inflate = (bytes: Uint8Array, most: number) => Uint8Array;

/** A file under construction. Bytes are promised to survive a crash only after `sync` and, for its name, `syncDirectory`. */
export interface FileWriter {
  append(bytes: Uint8Array): Promise<void>;
  sync(): Promise<void>;
  close(): Promise<void>;
}

export interface StorageLock {
  /** @throws VerbatimError `index-locked` unless this lock is still the one in force: it may have been removed by hand */
  verify(): Promise<void>;
  /** Does nothing if the lock is no longer this one. */
  release(): Promise<void>;
}

/** A flat folder of write-once files. */
export interface Storage {
  /** For messages only: the folder as a person knows it. */
  readonly place: string;
  exists(): Promise<boolean>;
  list(): Promise<string[]>;
  open(name: string): Promise<ByteSource>;
  /** Fails if `name` exists. */
  create(name: string): Promise<FileWriter>;
  /** Fails if `to` exists. */
  rename(from: string, to: string): Promise<void>;
  remove(name: string): Promise<void>;
  syncDirectory(): Promise<void>;
  /**
   * Makes `as` another name, in this folder, of the file `name` of `from` (a hard link): no byte is copied, and each name may be removed alone.
   * @returns false where the two folders cannot share a file; then the caller copies. Missing: never possible.
   */
  link?(from: Storage, name: string, as: string): Promise<boolean>;
  /** One writer at a time; makes the place if it is not there yet. @throws VerbatimError `index-locked` (who holds it); a lock whose owner is gone is taken over. */
  lock(): Promise<StorageLock>;
}
