/** "Here is a passage: what does it say, and where does that stand?" The texts of all documents in small files, passage after passage. */

import { throwIfAborted } from "../errors.js";
import type { DocumentRecord, IndexSnapshot, SegmentReader } from "../index/types.js";
import { placeOf } from "../text/place.js";
import type { Place, SourceMap, SourceSegment } from "../types.js";
import { type PutBlob, packJson, type ShardTable } from "./blob.js";
import { livePassages } from "./live.js";

/** UTF-16 units after which a shard is closed: deflate leaves 4 to 5 kB of prose. */
const SHARD_UNITS = 10 * 1024;

/** A stretch of a document: its passages of one shard, with all that lies between them. */
export interface TextPiece {
  id: string;
  title: string;
  source: string;
  /** UTF-16 length of the whole document. */
  length: number;
  /** `text` is the document's from here on; pieces of one document follow one another without a gap, and may overlap. */
  from: number;
  text: string;
  /** Number of the document's first passage: where its pieces begin. */
  firstPassage: number;
  /** [start, end) in the document, two numbers a passage. */
  passages: number[];
  /** The part of the document's map that `text` needs; it says lines from `from` on. */
  map: SourceMap;
}

/** A document as it stands in the list of all. */
export interface ListedDocument {
  id: string;
  title: string;
  length: number;
  firstPassage: number;
}

export interface TextShards {
  table: ShardTable;
  documents: ListedDocument[];
}

interface Waiting {
  segment: SegmentReader;
  document: number;
  record: DocumentRecord;
  firstPassage: number;
  /** The document's piece before this one. */
  before: TextPiece | undefined;
  passages: number[];
}

/** Writes the texts of all live documents; a document without a passage has none here. */
export async function writeTextShards(
  snapshot: IndexSnapshot,
  options: { put: PutBlob; shardUnits?: number; signal?: AbortSignal },
): Promise<TextShards> {
  const { put, shardUnits = SHARD_UNITS, signal } = options;
  const table: ShardTable = { firsts: [], names: [] };
  const documents: ListedDocument[] = [];
  let pieces: TextPiece[] = [];
  let units = 0;
  let passageNumber = 0;
  let shardFirst = 0;
  const closePiece = async (waiting: Waiting, next: number): Promise<void> => {
    const piece = await textPiece(waiting, next, signal);
    units += piece.text.length;
    pieces.push(piece);
  };
  const closeShard = async (): Promise<void> => {
    if (pieces.length === 0) return;
    table.firsts.push(shardFirst);
    table.names.push(await put(packJson(pieces)));
    pieces = [];
    units = 0;
    shardFirst = passageNumber;
  };
  for (const segment of snapshot.segments) {
    let waiting: Waiting | undefined;
    let waitingUnits = 0;
    for (const { passage, document } of livePassages(segment)) {
      throwIfAborted(signal);
      const { start, end } = segment.passage(passage);
      const sameDocument = waiting?.document === document;
      if (waiting !== undefined && (!sameDocument || units + waitingUnits >= shardUnits)) {
        await closePiece(waiting, sameDocument ? start : waiting.record.length);
        waiting = sameDocument ? { ...waiting, before: pieces.at(-1), passages: [] } : undefined;
        if (units >= shardUnits) await closeShard();
        waitingUnits = 0;
      }
      if (waiting === undefined) {
        const record = await segment.readDocument(document, signal);
        waiting = { segment, document, record, firstPassage: passageNumber, before: undefined, passages: [] };
        const { id, title, length } = record;
        documents.push({ id, title, length, firstPassage: passageNumber });
      }
      waiting.passages.push(start, end);
      waitingUnits += end - start;
      passageNumber++;
    }
    if (waiting !== undefined) await closePiece(waiting, waiting.record.length);
    if (units >= shardUnits) await closeShard();
  }
  await closeShard();
  return { table, documents };
}

/** @param next  where the next piece of the document begins at the latest */
async function textPiece(waiting: Waiting, next: number, signal: AbortSignal | undefined): Promise<TextPiece> {
  const { segment, document, record, firstPassage, passages, before } = waiting;
  const { id, title, source, length } = record;
  const from = before === undefined ? 0 : passages[0]!;
  const to = Math.max(next, passages.at(-1)!);
  const text = await segment.readText(document, from, to, signal);
  const map = { kind: record.map.kind, segments: clippedSegments(waiting, from, to) };
  return { id, title, source, length, from, text, firstPassage, passages, map };
}

/** The map's segments that [from, to) needs, the first of them moved up to `from`. */
function clippedSegments({ record, before }: Waiting, from: number, to: number): SourceSegment[] {
  const { segments } = record.map;
  const last = before === undefined ? -1 : segments.findLastIndex(({ start }) => start <= from);
  const inside = segments.filter(({ start }, n) => n > last && start < to).map(bare);
  const begun = segments[last];
  if (begun === undefined || before === undefined) return inside;
  return [bare({ ...begun, ...placeInPiece(before, from), start: from }), ...inside];
}

/** Without what answers do not show. */
const bare = ({ byte: _, ...segment }: SourceSegment): SourceSegment => segment;

function countNewlines(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) count++;
  return count;
}

/** Line, page and path of an offset that lies in the piece. */
export function placeInPiece({ map, text, from }: TextPiece, offset: number): Place {
  return placeOf(map, offset, (start, end) => countNewlines(text.slice(start - from, end - from)));
}
