/** Lists and reads the documents that an index holds, without a model. */

import { resolve } from "node:path";
import { type OpenSnapshot, openSnapshot } from "../../src/index/open-snapshot.js";
import { type StoredDocument, storedDocumentOf } from "../../src/index/segment/stored-documents.js";
import { readWholeDocument } from "../../src/index/segment/whole-document.js";
import type { Document } from "../../src/types.js";
import { requireIndex } from "./index-info.js";
import { FileStorage } from "./storage/file-storage.js";

/**
 * All documents of the newest version, in the order of the index, without their texts. Later commits change nothing
 * of it.
 * @throws VerbatimError `index-missing`, `corrupt-manifest`, `corrupt-segment`, `unsupported-format`, `io-error`,
 *   `aborted`
 */
export async function* listDocuments(
  path: string,
  options: { signal?: AbortSignal } = {},
): AsyncGenerator<StoredDocument> {
  const snapshot = await open(path, options.signal);
  try {
    yield* documentsIn(snapshot, options);
  } finally {
    await snapshot.close();
  }
}

/** The documents of an open version, as `listDocuments` does. */
export async function* documentsIn(
  { segments }: OpenSnapshot,
  { signal }: { signal?: AbortSignal },
): AsyncGenerator<StoredDocument> {
  for (const segment of segments) {
    for await (const { document, head, contentHash } of segment.documents.heads(signal)) {
      if (!segment.isDeleted(document)) yield storedDocumentOf(head, contentHash);
    }
  }
}

/**
 * One document with its extracted text, to which every offset of an answer refers; undefined if there is no such id.
 * @throws VerbatimError as `listDocuments`
 */
export async function readDocument(
  path: string,
  id: string,
  options: { signal?: AbortSignal } = {},
): Promise<Document | undefined> {
  const { signal } = options;
  const snapshot = await open(path, signal);
  try {
    for (const segment of snapshot.segments) {
      for await (const { document, head } of segment.documents.heads(signal)) {
        if (head.id === id && !segment.isDeleted(document)) return await readWholeDocument(segment, document, signal);
      }
    }
    return undefined;
  } finally {
    await snapshot.close();
  }
}

async function open(path: string, signal: AbortSignal | undefined): Promise<OpenSnapshot> {
  await requireIndex(path);
  return openSnapshot(new FileStorage(resolve(path)), { signal });
}
