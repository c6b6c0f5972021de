/** Reads one segment file: a section's bytes by offset, every block checked once in the life of the open file. */

import { VerbatimError } from "../errors.js";
import { corrupt } from "./bytes.js";
import {
  type Component,
  checkHeader,
  contentId,
  decodeDirectory,
  decodeFooter,
  FOOTER_BYTES,
  HEADER_BYTES,
  type SectionEntry,
} from "./container-layout.js";
import type { FileEntry } from "./container-writer.js";
import { crc32c } from "./crc32c.js";
import type { ByteSource, Storage } from "./ports.js";

/** Read of the file's end at open: holds footer and directory of all but the largest files, so most files open with two reads. */
const TAIL_BYTES = 4096;
/** Two ranges with a smaller gap are read as one: a read costs about as much as copying so many bytes. */
const COALESCE_GAP = 16 * 1024;
const COALESCE_MOST = 1024 * 1024;
/** Piece of a section when it is read from front to back. */
const STREAM_BYTES = 256 * 1024;

export interface Range {
  offset: number;
  length: number;
}

/** The bytes asked for, no fewer. @throws VerbatimError `io-error` on a short read */
async function readExactly(source: ByteSource, file: string, range: Range, signal?: AbortSignal): Promise<Uint8Array> {
  const bytes = await source.read(range.offset, range.length, signal);
  if (bytes.length !== range.length) {
    throw new VerbatimError(
      "io-error",
      `${file}: ${bytes.length} of ${range.length} bytes could be read at ${range.offset}.`,
      {
        where: file,
        found: bytes.length,
        expected: range.length,
        hint: "The file may have been changed or removed while it was read; try again.",
      },
    );
  }
  return bytes;
}

/** A stretch of a file with a name. Offsets are within the section. */
export class Section {
  readonly file: string;
  readonly entry: SectionEntry;
  #source: ByteSource;
  #checked: Uint8Array;
  #unchecked: number;
  /** The whole section, once `preload` was called. */
  #bytes: Uint8Array | undefined;

  constructor(source: ByteSource, file: string, entry: SectionEntry) {
    this.#source = source;
    this.file = file;
    this.entry = entry;
    this.#checked = new Uint8Array((entry.crcs.length + 7) >> 3);
    this.#unchecked = entry.crcs.length;
  }

  get length(): number {
    return this.entry.length;
  }

  /** For messages: file and section. */
  get where(): string {
    return `${this.file}, section "${this.entry.name}"`;
  }

