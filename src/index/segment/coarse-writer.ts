/**
 * Writes `coarse`: rows in their order, or in inverted lists if the model has centroids and there
 * are at least LISTED_ROWS (docs/index-format.md §6.3).
 */

import { assignLists } from "../../kernel/list-assigner.js";
import { BRANCHES, type Centroids, EVERY_LIST, LISTS, valuesOf } from "../../vectors/centroids.js";
import { ByteWriter } from "../format/bytes.js";
import type { ContainerWriter, FileEntry } from "../format/container-writer.js";
import type { CoarseLists } from "../types.js";
import { type CoarseCode, ROWS_BLOCK } from "./coarse.js";
import { lowerBound, writeNumbers } from "./coarse-lists.js";

/**
 * Minimum start rows of a segment for inverted lists: below, the row numbers would be large
 * compared with the rows.
 */
export const LISTED_ROWS = 8192;
/** In a small segment a list is a few kB: large blocks would mostly read its neighbours. */
const LISTED_BLOCK = 16_384;
/** Rows gathered at once. */
const ROWS_AT_ONCE = 16_384;

/** Rows 0 … rows − 1 to be written list by list. */
interface ListedRows {
  readonly rows: number;
  /** @returns for each list asked for its ascending row numbers and its rows as they are stored */
  read(lists: Uint16Array): Promise<ReadonlyMap<number, { numbers: Uint32Array; rows: Uint8Array }>>;
  /** All rows in their order; used for few rows. */
  inOrder(): Promise<Uint8Array>;
}

/** Called between pieces of work, to let others use the thread. */
type Pause = () => Promise<void> | undefined;

export interface CoarseWriterOptions {
  code: CoarseCode;
  /**
   * Centroids of the model, or of the sources of a merge; without them rows stay in their order.
   */
  centroids?: Centroids | undefined;
  pause?: Pause;
}

export class CoarseWriter {
  readonly #container: ContainerWriter;
  readonly code: CoarseCode;
  readonly #centroids: Centroids | undefined;
  readonly #pause: Pause;
  readonly #parts: Array<GatheredRows | KeptLists> = [];

  constructor(container: ContainerWriter, { code, centroids, pause = () => undefined }: CoarseWriterOptions) {
    this.#container = container;
    this.code = code;
    this.#centroids = centroids;
    this.#pause = pause;
    if (centroids === undefined) container.beginSection("rows", ROWS_BLOCK);
  }

  /** Bytes of rows in memory. */
  get bytes(): number {
    return this.#parts.reduce((sum, part) => sum + (part instanceof GatheredRows ? part.bytes : 0), 0);
  }

  /** @param rows  the next rows, encoded by `code` */
  async append(rows: Uint8Array): Promise<void> {
    const centroids = this.#centroids;
    if (centroids === undefined) return this.#container.append(rows);
    let last = this.#parts.at(-1);
    if (!(last instanceof GatheredRows)) {
      last = new GatheredRows(this.code.rowBytes);
      this.#parts.push(last);
    }
    last.add(rows, assignLists(centroids, this.code.bits, rows));
  }

  /**
   * Appends rows of another file that has lists of the same centroids. They are read when this file
   * is finished.
   * @param runs  ranges of row numbers [first, end), ascending
   */
  appendLists(lists: CoarseLists, runs: ReadonlyArray<readonly [first: number, end: number]>): void {
    this.#parts.push(new KeptLists(lists, { runs, rowBytes: this.code.rowBytes }));
  }

  async finish(): Promise<FileEntry> {
    const rows = this.#parts.reduce((sum, part) => sum + part.rows, 0);
    if (this.#centroids !== undefined) {
      if (rows >= LISTED_ROWS) await this.#writeLists(this.#centroids, rows);
      else await this.#writeRows();
    }
    return this.#container.finish();
  }

  async #writeRows(): Promise<void> {
    this.#container.beginSection("rows", ROWS_BLOCK);
    for (const part of this.#parts) await this.#container.append(await part.inOrder());
  }

  async #writeLists(centroids: Centroids, rows: number): Promise<void> {
    const container = this.#container;
    const numbers = new ByteWriter(2 * rows);
    const table = new ByteWriter(4 * LISTS);
    container.beginSection("rows", LISTED_BLOCK);
    const atOnce = Math.max(1, Math.min(BRANCHES, Math.floor((LISTS * ROWS_AT_ONCE) / Math.max(1, rows))));
    for (let first = 0; first < LISTS; first += atOnce) {
      const some = Uint16Array.from({ length: Math.min(atOnce, LISTS - first) }, (_, n) => first + n);
      const found = await Promise.all(this.#parts.map((part) => part.read(some)));
      for (const list of some) {
        const before = numbers.length;
        let [count, base, last] = [0, 0, -1];
        for (const [i, part] of this.#parts.entries()) {
          const mine = found[i]!.get(list);
          if (mine !== undefined) {
            last = writeNumbers(numbers, mine.numbers, { base, before: last });
            count += mine.numbers.length;
            await container.append(mine.rows);
          }
          base += part.rows;
        }
        table.varint(count);
        table.varint(numbers.length - before);
      }
      await this.#pause();
    }
    await container.section("numbers", LISTED_BLOCK, numbers.bytes());
    await container.section("lists", LISTED_BLOCK, table.bytes());
    const values = valuesOf(centroids);
    await container.section("centroids", ROWS_BLOCK, new Uint8Array(values.buffer, values.byteOffset, values.length));
  }
}

