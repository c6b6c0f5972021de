/** The two ports of the index: reading bytes, and storing files. Types only. */

/** Random access to the bytes of one write-once file. */
export interface ByteSource {
  /** Size in bytes; fixed for the life of the source. */
  size(): Promise<number>;
  /**
   * The bytes [offset, offset + length). A short read is an error of the source (`io-error`), never
   * silently accepted. The result may be a view that the caller must not write to.
   */
  read(offset: number, length: number, signal?: AbortSignal): Promise<Uint8Array>;
  /** If the source supports it: fills caller-owned memory with the bytes from `offset` on. */
  readInto?(into: Uint8Array, offset: number, signal?: AbortSignal): Promise<void>;
  /** The runtime's raw DEFLATE, if it has one. */
  readonly inflate?: Inflate;
  close(): Promise<void>;
}

/**
 * Raw DEFLATE to at most `maxBytes` bytes. @throws any error for invalid bytes, or bytes that inflate
 * to more
 */
export type Inflate = (bytes: Uint8Array, maxBytes: number) => Uint8Array;

/**
 * A file under construction. Bytes survive a crash only after `sync`, its name only after
 * `syncDirectory`.
 */
export interface FileWriter {
  append(bytes: Uint8Array): Promise<void>;
  sync(): Promise<void>;
  close(): Promise<void>;
}

export interface StorageLock {
  /**
   * @throws VerbatimError `index-locked` if this lock is no longer in force: it may have been
   *   removed by hand
   */
  verify(): Promise<void>;
  /** Does nothing if the lock is no longer this one. */
  release(): Promise<void>;
}

/** A flat folder of write-once files. */
export interface Storage {
  /** The folder as a person would name it; for messages only. */
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
   * Adds the name `as`, in this folder, to the file `name` of `from` (a hard link): no byte is
   * copied, and each name can be removed alone.
   * @returns false if the two folders cannot share a file; the caller then copies. Absent if links
   *   are never possible
   */
  link?(from: Storage, name: string, as: string): Promise<boolean>;
  /**
   * Takes the lock: one writer at a time. Creates the folder if needed, and takes over a lock whose
   * owner is gone. @throws VerbatimError `index-locked`, naming the holder
   */
  lock(): Promise<StorageLock>;
}
