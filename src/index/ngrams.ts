/** "Here is a passage: which tokens has it, and which n-grams matter to each row?" Component `ngrams` (docs/index-format.md §7). */

import type { EncodedPassage, NgramRows } from "../encode/types.js";
import { ByteReader, ByteWriter } from "./bytes.js";
import type { Container } from "./container.js";
import type { ContainerWriter, FileEntry } from "./container-writer.js";
import { corrupt } from "./corrupt.js";
import { bitsOf, packBits, unpackBits } from "./packing.js";
import type { PassageColumns } from "./passages.js";
import { isStep, ngramWeight } from "./precision.js";
import type { Section } from "./section.js";

const BLOCK = 8192;
const STEP_BLOCK = 512;
/** An input has 256 tokens at most: a row has no more entries. */
const MOST_COUNT_BITS = 9;

/** The part of a passage that lies in `ngrams`. */
export type PassageNgrams = Pick<
  EncodedPassage,
  "ids" | "firstToken" | "startUnigrams" | "startBigrams" | "endUnigrams" | "endBigrams"
>;

/** Bits of a position in an input of so many tokens. */
const positionBits = (tokens: number): number => 32 - Math.clz32(Math.max(0, tokens - 1));

export class NgramsWriter {
  #container: ContainerWriter;
  #record = new ByteWriter(8192);
  #step: number;

  /** @param step  of the weights, 1 … 64: each is kept as the multiple that is nearest */
  constructor(container: ContainerWriter, step: number) {
    this.#container = container;
    this.#step = step;
    container.beginSection("records", BLOCK);
  }

  /**
   * @param passage  already validated
   * @returns bytes of the record
   */
  async add(passage: PassageNgrams): Promise<number> {
    const out = this.#record;
    out.clear();
    out.varint(passage.firstToken);
    out.u16s(passage.ids);
    const width = positionBits(passage.ids.length);
    for (const list of [passage.startUnigrams, passage.startBigrams, passage.endUnigrams, passage.endBigrams]) {
      const { offsets, positions, weights } = list;
      const counts = Uint16Array.from({ length: offsets.length - 1 }, (_, row) => offsets[row + 1]! - offsets[row]!);
      const multiples = weights.map((weight) => Math.round(weight / this.#step));
      const countBits = bitsOf(counts);
      const weightBits = bitsOf(multiples);
      out.u8(countBits | (weightBits << 4));
      packBits(out, counts, { width: countBits });
      packBits(out, positions, { width });
      packBits(out, multiples, { width: weightBits });
    }
    await this.#container.append(out.bytes());
    return out.length;
  }

  /** Records of whole passages as they are stored in another segment with the same step. */
  addStored(records: Uint8Array): Promise<void> {
    return this.#container.append(records);
  }

  async finish(): Promise<FileEntry> {
    await this.#container.section("step", STEP_BLOCK, Uint8Array.of(this.#step));
    return this.#container.finish();
  }
}

/** @returns undefined for a file of format version 1, where weights are as they are. @throws VerbatimError `corrupt-segment` */
export async function readNgramStep(container: Container, signal?: AbortSignal): Promise<number | undefined> {
  if (!container.sections.some(({ entry }) => entry.name === "step")) return undefined;
  const section = container.section("step");
  const step = section.length === 1 ? (await section.readAll(signal))[0]! : 0;
  if (!isStep(step)) throw corrupt(section.where, "it is no step of weights");
  return step;
}

export class NgramsReader {
  /** What to write records with that may stand beside these. */
  readonly step: number;
  readonly #records: Section;
  readonly #columns: PassageColumns;
  readonly #packed: boolean;

  /**
   * @param options.step  as `readNgramStep` gave it
   * @throws VerbatimError `corrupt-segment` when the file is not of the columns' records
   */
  constructor(container: Container, columns: PassageColumns, options: { step: number | undefined }) {
    this.#records = container.section("records");
    this.#columns = columns;
    this.#packed = options.step !== undefined;
    this.step = options.step ?? 1;
    const expected = columns.ngramOffsets.at(-1)!;
    if (this.#records.length !== expected) {
      throw corrupt(this.#records.where, "it is not as long as the passages say", {
        found: this.#records.length,
        expected,
      });
    }
  }

  /** Records may be copied as they are into a file of this step. */
  isOf(step: number): boolean {
    return this.#packed && this.step === step;
  }

  /** Positions and weights may be views of the bytes that were read: not to be written to. */
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
      const rows = (count: number): NgramRows =>
        this.#packed ? unpackNgrams(reader, count, { tokens: ids.length, step: this.step }) : readRows(reader, count);
      const passage = {
        ids,
        firstToken,
        startUnigrams: rows(starts),
        startBigrams: rows(starts),
        endUnigrams: rows(ends),
        endBigrams: rows(ends),
      };
      if (reader.left !== 0) throw reader.damaged(`${reader.left} bytes too many`);
      return passage;
    });
  }
}

function unpackNgrams(reader: ByteReader, rows: number, { tokens, step }: { tokens: number; step: number }): NgramRows {
  const header = reader.u8();
  const countBits = header & 15;
  const weightBits = header >> 4;
  if (countBits > MOST_COUNT_BITS || weightBits > 8) throw reader.damaged("a list of impossible widths");
  const counts = new Uint16Array(rows);
  unpackBits(reader, counts, countBits);
  const offsets = new Uint32Array(rows + 1);
  for (let row = 0; row < rows; row++) offsets[row + 1] = offsets[row]! + counts[row]!;
  const total = offsets[rows]!;
  const width = positionBits(tokens);
  if ((total * width) / 8 > reader.left) throw reader.damaged(`${total} entries`); // before anything is allocated for them
  const positions = new Uint8Array(total);
  unpackBits(reader, positions, width);
  const weights = new Uint8Array(total);
  unpackBits(reader, weights, weightBits);
  if (step > 1) for (let i = 0; i < total; i++) weights[i] = ngramWeight(weights[i]!, step);
  return { offsets, positions, weights };
}

/** A list of format version 1. */
function readRows(reader: ByteReader, rows: number): NgramRows {
  const offsets = new Uint32Array(rows + 1);
  let total = 0;
  for (let row = 0; row < rows; row++) {
    total += reader.varint();
    offsets[row + 1] = total;
  }
  return { offsets, positions: reader.raw(total), weights: reader.raw(total) };
}
