/**
 * Packing of int8 rows (docs/index-format.md §2.5) as multiples of a step, in groups of 16, each as
 * wide as its largest number needs. Bits fill bytes from the lowest.
 */

import { DROPPED, GROUP, multipleOf, type Steps } from "../../encode/precision.js";
import { MAX_GROUPS, unpackRowsInWasm } from "../../kernel/row-unpacker.js";
import { BitWriter, bitLength } from "./bits.js";
import type { ByteReader, ByteWriter } from "./bytes.js";

/** Upper bound on the bytes of a packed row. */
const IMPOSSIBLE = 1 << 20;
/** Bytes of two full groups, by the byte with their widths. */
const PAIR_BYTES = Uint32Array.from({ length: 256 }, (_, widths) => {
  const [low, high] = [widths & 15, widths >> 4];
  return low > 8 || high > 8 ? IMPOSSIBLE : ((low + high) * GROUP) >> 3;
});

interface KeptGroup {
  /** First dimension of the group. */
  first: number;
  step: number;
}

/** By step array. A segment has one array for all its passages, which never changes. */
const knownGroups = new WeakMap<Steps, { kept: readonly KeptGroup[]; pairs: Uint8Array }>();

/** `pairs` are what `PackedShape` expects. */
function keptGroups(steps: Steps): { kept: readonly KeptGroup[]; pairs: Uint8Array } {
  let groups = knownGroups.get(steps);
  if (groups === undefined) {
    const kept = [...steps.entries()].flatMap(([g, step]) => (step === DROPPED ? [] : [{ first: g * GROUP, step }]));
    const pairs = Uint8Array.from(kept.flatMap(({ first, step }) => [first / GROUP, step]));
    groups = { kept, pairs };
    knownGroups.set(steps, groups);
  }
  return groups;
}

/**
 * Appends rows of `dim` numbers, rounded to multiples of their steps. A row begins with the widths
 * (0 … 8) of its kept groups, 4 bits each.
 */
export function packRows(out: ByteWriter, rows: Int8Array, { dim, steps }: { dim: number; steps: Steps }): void {
  const { kept: groups } = keptGroups(steps);
  const widths = new Uint8Array(groups.length + 1); // an odd number of widths is padded with 0
  const multiples = new Int8Array(dim);
  const bits = new BitWriter(out);
  for (let at = 0; at < rows.length; at += dim) {
    for (let g = 0; g < groups.length; g++) {
      const { first, step } = groups[g]!;
      const table = multiplesOf(step);
      const end = Math.min(dim, first + GROUP);
      let any = 0;
      let largest = 0;
      for (let d = first; d < end; d++) {
        const multiple = table[rows[at + d]! & 255]!;
        multiples[d] = multiple;
        any |= multiple;
        largest |= multiple < 0 ? ~multiple : multiple;
      }
      widths[g] = any === 0 ? 0 : 1 + bitLength(largest); // holds −2^(w − 1) … 2^(w − 1) − 1
    }
    for (let g = 0; g < groups.length; g += 2) out.u8(widths[g]! | (widths[g + 1]! << 4));
    for (let g = 0; g < groups.length; g++) {
      const width = widths[g]!;
      if (width === 0) continue;
      const { first } = groups[g]!;
      const end = Math.min(dim, first + GROUP);
      const lowest = -(1 << (width - 1));
      for (let d = first; d < end; d++) bits.write(multiples[d]! - lowest, width);
      bits.finish();
    }
  }
}

/** By step: the multiple of each int8, indexed by its byte. */
const knownMultiples = new Map<number, Int8Array>();

function multiplesOf(step: number): Int8Array {
  let table = knownMultiples.get(step);
  if (table === undefined) {
    table = Int8Array.from({ length: 256 }, (_, byte) => multipleOf((byte << 24) >> 24, step));
    knownMultiples.set(step, table);
  }
  return table;
}

/**
 * Reads `count` rows that `packRows` wrote.
 * @param options.first  dimensions to return of each row, [count × first]; 0 … dim, default dim.
 *   The whole row is validated
 * @throws VerbatimError `corrupt-segment`
 */
export function unpackRows(
  reader: ByteReader,
  count: number,
  shape: { dim: number; steps: Steps; first?: number },
): Int8Array {
  const { dim, steps, first: wanted = dim } = shape;
  if (dim % GROUP !== 0 || wanted % GROUP !== 0 || dim > MAX_GROUPS * GROUP)
    return unpackRowsPlainly(reader, count, shape);
  const unpacked = unpackRowsInWasm(reader.rest(), count, { wanted, groups: keptGroups(steps).pairs });
  if (unpacked === undefined) return unpackRowsPlainly(reader, count, shape);
  if (typeof unpacked === "number") throw reader.damaged(`numbers of ${unpacked} bits`);
  reader.raw(unpacked.used);
  return unpacked.rows;
}

