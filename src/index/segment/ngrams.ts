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
import type { Section } from "../format/section.js";
import { packNgramList, unpackNgramList } from "./ngram-lists.js";
import type { PassageColumns } from "./passages.js";

const BLOCK = 8192;
const STEP_BLOCK = 512;

/** The fields of a passage that `ngrams` stores. */
export type PassageNgrams = Pick<
  EncodedPassage,
  "ids" | "firstToken" | "startUnigrams" | "startBigrams" | "endUnigrams" | "endBigrams"
>;

/** Appends one record. @param step  of the weights; each is rounded to a multiple */
export function packNgrams(out: ByteWriter, passage: PassageNgrams, step: number): void {
  out.varint(passage.firstToken);
  out.u16s(passage.ids);
  const shape = { tokens: passage.ids.length, step };
  for (const list of [passage.startUnigrams, passage.startBigrams, passage.endUnigrams, passage.endBigrams])
    packNgramList(out, list, shape);
}

/**
 * Reads one record, and validates it from its first byte to its last.
 * @param shape  tokens of the input, and its kept rows
 */
export function unpackPassageNgrams(
  reader: ByteReader,
  { tokens, starts, ends }: { tokens: number; starts: number; ends: number },
  step: number,
): PassageNgrams {
  const firstToken = reader.varint();
  const ids = reader.u16s(tokens);
  const list = (rows: number): NgramRows => unpackNgramList(reader, rows, { tokens, step });
  return {
    ids,
    firstToken,
    startUnigrams: list(starts),
    startBigrams: list(starts),
    endUnigrams: list(ends),
    endBigrams: list(ends),
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
    const { ngramOffsets, startRows, endRows, tokens } = this.#columns;
    const ranges = passages.map((p) => ngramOffsets.range(p));
    const read: PassageNgrams[] = new Array(passages.length);
    const unpack = (i: number, record: Uint8Array): void => {
      const p = passages[i]!;
      const reader = new ByteReader(record, `${this.#records.where}, passage ${p}`);
      const starts = startRows[p + 1]! - startRows[p]!;
      const ends = endRows[p + 1]! - endRows[p]!;
      const passage = unpackPassageNgrams(reader, { tokens: tokens[p]!, starts, ends }, this.step);
      if (reader.left !== 0) throw reader.damaged(`${reader.left} bytes too many`);
      read[i] = passage;
    };
    await this.#records.visitMany(ranges, unpack, signal);
    return read;
  }
}
