/**
 * Codes one list of a passage's n-grams (docs/index-format.md §7). A list is stored by token: the
 * rows of a passage attend to the same few tokens, so the rows of a token are close together, and
 * their weights are alike.
 */

import type { NgramRows } from "../../encode/types.js";
import { unpackNgramsInWasm } from "../../kernel/ngram-unpacker.js";
import { BitWriter, bestRice, bitLength, MAX_RICE, RICE_BITS } from "../format/bits.js";
import type { ByteReader, ByteWriter } from "../format/bytes.js";

interface ListShape {
  /** Tokens of the input. */
  tokens: number;
  /** Step of the weights. */
  step: number;
}

/** Positions are bytes. */
const MAX_TOKENS = 256;

/** What decoding needs, reused from list to list. */
const scratch = {
  /** The list's bytes and eight zeros, as words: bits past the end are 0. */
  words: new Uint32Array(4096),
  /** For each token, whether it has entries, then their number up to and including it. */
  ends: new Uint32Array(MAX_TOKENS),
  /** Entries by token. */
  rows: new Uint8Array(MAX_TOKENS * MAX_TOKENS),
  weights: new Uint8Array(MAX_TOKENS * MAX_TOKENS),
  /** Where the next entry of each row goes. */
  next: new Uint32Array(MAX_TOKENS),
};

/** Appends a list. Each weight is rounded to a multiple of the step. */
export function packNgramList(out: ByteWriter, list: NgramRows, { tokens, step }: ListShape): void {
  const rows = list.offsets.length - 1;
  const columns: Array<{ rows: number[]; numbers: number[] }> = Array.from({ length: tokens }, () => ({
    rows: [],
    numbers: [],
  }));
  let all = 0;
  for (let row = 0; row < rows; row++) {
    for (let i = list.offsets[row]!; i < list.offsets[row + 1]!; i++) {
      const column = columns[list.positions[i]!]!;
      const number = Math.round(list.weights[i]! / step);
      column.rows.push(row);
      column.numbers.push(number);
      all |= number;
    }
  }
  const width = list.positions.length === 0 ? 0 : Math.max(1, bitLength(all));
  out.u8(width);
  if (width === 0) return;
  const bits = new BitWriter(out);
  for (const column of columns) bits.write(column.rows.length === 0 ? 0 : 1, 1);
  for (const column of columns) {
    if (column.rows.length === 0) continue;
    const gaps = column.rows.map((row, i) => row - (i === 0 ? 0 : column.rows[i - 1]! + 1));
    const low = bestRice(gaps);
    const least = Math.min(...column.numbers);
    const spread = bitLength(Math.max(...column.numbers) - least);
    bits.write(column.rows.length - 1, bitLength(rows - 1));
    bits.write(low, RICE_BITS);
    bits.write(least, width);
    bits.write(spread, bitLength(width));
    for (const gap of gaps) {
      bits.unary(gap >> low);
      bits.write(gap & ((1 << low) - 1), low);
    }
    for (const number of column.numbers) bits.write(number - least, spread);
  }
  bits.finish();
}

/** @throws VerbatimError `corrupt-segment` */
export function unpackNgramList(reader: ByteReader, rows: number, { tokens, step }: ListShape): NgramRows {
  if (rows > MAX_TOKENS || tokens > MAX_TOKENS) throw reader.damaged(`${rows} rows of ${tokens} tokens`);
  const width = reader.u8();
  if (width > 8) throw reader.damaged(`weights of ${width} bits`);
  if (width === 0)
    return { offsets: new Uint32Array(rows + 1), positions: new Uint8Array(0), weights: new Uint8Array(0) };
  const shape = { tokens, rows, width, step };
  const unpacked = unpackNgramsInWasm(reader.rest(), shape);
  if (unpacked === undefined) return unpackNgramsPlainly(reader, shape);
  const { offsets, positions, weights, used } = unpacked;
  reader.raw(used);
  return { offsets, positions, weights };
}

/**
 * `unpackNgramsInWasm` in TypeScript, which says what is wrong.
 * @throws VerbatimError `corrupt-segment`
 */
