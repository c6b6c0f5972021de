/**
 * "Here are some segments: make one of them, without what is deleted", and without the network. Rows, n-gram records, postings, texts
 * and maps are carried over as they are, so the result is byte for byte what a writer would have made of the same documents. Segments
 * of format version 1, and finer ones, are packed again on the way: as finely as the coarsest source, so nothing is lost twice.
 */

import { throwIfAborted } from "../errors.js";
import { fromF32 } from "./columns.js";
import type { ContainerWriter, FileEntry } from "./container-writer.js";
import { DocumentHasher, documentKey } from "./content-hash.js";
import { DocumentPostings } from "./document-postings.js";
import { type DocumentKey, DocumentsWriter } from "./documents.js";
import type { Manifest, ManifestSegment, SegmentComponent } from "./manifest.js";
import { mergePostings } from "./merge-postings.js";
import { NgramsWriter } from "./ngrams.js";
import { PassagesWriter } from "./passages.js";
import { PhrasesWriter } from "./phrases.js";
import type { Storage } from "./ports.js";
import { coarsest, fullPrecision } from "./precision.js";
import type { Section } from "./section.js";
import type { OpenSegment } from "./segment-reader.js";
import { createContainers, discard } from "./segment-writer.js";
import { TextWriter } from "./text.js";
import { NORMS_BLOCK, normOf } from "./tfidf.js";
import type { DocumentRecord } from "./types.js";

/** Stored bytes carried over at once. */
const COPY_BYTES = 256 * 1024;
const TEXT_AT_ONCE = 1 << 18;
const PASSAGES_AT_ONCE = 64;
/** The thread is left to others after so many milliseconds of work. */
const WORK_MS = 5;

export interface MergeSource {
  segment: OpenSegment;
  /** Documents that are carried over. */
  keep: (document: number) => boolean;
  /** What a document is called from now on; undefined: as before. Its title and text never change. */
  rename?: (
    document: number,
  ) => (Pick<DocumentRecord, "id" | "source"> & Partial<Pick<DocumentRecord, "metadata">>) | undefined;
}

export interface MergedSegment {
  entry: ManifestSegment;
  /** For each source: new number of every document, −1 for one that is left out. */
  documents: Int32Array[];
  /** Of every new document. */
  passages: Uint32Array;
  contentHashes: string[];
}

export interface MergeOptions {
  name: string;
  manifest: Pick<Manifest, "model" | "termUnit">;
  signal?: AbortSignal;
  /** Told of bytes of the sources that have been dealt with since the last call. */
  onBytes?: (bytes: number) => void;
}

/**
 * Writes the files of segment `name`, synced; their names are safe after `syncDirectory`, and count with the next manifest.
 * Memory: tables of the passages and documents, and some stretches of files; never a whole file. On an error the files are removed.
 * @throws VerbatimError `corrupt-segment` (a source is damaged), `aborted`, and what the storage throws
 */
export async function mergeSegments(
  storage: Storage,
  sources: readonly MergeSource[],
  options: MergeOptions,
): Promise<MergedSegment> {
  const containers = await createContainers(storage, options.name, options.manifest);
  try {
    return await new Merger(sources, containers, options).run();
  } catch (error) {
    await discard(storage, Object.values(containers));
    throw error;
  }
}

class Merger {
  #sources: readonly (MergeSource & Numbers)[];
  #containers: Record<SegmentComponent, ContainerWriter>;
  #options: MergeOptions;
  #passages = new PassagesWriter();
  #workingSince = performance.now();

  constructor(
    sources: readonly MergeSource[],
    containers: Record<SegmentComponent, ContainerWriter>,
    options: MergeOptions,
  ) {
    this.#containers = containers;
    this.#options = options;
    const next = { documents: 0, passages: 0, units: 0 };
    this.#sources = sources.map((source) => ({ ...source, ...renumber(source, next) }));
  }

