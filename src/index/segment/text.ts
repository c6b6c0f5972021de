/**
 * Component `text`: document texts in pieces that inflate independently (docs/index-format.md §4).
 */

import { deflateSync } from "fflate";
import { LoadOnce } from "../../load-once.js";
import { countAtMost } from "../../vectors/ascending.js";
import { ByteWriter, toUtf8 } from "../format/bytes.js";
import type { Container } from "../format/container.js";
import type { ContainerWriter, FileEntry } from "../format/container-writer.js";
import { corrupt } from "../format/corrupt.js";
import type { Section } from "../format/section.js";
import type { Inflate } from "../ports.js";
import {
  DEFLATED,
  type DecodedPiece,
  decodePiece,
  PIECE_BYTES,
  PIECE_UNITS,
  type PieceRange,
  PieceTable,
  type StoredPiece,
  UTF16,
} from "./text-pieces.js";

const BYTES_BLOCK = 4096;
const TABLE_BLOCK = 16_384;
const DEFLATE_FROM = 64;
/** Stored bytes that are read at once for a long range. */
const READ_PIECES = 64;
const CACHED_PIECES = 8;

export class TextWriter {
  #container: ContainerWriter;
  #pieces = new ByteWriter(4096);
  #firstPieces: number[] = [0];
  #offset = 0;

  constructor(container: ContainerWriter) {
    this.#container = container;
    container.beginSection("bytes", BYTES_BLOCK);
  }

  /** Adds the next document's text. */
  async add(text: string): Promise<void> {
    for (let from = 0; from < text.length; ) {
      const to = pieceEnd(text, from);
      await this.#piece(text.slice(from, to), from);
      from = to;
    }
    this.#firstPieces.push(this.#pieces.length / PIECE_BYTES);
  }

  /** Adds the next document's text as pieces from another segment. */
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

/** End of the piece that begins at `from`: never between the halves of a surrogate pair. */
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

export class TextReader {
  #bytes: Section;
  #piecesSection: Section;
  #documentsSection: Section;
  #count: number;
  readonly #pieces = new LoadOnce(() => this.#readPieces());
  /**
   * Decoded pieces, least recently used first: several answers from one document read the same
   * piece.
   */
  #cache = new Map<number, string>();

  constructor(container: Container, documentCount: number) {
    this.#count = documentCount;
    this.#bytes = container.section("bytes");
    this.#piecesSection = container.section("pieces");
    this.#documentsSection = container.section("documents");
    if (this.#documentsSection.length !== (documentCount + 1) * 4) {
      throw corrupt(this.#documentsSection.where, `it does not have ${documentCount} documents`);
    }
  }

  /** `text.slice(from, to)` for 0 ≤ from ≤ to; the range may end past the text. */
  async read(document: number, from: number, to: number, signal?: AbortSignal): Promise<string> {
    const pieces = await this.#pieces.get();
    const { first, end: last } = pieces.of(document);
    if (first === last || from >= to) return "";
    const begun = countAtMost({ length: last - first, at: (n) => pieces.start(first + n) }, from);
    const low = first + Math.max(begun - 1, 0);
    const origin = pieces.start(low);
    let end = low + 1;
    while (end < last && pieces.start(end) < to) end++;
    let text = "";
    for (let at = low; at < end; at += READ_PIECES) {
      text += (await this.#decodePieces(pieces, at, Math.min(end, at + READ_PIECES), signal)).join("");
    }
    return text.slice(from - origin, to - origin);
  }

  /** A document's pieces in order, as they are stored. */
  async *stored(document: number, signal?: AbortSignal): AsyncGenerator<StoredPiece> {
    const pieces = await this.#pieces.get();
    const { first, end } = pieces.of(document);
    for (let at = first; at < end; ) {
      const to = Math.min(end, at + READ_PIECES);
      const stored = await this.#readStored(pieces, { first: at, end: to }, signal);
      for (; at < to; at++) yield { start: pieces.start(at), coding: pieces.coding(at), bytes: stored(at) };
    }
  }

  /**
   * Decoded pieces of documents first … end − 1 in order, in batches across documents, for
   * checking.
   */
  async *decoded({ first, end }: { first: number; end: number }, signal?: AbortSignal): AsyncGenerator<DecodedPiece[]> {
    const pieces = await this.#pieces.get();
    const owners: Array<{ document: number; end: number }> = [];
    for (let document = first; document < end; document++) owners.push({ document, end: pieces.of(document).end });
    if (owners.length === 0) return;
    const last = owners.at(-1)!.end;
    let owner = 0;
    for (let at = pieces.of(first).first; at < last; ) {
      const to = Math.min(last, at + READ_PIECES);
      const stored = await this.#readStored(pieces, { first: at, end: to }, signal);
      const decoded: DecodedPiece[] = [];
      for (; at < to; at++) {
        while (owners[owner]!.end <= at) owner++;
        const text = decodePiece(stored(at), pieces.coding(at), this.#pieceAt(at));
        decoded.push({ document: owners[owner]!.document, start: pieces.start(at), text });
      }
      yield decoded;
    }
  }

  /** UTF-16 length of a document's text. */
  async length(document: number, signal?: AbortSignal): Promise<number> {
    const pieces = await this.#pieces.get();
    const { first, end } = pieces.of(document);
    if (first === end) return 0;
    const [text] = await this.#decodePieces(pieces, end - 1, end, signal);
    return pieces.start(end - 1) + text!.length;
  }

  /**
   * UTF-8 bytes of the selected documents' texts, from the table of pieces alone (pieces that UTF-8
   * cannot hold count as UTF-16).
   */
  async utf8Bytes(counts: (document: number) => boolean): Promise<number> {
    const pieces = await this.#pieces.get();
    let sum = 0;
    for (let document = 0; document < this.#count; document++) {
      if (!counts(document)) continue;
      const { first, end } = pieces.of(document);
      for (let piece = first; piece < end; piece++) sum += pieces.length(piece);
    }
    return sum;
  }

  async #decodePieces(pieces: PieceTable, first: number, end: number, signal?: AbortSignal): Promise<string[]> {
    const numbers = Array.from({ length: end - first }, (_, i) => first + i);
    const cached = numbers.map((n) => this.#cache.get(n));
    if (cached.every((text) => text !== undefined)) return cached;
    const stored = await this.#readStored(pieces, { first, end }, signal);
    return numbers.map((n) => {
      const text = decodePiece(stored(n), pieces.coding(n), this.#pieceAt(n));
      if (numbers.length < CACHED_PIECES) this.#remember(n, text);
      return text;
    });
  }

  /** @returns the stored bytes of each of these pieces, by number */
  async #readStored(
    pieces: PieceTable,
    { first, end }: PieceRange,
    signal?: AbortSignal,
  ): Promise<(piece: number) => Uint8Array> {
    const from = pieces.offset(first);
    const bytes = await this.#bytes.read(from, pieces.offset(end) - from, signal);
    return (piece) => bytes.subarray(pieces.offset(piece) - from, pieces.offset(piece + 1) - from);
  }

  #pieceAt(piece: number): { where: string; by: Inflate | undefined } {
    return { where: `${this.#bytes.where}, piece ${piece}`, by: this.#bytes.inflate };
  }

  #remember(piece: number, text: string): void {
    this.#cache.delete(piece);
    this.#cache.set(piece, text);
    if (this.#cache.size > CACHED_PIECES) this.#cache.delete(this.#cache.keys().next().value!);
  }

  #readPieces(): Promise<PieceTable> {
    return PieceTable.read({ table: this.#piecesSection, bytes: this.#bytes, firsts: this.#documentsSection });
  }
}