export function unpackNgramsPlainly(reader: ByteReader, shape: ListShape & { rows: number; width: number }): NgramRows {
  const offsets = new Uint32Array(shape.rows + 1);
  const total = readEntries(reader, offsets, shape);
  const list = { offsets, positions: new Uint8Array(total), weights: new Uint8Array(total) };
  sortByRow(list, shape.tokens);
  return list;
}

/** Copies bytes to `scratch.words`. */
function wordsOf(bytes: Uint8Array): Uint32Array {
  const count = (bytes.length >>> 2) + 3;
  if (scratch.words.length < count) scratch.words = new Uint32Array(2 * count);
  const { words } = scratch;
  words.fill(0, count - 3, count);
  new Uint8Array(words.buffer).set(bytes);
  return words;
}

/** The 32 bits that begin at bit `at`. */
function bitsAt(words: Uint32Array, at: number): number {
  const shift = at & 31;
  const low = words[at >>> 5]! >>> shift;
  return shift === 0 ? low : low | (words[(at >>> 5) + 1]! << (32 - shift));
}

/**
 * Reads a list into `scratch` and the numbers of entries into `offsets`.
 * @param offsets  [rows + 1], filled
 * @returns the number of entries, at most 256 per row
 */
function readEntries(
  reader: ByteReader,
  offsets: Uint32Array,
  { tokens, step, rows, width }: ListShape & { rows: number; width: number },
): number {
  const { ends, rows: entryRows, weights } = scratch;
  const bytes = reader.rest();
  const words = wordsOf(bytes);
  const endBit = bytes.length * 8;
  let at = 0;
  for (; at < tokens; at++) ends[at] = at < endBit ? (words[at >>> 5]! >>> (at & 31)) & 1 : 0;
  const [countBits, spreadBits] = [bitLength(Math.max(0, rows - 1)), bitLength(width)];
  let total = 0;
  for (let token = 0; token < tokens; token++) {
    if (ends[token] === 1) {
      if (at >= endBit) throw reader.damaged("a truncated list");
      let head = bitsAt(words, at);
      const end = total + (head & ((1 << countBits) - 1)) + 1;
      head >>>= countBits;
      const low = head & MAX_RICE;
      head >>>= RICE_BITS;
      const least = head & ((1 << width) - 1);
      const spread = (head >>> width) & ((1 << spreadBits) - 1);
      if (spread > 8) throw reader.damaged(`weights of ${spread} bits`);
      at += countBits + RICE_BITS + width + spreadBits;
      const first = total;
      const lowMask = (1 << low) - 1;
      let row = -1;
      for (; total < end; total++) {
        let word = bitsAt(words, at);
        while (word === 0) {
          row += 32 << low;
          at += 32;
          if (at >= endBit || row >= rows) throw reader.damaged("a truncated list");
          word = bitsAt(words, at);
        }
        const zeros = 31 - Math.clz32(word & -word);
        at += zeros + 1;
        const rest = zeros < 24 ? word >>> (zeros + 1) : bitsAt(words, at);
        row += ((zeros << low) | (rest & lowMask)) + 1;
        at += low;
        if (row >= rows || at > endBit) throw reader.damaged(`row ${row} of ${rows}`);
        entryRows[total] = row;
        offsets[row + 1]!++;
      }
      const spreadMask = (1 << spread) - 1;
      for (let i = first; i < end; i++, at += spread) {
        const weight = ((bitsAt(words, at) & spreadMask) + least) * step;
        weights[i] = weight > 255 ? 255 : weight;
        if (at > endBit) throw reader.damaged("a truncated list");
      }
    }
    ends[token] = total;
  }
  reader.raw((at + 7) >>> 3);
  for (let row = 0; row < rows; row++) offsets[row + 1]! += offsets[row]!;
  return total;
}

/** Sorts the entries of `scratch` by row; within a row, positions ascend because tokens do. */
function sortByRow({ offsets, positions, weights }: NgramRows, tokens: number): void {
  const { ends, next, rows: entryRows, weights: entryWeights } = scratch;
  for (let row = 0; row + 1 < offsets.length; row++) next[row] = offsets[row]!;
  let i = 0;
  for (let token = 0; token < tokens; token++) {
    for (const end = ends[token]!; i < end; i++) {
      const row = entryRows[i]!;
      const at = next[row]!;
      next[row] = at + 1;
      positions[at] = token;
      weights[at] = entryWeights[i]!;
    }
  }
}