  async run(): Promise<MergedSegment> {
    const { name } = this.#options;
    const { documents, keys } = await this.#mergeDocuments();
    const text = await this.#mergeText();
    const { phrases, coarse } = await this.#mergePhrases();
    const ngrams = await this.#mergeNgrams();
    this.#mergeColumns();
    const totals = this.#passages.totals();
    const passages = await this.#passages.finish(this.#containers.passages);
    const terms = await this.#mergeTerms();
    const tfidf = await this.#mergeTfidf();
    const files: FileEntry[] = [documents, text, passages, phrases, coarse, ngrams, terms, tfidf];
    const counts = { documents: keys.length, passages: this.#passages.count, ...totals };
    return {
      entry: { name, ...counts, deletedDocuments: 0, deletedPassages: 0, files },
      documents: this.#sources.map((source) => source.documents),
      passages: Uint32Array.from(keys, (key) => key.passages),
      contentHashes: keys.map((key) => key.contentHash),
    };
  }

  async #mergeDocuments(): Promise<{ documents: FileEntry; keys: Omit<DocumentKey, "document">[] }> {
    const writer = new DocumentsWriter(this.#containers.documents);
    const kept: Omit<DocumentKey, "document">[] = [];
    for (const { segment, documents, rename } of this.#sources) {
      const keys: DocumentKey[] = [];
      for (const key of await segment.documents.keys(this.#options.signal)) keys[key.document] = key;
      for await (const { document, record } of segment.documents.records(this.#options.signal)) {
        if (documents[document]! < 0) continue;
        const name = rename?.(document);
        if (name === undefined) {
          await writer.addStored(record, keys[document]!);
          kept.push(keys[document]!);
        } else {
          const renamed = await this.#renamed(segment, document, name);
          await writer.add(renamed);
          const { contentHash, passageCount: passages } = renamed;
          kept.push({ idHash: documentKey(renamed.id), contentHash, passages });
        }
        await this.#pause();
      }
      this.#done(segment, "documents");
    }
    return { documents: await writer.finish(), keys: kept };
  }

  async #renamed(
    segment: OpenSegment,
    document: number,
    name: NonNullable<ReturnType<NonNullable<MergeSource["rename"]>>>,
  ): Promise<DocumentRecord> {
    const { signal } = this.#options;
    const record = await segment.readDocument(document, signal);
    const { id, source, metadata = record.metadata } = name;
    const hasher = new DocumentHasher(record.title, record.length);
    for (let at = 0; at < record.length; at += TEXT_AT_ONCE)
      hasher.update(await segment.readText(document, at, Math.min(record.length, at + TEXT_AT_ONCE), signal));
    return { ...record, id, source, metadata, contentHash: hasher.digest(metadata) };
  }

  async #mergeText(): Promise<FileEntry> {
    const writer = new TextWriter(this.#containers.text);
    for (const { segment, documents } of this.#sources) {
      for (let document = 0; document < documents.length; document++) {
        if (documents[document]! < 0) continue;
        await writer.addStored(segment.text.stored(document, this.#options.signal));
        await this.#pause();
      }
      this.#done(segment, "text");
    }
    return writer.finish();
  }

  #mergeColumns(): void {
    for (const { segment, documents, phraseBytes, ngramBytes } of this.#sources) {
      const { document, start, end, tokens, startRows, endRows, units } = segment.columns;
      for (let p = 0; p < segment.passageCount; p++) {
        if (documents[document[p]!]! < 0) continue;
        this.#passages.add({
          document: documents[document[p]!]!,
          start: start[p]!,
          end: end[p]!,
          tokens: tokens[p]!,
          startRows: startRows[p + 1]! - startRows[p]!,
          endRows: endRows[p + 1]! - endRows[p]!,
          units: units[p + 1]! - units[p]!,
          ngramBytes: ngramBytes[p]!,
          phraseBytes: phraseBytes[p]!,
        });
      }
      this.#done(segment, "passages");
    }
  }

  /** Records of sources that are as fine as the new segment are copied, others are unpacked and packed again. */
  async #mergePhrases(): Promise<{ phrases: FileEntry; coarse: FileEntry }> {
    const { model } = this.#options.manifest;
    const precisions = this.#sources.map(({ segment }) => ({ ...segment.phrases.precision, ngramStep: 1 }));
    const precision = precisions.length === 0 ? fullPrecision(model) : coarsest(precisions);
    const writer = new PhrasesWriter(this.#containers, { dimensions: model, precision });
    for (const { segment, runs, phraseBytes } of this.#sources) {
      const { startRows } = segment.columns;
      const { offsets } = segment.phrases;
      const { rowBytes } = segment.coarse.code;
      const records = segment.containers.phrases.section("records");
      const rows = segment.containers.coarse.section("rows");
      for (const [first, end] of runs) {
        if (!segment.phrases.isOf(precision)) {
          for await (const [p, passage] of this.#each([first, end], (numbers) => segment.phrases.read(numbers)))
            phraseBytes[p] = await writer.add(passage);
          continue;
        }
        for (let p = first; p < end; p++) phraseBytes[p] = offsets[p + 1]! - offsets[p]!;
        await this.#copy(records, [offsets[first]!, offsets[end]!], (bytes) => writer.addStored("records", bytes));
        const stretch = [startRows[first]! * rowBytes, startRows[end]! * rowBytes] as const;
        await this.#copy(rows, stretch, (bytes) => writer.addStored("rows", bytes));
      }
      this.#done(segment, "phrases");
      this.#done(segment, "coarse");
    }
    return writer.finish();
  }

  async #mergeNgrams(): Promise<FileEntry> {
    const step = Math.max(1, ...this.#sources.map(({ segment }) => segment.ngrams.step));
    const writer = new NgramsWriter(this.#containers.ngrams, step);
    for (const { segment, runs, ngramBytes } of this.#sources) {
      const { ngramOffsets } = segment.columns;
      const records = segment.containers.ngrams.section("records");
      for (const [first, end] of runs) {
        if (!segment.ngrams.isOf(step)) {
          for await (const [p, passage] of this.#each([first, end], (numbers) => segment.ngrams.read(numbers)))
            ngramBytes[p] = await writer.add(passage);
          continue;
        }
        for (let p = first; p < end; p++) ngramBytes[p] = ngramOffsets[p + 1]! - ngramOffsets[p]!;
        await this.#copy(records, [ngramOffsets[first]!, ngramOffsets[end]!], (bytes) => writer.addStored(bytes));
      }
      this.#done(segment, "ngrams");
    }
    return writer.finish();
  }

  /** Passages of a stretch, some at a time. */
  async *#each<T>(
    [first, end]: readonly [number, number],
    read: (passages: number[]) => Promise<T[]>,
  ): AsyncGenerator<[number, T]> {
    for (let at = first; at < end; at += PASSAGES_AT_ONCE) {
      const numbers = Array.from({ length: Math.min(PASSAGES_AT_ONCE, end - at) }, (_, i) => at + i);
      for (const [i, passage] of (await read(numbers)).entries()) yield [at + i, passage];
      await this.#pause();
    }
  }

  async #mergeTerms(): Promise<FileEntry> {
    const container = this.#containers.terms;
    const sources = this.#sources.map(({ segment, units }) => ({ lists: segment.terms, units }));
    await mergePostings(container, "", { sources, signal: this.#options.signal, pause: () => this.#pause() });
    for (const { segment } of this.#sources) this.#done(segment, "terms");
    return container.finish();
  }

  async #mergeTfidf(): Promise<FileEntry> {
    const container = this.#containers.tfidf;
    container.beginSection("documents.norms", NORMS_BLOCK);
    for (const { segment, documents } of this.#sources) {
      const { throughPassages } = segment.tfidf;
      const norms = throughPassages ? await segment.tfidfNorms("document") : await this.#documentNorms(segment);
      await container.append(fromF32(norms.filter((_, document) => documents[document]! >= 0)));
    }
    const sources = this.#sources.map(({ segment, passages }) => ({
      lists: segment.tfidf.lists.passage,
      units: passages,
    }));
    await mergePostings(container, "passages.", { sources, signal: this.#options.signal, pause: () => this.#pause() });
    container.beginSection("passages.norms", NORMS_BLOCK);
    for (const { segment, passages } of this.#sources) {
      const norms = await segment.tfidfNorms("passage");
      await container.append(fromF32(norms.filter((_, passage) => passages[passage]! >= 0)));
    }
    for (const { segment } of this.#sources) this.#done(segment, "tfidf");
    return container.finish();
  }

  /** Of a segment of format version 1, whose own were of n-grams that no passage has. */
  async #documentNorms(segment: OpenSegment): Promise<Float32Array> {
    const squares = new Float64Array(segment.documentCount);
    const lists = new DocumentPostings(segment.tfidf.lists.passage, segment.passageDocuments);
    for await (const some of lists.all(this.#options.signal)) {
      for (const { units, values } of some.map(({ postings }) => postings)) {
        for (const [i, unit] of units.entries()) squares[unit]! += Math.log1p(values[i]!) ** 2;
      }
      await this.#pause();
    }
    return Float32Array.from(squares, normOf);
  }

  async #copy(
    section: Section,
    [from, to]: readonly [number, number],
    append: (bytes: Uint8Array) => Promise<void>,
  ): Promise<void> {
    for (let at = from; at < to; at += COPY_BYTES) {
      await append(await section.read(at, Math.min(COPY_BYTES, to - at), this.#options.signal));
      await this.#pause();
    }
  }

  /** Lets questions in between: all of this may run on the thread that answers them. */
  async #pause(): Promise<void> {
    throwIfAborted(this.#options.signal);
    if (performance.now() - this.#workingSince < WORK_MS) return;
    await new Promise((resolve) => setTimeout(resolve, 0));
    this.#workingSince = performance.now();
  }

  #done(segment: OpenSegment, component: SegmentComponent): void {
    this.#options.onBytes?.(segment.containers[component].size);
  }
}

/** Old numbers of one source to new ones. */
interface Numbers {
  documents: Int32Array;
  passages: Int32Array;
  units: Int32Array;
  /** Bytes that every passage's records take in the new segment. */
  phraseBytes: Float64Array;
  ngramBytes: Float64Array;
  /** Stretches of passages that are carried over: [first, end). */
  runs: Array<[first: number, end: number]>;
}

/** @param next  the first free numbers; advanced */
function renumber(
  { segment, keep }: MergeSource,
  next: { documents: number; passages: number; units: number },
): Numbers {
  const { document, units: firstUnits } = segment.columns;
  const documents = new Int32Array(segment.documentCount).fill(-1);
  for (let d = 0; d < documents.length; d++) if (keep(d)) documents[d] = next.documents++;
  const passages = new Int32Array(segment.passageCount).fill(-1);
  const units = new Int32Array(firstUnits.at(-1)!).fill(-1);
  const runs: Array<[number, number]> = [];
  for (let p = 0; p < passages.length; p++) {
    if (documents[document[p]!]! < 0) continue;
    passages[p] = next.passages++;
    for (let u = firstUnits[p]!; u < firstUnits[p + 1]!; u++) units[u] = next.units++;
    const run = runs.at(-1);
    if (run?.[1] === p) run[1] = p + 1;
    else runs.push([p, p + 1]);
  }
  const bytes = () => new Float64Array(passages.length);
  return { documents, passages, units, phraseBytes: bytes(), ngramBytes: bytes(), runs };
}
