/**
 * Component `phrases`: the positions and vectors of a passage's start and end rows
 * (docs/index-format.md §6).
 */

import { DROPPED, groupsOf, isStep, type Precision, type Steps } from "../../encode/precision.js";
import type { EncodedPassage } from "../../encode/types.js";
import { ByteReader, ByteWriter } from "../format/bytes.js";
import type { Offsets } from "../format/columns.js";
import type { Container } from "../format/container.js";
import type { ContainerWriter, FileEntry } from "../format/container-writer.js";
import { corrupt } from "../format/corrupt.js";
import { packRows, unpackRows } from "../format/packing.js";
import type { Section } from "../format/section.js";
import type { PassageColumns } from "./passages.js";

const RECORDS_BLOCK = 8192;
const STEPS_BLOCK = 512;

interface Dimensions {
  dense: number;
  coherency: number;
}

/** The fields of a passage that `phrases` stores. */
export type PhraseRows = Pick<
  EncodedPassage,
  "startPositions" | "endPositions" | "startVectors" | "endVectors" | "startCoherency" | "endCoherency"
>;

/** The part of a passage's rows that validation needs. */
interface PhraseOutline {
  startPositions: Uint16Array;
  endPositions: Uint16Array;
}

/** Coding of the records in `phrases`; the step of n-gram weights is in `ngrams`. */
type PhrasePrecision = Omit<Precision, "ngramStep">;

/** How a record is coded. */
interface PhraseCoding {
  dimensions: Dimensions;
  precision: PhrasePrecision;
}

/** Appends one record. @param passage  already validated */
export function packPhrases(out: ByteWriter, passage: PhraseRows, { dimensions, precision }: PhraseCoding): void {
  const { dense, coherency } = dimensions;
  const { start, end, coherency: steps } = precision;
  out.raw(Uint8Array.from(passage.startPositions));
  out.raw(Uint8Array.from(passage.endPositions));
  packRows(out, passage.startVectors, { dim: dense, steps: start });
  packRows(out, passage.startCoherency, { dim: coherency, steps });
  packRows(out, passage.endVectors, { dim: dense, steps: end });
  packRows(out, passage.endCoherency, { dim: coherency, steps });
}

/** Reads one record. @param rows  number of start and end rows */
export function unpackPhrases(
  reader: ByteReader,
  { starts, ends }: { starts: number; ends: number },
  { dimensions, precision }: PhraseCoding,
): PhraseRows {
  const { dense, coherency } = dimensions;
  const { start, end, coherency: steps } = precision;
  return {
    startPositions: new Uint16Array(reader.raw(starts)),
    endPositions: new Uint16Array(reader.raw(ends)),
    startVectors: unpackRows(reader, starts, { dim: dense, steps: start }),
    startCoherency: unpackRows(reader, starts, { dim: coherency, steps }),
    endVectors: unpackRows(reader, ends, { dim: dense, steps: end }),
    endCoherency: unpackRows(reader, ends, { dim: coherency, steps }),
  };
}

export class PhrasesWriter {
  #phrases: ContainerWriter;
  #dimensions: Dimensions;
  #precision: PhrasePrecision;
  #record = new ByteWriter(32_768);

  constructor(phrases: ContainerWriter, options: { dimensions: Dimensions; precision: PhrasePrecision }) {
    this.#phrases = phrases;
    this.#dimensions = options.dimensions;
    this.#precision = options.precision;
    this.#phrases.beginSection("records", RECORDS_BLOCK);
  }

