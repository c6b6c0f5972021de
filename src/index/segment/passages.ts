/**
 * Component `passages`: columns with the place of each passage in its document and in the other
 * files (docs/index-format.md §5).
 */

import type { VerbatimError } from "../../errors.js";
import { ByteWriter } from "../format/bytes.js";
import { fromU16, fromU32, Offsets, viewU16, viewU32 } from "../format/columns.js";
import type { Container } from "../format/container.js";
import type { ContainerWriter, FileEntry } from "../format/container-writer.js";
import { corrupt } from "../format/corrupt.js";
import { type IndexLevel, LEVELS } from "../format/level.js";
import { inSlices, type Pause } from "../format/time-slices.js";
import { levelOf, type ManifestSegment } from "../manifest/manifest.js";

const BLOCK = 65_536;
const LEVEL_BLOCK = 512;

/**
 * One value per passage, or one more if the total is at the end. All in memory while a segment is
 * open.
 */
export interface PassageColumns {
  /** Document number, never descending: [P]. */
  document: Uint32Array;
  /** UTF-16 span in the document's text: [P] each. */
  start: Uint32Array;
  end: Uint32Array;
  /** Input tokens: [P]. */
  tokens: Uint16Array;
  /** First start (end) row: [P + 1]. */
  startRows: Uint32Array;
  endRows: Uint32Array;
  /** Where the passage's record begins in `ngrams`: [P + 1]. */
  ngramOffsets: Offsets;
  /** Where the passage's record begins in `phrases`: [P + 1]. */
  phraseOffsets: Offsets;
}

interface PassageRow {
  document: number;
  start: number;
  end: number;
  tokens: number;
  startRows: number;
  endRows: number;
  ngramBytes: number;
  phraseBytes: number;
}

/** Gathers the columns (42 bytes per passage, 18 below level `full`) and writes them at the end. */
export class PassagesWriter {
  #rows: PassageRow[] = [];
  readonly #level: IndexLevel;

  /**
   * @param level  below `full` there are no columns for rows and records, and the file names the
   *   level
   */
  constructor(level: IndexLevel = "full") {
    this.#level = level;
  }

  get count(): number {
    return this.#rows.length;
  }

  /** @param row  counts of this passage; running sums are computed here */
  add(row: PassageRow): void {
    this.#rows.push(row);
  }

  /** Totals over all passages so far. */
  totals(): { startRows: number; endRows: number; tokens: number } {
    const totals = { startRows: 0, endRows: 0, tokens: 0 };
    for (const row of this.#rows) {
      totals.startRows += row.startRows;
      totals.endRows += row.endRows;
      totals.tokens += row.tokens;
    }
    return totals;
  }

