/** Merges document records and texts as they are stored; a renamed document gets a new record. */

import type { FileEntry } from "../format/container-writer.js";
import { DocumentHasher } from "../format/content-hash.js";
import type { DocumentKeys } from "../segment/document-keys.js";
import { DocumentsWriter } from "../segment/documents.js";
import type { OpenSegment } from "../segment/segment-reader.js";
import { TextWriter } from "../segment/text.js";
import type { DocumentRecord } from "../types.js";
import type { MergeWork, NewName } from "./merge-work.js";

const TEXT_AT_ONCE = 1 << 18;

/** @returns the file, and the keys of the merged segment's documents in their order */
export async function mergeDocuments(work: MergeWork): Promise<{ documents: FileEntry; keys: DocumentKeys }> {
  const writer = new DocumentsWriter(work.containers.documents);
  for (const { segment, documents, rename } of work.sources) {
    const keys = await segment.documents.keys(work.signal, { pause: work.pause });
    const rows = keys.rowsByDocument(segment.documentCount, `${segment.name}.documents`);
    for await (const { document, record } of segment.documents.records(work.signal)) {
      if (documents[document]! < 0) continue;
      const name = rename?.(document);
      if (name === undefined) await writer.addStored(record, keys.row(rows[document]!));
      else await writer.add(await recordUnder(name, { segment, document, signal: work.signal }));
      await work.pause();
    }
    work.done(segment, "documents");
  }
  return { documents: await writer.finish(work.pause), keys: writer.keys };
}

async function recordUnder(
  name: NewName,
  { segment, document, signal }: { segment: OpenSegment; document: number; signal: AbortSignal | undefined },
): Promise<DocumentRecord> {
  const record = await segment.readDocument(document, signal);
  const { id, source, metadata = record.metadata } = name;
  const hasher = new DocumentHasher(record.title, record.length);
  for (let at = 0; at < record.length; at += TEXT_AT_ONCE)
    hasher.update(await segment.readText(document, at, Math.min(record.length, at + TEXT_AT_ONCE), signal));
  return { ...record, id, source, metadata, contentHash: hasher.digest(metadata) };
}

export async function mergeText(work: MergeWork): Promise<FileEntry> {
  const writer = new TextWriter(work.containers.text);
  for (const { segment, documents } of work.sources) {
    for (let document = 0; document < documents.length; document++) {
      if (documents[document]! < 0) continue;
      await writer.addStored(segment.text.stored(document, work.signal));
      await work.pause();
    }
    work.done(segment, "text");
  }
  return writer.finish();
}
