/** Counts what is live in an open index, without reading files. */

import type { IndexLevel } from "./format/level.js";
import type { Manifest } from "./manifest/manifest.js";
import type { OpenSnapshot } from "./open-snapshot.js";

export interface IndexInfo {
  version: number;
  formatVersion: number;
  /** Live documents and passages. All counts but `segments` and `bytes` are of live ones. */
  documents: number;
  passages: number;
  /** Kept start rows: phrases that can be found. */
  phrases: number;
  /** Input tokens of the passages. */
  tokens: number;
  segments: number;
  /** Bytes of all files, including deleted documents that are not merged away yet. */
  bytes: number;
  /**
   * The part of `bytes` per kind of segment file (docs/index-format.md §1); all tombstones
   * together.
   */
  componentBytes: Record<string, number>;
  /** Deleted documents whose bytes remain until their segment is merged. */
  deletedDocuments: number;
  /** Level of documents that are added; `levels` counts the live passages at each. */
  level: IndexLevel;
  levels: Partial<Record<IndexLevel, number>>;
  /** Name of the model that encoded the passages, and the hash of what decides their encoding. */
  model: string;
  passageModelHash: string;
}

export function indexInfo(snapshot: OpenSnapshot): IndexInfo {
  const { segments, manifest } = snapshot;
  let phrases = 0;
  let tokens = 0;
  let deletedDocuments = 0;
  const levels: IndexInfo["levels"] = {};
  for (const segment of segments) {
    const { document, startRows, tokens: passageTokens } = segment.columns;
    deletedDocuments += segment.deletedDocumentCount;
    levels[segment.level] = (levels[segment.level] ?? 0) + segment.passageCount - segment.deletedPassageCount;
    for (let p = 0; p < segment.passageCount; p++) {
      if (segment.isDeleted(document[p]!)) continue;
      phrases += startRows[p + 1]! - startRows[p]!;
      tokens += passageTokens[p]!;
    }
  }
  return {
    version: snapshot.version,
    formatVersion: snapshot.formatVersion,
    documents: snapshot.documentCount,
    passages: snapshot.passageCount,
    phrases,
    tokens,
    segments: segments.length,
    bytes: snapshot.bytes,
    componentBytes: componentBytes(manifest),
    deletedDocuments,
    level: manifest.level,
    levels,
    model: manifest.model.name,
    passageModelHash: snapshot.passageModelHash,
  };
}

/**
 * UTF-8 bytes of the live documents' texts. Reads only the table of pieces: 16 bytes per 8 Ki units
 * of text.
 */
export async function textBytes({ segments }: OpenSnapshot): Promise<number> {
  let sum = 0;
  for (const segment of segments) sum += await segment.text.utf8Bytes((document) => !segment.isDeleted(document));
  return sum;
}

function componentBytes(manifest: Manifest): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const { files } of manifest.segments) {
    for (const { name, bytes } of files) {
      const component = name.split(".")[1]!.split("-", 1)[0]!;
      sums[component] = (sums[component] ?? 0) + bytes;
    }
  }
  return sums;
}
