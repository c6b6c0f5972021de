/** Merges document records and texts as they are stored; a renamed document gets a new record. */

import type { FileEntry } from "../format/container-writer.js";
import { DocumentHasher, documentKey } from "../format/content-hash.js";
import { type DocumentKey, DocumentsWriter } from "../segment/documents.js";
import type { OpenSegment } from "../segment/segment-reader.js";
import { TextWriter } from "../segment/text.js";
import type { DocumentRecord } from "../types.js";
import type { MergeWork, NewName } from "./merge-work.js";

const TEXT_AT_ONCE = 1 << 18;

/** A document of the merged segment; its number is its index. */
export type KeptKey = Omit<DocumentKey, "document">;

export async function mergeDocuments(work: MergeWork): Promise<{ documents: FileEntry; keys: KeptKey[] }> {
  const writer = new DocumentsWriter(work.containers.documents);
  const kept: KeptKey[] = [];
  for (const { segment, documents, rename } of work.sources) {
    const keys: DocumentKey[] = new Array(segment.documentCount);
    for (const key of await segment.documents.keys(work.signal, { pause: work.pause })) keys[key.document] = key;
    for await (const { document, record } of segment.documents.records(work.signal)) {
      if (documents[document]! < 0) continue;
      const name = rename?.(document);
      if (name === undefined) {
        await writer.addStored(record, keys[document]!);
        kept.push(keys[document]!);
      } else {
        const renamed = await recordUnder(name, { segment, document, signal: work.signal });
        await writer.add(renamed);
        const { contentHash, passageCount: passages } = renamed;
        kept.push({ idHash: documentKey(renamed.id), contentHash, passages });
      }
      await work.pause();
    }
    work.done(segment, "documents");
  }
  return { documents: await writer.finish(work.pause), keys: kept };
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
