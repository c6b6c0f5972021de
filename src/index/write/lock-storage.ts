/** Takes the lock of an index, and checks before every rename and removal that it is still held. */

import type { Storage, StorageLock } from "../ports.js";

interface LockedStorage {
  /**
   * The same storage. Its `rename` and `remove` fail with `index-locked`, and change nothing, once
   * the lock was taken by another writer or removed by hand. A writer that lost its lock therefore
   * cannot publish a version or destroy files of the new owner.
   */
  storage: Storage;
  lock: StorageLock;
}

/** @throws VerbatimError as `Storage.lock` */
export async function lockStorage(storage: Storage): Promise<LockedStorage> {
  const lock = await storage.lock();
  const locked: Storage = {
    place: storage.place,
    exists: () => storage.exists(),
    list: () => storage.list(),
    open: (name) => storage.open(name),
    create: (name) => storage.create(name),
    rename: async (from, to) => {
      await lock.verify();
      await storage.rename(from, to);
    },
    remove: async (name) => {
      await lock.verify();
      await storage.remove(name);
    },
    syncDirectory: () => storage.syncDirectory(),
    lock: () => storage.lock(),
  };
  if (storage.link) locked.link = (from, name, as) => storage.link!(from === locked ? storage : from, name, as);
  return { storage: locked, lock };
}
