/** Reads the content of an index without lock or model. */

import { FileStorage } from "../../adapters/node/storage/file-storage.js";
import { openSnapshot } from "../../src/index/open-snapshot.js";
import type { MetadataValue } from "../../src/types.js";

export interface Held {
  text: string;
  source: string;
  metadata: Record<string, MetadataValue>;
}

/** Live documents by id. @param folder  of the index */
export async function held(folder: string): Promise<Record<string, Held>> {
  const snapshot = await openSnapshot(new FileStorage(folder));
  const all: Record<string, Held> = {};
  try {
    for (const segment of snapshot.segments) {
      for (let d = 0; d < segment.documentCount; d++) {
        if (segment.isDeleted(d)) continue;
        const { id, source, metadata, length } = await segment.readDocument(d);
        if (all[id] !== undefined) throw new Error(`${id} is there twice`);
        all[id] = { text: await segment.readText(d, 0, length), source, metadata };
      }
    }
  } finally {
    await snapshot.close();
  }
  return all;
}
