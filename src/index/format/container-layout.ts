/**
 * Header, directory and footer of segment files (docs/index-format.md §2): encoding and decoding.
 */

import { VerbatimError } from "../../errors.js";
import { ByteReader, ByteWriter } from "./bytes.js";
import { copyU32, fromU32 } from "./columns.js";
import type { Component } from "./components.js";
import { corrupt } from "./corrupt.js";
import { crc32c } from "./crc32c.js";
import { fromHex, toHex } from "./hex.js";
import { Sha256 } from "./sha256.js";

/** The version that this code writes, and the only one that it reads. */
export const FORMAT_VERSION = 1;
export const HEADER_BYTES = 64;
export const FOOTER_BYTES = 64;
export const MAX_BLOCK_BYTES = 65_536;
const MIN_BLOCK_BYTES = 512;
const MAGIC = Uint8Array.of(0x89, 0x56, 0x42, 0x54, 0x4d, 0x0d, 0x0a, 0x1a);
/** Minimum directory bytes per section: bounds the count before anything is allocated. */
const MIN_ENTRY_BYTES = 22;

/** Place of a section in its file, and the CRC32C of each of its blocks. */
export interface SectionEntry {
  name: string;
  offset: number;
  length: number;
  blockSize: number;
  crcs: Uint32Array;
}

interface Footer {
  directoryOffset: number;
  directoryLength: number;
  directoryCrc: number;
  fileSize: number;
  /** 32 hex digits */
  id: string;
}

/** @param found  the version or feature that is required and not supported */
export function unsupportedFormat(where: string, found: number | string): VerbatimError {
  const needs = typeof found === "number" ? `format version ${found}` : found;
  return new VerbatimError(
    "unsupported-format",
    `${where} needs a reader of ${needs}; this program reads format version ${FORMAT_VERSION}.`,
    {
      where,
      found,
      expected: FORMAT_VERSION,
      hint: "Use the version of Verbatim that wrote the index, or index the documents again into another folder.",
    },
  );
}

/** @param passageModelHash  64 hex digits, of which the first 32 are stored */
export function encodeHeader(component: Component, passageModelHash: string): Uint8Array {
  const out = new ByteWriter(HEADER_BYTES);
  out.raw(MAGIC);
  out.u16(FORMAT_VERSION);
  out.u16(FORMAT_VERSION);
  out.u32(0);
  out.u32(0);
  out.raw(fromHex(passageModelHash.slice(0, 32).padEnd(32, "0")));
  out.ascii(component, 12);
  out.ascii("", 12);
  out.u32(crc32c(out.bytes()));
  return out.bytes().slice();
}

/**
 * Checks a header against what is expected.
 * @throws VerbatimError `corrupt-segment` | `unsupported-format` | `model-mismatch`
 */
export function checkHeader(
  bytes: Uint8Array,
  options: { file: string; component: Component; passageModelHash: string },
): void {
  const where = `${options.file}, header`;
  const reader = new ByteReader(bytes, where);
  const magic = reader.raw(8);
  if (magic.some((byte, i) => byte !== MAGIC[i])) throw corrupt(where, "it does not begin like a Verbatim file");
  reader.u16();
  const minimum = reader.u16();
  const required = reader.u32();
  reader.u32();
  const model = toHex(reader.raw(16));
  const component = reader.ascii(12);
  reader.raw(12);
  if (reader.u32() !== crc32c(bytes, 0, HEADER_BYTES - 4)) throw corrupt(where, "checksum does not match");
  if (minimum !== FORMAT_VERSION) throw unsupportedFormat(options.file, minimum);
  if (required !== 0) throw unsupportedFormat(options.file, `feature bits ${required.toString(2)}`);
  if (component !== options.component) {
    throw corrupt(where, "it is a different kind of file", { found: component, expected: options.component });
  }
  if (model !== options.passageModelHash.slice(0, 32)) {
    throw new VerbatimError(
      "model-mismatch",
      `${options.file} was written with another model than its manifest says.`,
      {
        where,
        found: model,
        expected: options.passageModelHash.slice(0, 32),
        hint: "Index the documents again into a new folder.",
      },
    );
  }
}

