/**
 * Zip archives (docx, epub) from memory, with every size checked before anything is inflated: the sizes that the
 * archive declares decide whether it is opened, and an entry that turns out larger than declared is refused. Layout:
 * PKWARE APPNOTE 6.3.10, sections 4.3.12 (central directory), 4.3.14–16 (end records), 4.5.3 (zip64).
 */

import { pipeline, Readable } from "node:stream";
import { createInflateRaw, inflateRawSync } from "node:zlib";
import type { ReadLimits } from "../limits.js";
import { formatBytes, unreadable } from "../skip.js";

export interface ZipEntry {
  name: string;
  packedBytes: number;
  /** Size after inflating, as declared. */
  bytes: number;
  method: number;
  encrypted: boolean;
  /** Offset of the local header in the archive. */
  offset: number;
}

const END_RECORD = 0x06054b50;
const END_RECORD_BYTES = 22;
const ZIP64_LOCATOR = 0x07064b50;
const ZIP64_END_RECORD = 0x06064b50;
const DIRECTORY_ENTRY = 0x02014b50;
const LOCAL_HEADER = 0x04034b50;

function damaged(cause?: unknown): Error {
  return unreadable("is damaged (its zip archive cannot be read)", "Fetch it or save it again.", cause);
}

/**
 * The entries of an archive in the order of its directory; nothing is inflated.
 * @throws VerbatimError `unreadable-document` when the archive is damaged or cut off
 */
export function listZip(bytes: Uint8Array): ZipEntry[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  try {
    const { count, offset } = directoryOf(view);
    const entries: ZipEntry[] = [];
    let at = offset;
    for (let i = 0; i < count; i++) {
      if (view.getUint32(at, true) !== DIRECTORY_ENTRY) throw damaged();
      const nameBytes = view.getUint16(at + 28, true);
      const extraBytes = view.getUint16(at + 30, true);
      const nameAt = at + 46;
      if (nameAt + nameBytes > bytes.length) throw damaged();
      const sizes = [view.getUint32(at + 24, true), view.getUint32(at + 20, true), view.getUint32(at + 42, true)];
      readZip64Sizes(view, { from: nameAt + nameBytes, to: nameAt + nameBytes + extraBytes, sizes });
      entries.push({
        name: Buffer.from(bytes.subarray(nameAt, nameAt + nameBytes)).toString("utf8"),
        bytes: sizes[0]!,
        packedBytes: sizes[1]!,
        offset: sizes[2]!,
        method: view.getUint16(at + 10, true),
        encrypted: (view.getUint16(at + 8, true) & 1) === 1,
      });
      at = nameAt + nameBytes + extraBytes + view.getUint16(at + 32, true);
    }
    return entries;
  } catch (error) {
    if (error instanceof RangeError) throw damaged(error);
    throw error;
  }
}

/**
 * Refuses an archive that would inflate beyond its limits, by what it declares.
 * @throws VerbatimError `unreadable-document`
 */
export function assertNoZipBomb(entries: ZipEntry[], archiveBytes: number, limits: ReadLimits): void {
  if (entries.length > limits.maxZipEntries) {
    throw unreadable(`is an archive of more than ${limits.maxZipEntries} files`, "Leave it out.");
  }
  let total = 0;
  for (const entry of entries) total += entry.bytes;
  if (total > limits.inflateRatioFromBytes && total > archiveBytes * limits.maxInflateRatio) {
    throw unreadable(
      `looks like a zip bomb (would unpack to ${formatBytes(total)}, more than ${limits.maxInflateRatio} times its size)`,
      "Leave it out.",
    );
  }
}

/**
 * The content of an entry. Memory is bounded by the entry's declared size.
 * @throws VerbatimError `unreadable-document` when it is damaged, encrypted, or not as large as declared
 */
export function readZipEntry(bytes: Uint8Array, entry: ZipEntry): Uint8Array {
  const packed = packedBytes(bytes, entry);
  const content = entry.method === 0 ? packed : inflateEntry(packed, entry);
  if (content.length !== entry.bytes) throw damaged();
  return content;
}

