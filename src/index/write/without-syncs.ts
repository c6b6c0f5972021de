/** `durability: "relaxed"`: the same storage, but nobody waits for the disk. docs/durability.md says what that risks. */

import type { Storage } from "../ports.js";

/** "full": what is acknowledged is on the disk. "relaxed": it is with the operating system, which a power cut takes with it. */
export type Durability = "full" | "relaxed";

const nothing = async (): Promise<void> => {};

/** Leaves out every sync, of files and of the folder. */
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
