/** Reads the inverted lists of `coarse` (docs/index-format.md §6.3). */

import { readAscendingInWasm } from "../../kernel/postings-unpacker.js";
import { BRANCHES, type Centroids, centroidsLike, LISTS } from "../../vectors/centroids.js";
import { ByteReader, type ByteWriter } from "../format/bytes.js";
import type { Container } from "../format/container.js";
import { corrupt } from "../format/corrupt.js";
import type { Section } from "../format/section.js";
import type { CoarseLists, OnList } from "../types.js";

/** Bytes of rows that are read at once. */
const READ_BYTES = 4 * 1024 * 1024;

/**
 * Writes ascending row numbers of one list: differences less one, the first against −1. @param
 * before  number before the first
 */
export function writeNumbers(
  out: ByteWriter,
  numbers: Uint32Array,
  { base, before }: { base: number; before: number },
): number {
  let last = before;
  for (const number of numbers) {
    out.varint(base + number - last - 1);
    last = base + number;
  }
  return last;
}

/**
 * @throws VerbatimError `corrupt-segment` unless the bytes are exactly this many ascending numbers
 *   below `rows`
 */
function readNumbers(bytes: Uint8Array, count: number, { rows, where }: { rows: number; where: string }): Uint32Array {
  const numbers = new Uint32Array(count);
  if (readAscendingInWasm(bytes, { count, limit: rows }, numbers)) return numbers;
  let at = 0;
  let number = -1;
  for (let n = 0; n < count; n++) {
    let byte = bytes[at++]!;
    let difference = byte & 127;
    for (let factor = 128; byte > 127; factor *= 128) {
      byte = bytes[at++]!; // undefined past the end; it ends the number and is detected below
      difference += (byte & 127) * factor;
    }
    number += difference + 1;
    if (number >= rows) throw corrupt(where, "a row number is out of range", { found: number, expected: rows });
    numbers[n] = number;
  }
  if (at !== bytes.length) throw corrupt(where, `${bytes.length} bytes of row numbers are not ${count} numbers`);
  return numbers;
}

/**
 * Centroids of the inverted lists of a `coarse` file; undefined if it has none. @throws
 * VerbatimError `corrupt-segment`
 */
export async function readCentroids(
  container: Container,
  dimensions: number,
  signal?: AbortSignal,
): Promise<Centroids | undefined> {
  if (!container.sections.some(({ entry }) => entry.name === "lists")) return undefined;
  const section = container.section("centroids");
  const values = await section.readAll(signal);
  if (values.length !== (BRANCHES + LISTS) * dimensions)
    throw corrupt(section.where, `they do not have ${dimensions} dimensions`);
  return centroidsLike(dimensions, new Int8Array(values.buffer, values.byteOffset, values.length));
}

interface RowShape {
  code: { readonly rowBytes: number; readonly dimensions: number };
  startRows: number;
}

export class StoredLists implements CoarseLists {
  readonly centroids: Centroids;
  readonly firsts: Uint32Array;
  /** Where the numbers of each list begin, and the total: [LISTS + 1]. */
  readonly #offsets: Float64Array;
  readonly #rows: Section;
  readonly #numbers: Section;
  readonly #rowBytes: number;

  private constructor(
    sections: { rows: Section; numbers: Section },
    parts: { centroids: Centroids; firsts: Uint32Array; offsets: Float64Array; rowBytes: number },
  ) {
    this.#rows = sections.rows;
    this.#numbers = sections.numbers;
    this.centroids = parts.centroids;
    this.firsts = parts.firsts;
    this.#offsets = parts.offsets;
    this.#rowBytes = parts.rowBytes;
  }

  /**
   * @returns undefined if the file has no inverted lists. @throws VerbatimError `corrupt-segment`
   */
  static async open(
    container: Container,
    { code, startRows }: RowShape,
    signal?: AbortSignal,
  ): Promise<StoredLists | undefined> {
    const centroids = await readCentroids(container, code.dimensions, signal);
    if (centroids === undefined) return undefined;
    const [table, numbers] = [container.section("lists"), container.section("numbers")];
    const tableBytes = await table.readAll(signal);
    const reader = new ByteReader(tableBytes, table.where);
    const firsts = new Uint32Array(LISTS + 1);
    const offsets = new Float64Array(LISTS + 1);
    for (let n = 0; n < LISTS; n++) {
      const rows = firsts[n]! + reader.varint();
      if (rows > startRows) throw reader.damaged("more rows than there are");
      firsts[n + 1] = rows;
      offsets[n + 1] = offsets[n]! + reader.varint();
    }
    if (reader.left !== 0 || firsts[LISTS] !== startRows || offsets[LISTS] !== numbers.length)
      throw reader.damaged("its lists and the rows do not add up");
    const { rowBytes } = code;
    return new StoredLists({ rows: container.section("rows"), numbers }, { centroids, firsts, offsets, rowBytes });
  }