/** Bytes that are inflated at a time. */
const PIECE_BYTES = 64 * 1024;

/**
 * The content of an entry piece by piece, for entries that are too large to be held.
 * @throws VerbatimError `unreadable-document` as `readZipEntry`, after the pieces before the damage
 */
export async function* inflateZipEntry(bytes: Uint8Array, entry: ZipEntry): AsyncGenerator<Uint8Array> {
  const packed = packedBytes(bytes, entry);
  if (entry.method !== 0 && entry.method !== 8) throw unknownMethod();
  let length = 0;
  const inflate = createInflateRaw();
  async function* pieces(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < packed.length; at += PIECE_BYTES) yield packed.subarray(at, at + PIECE_BYTES);
  }
  const source = entry.method === 0 ? pieces() : pipeline(Readable.from(pieces()), inflate, () => {});
  try {
    for await (const piece of source as AsyncIterable<Uint8Array>) {
      length += piece.length;
      if (length > entry.bytes) throw largerThanDeclared();
      yield piece;
    }
  } catch (error) {
    if (/^(?:Z_|ERR_STREAM)/.test((error as NodeJS.ErrnoException).code ?? "")) throw damaged(error);
    throw error;
  }
  if (length !== entry.bytes) throw damaged();
}

function packedBytes(bytes: Uint8Array, entry: ZipEntry): Uint8Array {
  if (entry.encrypted) throw unreadable("is password-protected", "Save it without a password.");
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const at = entry.offset;
  if (at + 30 > bytes.length || view.getUint32(at, true) !== LOCAL_HEADER) throw damaged();
  const start = at + 30 + view.getUint16(at + 26, true) + view.getUint16(at + 28, true);
  const end = start + entry.packedBytes;
  if (end > bytes.length) throw damaged();
  return bytes.subarray(start, end);
}

function unknownMethod(): Error {
  return unreadable("uses a zip method that is not read", "Save it again.");
}

function largerThanDeclared(cause?: unknown): Error {
  return unreadable("looks like a zip bomb (a part is larger than the archive says)", "Leave it out.", cause);
}

function inflateEntry(packed: Uint8Array, entry: ZipEntry): Uint8Array {
  if (entry.method !== 8) throw unknownMethod();
  try {
    return inflateRawSync(packed, { maxOutputLength: Math.max(entry.bytes, 1) });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE") {
      throw largerThanDeclared(error);
    }
    throw damaged(error);
  }
}

/**
 * Where the directory begins and how many entries it has: the end record is sought from the end (a comment may follow
 * it).
 */
function directoryOf(view: DataView): { count: number; offset: number } {
  const lowest = Math.max(0, view.byteLength - END_RECORD_BYTES - 0xffff);
  for (let at = view.byteLength - END_RECORD_BYTES; at >= lowest; at--) {
    if (view.getUint32(at, true) !== END_RECORD) continue;
    const count = view.getUint16(at + 10, true);
    const offset = view.getUint32(at + 16, true);
    if (count !== 0xffff && offset !== 0xffffffff) return { count, offset };
    if (at < 20 || view.getUint32(at - 20, true) !== ZIP64_LOCATOR) return { count, offset };
    const end = Number(view.getBigUint64(at - 12, true));
    if (view.getUint32(end, true) !== ZIP64_END_RECORD) throw damaged();
    return { count: Number(view.getBigUint64(end + 32, true)), offset: Number(view.getBigUint64(end + 48, true)) };
  }
  throw damaged();
}

/** Replaces the sizes that are 0xffffffff (in the order of the zip64 field) by their 64-bit values. */
function readZip64Sizes(view: DataView, field: { from: number; to: number; sizes: number[] }): void {
  if (!field.sizes.includes(0xffffffff)) return;
  for (let at = field.from; at + 4 <= field.to; at += 4 + view.getUint16(at + 2, true)) {
    if (view.getUint16(at, true) !== 1) continue;
    let value = at + 4;
    for (const [index, size] of field.sizes.entries()) {
      if (size !== 0xffffffff) continue;
      field.sizes[index] = Number(view.getBigUint64(value, true));
      value += 8;
    }
    return;
  }
}
