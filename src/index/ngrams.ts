/** "Here is a passage: which tokens has it, and which n-grams matter to each row?" Component `ngrams` (docs/index-format.md §7). */

import type { EncodedPassage, NgramRows } from "../encode/types.js";
import { ByteReader, ByteWriter } from "./bytes.js";
import type { Container } from "./container.js";
import type { ContainerWriter, FileEntry } from "./container-writer.js";
import { corrupt } from "./corrupt.js";
import type { PassageColumns } from "./passages.js";
import type { Section } from "./section.js";

const BLOCK = 8192;

/** The part of a passage that lies in `ngrams`. */
export type PassageNgrams = Pick<
  EncodedPassage,
  "ids" | "firstToken" | "startUnigrams" | "startBigrams" | "endUnigrams" | "endBigrams"
>;

export class NgramsWriter {
  #container: ContainerWriter;
  #record = new ByteWriter(8192);

  constructor(container: ContainerWriter) {
    this.#container = container;
    container.beginSection("records", BLOCK);
  }

  /**
   * @param passage  already validated
   * @returns bytes of the record
   */
  async add(passage: EncodedPassage): Promise<number> {
    const out = this.#record;
    out.clear();
    out.varint(passage.firstToken);
    out.u16s(passage.ids);
    for (const list of [passage.startUnigrams, passage.startBigrams, passage.endUnigrams, passage.endBigrams]) {
      const { offsets, positions, weights } = list;
      for (let row = 1; row < offsets.length; row++) out.varint(offsets[row]! - offsets[row - 1]!);
      out.raw(positions instanceof Uint8Array ? positions : Uint8Array.from(positions));
      out.raw(weights);
    }
    await this.#container.append(out.bytes());
    return out.length;
  }

  /** Records of whole passages as they are stored in another segment. */
  addStored(records: Uint8Array): Promise<void> {
    return this.#container.append(records);
  }

  finish(): Promise<FileEntry> {
    return this.#container.finish();
  }
}

export class NgramsReader {
  #records: Section;
  #columns: PassageColumns;

  /** @throws VerbatimError `corrupt-segment` when the file is not of the columns' records */
  constructor(container: Container, columns: PassageColumns) {
    this.#records = container.section("records");
    this.#columns = columns;
    const expected = columns.ngramOffsets.at(-1)!;
    if (this.#records.length !== expected) {
      throw corrupt(this.#records.where, "it is not as long as the passages say", {
        found: this.#records.length,
        expected,
      });
    }
  }

  /** Positions and weights are views of the bytes that were read: not to be written to. */
  async read(passages: readonly number[], signal?: AbortSignal): Promise<PassageNgrams[]> {
    const { ngramOffsets, startRows, endRows, tokens } = this.#columns;
    const ranges = passages.map((p) => ({ offset: ngramOffsets[p]!, length: ngramOffsets[p + 1]! - ngramOffsets[p]! }));
    const records = await this.#records.readMany(ranges, signal);
    return records.map((record, i) => {
      const p = passages[i]!;
      const reader = new ByteReader(record, `${this.#records.where}, passage ${p}`);
      const firstToken = reader.varint();
      const ids = reader.u16s(tokens[p]!);
      const starts = startRows[p + 1]! - startRows[p]!;
      const ends = endRows[p + 1]! - endRows[p]!;
      const passage = {
        ids,
        firstToken,
        startUnigrams: readRows(reader, starts),
        startBigrams: readRows(reader, starts),
        endUnigrams: readRows(reader, ends),
        endBigrams: readRows(reader, ends),
      };
      if (reader.left !== 0) throw reader.damaged(`${reader.left} bytes too many`);
      return passage;
    });
  }
}

function readRows(reader: ByteReader, rows: number): NgramRows {
  const offsets = new Uint32Array(rows + 1);
  let total = 0;
  for (let row = 0; row < rows; row++) {
    total += reader.varint();
    offsets[row + 1] = total;
  }
  return { offsets, positions: reader.raw(total), weights: reader.raw(total) };
}
