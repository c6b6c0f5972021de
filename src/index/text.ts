/** "Here is a document and a span: what are the words?" Component `text`: pieces that inflate alone (docs/index-format.md §4). */

import { deflateSync } from "fflate";
import { ByteWriter, toUtf8 } from "./bytes.js";
import { copyU32 } from "./columns.js";
import type { Container } from "./container.js";
import type { ContainerWriter, FileEntry } from "./container-writer.js";
import { corrupt } from "./corrupt.js";
import { inflate } from "./inflate.js";
import type { Section } from "./section.js";

/** Most UTF-16 units of a piece: small, so that showing an answer inflates little; large enough to compress. */
export const PIECE_UNITS = 8192;
const MOST_PIECE_BYTES = PIECE_UNITS * 3;
const BYTES_BLOCK = 4096;
const TABLE_BLOCK = 16_384;
const PIECE_BYTES = 16;
const DEFLATE_FROM = 64;
/** Stored bytes that are read at once when a long stretch is wanted. */
const READ_PIECES = 64;
const CACHED_PIECES = 8;

const DEFLATED = 1;
const UTF16 = 2;

const fromUtf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export class TextWriter {
  #container: ContainerWriter;
  #pieces = new ByteWriter(4096);
  #firstPieces: number[] = [0];
  #offset = 0;

  constructor(container: ContainerWriter) {
    this.#container = container;
    container.beginSection("bytes", BYTES_BLOCK);
  }

  /** The next document's whole text. */
  async add(text: string): Promise<void> {
    for (let from = 0; from < text.length; ) {
      const to = pieceEnd(text, from);
      await this.#piece(text.slice(from, to), from);
      from = to;
    }
    this.#firstPieces.push(this.#pieces.length / PIECE_BYTES);
  }

  /** The next document's text, piece by piece as it is stored in another segment. */
  async addStored(pieces: AsyncIterable<StoredPiece>): Promise<void> {
    for await (const { start, coding, bytes } of pieces) {
      this.#entry(start, coding);
      await this.#container.append(bytes);
      this.#offset += bytes.length;
    }
    this.#firstPieces.push(this.#pieces.length / PIECE_BYTES);
  }

  async finish(): Promise<FileEntry> {
    this.#entry(0, 0);
    await this.#container.section("pieces", TABLE_BLOCK, this.#pieces.bytes());
    const out = new ByteWriter(this.#firstPieces.length * 4);
    for (const piece of this.#firstPieces) out.u32(piece);
    await this.#container.section("documents", TABLE_BLOCK, out.bytes());
    return this.#container.finish();
  }

  async #piece(text: string, start: number): Promise<void> {
    const wellFormed = !/\p{Surrogate}/u.test(text);
    const plain = wellFormed ? toUtf8(text) : toUtf16(text);
    const deflated = plain.length < DEFLATE_FROM ? plain : deflateSync(plain, { level: 6 });
    const smaller = deflated.length < plain.length;
    this.#entry(start, plain.length * 4 + (wellFormed ? 0 : UTF16) + (smaller ? DEFLATED : 0));
    const stored = smaller ? deflated : plain;
    await this.#container.append(stored);
    this.#offset += stored.length;
  }

  #entry(start: number, coding: number): void {
    this.#pieces.u64(this.#offset);
    this.#pieces.u32(start);
    this.#pieces.u32(coding);
  }
}

/** A piece as it lies in the file. */
export interface StoredPiece {
  /** UTF-16 offset in the document. */
  start: number;
  /** Inflated length · 4 + coding. */
  coding: number;
  bytes: Uint8Array;
}

/** End of the piece from `from`: never between the halves of a surrogate pair. */
function pieceEnd(text: string, from: number): number {
  const end = from + PIECE_UNITS;
  if (end >= text.length) return text.length;
  const splits = (text.charCodeAt(end - 1) & 0xfc00) === 0xd800 && (text.charCodeAt(end) & 0xfc00) === 0xdc00;
  return splits ? end - 1 : end;
}

function toUtf16(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length * 2);
  for (let i = 0; i < text.length; i++) {
    bytes[i * 2] = text.charCodeAt(i) & 255;
    bytes[i * 2 + 1] = text.charCodeAt(i) >>> 8;
  }
  return bytes;
}

/** The piece table in memory: 16 bytes a piece on disk, three columns here. */
interface Pieces {
  offsets: Float64Array;
  starts: Uint32Array;
  codings: Uint32Array;
  firstPieces: Uint32Array;
}

export class TextReader {
  #bytes: Section;
  #piecesSection: Section;
  #documentsSection: Section;
  #count: number;
  #pieces: Promise<Pieces> | undefined;
  /** Decoded pieces, the last used at the end: a few answers of one document ask for one piece again and again. */
  #cache = new Map<number, string>();