  /** @throws VerbatimError `corrupt-segment` naming the block when a checksum differs or the range lies outside */
  async read(offset: number, length: number, signal?: AbortSignal): Promise<Uint8Array> {
    this.#checkRange(offset, length);
    if (length === 0) return new Uint8Array(0);
    if (this.#bytes) return this.#bytes.subarray(offset, offset + length);
    const { blockSize } = this.entry;
    let from = offset;
    let to = offset + length;
    const first = Math.floor(from / blockSize);
    const last = Math.floor((to - 1) / blockSize);
    const fresh = this.#unchecked > 0 && this.#anyUnchecked(first, last);
    if (fresh) {
      from = first * blockSize;
      to = Math.min(this.length, (last + 1) * blockSize);
    }
    const bytes = await readExactly(
      this.#source,
      this.where,
      { offset: this.entry.offset + from, length: to - from },
      signal,
    );
    if (fresh) this.verify(bytes, first, last);
    return bytes.subarray(offset - from, offset - from + length);
  }

  /** The bytes of each range, in the order asked; ranges that lie close are read together. */
  async readMany(ranges: readonly Range[], signal?: AbortSignal): Promise<Uint8Array[]> {
    const order = ranges.map((_, i) => i).sort((a, b) => ranges[a]!.offset - ranges[b]!.offset);
    const out: Uint8Array[] = new Array(ranges.length);
    const reads: Promise<void>[] = [];
    for (let i = 0; i < order.length; ) {
      const from = ranges[order[i]!]!.offset;
      let to = from + ranges[order[i]!]!.length;
      const group = [order[i]!];
      for (i++; i < order.length; i++) {
        const { offset, length } = ranges[order[i]!]!;
        if (offset - to > COALESCE_GAP || offset + length - from > COALESCE_MOST) break;
        to = Math.max(to, offset + length);
        group.push(order[i]!);
      }
      reads.push(
        this.read(from, to - from, signal).then((bytes) => {
          for (const r of group)
            out[r] = bytes.subarray(ranges[r]!.offset - from, ranges[r]!.offset - from + ranges[r]!.length);
        }),
      );
    }
    await Promise.all(reads);
    return out;
  }

  readAll(signal?: AbortSignal): Promise<Uint8Array> {
    return this.read(0, this.length, signal);
  }

  /** Front to back in pieces of whole `unit`s of bytes. */
  async *stream(unit = 1, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
    const piece = Math.max(unit, Math.floor(STREAM_BYTES / unit) * unit);
    for (let at = 0; at < this.length; at += piece)
      yield await this.read(at, Math.min(piece, this.length - at), signal);
  }

  /** Takes the section's bytes as read elsewhere, and checks them. */
  preload(bytes: Uint8Array): void {
    if (this.entry.crcs.length > 0) this.verify(bytes, 0, this.entry.crcs.length - 1);
    this.#bytes = bytes;
  }

  /**
   * Compares the checksums of blocks `first` … `last`, of which `bytes` are the bytes.
   * @throws VerbatimError `corrupt-segment` for the first that differs
   */
  verify(bytes: Uint8Array, first: number, last: number): void {
    const { blockSize, crcs } = this.entry;
    for (let block = first, at = 0; block <= last; block++, at += blockSize) {
      const bit = 1 << (block & 7);
      if (this.#checked[block >> 3]! & bit) continue;
      if (crc32c(bytes, at, Math.min(bytes.length, at + blockSize)) !== crcs[block]) {
        throw corrupt(`${this.where}, block ${block}`, "checksum does not match");
      }
      this.#checked[block >> 3]! |= bit;
      this.#unchecked--;
    }
  }

  #anyUnchecked(first: number, last: number): boolean {
    for (let block = first; block <= last; block++) {
      if (!(this.#checked[block >> 3]! & (1 << (block & 7)))) return true;
    }
    return false;
  }

  #checkRange(offset: number, length: number): void {
    if (!(offset >= 0 && length >= 0 && offset + length <= this.length)) {
      throw corrupt(this.where, `bytes ${offset} … ${offset + length} are asked for, it has ${this.length}`);
    }
  }
}

/** An open segment file. */
export class Container {
  readonly name: string;
  readonly size: number;
  readonly sections: readonly Section[];
  readonly source: ByteSource;

  constructor(name: string, size: number, sections: Section[], source: ByteSource) {
    this.name = name;
    this.size = size;
    this.sections = sections;
    this.source = source;
  }

  /** @throws VerbatimError `corrupt-segment` when there is none of this name */
  section(name: string): Section {
    const section = this.sections.find((candidate) => candidate.entry.name === name);
    if (!section) throw corrupt(this.name, `section "${name}" is missing`);
    return section;
  }

  /** Reads the whole payload with one read and keeps it: for the small files that are needed at open. */
  async preload(signal?: AbortSignal): Promise<void> {
    const last = this.sections.at(-1);
    if (!last) return;
    const length = last.entry.offset + last.entry.length - HEADER_BYTES;
    const bytes = await readExactly(this.source, this.name, { offset: HEADER_BYTES, length }, signal);
    for (const section of this.sections) {
      const from = section.entry.offset - HEADER_BYTES;
      section.preload(bytes.subarray(from, from + section.length));
    }
  }

  close(): Promise<void> {
    return this.source.close();
  }
}

export interface ContainerOptions {
  component: Component;
  passageModelHash: string;
  signal?: AbortSignal;
}

/**
 * Opens a file and checks header, footer, directory and that it is the one that the manifest names.
 * @throws VerbatimError `corrupt-segment` | `unsupported-format` | `model-mismatch`, and what the storage throws
 */
export async function openContainer(storage: Storage, file: FileEntry, options: ContainerOptions): Promise<Container> {
  const source = await storage.open(file.name);
  try {
    return await readContainer(source, file, options);
  } catch (error) {
    await source.close();
    throw error;
  }
}

async function readContainer(source: ByteSource, file: FileEntry, options: ContainerOptions): Promise<Container> {
  const { name } = file;
  const { signal } = options;
  const size = await source.size();
  if (size !== file.bytes)
    throw corrupt(name, "its size is not the one in the manifest", { found: size, expected: file.bytes });
  if (size < HEADER_BYTES + FOOTER_BYTES) throw corrupt(name, `a file of ${size} bytes is too short`);
  const tailLength = Math.min(size, TAIL_BYTES);
  const [header, tail] = await Promise.all([
    readExactly(source, name, { offset: 0, length: HEADER_BYTES }, signal),
    readExactly(source, name, { offset: size - tailLength, length: tailLength }, signal),
  ]);
  checkHeader(header, { file: name, ...options });
  const footer = decodeFooter(tail.subarray(tailLength - FOOTER_BYTES), name);
  const { directoryOffset, directoryLength } = footer;
  if (
    footer.fileSize !== size ||
    directoryOffset < HEADER_BYTES ||
    directoryOffset + directoryLength !== size - FOOTER_BYTES
  ) {
    throw corrupt(`${name}, footer`, "offsets and file size do not add up");
  }
  const inTail = directoryOffset - (size - tailLength);
  const directory =
    inTail >= 0
      ? tail.subarray(inTail, inTail + directoryLength)
      : await readExactly(source, name, { offset: directoryOffset, length: directoryLength }, signal);
  if (crc32c(directory) !== footer.directoryCrc) throw corrupt(`${name}, directory`, "checksum does not match");
  const id = contentId(header, directory);
  if (id !== footer.id || id !== file.id) {
    throw corrupt(name, "it is not the file that the manifest names", { found: id, expected: file.id });
  }
  const sections = decodeDirectory(directory, directoryOffset, name);
  return new Container(
    name,
    size,
    sections.map((entry) => new Section(source, name, entry)),
    source,
  );
}