  /**
   * @param passage  already validated: lengths fit the dimensions, positions fit a byte, values are
   *   rounded to the precision
   * @returns bytes of the record
   */
  async add(passage: PhraseRows): Promise<number> {
    const dimensions = this.#dimensions;
    const out = this.#record;
    out.clear();
    packPhrases(out, passage, { dimensions, precision: this.#precision });
    await this.#phrases.append(out.bytes());
    return out.length;
  }

  /** Appends records of whole passages from a segment of the same precision. */
  addStored(records: Uint8Array): Promise<void> {
    return this.#phrases.append(records);
  }

  async finish(): Promise<FileEntry> {
    const { start, end, coherency } = this.#precision;
    await this.#phrases.section("steps", STEPS_BLOCK, Uint8Array.of(...start, ...end, ...coherency));
    return this.#phrases.finish();
  }
}

/** @throws VerbatimError `corrupt-segment` */
export async function readPhrasePrecision(
  container: Container,
  { dense, coherency }: Dimensions,
  signal?: AbortSignal,
): Promise<PhrasePrecision> {
  const section = container.section("steps");
  const [vectors, coherencies] = [groupsOf(dense), groupsOf(coherency)];
  if (section.length !== 2 * vectors + coherencies)
    throw corrupt(section.where, "it does not have the model's dimensions");
  const steps = Uint8Array.from(await section.readAll(signal));
  if (!steps.every((step) => isStep(step) || step === DROPPED)) throw corrupt(section.where, "a step is out of range");
  return {
    start: steps.subarray(0, vectors),
    end: steps.subarray(vectors, 2 * vectors),
    coherency: steps.subarray(2 * vectors),
  };
}

export class PhrasesReader {
  /** Precision of the stored records. */
  readonly precision: PhrasePrecision;
  readonly offsets: Offsets;
  readonly #records: Section;
  readonly #columns: PassageColumns;
  readonly #dimensions: Dimensions;

  /**
   * @param options.precision  from `readPhrasePrecision`
   * @throws VerbatimError `corrupt-segment` if the file does not have the columns' rows
   */
  constructor(
    container: Container,
    columns: PassageColumns,
    options: { dimensions: Dimensions; precision: PhrasePrecision },
  ) {
    const { dimensions, precision } = options;
    this.#records = container.section("records");
    this.#columns = columns;
    this.#dimensions = dimensions;
    this.precision = precision;
    this.offsets = columns.phraseOffsets;
    if (this.#records.length !== this.offsets.end) {
      throw corrupt(
        this.#records.where,
        `it does not have ${columns.startRows.at(-1)! + columns.endRows.at(-1)!} rows`,
      );
    }
  }

  /** Whether records can be copied unchanged into a file of this precision. */
  isOf(precision: PhrasePrecision): boolean {
    const same = (a: Steps, b: Steps) => a.every((step, g) => step === b[g]);
    const mine = this.precision;
    return (
      same(mine.start, precision.start) && same(mine.end, precision.end) && same(mine.coherency, precision.coherency)
    );
  }

  read(passages: readonly number[], signal?: AbortSignal): Promise<PhraseRows[]> {
    const coding = { dimensions: this.#dimensions, precision: this.precision };
    return this.#each(passages, (reader, starts, ends) => unpackPhrases(reader, { starts, ends }, coding), signal);
  }

  /** Validates every record from its first bit to its last. */
  outline(passages: readonly number[], signal?: AbortSignal): Promise<PhraseOutline[]> {
    return this.#each(passages, (reader, starts, ends) => this.#readOutline(reader, starts, ends), signal);
  }

  async #each<T>(
    passages: readonly number[],
    decode: (reader: ByteReader, starts: number, ends: number) => T,
    signal: AbortSignal | undefined,
  ): Promise<T[]> {
    const { startRows, endRows } = this.#columns;
    const ranges = passages.map((p) => this.offsets.range(p));
    const read: T[] = new Array(passages.length);
    const unpack = (i: number, record: Uint8Array): void => {
      const p = passages[i]!;
      const reader = new ByteReader(record, `${this.#records.where}, passage ${p}`);
      const decoded = decode(reader, startRows[p + 1]! - startRows[p]!, endRows[p + 1]! - endRows[p]!);
      if (reader.left !== 0) throw reader.damaged(`${reader.left} bytes too many`);
      read[i] = decoded;
    };
    await this.#records.visitMany(ranges, unpack, signal);
    return read;
  }

  #readOutline(reader: ByteReader, starts: number, ends: number): PhraseOutline {
    const { dense, coherency } = this.#dimensions;
    const { start, end, coherency: steps } = this.precision;
    const startPositions = new Uint16Array(reader.raw(starts));
    const endPositions = new Uint16Array(reader.raw(ends));
    unpackRows(reader, starts, { dim: dense, steps: start, first: 0 });
    unpackRows(reader, starts, { dim: coherency, steps, first: 0 });
    unpackRows(reader, ends, { dim: dense, steps: end, first: 0 });
    unpackRows(reader, ends, { dim: coherency, steps, first: 0 });
    return { startPositions, endPositions };
  }
}
