/** Merges rows and n-gram records of passages, and the columns with their places. */

import { coarsestPrecision, fullPrecision, type Precision, roundRows } from "../../encode/precision.js";
import type { FileEntry } from "../format/container-writer.js";
import type { IndexLevel } from "../format/level.js";
import type { ManifestModel } from "../manifest/manifest.js";
import { NgramsWriter } from "../segment/ngrams.js";
import { PassagesWriter } from "../segment/passages.js";
import { type PhraseRows, PhrasesWriter } from "../segment/phrases.js";
import { VectorsWriter } from "../segment/vectors.js";
import type { MergeWork } from "./merge-work.js";

const PASSAGES_AT_ONCE = 64;
/** Passages between two pauses when columns are copied. */
const ROWS_AT_ONCE = 1024;

/** Bytes of each passage's record in the new segment: per source, by old number. */
type RecordBytes = Float64Array[];

const noBytes = (work: MergeWork): RecordBytes =>
  work.sources.map(({ segment }) => new Float64Array(segment.passageCount));

/** Copies records of sources that have the merged precision, and packs others again. */
export async function mergePhrases(work: MergeWork): Promise<{ phrases: FileEntry; phraseBytes: RecordBytes }> {
  const { model } = work.manifest;
  const precisions = work.sources.map(({ segment }) => ({ ...segment.phrases.precision, ngramStep: 1 }));
  const precision = precisions.length === 0 ? fullPrecision(model) : coarsestPrecision(precisions);
  const writer = new PhrasesWriter(work.containers.phrases!, { dimensions: model, precision });
  const bytes = noBytes(work);
  for (const [i, { segment, runs }] of work.sources.entries()) {
    const { offsets } = segment.phrases;
    const records = segment.container("phrases").section("records");
    for (const [first, end] of runs) {
      if (!segment.phrases.isOf(precision)) {
        for await (const [p, passage] of each(work, [first, end], (numbers) => segment.phrases.read(numbers)))
          bytes[i]![p] = await writer.add(rounded(passage, { model, precision }));
        continue;
      }
      for (let p = first; p < end; p++) bytes[i]![p] = offsets.range(p).length;
      await work.copy(records, [offsets.at(first), offsets.at(end)], (stored) => writer.addStored(stored));
    }
    work.done(segment, "phrases");
  }
  return { phrases: await writer.finish(), phraseBytes: bytes };
}

/** Rounds rows of a finer segment to the precision of the merged one, in place. */
function rounded(
  passage: PhraseRows,
  { model, precision }: { model: ManifestModel; precision: Precision },
): PhraseRows {
  const { dense, coherency } = model;
  roundRows(passage.startVectors, { dim: dense, steps: precision.start });
  roundRows(passage.endVectors, { dim: dense, steps: precision.end });
  roundRows(passage.startCoherency, { dim: coherency, steps: precision.coherency });
  roundRows(passage.endCoherency, { dim: coherency, steps: precision.coherency });
  return passage;
}

export async function mergeNgrams(work: MergeWork): Promise<{ ngrams: FileEntry; ngramBytes: RecordBytes }> {
  const step = Math.max(1, ...work.sources.map(({ segment }) => segment.ngrams.step));
  const writer = new NgramsWriter(work.containers.ngrams!, step);
  const bytes = noBytes(work);
  for (const [i, { segment, runs }] of work.sources.entries()) {
    const { ngramOffsets } = segment.columns;
    const records = segment.container("ngrams").section("records");
    for (const [first, end] of runs) {
      if (!segment.ngrams.isOf(step)) {
        for await (const [p, passage] of each(work, [first, end], (numbers) => segment.ngrams.read(numbers)))
          bytes[i]![p] = await writer.add(passage);
        continue;
      }
      for (let p = first; p < end; p++) bytes[i]![p] = ngramOffsets.range(p).length;
      await work.copy(records, [ngramOffsets.at(first), ngramOffsets.at(end)], (stored) => writer.addStored(stored));
    }
    work.done(segment, "ngrams");
  }
  return { ngrams: await writer.finish(), ngramBytes: bytes };
}

/** Copies the vectors of the passages that are kept. */
export async function mergeVectors(work: MergeWork): Promise<FileEntry> {
  const writer = new VectorsWriter(work.containers.vectors!);
  for (const { segment, runs } of work.sources) {
    const { rows, rowBytes } = segment.vectors;
    for (const [first, end] of runs)
      await work.copy(rows, [first * rowBytes, end * rowBytes], (stored) => writer.add(stored), rowBytes);
    work.done(segment, "vectors");
  }
  return writer.finish();
}

/** Passages of a range, in batches. */
async function* each<T>(
  work: MergeWork,
  [first, end]: readonly [number, number],
  read: (passages: number[]) => Promise<T[]>,
): AsyncGenerator<[number, T]> {
  for (let at = first; at < end; at += PASSAGES_AT_ONCE) {
    const numbers = Array.from({ length: Math.min(PASSAGES_AT_ONCE, end - at) }, (_, i) => at + i);
    for (const [i, passage] of (await read(numbers)).entries()) yield [at + i, passage];
    await work.pause();
  }
}

/**
 * @param options.bytes  of the records, from `mergePhrases` and `mergeNgrams`; undefined below
 *   level `full`
 */
export async function mergeColumns(
  work: MergeWork,
  { level, bytes }: { level: IndexLevel; bytes: { phraseBytes: RecordBytes; ngramBytes: RecordBytes } | undefined },
): Promise<{ passages: FileEntry; counts: { passages: number } & ReturnType<PassagesWriter["totals"]> }> {
  const writer = new PassagesWriter(level);
  for (const [i, { segment, documents }] of work.sources.entries()) {
    const { document, start, end, tokens, startRows, endRows } = segment.columns;
    for (let p = 0; p < segment.passageCount; p++) {
      const waiting = p % ROWS_AT_ONCE === 0 ? work.pause() : undefined;
      if (waiting) await waiting;
      if (documents[document[p]!]! < 0) continue;
      writer.add({
        document: documents[document[p]!]!,
        start: start[p]!,
        end: end[p]!,
        tokens: tokens[p]!,
        startRows: startRows[p + 1]! - startRows[p]!,
        endRows: endRows[p + 1]! - endRows[p]!,
        ngramBytes: bytes?.ngramBytes[i]?.[p] ?? 0,
        phraseBytes: bytes?.phraseBytes[i]?.[p] ?? 0,
      });
    }
    work.done(segment, "passages");
  }
  const counts = { passages: writer.count, ...writer.totals() };
  return { passages: await writer.finish(work.containers.passages, work.pause), counts };
}
