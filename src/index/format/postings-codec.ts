/** Encodes and decodes one list of postings (docs/index-format.md §8). */

import { readPostingsInWasm } from "../../kernel/postings-unpacker.js";
import type { ByteReader, ByteWriter } from "./bytes.js";
import { corrupt } from "./corrupt.js";

/** The postings of one term or n-gram bucket. */
export interface Postings {
  /** Passage (or document) numbers, ascending. */
  units: Uint32Array;
  /**
   * terms: impact 1 … 255 (weight = impact / scales.term); tfidf: how often the unit has the
   * n-gram, at most 255.
   */
  values: Uint8Array;
}

/**
 * Postings per run. Each run has its largest value, so that a search can skip runs that cannot
 * matter.
 */
const RUN = 128;

/** Shortest list that is worth decoding in the kernel's memory. */
const UNPACK_FROM = 64;

/** Buffers for the bytes of a long list, whose length must be known before they are written. */
export interface ListScratch {
  body: ByteWriter;
  runs: ByteWriter;
}

/** @param keyGap  key − the key before in the group */
export function encodeList(
  out: ByteWriter,
  keyGap: number,
  options: { postings: Postings; scratch: ListScratch },
): void {
  const { postings, scratch } = options;
  const { units, values } = postings;
  const count = units.length;
  const ones = values.every((value) => value === 1);
  out.varint(keyGap);
  out.varint(count * 2 + (ones ? 1 : 0));
  if (count === 1) {
    out.varint(units[0]!);
    if (!ones) out.u8(values[0]!);
    return;
  }
  const { body, runs } = scratch;
  body.clear();
  runs.clear();
  let before = -1;
  for (let from = 0; from < count; from += RUN) {
    const to = Math.min(count, from + RUN);
    const runBegin = runs.length;
    const lastBefore = before;
    let largest = 0;
    for (let i = from; i < to; i++) {
      runs.varint(units[i]! - before - 1);
      before = units[i]!;
      if (values[i]! > largest) largest = values[i]!;
    }
    if (!ones) runs.raw(values.subarray(from, to));
    if (count > RUN) {
      body.varint(before - lastBefore);
      body.u8(largest);
      body.varint(runs.length - runBegin);
    }
  }
  out.varint(body.length + runs.length);
  out.raw(body.bytes());
  out.raw(runs.bytes());
}

/**
 * Offset of a key's list in a group, after its key; −1 if it is not there. Every look-up skips half
 * of the group's lists, so this reads bytes directly: a few nanoseconds per list.
 */
export function seekList(group: Uint8Array, firstKey: number, key: number): number {
  let current = firstKey;
  for (let at = 0; at < group.length; ) {
    let byte = group[at++]!;
    let gap = byte & 127;
    for (let shift = 7; byte > 127 && shift < 35; shift += 7) {
      byte = group[at++]!;
      gap = (gap + ((byte & 127) << shift)) >>> 0;
    }
    current += gap;
    if (current >= key) return current === key ? at : -1;
    const header = group[at++]!; // a single posting: 2 or 3
    if (header < 4) {
      while (group[at++]! > 127);
      if (header === 2) at++;
      continue;
    }
    if (header > 127) while (group[at++]! > 127);
    byte = group[at++]!;
    let length = byte & 127;
    for (let shift = 7; byte > 127 && shift < 35; shift += 7) {
      byte = group[at++]!;
      length = (length + ((byte & 127) << shift)) >>> 0;
    }
    at += length;
  }
  return -1;
}

/** A decoded list. The arrays may be longer than `count`, and are reused for the next list. */
export interface ListView extends Postings {
  count: number;
}

/**
 * Decodes the list at the reader's position, which is after the key. @throws VerbatimError
 * `corrupt-segment`
 */
export function decodeList(reader: ByteReader, unitCount: number): Postings {
  const { units, values } = decodeListInto({ units: NO_UNITS, values: NO_VALUES, count: 0 }, reader, unitCount);
  return { units, values };
}

const NO_UNITS = new Uint32Array(0);
const NO_VALUES = new Uint8Array(0);

/**
 * The same into existing arrays, which grow only for a list longer than all before.
 * @returns `list`
 */
export function decodeListInto(list: ListView, reader: ByteReader, unitCount: number): ListView {
  const header = reader.varint();
  const ones = header % 2 === 1;
  const count = Math.floor(header / 2);
  if (count === 1) {
    const unit = reader.varint();
    const value = ones ? 1 : reader.u8();
    if (unit >= unitCount) throw reader.damaged(`unit ${unit} of ${unitCount}`);
    makeRoom(list, 1);
    list.units[0] = unit;
    list.values[0] = value;
    return list;
  }
  const bytes = reader.raw(reader.varint());
  if (count === 0 || count > unitCount || count > bytes.length) throw reader.damaged(`a list of ${count} postings`);
  makeRoom(list, count);
  decodeBody(bytes, list, { ones, unitCount, where: reader.where });
  return list;
}

function makeRoom(list: ListView, count: number): void {
  list.count = count;
  if (list.units.length >= count) return;
  list.units = new Uint32Array(count);
  list.values = new Uint8Array(count);
}

interface ListShape {
  ones: boolean;
  unitCount: number;
  where: string;
}

function decodeBody(bytes: Uint8Array, list: ListView, { ones, unitCount, where }: ListShape): void {
  const { count } = list;
  if (count >= UNPACK_FROM && readPostingsInWasm(bytes, { count, ones, limit: unitCount }, list)) return;
  decodePlainly(bytes, list, { ones, unitCount, where });
}

/** The twin of src/kernel/postings-unpacker.ts. @throws VerbatimError `corrupt-segment` */
export function decodePlainly(bytes: Uint8Array, { units, values, count }: ListView, list: ListShape): void {
  const { ones } = list;
  let at = 0;
  if (count > RUN) {
    for (let run = Math.ceil(count / RUN); run > 0; run--) {
      while (bytes[at++]! > 127);
      at++;
      while (bytes[at++]! > 127);
    }
  }
  let unit = -1;
  for (let from = 0; from < count; from += RUN) {
    const to = Math.min(count, from + RUN);
    for (let i = from; i < to; i++) {
      let byte = bytes[at++]!;
      let gap = byte & 127;
      for (let shift = 7; byte > 127 && shift < 35; shift += 7) {
        byte = bytes[at++]!;
        gap = (gap + ((byte & 127) << shift)) >>> 0;
      }
      unit += gap + 1;
      units[i] = unit;
    }
    if (ones) values.fill(1, from, to);
    else {
      values.set(bytes.subarray(at, Math.min(bytes.length, at + to - from)), from);
      at += to - from;
    }
  }
  // Past the end a byte is undefined, and values computed from it are small: one check at the end
  // is enough.
  if (at !== bytes.length || unit >= list.unitCount)
    throw corrupt(list.where, `a list of ${count} postings does not fit its bytes`);
}
