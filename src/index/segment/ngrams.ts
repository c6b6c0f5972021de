/**
 * Component `ngrams`: the token ids of a passage and the n-gram weights of its rows
 * (docs/index-format.md §7).
 */

import { isStep } from "../../encode/precision.js";
import type { EncodedPassage, NgramRows } from "../../encode/types.js";
import { ByteReader, ByteWriter } from "../format/bytes.js";
import type { Container } from "../format/container.js";
import type { ContainerWriter, FileEntry } from "../format/container-writer.js";
import { corrupt } from "../format/corrupt.js";
import { bitsOf, packBits } from "../format/packing.js";
import type { Section } from "../format/section.js";
import { type NgramPlaces, PlacesScratch, positionBits, unpackNgrams, unpackOutline } from "./ngram-lists.js";
import type { PassageColumns } from "./passages.js";

const BLOCK = 8192;
const STEP_BLOCK = 512;

/** The fields of a passage that `ngrams` stores. */
export type PassageNgrams = Pick<
  EncodedPassage,
  "ids" | "firstToken" | "startUnigrams" | "startBigrams" | "endUnigrams" | "endBigrams"
>;

/** The same without weights, of which every byte is valid. */
export type NgramsOutline = Tokens<NgramPlaces>;

interface Tokens<Rows> {
  ids: Uint16Array;
  firstToken: number;
  startUnigrams: Rows;
  startBigrams: Rows;
  endUnigrams: Rows;
  endBigrams: Rows;
}

/** Appends one record. @param step  of the weights; each is rounded to a multiple */
export function packNgrams(out: ByteWriter, passage: PassageNgrams, step: number): void {
  out.varint(passage.firstToken);
  out.u16s(passage.ids);
  const width = positionBits(passage.ids.length);
  for (const list of [passage.startUnigrams, passage.startBigrams, passage.endUnigrams, passage.endBigrams]) {
    const { offsets, positions, weights } = list;
    const counts = Uint16Array.from({ length: offsets.length - 1 }, (_, row) => offsets[row + 1]! - offsets[row]!);
    const multiples = weights.map((weight) => Math.round(weight / step));
    const countBits = bitsOf(counts);
    const weightBits = bitsOf(multiples);
    out.u8(countBits | (weightBits << 4));
    packBits(out, counts, { width: countBits });
    packBits(out, positions, { width });
    packBits(out, multiples, { width: weightBits });
  }
}

/** Reads one record. @param shape  tokens of the input, and its kept rows */
export function unpackPassageNgrams(
  reader: ByteReader,
  { tokens, starts, ends }: { tokens: number; starts: number; ends: number },
  step: number,
): PassageNgrams {
  return readRecord(reader, { tokens, starts, ends }, (count) => unpackNgrams(reader, count, { tokens, step }));
}

/** Reads the parts of a record in order. @param decode  reads the next list of this many rows */
function readRecord<Rows>(
  reader: ByteReader,
  { tokens, starts, ends }: { tokens: number; starts: number; ends: number },
  decode: (rows: number) => Rows,
): Tokens<Rows> {
  const firstToken = reader.varint();
  const ids = reader.u16s(tokens);
  return {
    ids,
    firstToken,
    startUnigrams: decode(starts),
    startBigrams: decode(starts),
    endUnigrams: decode(ends),
    endBigrams: decode(ends),
  };
}

export class NgramsWriter {
  #container: ContainerWriter;
  #record = new ByteWriter(8192);
  #step: number;

  /** @param step  of the weights, 1 … 64; each is rounded to a multiple */
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
    packNgrams(out, passage, this.#step);
    await this.#container.append(out.bytes());
    return out.length;
  }

  /** Appends records of whole passages from a segment with the same step. */
  addStored(records: Uint8Array): Promise<void> {
    return this.#container.append(records);
  }

  async finish(): Promise<FileEntry> {
    await this.#container.section("step", STEP_BLOCK, Uint8Array.of(this.#step));
    return this.#container.finish();
  }
}

/** @throws VerbatimError `corrupt-segment` */
export async function readNgramStep(container: Container, signal?: AbortSignal): Promise<number> {
  const section = container.section("step");
  const step = section.length === 1 ? (await section.readAll(signal))[0]! : 0;
  if (!isStep(step)) throw corrupt(section.where, "the step of the weights is invalid");
  return step;
}

export class NgramsReader {
  /** Step of the stored weights. */
  readonly step: number;
  readonly #records: Section;
  readonly #columns: PassageColumns;

  /**
   * @param options.step  from `readNgramStep`
   * @throws VerbatimError `corrupt-segment` if the file does not have the columns' records
   */
  constructor(container: Container, columns: PassageColumns, options: { step: number }) {
    this.#records = container.section("records");
    this.#columns = columns;
    this.step = options.step;
    const expected = columns.ngramOffsets.end;
    if (this.#records.length !== expected) {
      throw corrupt(this.#records.where, "its length does not match the passages", {
        found: this.#records.length,
        expected,
      });
    }
  }

  /** Whether records can be copied unchanged into a file of this step. */
  isOf(step: number): boolean {
    return this.step === step;
  }

  async read(passages: readonly number[], signal?: AbortSignal): Promise<PassageNgrams[]> {
    const { step } = this;
    const all: PassageNgrams[] = [];
    const decode = (reader: ByteReader, rows: number, tokens: number): NgramRows =>
      unpackNgrams(reader, rows, { tokens, step });
    await this.#each(passages, { decode, onPassage: (passage) => all.push(passage), signal });
    return all;
  }

  /**
   * Validates every record from its first byte to its last.
   * @param onPassage  gets the outline, which is valid until it returns, and its index in
   *   `passages`
   */
  outline(
    passages: readonly number[],
    onPassage: (outline: NgramsOutline, i: number) => void,
    signal?: AbortSignal,
  ): Promise<void> {
    const scratch = Array.from({ length: 4 }, () => new PlacesScratch());
    let list = 0;
    const decode = (reader: ByteReader, rows: number, tokens: number): NgramPlaces =>
      unpackOutline(reader, rows, { tokens, scratch: scratch[list++ & 3]! });
    return this.#each(passages, { decode, onPassage, signal });
  }

  async #each<Rows>(
    passages: readonly number[],
    options: {
      decode: (reader: ByteReader, rows: number, tokens: number) => Rows;
      onPassage: (passage: Tokens<Rows>, i: number) => void;
      signal: AbortSignal | undefined;
    },
  ): Promise<void> {
    const { ngramOffsets, startRows, endRows, tokens } = this.#columns;
    const ranges = passages.map((p) => ngramOffsets.range(p));
    const records = await this.#records.readMany(ranges, options.signal);
    for (const [i, record] of records.entries()) {
      const p = passages[i]!;
      const reader = new ByteReader(record, `${this.#records.where}, passage ${p}`);
      const shape = {
        tokens: tokens[p]!,
        starts: startRows[p + 1]! - startRows[p]!,
        ends: endRows[p + 1]! - endRows[p]!,
      };
      const passage = readRecord(reader, shape, (rows) => options.decode(reader, rows, shape.tokens));
      if (reader.left !== 0) throw reader.damaged(`${reader.left} bytes too many`);
      options.onPassage(passage, i);
    }
  }
}
