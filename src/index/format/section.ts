/** A section of a segment file. Every block's checksum is compared once while the file is open. */

import { throwIfAborted, VerbatimError } from "../../errors.js";
import type { ByteSource, Inflate } from "../ports.js";
import type { SectionEntry } from "./container-layout.js";
import { corrupt } from "./corrupt.js";
import { crc32c } from "./crc32c.js";

/**
 * Ranges with a smaller gap are read as one: a read costs about as much as copying this many bytes.
 */
const COALESCE_GAP = 16 * 1024;
const COALESCE_MOST = 1024 * 1024;
/** Bytes per read when a section is streamed. */
const STREAM_BYTES = 256 * 1024;
/**
 * Bytes per read when all checksums are compared; the next read overlaps with the comparison. A
 * multiple of every block size.
 */
const CHECK_BYTES = 256 * 1024;

/** Ranges of up to this many bytes are read one after the other into memory that is used again. */
const SHORT_BYTES = 64 * 1024;
/** A short read, and the rest of its first and last block. */
const BUFFER_BYTES = 2 * SHORT_BYTES;
/** Buffers of earlier calls; several may read at the same time. */
const freeBuffers: Uint8Array[] = [];
const MAX_FREE_BUFFERS = 8;

interface Range {
  offset: number;
  length: number;
}

/** Ranges that are close together, read as one. */
interface ReadRange extends Range {
  /** Numbers of the ranges in it. */
  members: number[];
}

/** By offset. */
function readRangesOf(ranges: readonly Range[]): ReadRange[] {
  const order = ranges.map((_, i) => i).sort((a, b) => ranges[a]!.offset - ranges[b]!.offset);
  const reads: ReadRange[] = [];
  for (const r of order) {
    const { offset, length } = ranges[r]!;
    const last = reads.at(-1);
    const end = last === undefined ? 0 : last.offset + last.length;
    if (last === undefined || offset - end > COALESCE_GAP || offset + length - last.offset > COALESCE_MOST) {
      reads.push({ offset, length, members: [r] });
      continue;
    }
    last.length = Math.max(end, offset + length) - last.offset;
    last.members.push(r);
  }
  return reads;
}

/** A range of the bytes that were read from `read.offset` on. */
const partOf = (bytes: Uint8Array, read: Range, { offset, length }: Range): Uint8Array =>
  bytes.subarray(offset - read.offset, offset - read.offset + length);

function leastCommonMultiple(a: number, b: number): number {
  let [larger, rest] = [a, b];
  while (rest > 0) [larger, rest] = [rest, larger % rest];
  return (a / larger) * b;
}

