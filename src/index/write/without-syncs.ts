/**
 * `durability: "relaxed"`: a storage that does not wait for the disk. docs/durability.md says what
 * that risks.
 */

import type { Storage } from "../ports.js";

/**
 * "full": acknowledged data is on disk. "relaxed": it is with the operating system, and a power cut
 * can lose it.
 */
export type Durability = "full" | "relaxed";

const nothing = async (): Promise<void> => {};

/** Omits every sync, of files and of the folder. */
export function withoutSyncs(storage: Storage): Storage {
  const relaxed: Storage = {
    place: storage.place,
    exists: () => storage.exists(),
    list: () => storage.list(),
    open: (name) => storage.open(name),
    create: async (name) => {
      const file = await storage.create(name);
      return { append: (bytes) => file.append(bytes), sync: nothing, close: () => file.close() };
    },
    rename: (from, to) => storage.rename(from, to),
    remove: (name) => storage.remove(name),
    syncDirectory: nothing,
    lock: () => storage.lock(),
  };
  if (storage.link) relaxed.link = (from, name, as) => storage.link!(from, name, as);
  return relaxed;
}