  /** @param pause  called between slices, to let others use the thread */
  async finish(container: ContainerWriter, pause?: Pause): Promise<FileEntry> {
    const rows = this.#rows;
    const each = (work: (row: PassageRow, i: number) => void): Promise<void> => {
      const some = (from: number, end: number): void => {
        for (let i = from; i < end; i++) work(rows[i]!, i);
      };
      return inSlices(rows.length, some, pause);
    };
    const column = async (name: string, value: (row: PassageRow) => number) => {
      const values = new Uint32Array(rows.length);
      await each((row, i) => {
        values[i] = value(row);
      });
      await container.section(name, BLOCK, fromU32(values));
    };
    const running = async (name: string, value: (row: PassageRow) => number) => {
      const sums = new Uint32Array(rows.length + 1);
      await each((row, i) => {
        sums[i + 1] = sums[i]! + value(row);
      });
      await container.section(name, BLOCK, fromU32(sums));
    };
    await column("document", (row) => row.document);
    await column("start", (row) => row.start);
    await column("end", (row) => row.end);
    await container.section("tokens", BLOCK, fromU16(Uint16Array.from(rows, (row) => row.tokens)));
    const isFull = this.#level === "full";
    if (isFull) {
      await running("start-rows", (row) => row.startRows);
      await running("end-rows", (row) => row.endRows);
    }
    await running("units", () => 1); // one unit per passage, the only value in version 1
    if (!isFull) {
      await container.section("level", LEVEL_BLOCK, Uint8Array.of(LEVELS.indexOf(this.#level)));
      return container.finish();
    }
    const offsets = async (name: string, value: (row: PassageRow) => number) => {
      const bytes = new ByteWriter((rows.length + 1) * 8);
      let offset = 0;
      bytes.u64(0);
      await each((row) => {
        offset += value(row);
        bytes.u64(offset);
      });
      await container.section(name, BLOCK, bytes.bytes());
    };
    await offsets("ngram-offsets", (row) => row.ngramBytes);
    await offsets("phrase-offsets", (row) => row.phraseBytes);
    return container.finish();
  }
}

/**
 * Reads the columns and checks them, so that every number can be used as an index.
 * @param expected  counts of the manifest
 * @throws VerbatimError `corrupt-segment`
 */
export async function readPassageColumns(
  container: Container,
  expected: Pick<ManifestSegment, "documents" | "passages" | "startRows" | "endRows" | "level">,
  signal?: AbortSignal,
): Promise<PassageColumns> {
  await container.preload(signal);
  const { passages } = expected;
  const bytes = async (name: string, length: number) => {
    const section = container.section(name);
    if (section.length !== length)
      throw corrupt(section.where, `it does not have ${passages} passages`, {
        found: section.length,
        expected: length,
      });
    return section.readAll(signal);
  };
  const offsets = async (name: string) =>
    Offsets.read(await bytes(name, (passages + 1) * 8), container.section(name).where);
  const level = levelOf(expected);
  const found = await readLevel(container, signal);
  if (found !== level) throw corrupt(container.name, `its level is ${found}, the manifest says ${level}`);
  const none = level === "full" ? undefined : new Uint32Array(passages + 1);
  const columns: PassageColumns = {
    document: viewU32(await bytes("document", passages * 4)),
    start: viewU32(await bytes("start", passages * 4)),
    end: viewU32(await bytes("end", passages * 4)),
    tokens: viewU16(await bytes("tokens", passages * 2)),
    startRows: none ?? viewU32(await bytes("start-rows", (passages + 1) * 4)),
    endRows: none ?? viewU32(await bytes("end-rows", (passages + 1) * 4)),
    ngramOffsets: none ? Offsets.zeros(passages + 1) : await offsets("ngram-offsets"),
    phraseOffsets: none ? Offsets.zeros(passages + 1) : await offsets("phrase-offsets"),
  };
  if (!isInOrder(columns, expected)) throw disorderOf(columns, { expected, name: container.name });
  const units = viewU32(await bytes("units", (passages + 1) * 4));
  for (let p = 0; p <= passages; p++)
    if (units[p] !== p) throw corrupt(container.section("units").where, `passage ${p} does not have one unit`);
  return columns;
}

/** The level that the file names. @throws VerbatimError `corrupt-segment` */
export async function readLevel(container: Container, signal?: AbortSignal): Promise<IndexLevel> {
  if (!container.sections.some(({ entry }) => entry.name === "level")) return "full";
  const section = container.section("level");
  const level = section.length === 1 ? LEVELS[(await section.readAll(signal))[0]!] : undefined;
  if (level === undefined) throw corrupt(section.where, "the level is invalid");
  return level;
}

type Expected = Pick<ManifestSegment, "documents" | "passages" | "startRows" | "endRows">;

/**
 * Checks all columns in one pass: when a cold process opens a large index, ten passes would
 * dominate the time.
 */
function isInOrder(columns: PassageColumns, expected: Expected): boolean {
  const { document, start, end, startRows, endRows, ngramOffsets, phraseOffsets } = columns;
  const { documents, passages } = expected;
  if (ngramOffsets.firstMisplaced() !== undefined || phraseOffsets.firstMisplaced() !== undefined) return false;
  let ok = startRows[0] === 0 && endRows[0] === 0;
  for (let p = 0, before = 0; p < passages; p++) {
    const next = p + 1;
    const place = document[p]!;
    ok &&= start[p]! <= end[p]! && place >= before && place < documents;
    ok &&= startRows[next]! >= startRows[p]! && endRows[next]! >= endRows[p]!;
    before = place;
  }
  return ok && startRows[passages] === expected.startRows && endRows[passages] === expected.endRows;
}

/** The first violation of the order that `isInOrder` checks. */
function disorderOf(columns: PassageColumns, { expected, name }: { expected: Expected; name: string }): VerbatimError {
  const { document, start, end } = columns;
  for (let p = 0; p < expected.passages; p++) {
    const ok =
      start[p]! <= end[p]! && document[p]! < expected.documents && (p === 0 || document[p - 1]! <= document[p]!);
    if (!ok) return corrupt(name, `passage ${p} has an invalid place`);
  }
  const { startRows, endRows, ngramOffsets, phraseOffsets } = columns;
  for (const [section, values, total] of [
    ["start-rows", startRows, expected.startRows],
    ["end-rows", endRows, expected.endRows],
  ] as const) {
    const where = `${name}, section "${section}"`;
    if (values[0] !== 0) return corrupt(where, "it does not begin at 0");
    for (let i = 1; i < values.length; i++) {
      if (values[i]! < values[i - 1]!) return corrupt(where, `number ${i} is smaller than the one before`);
    }
    if (values.at(-1) !== total)
      return corrupt(where, "its total is not the manifest's", { found: values.at(-1), expected: total });
  }
  const [section, number] =
    ngramOffsets.firstMisplaced() === undefined
      ? ["phrase-offsets", phraseOffsets.firstMisplaced()]
      : ["ngram-offsets", ngramOffsets.firstMisplaced()];
  const why = number === 0 ? "it does not begin at 0" : `number ${number} is smaller than the one before`;
  return corrupt(`${name}, section "${section}"`, why);
}