  constructor(container: Container, documentCount: number) {
    this.#count = documentCount;
    this.#bytes = container.section("bytes");
    this.#piecesSection = container.section("pieces");
    this.#documentsSection = container.section("documents");
    if (this.#documentsSection.length !== (documentCount + 1) * 4) {
      throw corrupt(this.#documentsSection.where, `it is not of ${documentCount} documents`);
    }
  }

  /** `text.slice(from, to)` for 0 ≤ from ≤ to; the part past the text's end is empty. */
  async read(document: number, from: number, to: number, signal?: AbortSignal): Promise<string> {
    const pieces = await this.#loadPieces();
    const first = pieces.firstPieces[document]!;
    const last = pieces.firstPieces[document + 1]!;
    if (first === last || from >= to) return "";
    let low = first;
    let high = last;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (pieces.starts[middle]! <= from) low = middle;
      else high = middle;
    }
    const origin = pieces.starts[low]!;
    let end = low + 1;
    while (end < last && pieces.starts[end]! < to) end++;
    let text = "";
    for (let at = low; at < end; at += READ_PIECES) {
      text += (await this.#decodePieces(pieces, at, Math.min(end, at + READ_PIECES), signal)).join("");
    }
    return text.slice(from - origin, to - origin);
  }

  /** A document's pieces in order, as they are stored. */
  async *stored(document: number, signal?: AbortSignal): AsyncGenerator<StoredPiece> {
    const { offsets, starts, codings, firstPieces } = await this.#loadPieces();
    const last = firstPieces[document + 1]!;
    for (let first = firstPieces[document]!; first < last; ) {
      const end = Math.min(last, first + READ_PIECES);
      const from = offsets[first]!;
      const bytes = await this.#bytes.read(from, offsets[end]! - from, signal);
      for (; first < end; first++) {
        const piece = bytes.subarray(offsets[first]! - from, offsets[first + 1]! - from);
        yield { start: starts[first]!, coding: codings[first]!, bytes: piece };
      }
    }
  }

  /** UTF-16 length of a document's text. */
  async length(document: number, signal?: AbortSignal): Promise<number> {
    const pieces = await this.#loadPieces();
    const last = pieces.firstPieces[document + 1]! - 1;
    if (last < pieces.firstPieces[document]!) return 0;
    const [text] = await this.#decodePieces(pieces, last, last + 1, signal);
    return pieces.starts[last]! + text!.length;
  }

  async #decodePieces(pieces: Pieces, first: number, end: number, signal?: AbortSignal): Promise<string[]> {
    const numbers = Array.from({ length: end - first }, (_, i) => first + i);
    const cached = numbers.map((n) => this.#cache.get(n));
    if (cached.every((text) => text !== undefined)) return cached;
    const from = pieces.offsets[first]!;
    const bytes = await this.#bytes.read(from, pieces.offsets[end]! - from, signal);
    return numbers.map((n) => {
      const stored = bytes.subarray(pieces.offsets[n]! - from, pieces.offsets[n + 1]! - from);
      const text = decodePiece(stored, pieces.codings[n]!, `${this.#bytes.where}, piece ${n}`);
      if (numbers.length < CACHED_PIECES) this.#remember(n, text);
      return text;
    });
  }

  #remember(piece: number, text: string): void {
    this.#cache.delete(piece);
    this.#cache.set(piece, text);
    if (this.#cache.size > CACHED_PIECES) this.#cache.delete(this.#cache.keys().next().value!);
  }

  #loadPieces(): Promise<Pieces> {
    this.#pieces ??= this.#readPieces().catch((error) => {
      this.#pieces = undefined;
      throw error;
    });
    return this.#pieces;
  }

  async #readPieces(): Promise<Pieces> {
    const where = this.#piecesSection.where;
    const count = this.#piecesSection.length / PIECE_BYTES;
    if (!Number.isInteger(count) || count < 1)
      throw corrupt(where, `${this.#piecesSection.length} bytes are no piece table`);
    const words = copyU32(await this.#piecesSection.readAll());
    const firstPieces = copyU32(await this.#documentsSection.readAll());
    if (firstPieces[0] !== 0 || firstPieces[this.#count] !== count - 1)
      throw corrupt(where, "it is not of the documents' pieces");
    const pieces = {
      offsets: new Float64Array(count),
      starts: new Uint32Array(count),
      codings: new Uint32Array(count),
      firstPieces,
    };
    for (let i = 0; i < count; i++) {
      pieces.offsets[i] = words[i * 4]! + words[i * 4 + 1]! * 0x1_0000_0000;
      pieces.starts[i] = words[i * 4 + 2]!;
      pieces.codings[i] = words[i * 4 + 3]!;
      if (pieces.offsets[i]! < (pieces.offsets[i - 1] ?? 0)) throw corrupt(where, `piece ${i} is out of order`);
      if (pieces.codings[i]! >>> 2 > MOST_PIECE_BYTES) throw corrupt(where, `piece ${i} is too long`);
    }
    if (pieces.offsets[count - 1] !== this.#bytes.length) throw corrupt(where, "it does not cover the bytes");
    for (let d = 0; d < this.#count; d++) checkDocumentPieces(pieces, d, where);
    return pieces;
  }
}

function checkDocumentPieces(pieces: Pieces, document: number, where: string): void {
  const first = pieces.firstPieces[document]!;
  const end = pieces.firstPieces[document + 1]!;
  if (first > end) throw corrupt(where, `the pieces of document ${document} are out of order`);
  for (let i = first; i < end; i++) {
    const start = pieces.starts[i]!;
    const misplaced =
      i === first ? start !== 0 : start <= pieces.starts[i - 1]! || start - pieces.starts[i - 1]! > PIECE_UNITS;
    if (misplaced) throw corrupt(where, `piece ${i} is out of order`);
  }
}

function decodePiece(stored: Uint8Array, coding: number, where: string): string {
  const length = coding >>> 2;
  const plain = coding & DEFLATED ? inflate(stored, length, where) : stored;
  if (plain.length !== length) throw corrupt(where, "it has another length than its entry says");
  if (coding & UTF16) {
    const units = Uint16Array.from({ length: length >> 1 }, (_, i) => plain[i * 2]! | (plain[i * 2 + 1]! << 8));
    return String.fromCharCode(...units);
  }
  try {
    return fromUtf8.decode(plain);
  } catch {
    throw corrupt(where, "it is not UTF-8");
  }
}
