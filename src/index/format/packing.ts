/**
 * Packing of int8 rows (docs/index-format.md §2.5): each number is a multiple of its group's step, as a
 * Rice code. All numbers of a dimension have the same number of low bits, because a dimension's
 * numbers are about equally large in all rows. Bits fill bytes from the lowest.
 */

import { DROPPED, GROUP, multipleOf, type Steps } from "../../encode/precision.js";
import { MAX_NUMBER, unpackRowsInWasm } from "../../kernel/row-unpacker.js";
import { BitWriter, bestRice, MAX_RICE, RICE_BITS } from "./bits.js";
import type { ByteReader, ByteWriter } from "./bytes.js";

interface Shape {
  dim: number;
  steps: Steps;
}

/** Numbers by step: the multiple of each int8, indexed by its byte, with the sign in the lowest bit. */
const knownNumbers = new Map<number, Uint8Array>();

function numbersOf(step: number): Uint8Array {
  let table = knownNumbers.get(step);
  if (table === undefined) {
    table = Uint8Array.from({ length: 256 }, (_, byte) => {
      const multiple = multipleOf((byte << 24) >> 24, step);
      return multiple < 0 ? -2 * multiple - 1 : 2 * multiple;
    });
    knownNumbers.set(step, table);
  }
  return table;
}

const stepOf = (steps: Steps, d: number): number => steps[Math.floor(d / GROUP)]!;

/** Dimensions that are stored. */
function keptDimensions({ dim, steps }: Shape): number[] {
  return Array.from({ length: dim }, (_, d) => d).filter((d) => stepOf(steps, d) !== DROPPED);
}

/** Appends rows of `dim` numbers, rounded to multiples of their steps; nothing if there are none. */
export function packRows(out: ByteWriter, rows: Int8Array, shape: Shape): void {
  if (rows.length === 0) return;
  const { dim, steps } = shape;
  const columns = keptDimensions(shape).map((d) => {
    const table = numbersOf(stepOf(steps, d));
    const numbers = new Uint8Array(rows.length / dim);
    for (let n = 0, at = d; n < numbers.length; n++, at += dim) numbers[n] = table[rows[at]! & 255]!;
    return { numbers, low: bestRice(numbers) };
  });
  const bits = new BitWriter(out);
  for (const { low } of columns) bits.write(low, RICE_BITS);
  for (const { numbers, low } of columns) {
    const mask = (1 << low) - 1;
    if (low > 0) for (const number of numbers) bits.write(number & mask, low);
  }
  for (const { numbers, low } of columns) for (const number of numbers) bits.unary(number >> low);
  bits.finish();
}

/**
 * Reads `count` rows that `packRows` wrote.
 * @param shape.first  dimensions to return of each row, [count × first]; 0 … dim, default dim. All
 *   numbers are validated
 * @throws VerbatimError `corrupt-segment`
 */
export function unpackRows(reader: ByteReader, count: number, shape: Shape & { first?: number }): Int8Array {
  if (count === 0) return new Int8Array(0);
  const { dim, steps, first: wanted = dim } = shape;
  const unpacked = unpackRowsInWasm(reader.rest(), count, { dim, steps, wanted });
  if (unpacked === undefined) return unpackRowsPlainly(reader, count, shape);
  reader.raw(unpacked.used);
  return unpacked.rows;
}

/**
 * `unpackRows` in TypeScript, which says what is wrong.
 * @throws VerbatimError `corrupt-segment`
 */
export function unpackRowsPlainly(reader: ByteReader, count: number, shape: Shape & { first?: number }): Int8Array {
  if (count === 0) return new Int8Array(0);
  const { dim, steps, first: wanted = dim } = shape;
  const kept = keptDimensions(shape);
  const bytes = reader.rest();
  const end = bytes.length * 8;
  if ((RICE_BITS + count) * kept.length > end) throw reader.damaged(`too short for ${count} rows`);
  const lows = kept.map((_, k) => wordAt(bytes, RICE_BITS * k) & MAX_RICE);
  let lowAt = RICE_BITS * kept.length;
  let at = lows.reduce((sum, low) => sum + low * count, lowAt);
  const rows = new Int8Array(count * wanted);
  for (const [k, d] of kept.entries()) {
    const low = lows[k]!;
    const step = stepOf(steps, d);
    for (let n = 0; n < count; n++, lowAt += low) {
      const zeros = zerosAt(bytes, at);
      const number = zeros * (1 << low) + (wordAt(bytes, lowAt) & ((1 << low) - 1));
      at += zeros + 1;
      if (at > end) throw reader.damaged("a truncated number");
      if (number > MAX_NUMBER) throw reader.damaged(`the number ${number}`);
      if (d >= wanted) continue;
      const value = (number & 1 ? -(number + 1) / 2 : number / 2) * step;
      rows[n * wanted + d] = step === 1 ? value : Math.max(-127, Math.min(127, value));
    }
  }
  reader.raw((at + 7) >>> 3);
  return rows;
}

/** The 32 bits that begin at bit `at` of the bytes, of which the lowest 25 are valid; bits past the end are 0. */
function wordAt(bytes: Uint8Array, at: number): number {
  const byte = at >>> 3;
  return (bytes[byte]! | (bytes[byte + 1]! << 8) | (bytes[byte + 2]! << 16) | (bytes[byte + 3]! << 24)) >>> (at & 7);
}

/** The number of zeros before the next one at bit `at`; past the last one, more than there are bits left. */
function zerosAt(bytes: Uint8Array, at: number): number {
  let byte = at >>> 3;
  let rest = (bytes[byte] ?? 0) >>> (at & 7);
  if (rest === 0) {
    for (byte++; byte < bytes.length && bytes[byte] === 0; byte++);
    rest = bytes[byte] ?? 1;
  } else rest <<= at & 7;
  return 8 * byte + 31 - Math.clz32(rest & -rest) - at;
}
