/**
 * "Here are some segments: make one of them, without what is deleted", and without the network. Rows, n-gram records, postings, texts
 * and maps are carried over as they are, so the result is byte for byte what a writer would have made of the same documents.
 */

import { throwIfAborted } from "../errors.js";
import { fromF32 } from "./columns.js";
import type { ContainerWriter, FileEntry } from "./container-writer.js";
import { DocumentHasher, documentKey } from "./content-hash.js";
import { type DocumentKey, DocumentsWriter } from "./documents.js";
import type { Manifest, ManifestSegment, SegmentComponent } from "./manifest.js";
import { mergePostings } from "./merge-postings.js";
import { NgramsWriter } from "./ngrams.js";
import { PassagesWriter } from "./passages.js";
import { PhrasesWriter } from "./phrases.js";
import type { Storage } from "./ports.js";
import type { Section } from "./section.js";
import type { OpenSegment } from "./segment-reader.js";
import { createContainers, discard } from "./segment-writer.js";
import { TextWriter } from "./text.js";
import { NORMS_BLOCK } from "./tfidf.js";
import type { DocumentRecord, TfidfKind } from "./types.js";

/** Stored bytes carried over at once. */
const COPY_BYTES = 256 * 1024;
const TEXT_AT_ONCE = 1 << 18;
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
    this.#mergeColumns();
    const { phrases, coarse } = await this.#mergePhrases();
    const ngrams = await this.#mergeNgrams();
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
    for (const { segment, documents } of this.#sources) {
      const { document, start, end, tokens, startRows, endRows, units, ngramOffsets } = segment.columns;
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
          ngramBytes: ngramOffsets[p + 1]! - ngramOffsets[p]!,
        });
      }
      this.#done(segment, "passages");
    }
  }

  async #mergePhrases(): Promise<{ phrases: FileEntry; coarse: FileEntry }> {
    const { model } = this.#options.manifest;
    const writer = new PhrasesWriter(this.#containers, model);
    const rowBytes = 1 + model.dense + model.coherency;
    for (const { segment, runs } of this.#sources) {
      const { startRows, endRows } = segment.columns;
      const records = segment.containers.phrases.section("records");
      const rows = segment.containers.coarse.section("rows");
      for (const [first, end] of runs) {
        const at = (p: number) => rowBytes * (startRows[p]! + endRows[p]!);
        await this.#copy(records, [at(first), at(end)], (bytes) => writer.addStored("records", bytes));
        const from = startRows[first]! * model.coarse;
        await this.#copy(rows, [from, startRows[end]! * model.coarse], (bytes) => writer.addStored("rows", bytes));
      }
      this.#done(segment, "phrases");
      this.#done(segment, "coarse");
    }
    return writer.finish();
  }

  async #mergeNgrams(): Promise<FileEntry> {
    const writer = new NgramsWriter(this.#containers.ngrams);
    for (const { segment, runs } of this.#sources) {
      const { ngramOffsets } = segment.columns;
      const records = segment.containers.ngrams.section("records");
      for (const [first, end] of runs) {
        await this.#copy(records, [ngramOffsets[first]!, ngramOffsets[end]!], (bytes) => writer.addStored(bytes));
      }
      this.#done(segment, "ngrams");
    }
    return writer.finish();
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
    for (const kind of ["document", "passage"] as const) {
      const numbers = (source: Numbers) => (kind === "document" ? source.documents : source.passages);
      const sources = this.#sources.map((source) => ({
        lists: source.segment.tfidf.lists[kind],
        units: numbers(source),
      }));
      const pause = () => this.#pause();
      await mergePostings(container, `${kind}s.`, { sources, signal: this.#options.signal, pause });
      await this.#mergeNorms(container, kind, numbers);
    }
    for (const { segment } of this.#sources) this.#done(segment, "tfidf");
    return container.finish();
  }

  async #mergeNorms(
    container: ContainerWriter,
    kind: TfidfKind,
    numbers: (source: Numbers) => Int32Array,
  ): Promise<void> {
    container.beginSection(`${kind}s.norms`, NORMS_BLOCK);
    for (const source of this.#sources) {
      const norms = await source.segment.tfidfNorms(kind);
      const units = numbers(source);
      await container.append(fromF32(norms.filter((_, unit) => units[unit]! >= 0)));
    }
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
  return { documents, passages, units, runs };
}