  async read(lists: Uint16Array, onList: OnList, signal?: AbortSignal): Promise<void> {
    const { firsts } = this;
    const wanted = lists.filter((list) => firsts[list + 1]! > firsts[list]!).sort();
    for (let from = 0, to = 0; from < wanted.length; from = to) {
      let bytes = 0;
      while (to < wanted.length && bytes < READ_BYTES) bytes += this.#rowsOf(wanted[to++]!).length;
      const some = [...wanted.subarray(from, to)];
      const numbers = this.#numbers.readMany(
        some.map((list) => this.#numbersOf(list)),
        signal,
      );
      numbers.catch(() => {}); // reported with the first rows
      const ranges = some.map((list) => this.#rowsOf(list));
      for await (const { range, bytes } of this.#rows.readEach(ranges, signal)) {
        const list = some[range]!;
        onList(list, this.#decode(list, (await numbers)[range]!), bytes);
      }
    }
  }

  /**
   * Rows first … end − 1 in their order, and the list of each. Reads the numbers of all rows once.
   * @throws VerbatimError `corrupt-segment` if a row is there twice, or not at all
   */
  async gather(first: number, end: number, signal?: AbortSignal): Promise<{ rows: Uint8Array; owners: Uint16Array }> {
    const rowBytes = this.#rowBytes;
    const out = new Uint8Array((end - first) * rowBytes);
    const owners = new Uint16Array(end - first).fill(LISTS);
    const all = await this.#numbers.readAll(signal);
    let waiting: Array<{ list: number; numbers: Uint32Array; from: number }> = [];
    let bytes = 0;
    const take = async (): Promise<void> => {
      const ranges = waiting.map(({ list, numbers, from }) => ({
        offset: (this.firsts[list]! + from) * rowBytes,
        length: numbers.length * rowBytes,
      }));
      for (const [n, rows] of (await this.#rows.readMany(ranges, signal)).entries()) {
        const { list, numbers } = waiting[n]!;
        for (const [i, number] of numbers.entries()) {
          if (owners[number - first] !== LISTS) throw corrupt(this.#numbers.where, `row ${number} is in two lists`);
          owners[number - first] = list;
          out.set(rows.subarray(i * rowBytes, (i + 1) * rowBytes), (number - first) * rowBytes);
        }
      }
      [waiting, bytes] = [[], 0];
    };
    for (let list = 0; list < LISTS; list++) {
      const { offset, length } = this.#numbersOf(list);
      const every = this.#decode(list, all.subarray(offset, offset + length));
      const from = lowerBound(every, first);
      const numbers = every.subarray(from, lowerBound(every, end));
      if (numbers.length === 0) continue;
      waiting.push({ list, numbers, from });
      bytes += numbers.length * rowBytes;
      if (bytes >= READ_BYTES) await take();
    }
    await take();
    const missing = owners.indexOf(LISTS);
    if (missing >= 0) throw corrupt(this.#numbers.where, `row ${first + missing} is in no list`);
    return { rows: out, owners };
  }

  #decode(list: number, bytes: Uint8Array): Uint32Array {
    const count = this.firsts[list + 1]! - this.firsts[list]!;
    return readNumbers(bytes, count, { rows: this.firsts[LISTS]!, where: `${this.#numbers.where}, list ${list}` });
  }

  #rowsOf(list: number): { offset: number; length: number } {
    const [first, end] = [this.firsts[list]!, this.firsts[list + 1]!];
    return { offset: first * this.#rowBytes, length: (end - first) * this.#rowBytes };
  }

  #numbersOf(list: number): { offset: number; length: number } {
    const offset = this.#offsets[list]!;
    return { offset, length: this.#offsets[list + 1]! - offset };
  }
}

/** Index of the first of ascending numbers that is ≥ `value`. */
export function lowerBound(numbers: Uint32Array, value: number): number {
  let [from, to] = [0, numbers.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (numbers[middle]! < value) from = middle + 1;
    else to = middle;
  }
  return from;
}
