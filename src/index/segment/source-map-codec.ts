/**
 * Codec of a document's map, column by column (docs/index-format.md §3): 100,000 segments take a
 * few bytes each.
 */

import type { SourceSegment } from "../../types.js";
import { type ByteReader, ByteWriter, toUtf8 } from "../format/bytes.js";

const LINE = 1;
const LINEAR_GIVEN = 2;
const LINEAR = 4;
const PAGE = 8;
const BYTE = 16;
const PATH = 32;

const NUMBER_COLUMNS = [
  ["line", LINE],
  ["page", PAGE],
  ["byte", BYTE],
] as const;

function flagsOf(segment: SourceSegment): number {
  return (
    (segment.line === undefined ? 0 : LINE) |
    (segment.linear === undefined ? 0 : LINEAR_GIVEN) |
    (segment.linear ? LINEAR : 0) |
    (segment.page === undefined ? 0 : PAGE) |
    (segment.byte === undefined ? 0 : BYTE) |
    (segment.path === undefined ? 0 : PATH)
  );
}

/** @param segments  with ascending `start`; all numbers are whole */
export function packSegments(segments: readonly SourceSegment[]): Uint8Array {
  const out = new ByteWriter(16 + segments.length * 4);
  for (const segment of segments) out.u8(flagsOf(segment));
  let start = 0;
  for (const segment of segments) {
    out.varint(segment.start - start);
    start = segment.start;
  }
  for (const [field] of NUMBER_COLUMNS) {
    let before = 0;
    for (const segment of segments) {
      const value = segment[field];
      if (value === undefined) continue;
      out.zigzag(value - before);
      before = value;
    }
  }
  let path: Uint8Array = new Uint8Array(0);
  for (const segment of segments) {
    if (segment.path === undefined) continue;
    const bytes = toUtf8(segment.path);
    let shared = 0;
    while (shared < path.length && shared < bytes.length && path[shared] === bytes[shared]) shared++;
    out.varint(shared);
    out.varint(bytes.length - shared);
    out.raw(bytes.subarray(shared));
    path = bytes;
  }
  return out.bytes();
}

/** @throws VerbatimError `corrupt-segment` */
export function unpackSegments(reader: ByteReader, count: number): SourceSegment[] {
  const flags = reader.raw(count);
  const segments: SourceSegment[] = [];
  let start = 0;
  for (const flag of flags) {
    start += reader.varint();
    const segment: SourceSegment = { start };
    if (flag & LINEAR_GIVEN) segment.linear = (flag & LINEAR) !== 0;
    segments.push(segment);
  }
  for (const [field, flag] of NUMBER_COLUMNS) {
    let value = 0;
    for (const [i, segment] of segments.entries()) {
      if (!(flags[i]! & flag)) continue;
      value += reader.zigzag();
      segment[field] = value;
    }
  }
  let path: Uint8Array = new Uint8Array(0);
  const pathWriter = new ByteWriter(64);
  for (const [i, segment] of segments.entries()) {
    if (!(flags[i]! & PATH)) continue;
    const shared = reader.varint();
    if (shared > path.length) throw reader.damaged(`a path that shares ${shared} bytes with one of ${path.length}`);
    const suffix = reader.raw(reader.varint());
    pathWriter.clear();
    pathWriter.raw(path.subarray(0, shared));
    pathWriter.raw(suffix);
    path = pathWriter.bytes().slice();
    segment.path = new TextDecoder().decode(path);
  }
  if (reader.left !== 0) throw reader.damaged(`${reader.left} bytes too many`);
  return segments;
}
