/** Text shards: the texts of all documents in small files, with the source of every passage. */

import { throwIfAborted } from "../errors.js";
import type { DocumentRecord, IndexSnapshot, SegmentReader } from "../index/types.js";
import { countNewlines } from "../text/newlines.js";
import { placeOf } from "../text/place.js";
import type { Place, SourceMap, SourceSegment } from "../types.js";
import { type PutBlob, packJson, type ShardTable } from "./blob.js";
import { livePassages } from "./live.js";

/** A shard is complete when it has this many UTF-16 units; deflate leaves 4 to 5 kB of prose. */
const SHARD_UNITS = 10 * 1024;

/** The part of a document in one shard: its passages and the text between them. */
export interface TextPiece {
  id: string;
  title: string;
  source: string;
  /** UTF-16 length of the whole document. */
  length: number;
  /**
   * Offset of `text` in the document. The pieces of a document have no gaps between them, and may
   * overlap.
   */
  from: number;
  text: string;
  /** Number of the document's first passage; its shard has the first piece. */
  firstPassage: number;
  /** [start, end) in the document, two numbers per passage. */
  passages: number[];
  /** The part of the document's map that `text` needs; its first segment starts at `from`. */
  map: SourceMap;
}

/** An entry of the list of all documents. */
export interface ListedDocument {
  id: string;
  title: string;
  length: number;
  firstPassage: number;
}

interface TextShards {
  table: ShardTable;
  documents: ListedDocument[];
}

/** A piece under construction. */
interface OpenPiece {
  segment: SegmentReader;
  document: number;
  record: DocumentRecord;
  firstPassage: number;
  /** The previous piece of the document. */
  before: TextPiece | undefined;
  passages: number[];
}

/** Writes the texts of all documents that are not deleted and have at least one passage. */
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
  const closePiece = async (open: OpenPiece, next: number): Promise<void> => {
    const piece = await textPiece(open, next, signal);
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
    let open: OpenPiece | undefined;
    let openUnits = 0;
    for (const { passage, document } of livePassages(segment)) {
      throwIfAborted(signal);
      const { start, end } = segment.passage(passage);
      const sameDocument = open?.document === document;
      if (open !== undefined && (!sameDocument || units + openUnits >= shardUnits)) {
        await closePiece(open, sameDocument ? start : open.record.length);
        open = sameDocument ? { ...open, before: pieces.at(-1), passages: [] } : undefined;
        if (units >= shardUnits) await closeShard();
        openUnits = 0;
      }
      if (open === undefined) {
        const record = await segment.readDocument(document, signal);
        open = { segment, document, record, firstPassage: passageNumber, before: undefined, passages: [] };
        const { id, title, length } = record;
        documents.push({ id, title, length, firstPassage: passageNumber });
      }
      open.passages.push(start, end);
      openUnits += end - start;
      passageNumber++;
    }
    if (open !== undefined) await closePiece(open, open.record.length);
    if (units >= shardUnits) await closeShard();
  }
  await closeShard();
  return { table, documents };
}

/** @param next  largest offset at which the next piece of the document may start */
async function textPiece(open: OpenPiece, next: number, signal: AbortSignal | undefined): Promise<TextPiece> {
  const { segment, document, record, firstPassage, passages, before } = open;
  const { id, title, source, length } = record;
  const from = before === undefined ? 0 : passages[0]!;
  const to = Math.max(next, passages.at(-1)!);
  const text = await segment.readText(document, from, to, signal);
  const map = { kind: record.map.kind, segments: clippedSegments(open, from, to) };
  return { id, title, source, length, from, text, firstPassage, passages, map };
}

/** The segments of the map that [from, to) needs; the first one is moved to `from`. */
function clippedSegments({ record, before }: OpenPiece, from: number, to: number): SourceSegment[] {
  const { segments } = record.map;
  const last = before === undefined ? -1 : segments.findLastIndex(({ start }) => start <= from);
  const inside = segments.filter(({ start }, n) => n > last && start < to).map(bare);
  const begun = segments[last];
  if (begun === undefined || before === undefined) return inside;
  return [bare({ ...begun, ...placeInPiece(before, from), start: from }), ...inside];
}

/** Removes the field that answers do not show. */
const bare = ({ byte: _, ...segment }: SourceSegment): SourceSegment => segment;

/** Line, page and path of an offset within the piece. */
export function placeInPiece({ map, text, from }: TextPiece, offset: number): Place {
  return placeOf(map, offset, (start, end) => countNewlines(text.slice(start - from, end - from)));
}
