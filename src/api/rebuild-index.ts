/** Encodes everything in an index again, with another model or another version of it. */

import type { Encoder } from "../encode/types.js";
import { type OpenSnapshot, openSnapshot } from "../index/open-snapshot.js";
import type { Storage } from "../index/ports.js";
import { readWholeDocument } from "../index/segment/whole-document.js";
import type { UpgradeProgress } from "../index/write/upgrade.js";
import type { Durability } from "../index/write/without-syncs.js";
import type { IngestProgress } from "../ingest/ingest.js";
import type { Document } from "../types.js";
import { openWriter } from "./writer.js";

interface RebuildOptions {
  /** The model that the index gets. The caller closes it. */
  encoder: Encoder;
  durability?: Durability;
  signal?: AbortSignal;
  /** `passagesTotal` is an estimate: another model may divide the texts at other places. */
  onProgress?: (progress: UpgradeProgress) => void;
}

/**
 * Encodes the stored texts of all documents again and replaces the index with the result in one commit. Ids, sources,
 * fields and the level stay, and no file is read. Until the commit readers see the old version, which the disk
 * holds as well; when the call fails or is stopped, the index is unchanged.
 * @returns what was encoded, and the new version
 * @throws VerbatimError `index-missing`, `index-locked`, `corrupt-segment`, `aborted`, `out-of-space`
 */
export async function rebuildIndex(
  storage: Storage,
  { encoder, durability, signal, onProgress }: RebuildOptions,
): Promise<IngestProgress & { version: number }> {
  const writer = await openWriter({ storage, encoder, durability, signal, startEmpty: true });
  try {
    const snapshot = await openSnapshot(storage, { signal }); // the writer's lock keeps it the newest version
    try {
      const { documentCount, passageCount } = snapshot;
      const done = await writer.add(documentsOf(snapshot, signal), {
        signal,
        onProgress: ({ documents, passages, tokens }) => {
          const passagesTotal = Math.max(passages, passageCount);
          onProgress?.({ documents, documentsTotal: documentCount, passages, passagesTotal, tokens });
        },
      });
      return { ...done, version: await writer.commit() };
    } finally {
      await snapshot.close();
    }
  } finally {
    await writer.close();
  }
}

/** All documents that are not deleted, in the order of the index. */
async function* documentsOf({ segments }: OpenSnapshot, signal: AbortSignal | undefined): AsyncGenerator<Document> {
  for (const segment of segments) {
    for (let number = 0; number < segment.documentCount; number++) {
      if (segment.isDeleted(number)) continue;
      yield await readWholeDocument(segment, number, signal);
    }
  }
}
