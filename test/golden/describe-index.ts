/** What an index says, short enough to keep: texts as they are, numbers as checksums. */

import type { FileStorage } from "../../adapters/node/storage/file-storage.js";
import { crc32c } from "../../src/index/format/crc32c.js";
import { openSnapshot } from "../../src/index/open-snapshot.js";
import { madeUpModel } from "../support/made-up.js";
import type { MemoryStorage } from "../support/memory-storage.js";

export async function describeIndex(storage: MemoryStorage | FileStorage): Promise<unknown> {
  const snapshot = await openSnapshot(storage, { expectModelHash: madeUpModel.passageModelHash });
  const segments = [];
  for (const segment of snapshot.segments) {
    const documents = [];
    for (let d = 0; d < segment.documentCount; d++) {
      const record = await segment.readDocument(d);
      documents.push({ deleted: segment.isDeleted(d), record, text: await segment.readText(d, 0, record.length) });
    }
    const numbers = [...segment.passageDocuments.keys()];
    const stored = segment.level === "full" ? await segment.readPassages(numbers) : undefined;
    const passages = numbers.map((p) => ({
      ...segment.passage(p),
      ...(stored === undefined ? { tokens: segment.passageTokens[p] } : { checksum: checksum(stored[p]!) }),
    }));
    const postings: Record<string, unknown> = {};
    for (let term = 0; term < madeUpModel.vocabularySize; term++) {
      const list = await segment.termPostings(term);
      if (list) postings[term] = [...list.units].map((unit, i) => [unit, list.values[i]]);
    }
    const norms = [...(await segment.tfidfNorms("document")), ...(await segment.tfidfNorms("passage"))].map((norm) =>
      norm.toFixed(4),
    );
    const level = segment.level === "full" ? {} : { level: segment.level };
    segments.push({ name: segment.name, ...level, documents, passages, postings, norms });
  }
  await snapshot.close();
  const { version, formatVersion, documentCount, passageCount } = snapshot;
  return { version, formatVersion, documentCount, passageCount, segments };
}

/** CRC32C over all numbers of a passage, in the order of their names. */
export function checksum(value: object): string {
  const flat = (item: unknown): string =>
    item && typeof item === "object" && !ArrayBuffer.isView(item)
      ? Object.entries(item)
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([key, child]) => `${key}:${flat(child)}`)
          .join(";")
      : String(item);
  return crc32c(new TextEncoder().encode(flat(value))).toString(16);
}