/** Reads exactly the bytes asked for. @throws VerbatimError `io-error` on a short read */
export async function readExactly(
  source: ByteSource,
  file: string,
  range: Range,
  signal?: AbortSignal,
): Promise<Uint8Array> {
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

/** A named range of a file. Offsets are relative to the section. */
export class Section {
  readonly file: string;
  readonly entry: SectionEntry;
  #source: ByteSource;
  #checked: Uint8Array;
  #unchecked: number;
  /** The whole section, after `preload`. */
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

  /** The runtime's inflate, if the file's source has one. */
  get inflate(): Inflate | undefined {
    return this.#source.inflate;
  }

  /** File and section, for messages. */
  get where(): string {
    return `${this.file}, section "${this.entry.name}"`;
  }

  /**
   * @throws VerbatimError `corrupt-segment`, naming the block, if a checksum differs or the range
   *   is outside of the section
   */
  read(offset: number, length: number, signal?: AbortSignal): Promise<Uint8Array> {
    return this.#read({ offset, length }, undefined, signal);
  }

  /** @param buffer  is filled with the bytes, if the source supports it and they fit */
  async #read(range: Range, buffer: Uint8Array | undefined, signal: AbortSignal | undefined): Promise<Uint8Array> {
    const { offset, length } = range;
    this.#checkRange(offset, length);
    if (length === 0) return new Uint8Array(0);
    if (this.#bytes) return this.#bytes.subarray(offset, offset + length);
    const { blockSize } = this.entry;
    const whole = { offset, length };
    const first = Math.floor(offset / blockSize);
    const last = Math.floor((offset + length - 1) / blockSize);
    const fresh = this.#unchecked > 0 && this.#anyUnchecked(first, last);
    if (fresh) {
      whole.offset = first * blockSize;
      whole.length = Math.min(this.length, (last + 1) * blockSize) - whole.offset;
    }
    const inFile = { ...whole, offset: this.entry.offset + whole.offset };
    const bytes = await this.#readInto(buffer, inFile, signal);
    if (fresh) this.verify(bytes, first, last);
    return partOf(bytes, whole, range);
  }

  async #readInto(buffer: Uint8Array | undefined, range: Range, signal: AbortSignal | undefined): Promise<Uint8Array> {
    const source = this.#source;
    if (buffer === undefined || buffer.length < range.length || source.readInto === undefined)
      return readExactly(source, this.where, range, signal);
    const bytes = buffer.subarray(0, range.length);
    await source.readInto(bytes, range.offset, signal);
    return bytes;
  }

  /**
   * Visits the bytes of each range, in any order; ranges that are close together are read as one. Allocates nothing for
   * short ones: a question looks up hundreds.
   * @param visit  gets the number of the range; the bytes are valid until it returns
   */
  async visitMany(
    ranges: readonly Range[],
    visit: (range: number, bytes: Uint8Array) => void,
    signal?: AbortSignal,
  ): Promise<void> {
    const visitRead = async (read: ReadRange, buffer?: Uint8Array): Promise<void> => {
      const bytes = await this.#read(read, buffer, signal);
      for (const r of read.members) visit(r, partOf(bytes, read, ranges[r]!));
    };
    const reads = readRangesOf(ranges);
    const isShort = ({ length }: ReadRange): boolean => length <= SHORT_BYTES;
    const visitShort = async (): Promise<void> => {
      const buffer = freeBuffers.pop() ?? new Uint8Array(BUFFER_BYTES);
      try {
        for (const read of reads.filter(isShort)) await visitRead(read, buffer);
      } finally {
        if (freeBuffers.length < MAX_FREE_BUFFERS) freeBuffers.push(buffer);
      }
    };
    const long = reads.filter((read) => !isShort(read));
    await Promise.all([visitShort(), ...long.map((read) => visitRead(read))]);
  }

  readAll(signal?: AbortSignal): Promise<Uint8Array> {
    return this.read(0, this.length, signal);
  }

  /** Streams the section in pieces of whole `unit`s of bytes. */
  async *stream(unit = 1, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
    const piece = Math.max(unit, Math.floor(STREAM_BYTES / unit) * unit);
    for (let at = 0; at < this.length; at += piece)
      yield await this.read(at, Math.min(piece, this.length - at), signal);
  }

  /**
   * Passes the section on in pieces of whole `unit`s of bytes, while the next one is read. Unlike `stream`, it
   * allocates two pieces in all.
   * @param onPiece  the bytes are valid until it returns
   */
  async eachPiece(
    unit: number,
    onPiece: (bytes: Uint8Array, offset: number) => void,
    signal?: AbortSignal,
  ): Promise<void> {
    const { blockSize } = this.entry;
    const aligned = leastCommonMultiple(unit, blockSize);
    const size = aligned * Math.max(1, Math.floor(STREAM_BYTES / aligned));
    for await (const { from, bytes } of this.#pieces(size, signal)) {
      if (this.#unchecked > 0) this.verify(bytes, from / blockSize, Math.ceil((from + bytes.length) / blockSize) - 1);
      onPiece(bytes, from);
    }
  }

  /** Call after all checksums of this file were compared: later reads ask for the bare ranges. */
  assumeChecked(): void {
    this.#checked.fill(255);
    this.#unchecked = 0;
  }

  /** Takes the section's bytes from elsewhere, and checks them. */
  preload(bytes: Uint8Array): void {
    if (this.entry.crcs.length > 0) this.verify(bytes, 0, this.entry.crcs.length - 1);
    this.#bytes = bytes;
  }

  /**
   * Compares the checksums of blocks `first` … `last` with `bytes`.
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

  /**
   * Reads the section and compares every checksum, whether or not it was compared before.
   * @param onBytes  called with the size of each piece that was read
   * @returns numbers of the blocks that differ
   */
  async damagedBlocks(onBytes: (bytes: number) => void, signal?: AbortSignal): Promise<number[]> {
    const { blockSize, crcs } = this.entry;
    const damaged: number[] = [];
    for await (const { from, bytes } of this.#pieces(CHECK_BYTES, signal)) {
      for (let at = 0, block = from / blockSize; at < bytes.length; at += blockSize, block++) {
        if (crc32c(bytes, at, Math.min(bytes.length, at + blockSize)) !== crcs[block]) damaged.push(block);
      }
      onBytes(bytes.length);
    }
    return damaged;
  }

  /** Pieces of `size` bytes in order, each valid until the next is asked for, which is read meanwhile. */
  async *#pieces(size: number, signal: AbortSignal | undefined): AsyncGenerator<{ from: number; bytes: Uint8Array }> {
    const readFrom = this.#readAhead(size, signal);
    let next = this.length > 0 ? readFrom(0) : undefined;
    for (let from = 0; next !== undefined; from += size) {
      throwIfAborted(signal);
      const bytes: Uint8Array = await next;
      next = from + size < this.length ? readFrom(from + size) : undefined;
      yield { from, bytes };
    }
  }

  /**
   * Pieces of at most `size` bytes, alternating between two buffers if the source supports it: one can be used while
   * the next is read.
   */
  #readAhead(size: number, signal: AbortSignal | undefined): (from: number) => Promise<Uint8Array> {
    const source = this.#source;
    const bufferBytes = Math.min(this.length, size);
    const buffers = source.readInto ? [new Uint8Array(bufferBytes), new Uint8Array(bufferBytes)] : undefined;
    const read = async (from: number): Promise<Uint8Array> => {
      const length = Math.min(this.length - from, size);
      if (this.#bytes) return this.#bytes.subarray(from, from + length);
      const offset = this.entry.offset + from;
      if (buffers === undefined) return readExactly(source, this.where, { offset, length }, signal);
      const into = buffers[(from / size) & 1]!.subarray(0, length);
      await source.readInto!(into, offset, signal);
      return into;
    };
    return (from) => {
      const reading = read(from);
      reading.catch(() => {}); // reported when it is awaited
      return reading;
    };
  }

  #anyUnchecked(first: number, last: number): boolean {
    for (let block = first; block <= last; block++) {
      if (!(this.#checked[block >> 3]! & (1 << (block & 7)))) return true;
    }
    return false;
  }

  #checkRange(offset: number, length: number): void {
    if (!(offset >= 0 && length >= 0 && offset + length <= this.length)) {
      throw corrupt(this.where, `bytes ${offset} … ${offset + length} were requested, it has ${this.length}`);
    }
  }
}
