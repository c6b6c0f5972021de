/** "Here is a passage: which spans may begin and end where, and what are their vectors?" Components `phrases`, `coarse` (docs/index-format.md §6). */

import type { EncodedPassage } from "../encode/types.js";
import type { Container } from "./container.js";
import type { ContainerWriter, FileEntry } from "./container-writer.js";
import { corrupt } from "./corrupt.js";
import type { PassageColumns } from "./passages.js";
import type { Section } from "./section.js";

const RECORDS_BLOCK = 8192;
export const ROWS_BLOCK = 65_536;

export interface Dimensions {
  dense: number;
  coarse: number;
  coherency: number;
}

/** The part of a passage that lies in `phrases`. */
export type PhraseRows = Pick<
  EncodedPassage,
  "startPositions" | "endPositions" | "startVectors" | "endVectors" | "startCoherency" | "endCoherency"
>;

const asBytes = (rows: Int8Array) => new Uint8Array(rows.buffer, rows.byteOffset, rows.byteLength);
const asRows = (bytes: Uint8Array) => new Int8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);

export class PhrasesWriter {
  #phrases: ContainerWriter;
  #coarse: ContainerWriter;
  #dimensions: Dimensions;

  constructor(containers: { phrases: ContainerWriter; coarse: ContainerWriter }, dimensions: Dimensions) {
    this.#phrases = containers.phrases;
    this.#coarse = containers.coarse;
    this.#dimensions = dimensions;
    this.#phrases.beginSection("records", RECORDS_BLOCK);
    this.#coarse.beginSection("rows", ROWS_BLOCK);
  }

  /** @param passage  already validated: lengths fit the dimensions, positions fit a byte */
  async add(passage: EncodedPassage): Promise<void> {
    await this.#phrases.append(Uint8Array.from(passage.startPositions));
    await this.#phrases.append(Uint8Array.from(passage.endPositions));
    for (const rows of [passage.startVectors, passage.startCoherency, passage.endVectors, passage.endCoherency]) {
      await this.#phrases.append(asBytes(rows));
    }
    const { dense, coarse } = this.#dimensions;
    const rows = passage.startPositions.length;
    const first = new Uint8Array(rows * coarse);
    const vectors = asBytes(passage.startVectors);
    for (let r = 0; r < rows; r++) first.set(vectors.subarray(r * dense, r * dense + coarse), r * coarse);
    await this.#coarse.append(first);
  }

  /** Records of whole passages, and their coarse rows, as they are stored in another segment. */
  async addStored(kind: "records" | "rows", bytes: Uint8Array): Promise<void> {
    await (kind === "records" ? this.#phrases : this.#coarse).append(bytes);
  }

  async finish(): Promise<{ phrases: FileEntry; coarse: FileEntry }> {
    return { phrases: await this.#phrases.finish(), coarse: await this.#coarse.finish() };
  }
}

export class PhrasesReader {
  #records: Section;
  #coarse: Section;
  #columns: PassageColumns;
  #dimensions: Dimensions;

  /** @throws VerbatimError `corrupt-segment` when the files are not of the columns' rows */
  constructor(
    containers: { phrases: Container; coarse: Container },
    columns: PassageColumns,
    options: { dimensions: Dimensions },
  ) {
    this.#records = containers.phrases.section("records");
    this.#coarse = containers.coarse.section("rows");
    this.#columns = columns;
    this.#dimensions = options.dimensions;
    const startRows = columns.startRows.at(-1)!;
    const rows = startRows + columns.endRows.at(-1)!;
    if (this.#records.length !== rows * this.#rowBytes) throw corrupt(this.#records.where, `it is not of ${rows} rows`);
    if (this.#coarse.length !== startRows * options.dimensions.coarse)
      throw corrupt(this.#coarse.where, `it is not of ${startRows} rows`);
  }

  get #rowBytes(): number {
    return 1 + this.#dimensions.dense + this.#dimensions.coherency;
  }

  /** Vectors are views of the bytes that were read: not to be written to. */
  async read(passages: readonly number[], signal?: AbortSignal): Promise<PhraseRows[]> {
    const { startRows, endRows } = this.#columns;
    const offset = (p: number) => this.#rowBytes * (startRows[p]! + endRows[p]!);
    const ranges = passages.map((p) => ({ offset: offset(p), length: offset(p + 1) - offset(p) }));
    const records = await this.#records.readMany(ranges, signal);
    return records.map((record, i) => {
      const p = passages[i]!;
      return this.#split(record, startRows[p + 1]! - startRows[p]!, endRows[p + 1]! - endRows[p]!);
    });
  }

  async readCoarse(onRows: (firstRow: number, rows: Int8Array) => void, signal?: AbortSignal): Promise<void> {
    const { coarse } = this.#dimensions;
    let row = 0;
    for await (const bytes of this.#coarse.stream(coarse, signal)) {
      onRows(row, asRows(bytes));
      row += bytes.length / coarse;
    }
  }

  #split(record: Uint8Array, starts: number, ends: number): PhraseRows {
    const { dense, coherency } = this.#dimensions;
    let at = 0;
    const take = (length: number) => {
      at += length;
      return record.subarray(at - length, at);
    };
    return {
      startPositions: Uint16Array.from(take(starts)),
      endPositions: Uint16Array.from(take(ends)),
      startVectors: asRows(take(starts * dense)),
      startCoherency: asRows(take(starts * coherency)),
      endVectors: asRows(take(ends * dense)),
      endCoherency: asRows(take(ends * coherency)),
    };
  }
}