export function encodeDirectory(sections: readonly SectionEntry[]): Uint8Array {
  const out = new ByteWriter(1024);
  out.u32(sections.length);
  for (const section of sections) {
    out.u8(section.name.length);
    out.ascii(section.name, section.name.length);
    out.u64(section.offset);
    out.u64(section.length);
    out.u32(section.blockSize);
    out.raw(fromU32(section.crcs));
  }
  return out.bytes();
}

/**
 * Decodes the directory and checks that sections are contiguous from the header to
 * `directoryOffset`, and every count against the bytes that are left.
 * @throws VerbatimError `corrupt-segment`
 */
export function decodeDirectory(bytes: Uint8Array, directoryOffset: number, file: string): SectionEntry[] {
  const where = `${file}, directory`;
  const reader = new ByteReader(bytes, where);
  const count = reader.u32();
  if (count * MIN_ENTRY_BYTES > reader.left) throw corrupt(where, `it cannot hold ${count} sections`);
  const sections: SectionEntry[] = [];
  let expected = HEADER_BYTES;
  for (let i = 0; i < count; i++) {
    const name = reader.ascii(reader.u8());
    const offset = reader.u64();
    const length = reader.u64();
    const blockSize = reader.u32();
    if (offset !== expected)
      throw corrupt(where, `section "${name}" does not begin where the one before ends`, { found: offset, expected });
    if (length > directoryOffset - offset) throw corrupt(where, `section "${name}" is longer than the file`);
    if (blockSize < MIN_BLOCK_BYTES || blockSize > MAX_BLOCK_BYTES || (blockSize & (blockSize - 1)) !== 0) {
      throw corrupt(where, `section "${name}" has blocks of ${blockSize} bytes`);
    }
    const blocks = Math.ceil(length / blockSize);
    if (blocks * 4 > reader.left) throw corrupt(where, `section "${name}" has no room for ${blocks} checksums`);
    const crcs = copyU32(reader.raw(blocks * 4));
    sections.push({ name, offset, length, blockSize, crcs });
    expected = offset + length;
  }
  if (expected !== directoryOffset || reader.left !== 0) throw corrupt(where, "sections and file do not add up");
  return sections;
}

/** Content id, 32 hex digits: identifies the bytes of a file (docs/index-format.md §2.2). */
export function contentId(header: Uint8Array, directory: Uint8Array): string {
  return toHex(new Sha256().update(header).update(directory).digest().subarray(0, 16));
}

export function encodeFooter(footer: Footer): Uint8Array {
  const out = new ByteWriter(FOOTER_BYTES);
  out.u64(footer.directoryOffset);
  out.u32(footer.directoryLength);
  out.u32(footer.directoryCrc);
  out.u64(footer.fileSize);
  out.raw(fromHex(footer.id));
  out.ascii("", 12);
  out.u32(crc32c(MAGIC, 0, 8, crc32c(out.bytes())));
  out.raw(MAGIC);
  return out.bytes();
}

/** @throws VerbatimError `corrupt-segment` */
export function decodeFooter(bytes: Uint8Array, file: string): Footer {
  const where = `${file}, footer`;
  if (bytes.subarray(56, 64).some((byte, i) => byte !== MAGIC[i])) {
    throw corrupt(where, "it does not end like a Verbatim file and may be truncated");
  }
  const reader = new ByteReader(bytes, where);
  const crc = crc32c(bytes, 56, 64, crc32c(bytes, 0, 52));
  const stored = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(52, true);
  if (stored !== crc) throw corrupt(where, "checksum does not match");
  const directoryOffset = reader.u64();
  const directoryLength = reader.u32();
  const directoryCrc = reader.u32();
  const fileSize = reader.u64();
  return { directoryOffset, directoryLength, directoryCrc, fileSize, id: toHex(reader.raw(16)) };
}