/** `unpackRows` in TypeScript, for rows of any dimension. */
export function unpackRowsPlainly(
  reader: ByteReader,
  count: number,
  { dim, steps, first: wanted = dim }: { dim: number; steps: Steps; first?: number },
): Int8Array {
  const { kept: groups } = keptGroups(steps);
  const headerBytes = (groups.length + 1) >> 1;
  const rows = new Int8Array(count * wanted);
  const bytes = reader.rest();
  let at = 0;
  for (let n = 0, r = 0; n < count; n++, r += wanted) {
    const header = at;
    at += headerBytes;
    for (let g = 0; g < groups.length; g++) {
      const width = (bytes[header + (g >> 1)]! >> ((g & 1) << 2)) & 15;
      if (width === 0) continue;
      if (width > 8) throw reader.damaged(`numbers of ${width} bits`);
      const { first, step } = groups[g]!;
      const length = Math.min(GROUP, dim - first);
      if (first < wanted)
        unpackGroup(bytes, at, rows, { from: r + first, length: Math.min(length, wanted - first), width, step });
      at += (length * width + 7) >> 3;
    }
  }
  reader.raw(at); // Past the end a byte is undefined and read as 0: one check at the end is enough.
  return rows;
}

/**
 * Skips rows that `packRows` wrote, and checks the width of every group. @throws VerbatimError
 * `corrupt-segment`
 */
export function skipRows(reader: ByteReader, count: number, shape: { dim: number; steps: Steps }): void {
  if (shape.dim % GROUP !== 0) return void unpackRows(reader, count, { ...shape, first: 0 }); // its last group is shorter
  const groups = keptGroups(shape.steps).kept.length;
  const pairs = groups >> 1;
  const bytes = reader.rest();
  let at = 0;
  for (let row = 0; row < count; row++) {
    const header = at;
    at += (groups + 1) >> 1;
    let length = 0;
    for (let i = 0; i < pairs; i++) length += PAIR_BYTES[bytes[header + i]! | 0]!; // past the end a byte is undefined
    if (groups > 2 * pairs) length += PAIR_BYTES[bytes[header + pairs]! & 15]!;
    if (length >= IMPOSSIBLE) throw reader.damaged("numbers of more than 8 bits");
    at += length;
  }
  reader.raw(at); // one look at the end is enough
}

/** By step and width: results of `valuesOf`. */
const knownValues = new Map<number, Int8Array>();

/** The value of each number of `width` bits at `step`. */
function valuesOf(width: number, step: number): Int8Array {
  const key = step * 16 + width;
  let values = knownValues.get(key);
  if (values === undefined) {
    const half = 1 << (width - 1);
    values = Int8Array.from({ length: 2 * half }, (_, n) => {
      const value = (n - half) * step;
      return step === 1 ? value : Math.max(-127, Math.min(127, value));
    });
    knownValues.set(key, values);
  }
  return values;
}

/** The 32 bits that begin at bit `at` of the bytes; bits past the end are 0. */
function wordAt(bytes: Uint8Array, at: number): number {
  const byte = at >>> 3;
  return (bytes[byte]! | (bytes[byte + 1]! << 8) | (bytes[byte + 2]! << 16) | (bytes[byte + 3]! << 24)) >>> (at & 7);
}

/**
 * Four numbers at a time: they begin at bit 0 or 4 of a byte, so that all are in one word. A
 * passage has about a thousand groups.
 */
function unpackGroup(
  bytes: Uint8Array,
  begin: number,
  rows: Int8Array,
  { from, length, width, step }: { from: number; length: number; width: number; step: number },
): void {
  const values = valuesOf(width, step);
  const mask = (1 << width) - 1;
  const fours = from + (length & ~3);
  const end = from + length;
  let at = begin * 8;
  let i = from;
  for (; i < fours; i += 4, at += 4 * width) {
    const word = wordAt(bytes, at);
    rows[i] = values[word & mask]!;
    rows[i + 1] = values[(word >>> width) & mask]!;
    rows[i + 2] = values[(word >>> (2 * width)) & mask]!;
    rows[i + 3] = values[(word >>> (3 * width)) & mask]!;
  }
  for (; i < end; i++, at += width) rows[i] = values[wordAt(bytes, at) & mask]!;
}
