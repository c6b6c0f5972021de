/** Reading and writing little-endian bytes; every read is checked against what is left. */

import type { VerbatimError } from "../../errors.js";
import { copyU16 } from "./columns.js";
import { corrupt } from "./corrupt.js";

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

const TWO_32 = 0x1_0000_0000;

export const toUtf8 = (text: string): Uint8Array => encoder.encode(text);

/** A growing byte buffer that is cleared and reused. */
export class ByteWriter {
  #bytes: Uint8Array;
  #view: DataView;
  #length = 0;

  constructor(capacity = 256) {
    this.#bytes = new Uint8Array(capacity);
    this.#view = new DataView(this.#bytes.buffer);
  }

  get length(): number {
    return this.#length;
  }

  /** What was written, as a view that is valid until the next write or `clear`. */
  bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  clear(): void {
    this.#length = 0;
  }

  u8(value: number): void {
    this.#room(1);
    this.#bytes[this.#length++] = value;
  }

  u16(value: number): void {
    this.#room(2);
    this.#view.setUint16(this.#length, value, true);
    this.#length += 2;
  }

  u32(value: number): void {
    this.#room(4);
    this.#view.setUint32(this.#length, value, true);
    this.#length += 4;
  }

  /** 0 ≤ value < 2⁵³ */
  u64(value: number): void {
    this.u32(value % TWO_32);
    this.u32(Math.floor(value / TWO_32));
  }

  /** LEB128, 0 ≤ value < 2⁵³ */
  varint(value: number): void {
    this.#room(8);
    let rest = value;
    while (rest > 127) {
      this.#bytes[this.#length++] = (rest & 127) | 128; // & takes the low 32 bits of any safe integer
      rest = rest < TWO_32 ? rest >>> 7 : Math.floor(rest / 128);
    }
    this.#bytes[this.#length++] = rest;
  }

  /** −2⁵² ≤ value < 2⁵² */
  zigzag(value: number): void {
    this.varint(value >= 0 ? value * 2 : -value * 2 - 1);
  }

  raw(bytes: Uint8Array | Int8Array): void {
    this.#room(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  u16s(values: Uint16Array): void {
    this.#room(values.length * 2);
    for (let i = 0; i < values.length; i++) this.#view.setUint16(this.#length + i * 2, values[i]!, true);
    this.#length += values.length * 2;
  }

  ascii(text: string, width: number): void {
    this.#room(width);
    for (let i = 0; i < width; i++) this.#bytes[this.#length++] = i < text.length ? text.charCodeAt(i) : 0;
  }

  #room(more: number): void {
    const needed = this.#length + more;
    if (needed <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(needed, this.#bytes.length * 2));
    grown.set(this.bytes());
    this.#bytes = grown;
    this.#view = new DataView(grown.buffer);
  }
}

/**
 * Reads front to back.
 * @throws VerbatimError `corrupt-segment` naming `where` if a value is invalid or would end past
 *   the end
 */
export class ByteReader {
  readonly where: string;
  #bytes: Uint8Array;
  #view: DataView;
  #at = 0;

  constructor(bytes: Uint8Array, where: string) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.where = where;
  }

  get left(): number {
    return this.#bytes.length - this.#at;
  }

  u8(): number {
    return this.#bytes[this.#take(1)]!;
  }

  u16(): number {
    return this.#view.getUint16(this.#take(2), true);
  }

  u32(): number {
    return this.#view.getUint32(this.#take(4), true);
  }

  u64(): number {
    const at = this.#take(8);
    const high = this.#view.getUint32(at + 4, true);
    if (high >= 0x200000) throw this.damaged("a number of 2⁵³ or more");
    return high * TWO_32 + this.#view.getUint32(at, true);
  }

  varint(): number {
    const bytes = this.#bytes;
    let byte = this.u8();
    if (byte < 128) return byte;
    let value = byte & 127;
    for (let scale = 128; ; scale *= 128) {
      byte = bytes[this.#take(1)]!;
      value += (byte & 127) * scale;
      if (byte < 128) break;
      if (scale >= 2 ** 49) throw this.damaged("a number of more than eight bytes");
    }
    if (value > Number.MAX_SAFE_INTEGER) throw this.damaged("a number of 2⁵³ or more");
    return value;
  }

  zigzag(): number {
    const value = this.varint();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  /** A view, not a copy. */
  raw(length: number): Uint8Array {
    const at = this.#take(length);
    return this.#bytes.subarray(at, at + length);
  }

  /** What is left, as a view; the position does not change. */
  rest(): Uint8Array {
    return this.#bytes.subarray(this.#at);
  }

  /** A copy, for any alignment. */
  u16s(length: number): Uint16Array {
    return copyU16(this.raw(length * 2));
  }

  utf8(length: number): string {
    const bytes = this.raw(length);
    try {
      return decoder.decode(bytes);
    } catch {
      throw this.damaged("text that is not UTF-8");
    }
  }

  /** ASCII up to the first zero. */
  ascii(width: number): string {
    let text = "";
    for (const byte of this.raw(width)) {
      if (byte === 0) break;
      text += String.fromCharCode(byte);
    }
    return text;
  }

  damaged(what: string): VerbatimError {
    return corrupt(this.where, `${what} at byte ${this.#at}`);
  }

  #take(length: number): number {
    const at = this.#at;
    if (!(length >= 0 && length <= this.#bytes.length - at)) throw this.damaged(`${length} missing bytes`);
    this.#at = at + length;
    return at;
  }
}
