/**
 * Converts a document into entries of the cluster: one per passage, per piece of text, and one
 * record.
 */

import type { Precision } from "../../src/encode/precision.js";
import { encodePassageBlob, type WholePassage } from "../../src/index/cluster/passage-blob.js";
import type { DocumentRecord } from "../../src/index/types.js";
import type { TextCheckpoint } from "../../src/search/locate/text-counts.js";
import { gramFeature } from "../../src/search/score/sparse-query.js";
import { storableHeadings } from "../../src/text/headings.js";
import type { Document } from "../../src/types.js";
import type { ClusterModel, Kind } from "./mapping.js";
import { fieldKeywords } from "./where.js";

/** Fields that every entry of a document has. */
export interface DocumentHead {
  /** Key of the document id, 32 hex digits. */
  doc: string;
  /** Content hash of the document. */
  hash: string;
  part: number;
  order: number;
  document: Document;
}

/** One entry as the two lines of a bulk request. */
export interface Entry {
  id: string;
  bytes: number;
  lines: readonly [action: string, source: string];
}

/**
 * `record` of a document's entry: everything except the text, with counts at every 16 Ki units of
 * it.
 */
export interface StoredRecord {
  record: Omit<DocumentRecord, "contentHash" | "passageCount">;
  /** [offset, bytes, code points, newlines] each, without the first at 0. */
  checkpoints: Array<[offset: number, bytes: number, codePoints: number, newlines: number]>;
  norm: number;
}

/**
 * Prefix of entry ids. It depends on the content, so that a changed document never mixes old and
 * new entries.
 */
const idPrefix = ({ doc, hash }: Pick<DocumentHead, "doc" | "hash">): string => `${doc}-${hash.slice(0, 16)}`;
export const passageId = (head: Pick<DocumentHead, "doc" | "hash">, number: number): string =>
  `${idPrefix(head)}-${number}`;
export const pieceId = (head: Pick<DocumentHead, "doc" | "hash">, number: number): string =>
  `${idPrefix(head)}-t${number}`;
/** The id of a piece of the document that has the passage of this entry. */
export const pieceIdNear = (passage: string, number: number): string =>
  `${passage.slice(0, passage.lastIndexOf("-"))}-t${number}`;
export const recordId = (doc: string): string => doc;
export const STATE_ID = "state";

/** The document key in a passage's entry id. */
export const keyOfPassage = (id: string): string => id.slice(0, id.indexOf("-"));

/** Whether a passage's entry is of the document with this content hash, and not of another version of it. */
export const isOfVersion = (passage: string, hash: string): boolean =>
  passage.startsWith(`${hash.slice(0, 16)}-`, passage.indexOf("-") + 1);

function entry(id: string, source: { kind: Kind } & Record<string, unknown>): Entry {
  const lines = [JSON.stringify({ index: { _id: id } }), JSON.stringify(source)] as const;
  return { id, bytes: lines[0].length + lines[1].length, lines };
}

const common = ({ doc, hash, part, order }: DocumentHead) => ({ doc, hash, part, order });

/** @param model  with the precision that the passage is kept at */
export function passageEntry(
  head: DocumentHead,
  passage: WholePassage,
  how: { model: ClusterModel; precision: Precision; vectors: boolean },
): Entry {
  const { document } = head;
  const { alone, number, start, end, grams } = passage;
  const { id, title, source, metadata = {} } = document;
  const blob = encodePassageBlob(passage, { dimensions: how.model, precision: how.precision });
  const features: Record<string, number> = {};
  for (const [n, bucket] of grams.buckets.entries()) features[bucket] = gramFeature(grams.counts[n]!, grams.norm);
  return entry(passageId(head, number), {
    kind: alone ? "alone" : "passage",
    ...common(head),
    number,
    id,
    title,
    source,
    metadata,
    text: wellFormed(document.text.slice(start, end)),
    ...fieldKeywords(document),
    t: largestImpacts(passage),
    ...(alone ? { a: features } : { g: features }),
    blob: Buffer.from(blob).toString("base64"),
    ...(how.vectors ? { vector: [...passage.encoded.vector] } : {}),
  });
}

/** UTF-8 holds no half of a surrogate pair. */
const LONE = /(?<![\ud800-\udbff])[\udc00-\udfff]|[\ud800-\udbff](?![\udc00-\udfff])/;
const isWellFormed = (text: string): boolean => !LONE.test(text);
const wellFormed = (text: string): string => (isWellFormed(text) ? text : Buffer.from(text).toString());

/** The largest impact of each term over the units of the passage. */
function largestImpacts({ encoded }: WholePassage): Record<string, number> {
  const impacts: Record<string, number> = {};
  for (const { terms, weights } of encoded.units) {
    for (let i = 0; i < terms.length; i++) {
      const weight = weights[i]!;
      if (weight > (impacts[terms[i]!] ?? 0)) impacts[terms[i]!] = weight;
    }
  }
  return impacts;
}

/** Text as JSON; text that UTF-8 cannot represent is also stored as UTF-16. */
export interface StoredText {
  text: string;
  utf16?: string;
}

const storedText = (text: string): StoredText => ({
  text: wellFormed(text),
  ...(isWellFormed(text) ? {} : { utf16: Buffer.from(text, "utf16le").toString("base64") }),
});

export const textOf = ({ text, utf16 }: StoredText): string =>
  utf16 === undefined ? text : Buffer.from(utf16, "base64").toString("utf16le");

/** Number of separate pieces of a text: 0 if it is short enough for the record itself. */
export const pieceCount = (checkpoints: readonly TextCheckpoint[]): number =>
  checkpoints.length === 1 ? 0 : checkpoints.length;

/** The pieces of a text, cut at the positions with known counts. */
export function pieceEntries(head: DocumentHead, checkpoints: readonly TextCheckpoint[]): Entry[] {
  const { text } = head.document;
  return checkpoints.slice(0, pieceCount(checkpoints)).map(({ offset }, number) => {
    const piece = storedText(text.slice(offset, checkpoints[number + 1]?.offset ?? text.length));
    return entry(pieceId(head, number), { kind: "piece", ...common(head), number, ...piece });
  });
}

export function recordEntry(
  head: DocumentHead,
  rest: {
    passages: number;
    checkpoints: readonly TextCheckpoint[];
    norm: number;
    /** n-grams of a document with several passages. */
    counts: Iterable<readonly [bucket: number, count: number]>;
  },
): Entry {
  const { id, title, source, map, text, metadata = {} } = head.document;
  const headings = storableHeadings(head.document.headings ?? [], text.length);
  const { passages, norm } = rest;
  const checkpoints: StoredRecord["checkpoints"] = rest.checkpoints
    .slice(1)
    .map(({ offset, bytes, codePoints, newlines }) => [offset, bytes, codePoints, newlines]);
  const counts = passages > 1 ? [...rest.counts] : [];
  const pieces = pieceCount(rest.checkpoints);
  const stored = { id, title, source, length: text.length, map, metadata };
  const record: StoredRecord = {
    record: headings.length === 0 ? stored : { ...stored, headings },
    checkpoints,
    norm,
  };
  return entry(recordId(head.doc), {
    kind: "document",
    ...common(head),
    passages,
    pieces,
    ...(pieces === 0 ? storedText(text) : {}),
    id,
    title,
    source,
    ...fieldKeywords(head.document),
    record,
    ...(counts.length === 0
      ? {}
      : {
          c: Object.fromEntries(counts),
          w: Object.fromEntries(counts.map(([bucket, count]) => [bucket, gramFeature(count, norm)])),
        }),
  });
}
