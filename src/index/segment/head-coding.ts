/**
 * Heads of documents, coded as copies from bytes that all heads of a segment refer to: documents of a folder have the
 * same fields, folders and dates (docs/index-format.md §3).
 */

import { type ByteReader, ByteWriter } from "../format/bytes.js";

/** Longest reference, in bytes. */
export const MAX_REFERENCE = 4096;
/** Bytes of a shorter copy take less space where they are. */
const MIN_COPY = 8;
/** A head with more bytes of its own becomes part of the reference. */
const MAX_OWN = 64;
const TABLE_BITS = 12;

/** Codes the heads of a segment in their order: the same heads give the same bytes. */
export class HeadEncoder {
  readonly #reference = new Uint8Array(MAX_REFERENCE);
  #length = 0;
  /** By hash of MIN_COPY bytes: one more than their last place in the reference; 0 if they have none. */
  readonly #places = new Uint16Array(1 << TABLE_BITS);
  readonly #coded = new ByteWriter(512);

  /** What the heads so far refer to. */
  get reference(): Uint8Array {
    return this.#reference.subarray(0, this.#length);
  }

  encode(head: Uint8Array, out: ByteWriter): void {
    if (this.#write(head) > MAX_OWN && this.#extend(head)) this.#write(head);
    out.raw(this.#coded.bytes());
  }

  /** Codes a head as copies of the reference so far. @returns the number of its own bytes */
  #write(head: Uint8Array): number {
    const out = this.#coded;
    out.clear();
    out.varint(head.length);
    let own = 0;
    let ownBytes = 0;
    for (let at = 0; at + MIN_COPY <= head.length; ) {
      const place = this.#places[hashAt(head, at)]! - 1;
      const length = place < 0 ? 0 : this.#matching(head, at, place);
      if (length < MIN_COPY) {
        at++;
        continue;
      }
      out.varint(at - own);
      out.raw(head.subarray(own, at));
      out.varint(place);
      out.varint(length);
      ownBytes += at - own;
      at += length;
      own = at;
    }
    if (own < head.length) {
      out.varint(head.length - own);
      out.raw(head.subarray(own));
      ownBytes += head.length - own;
    }
    return ownBytes;
  }

  /** Number of equal bytes from `at` on, and from `place` on in the reference. */
  #matching(head: Uint8Array, at: number, place: number): number {
    const most = Math.min(head.length - at, this.#length - place);
    let length = 0;
    while (length < most && head[at + length] === this.#reference[place + length]) length++;
    return length;
  }

  /** Appends a head as far as there is room. @returns false if there is none */
  #extend(head: Uint8Array): boolean {
    if (this.#length === MAX_REFERENCE) return false;
    const from = Math.max(0, this.#length - MIN_COPY + 1);
    const added = head.subarray(0, MAX_REFERENCE - this.#length);
    this.#reference.set(added, this.#length);
    this.#length += added.length;
    for (let at = from; at + MIN_COPY <= this.#length; at++) this.#places[hashAt(this.#reference, at)] = at + 1;
    return true;
  }
}

/** Hash of the MIN_COPY bytes from `at` on. */
function hashAt(bytes: Uint8Array, at: number): number {
  let hash = 0;
  for (let i = 0; i < MIN_COPY; i++) hash = Math.imul(hash ^ bytes[at + i]!, 0x9e3779b1);
  return hash >>> (32 - TABLE_BITS);
}

/** @throws VerbatimError `corrupt-segment` if a length or a place is invalid */
export function decodeHead(reader: ByteReader, reference: Uint8Array): Uint8Array {
  const length = reader.varint();
  const head = new ByteWriter(Math.min(length, MAX_REFERENCE));
  while (head.length < length) {
    const own = reader.varint();
    if (own > length - head.length) throw reader.damaged("a head that is too long");
    head.raw(reader.raw(own));
    if (head.length === length) break;
    const place = reader.varint();
    const count = reader.varint();
    if (count === 0 || count > length - head.length || place + count > reference.length)
      throw reader.damaged("a copy that is not in the reference");
    head.raw(reference.subarray(place, place + count));
  }
  return head.bytes();
}
