/** "Which documents are there, and what are they called?" Without texts, maps and vectors, so that a whole index is listed in moments. */

import type { MetadataValue } from "../types.js";
import { openContainer } from "./container.js";
import { corrupt } from "./corrupt.js";
import { DocumentsReader } from "./documents.js";
import { type ManifestModel, segmentFile } from "./manifest.js";
import type { Storage } from "./ports.js";
import type { LiveSegment } from "./writer-state.js";

/** A document as the index knows it. */
export interface StoredDocument {
  id: string;
  title: string;
  source: string;
  metadata: Record<string, MetadataValue>;
  /** As `documentContentHash` gives it: equal for equal title, text and metadata. */
  contentHash: string;
  passages: number;
}

/** Live documents of complete segments, in the order of the index. @throws VerbatimError `corrupt-segment`, `aborted` */
export async function* storedDocuments(
  storage: Storage,
  segments: readonly LiveSegment[],
  options: { model: Pick<ManifestModel, "passageModelHash">; signal?: AbortSignal },
): AsyncGenerator<StoredDocument> {
  const { model, signal } = options;
  for (const { name, entry, deleted } of segments) {
    const file = segmentFile(entry!, "documents");
    if (!file) throw corrupt(`${name}.documents`, "the manifest does not name it");
    const { passageModelHash } = model;
    const container = await openContainer(storage, file, { component: "documents", passageModelHash, signal });
    try {
      for await (const { document, head } of new DocumentsReader(container, entry!.documents).heads(signal)) {
        if (deleted.has(document)) continue;
        const { id, title, source, metadata, contentHash, passages } = head;
        yield { id, title, source, metadata, contentHash, passages };
      }
    } finally {
      await container.close();
    }
  }
}