/** Rows in memory, in their order. */
class GatheredRows implements ListedRows {
  rows = 0;
  readonly #rowBytes: number;
  readonly #stored = new ByteWriter(65_536);
  readonly #owners = new ByteWriter(8192);
  /** Row numbers list by list, and where each list begins; computed when the first list is read. */
  #order: { numbers: Uint32Array; firsts: Uint32Array } | undefined;

  constructor(rowBytes: number) {
    this.#rowBytes = rowBytes;
  }

  get bytes(): number {
    return this.#stored.length;
  }

  add(rows: Uint8Array, owners: Uint16Array): void {
    this.#stored.raw(rows);
    this.#owners.u16s(owners);
    this.rows += owners.length;
  }

  async inOrder(): Promise<Uint8Array> {
    return this.#stored.bytes();
  }

  async read(lists: Uint16Array) {
    this.#order ??= this.#sort();
    const { numbers: all, firsts } = this.#order;
    const stored = this.#stored.bytes();
    const rowBytes = this.#rowBytes;
    const found = new Map<number, { numbers: Uint32Array; rows: Uint8Array }>();
    for (const list of lists) {
      const numbers = all.subarray(firsts[list]!, firsts[list + 1]!);
      if (numbers.length > 0) found.set(list, { numbers, rows: pickRows(stored, numbers, rowBytes) });
    }
    return found;
  }

  /** Counting sort: rows of a list keep their order. */
  #sort(): { numbers: Uint32Array; firsts: Uint32Array } {
    const owners = new DataView(this.#owners.bytes().buffer, this.#owners.bytes().byteOffset);
    const firsts = new Uint32Array(LISTS + 1);
    for (let row = 0; row < this.rows; row++) firsts[owners.getUint16(2 * row, true) + 1]!++;
    for (let n = 0; n < LISTS; n++) firsts[n + 1]! += firsts[n]!;
    const next = firsts.slice();
    const numbers = new Uint32Array(this.rows);
    for (let row = 0; row < this.rows; row++) numbers[next[owners.getUint16(2 * row, true)]!++] = row;
    return { numbers, firsts };
  }
}

/** Ranges of rows in the inverted lists of another file. */
class KeptLists implements ListedRows {
  readonly rows: number;
  readonly #lists: CoarseLists;
  readonly #rowBytes: number;
  readonly #runs: ReadonlyArray<readonly [first: number, end: number]>;
  /** New number of the first row of each range. */
  readonly #bases: number[];

  constructor(
    lists: CoarseLists,
    { runs, rowBytes }: { runs: ReadonlyArray<readonly [first: number, end: number]>; rowBytes: number },
  ) {
    this.#lists = lists;
    this.#rowBytes = rowBytes;
    this.#runs = runs;
    let rows = 0;
    this.#bases = runs.map(([first, end]) => {
      rows += end - first;
      return rows - (end - first);
    });
    this.rows = rows;
  }

  async read(lists: Uint16Array) {
    const found = new Map<number, { numbers: Uint32Array; rows: Uint8Array }>();
    await this.#lists.read(lists, (list, numbers, rows) => {
      found.set(list, this.rows === this.#lists.firsts[LISTS] ? { numbers, rows } : this.#kept(numbers, rows));
    });
    return found;
  }

  async inOrder(): Promise<Uint8Array> {
    const out = new Uint8Array(this.rows * this.#rowBytes);
    await this.#lists.read(EVERY_LIST, (_, all, stored) => {
      const { numbers, rows } = this.#kept(all, stored);
      for (const [n, number] of numbers.entries())
        out.set(rows.subarray(n * this.#rowBytes, (n + 1) * this.#rowBytes), number * this.#rowBytes);
    });
    return out;
  }

  #kept(numbers: Uint32Array, rows: Uint8Array): { numbers: Uint32Array; rows: Uint8Array } {
    const kept: number[] = [];
    const places: number[] = [];
    for (const [r, [first, end]] of this.#runs.entries()) {
      const to = lowerBound(numbers, end);
      for (let n = lowerBound(numbers, first); n < to; n++) {
        kept.push(this.#bases[r]! + numbers[n]! - first);
        places.push(n);
      }
    }
    return { numbers: Uint32Array.from(kept), rows: pickRows(rows, places, this.#rowBytes) };
  }
}

function pickRows(rows: Uint8Array, places: ArrayLike<number>, rowBytes: number): Uint8Array {
  const out = new Uint8Array(places.length * rowBytes);
  for (let n = 0; n < places.length; n++) {
    const at = places[n]! * rowBytes;
    out.set(rows.subarray(at, at + rowBytes), n * rowBytes);
  }
  return out;
}
