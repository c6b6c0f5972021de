/** One segment under construction: rows stream to its files as they come, only tables and postings stay in memory. */

import type { Document } from "../types.js";
import { ContainerWriter, type FileEntry } from "./container-writer.js";
import { documentContentHash } from "./content-hash.js";
import { DocumentsWriter } from "./documents.js";
import type { ManifestModel, ManifestSegment, SegmentComponent } from "./manifest.js";
import { SEGMENT_COMPONENTS } from "./manifest.js";
import { NgramsWriter } from "./ngrams.js";
import { PassagesWriter } from "./passages.js";
import { PhrasesWriter } from "./phrases.js";
import type { Storage } from "./ports.js";
import { precisionOf, reducePassage } from "./precision.js";
import { TermsWriter } from "./terms.js";
import { TextWriter } from "./text.js";
import { TfidfWriter } from "./tfidf.js";
import type { TermUnit } from "./types.js";
import type { PreparedPassage } from "./validate.js";

export interface SegmentWriterOptions {
  /** With `storage`, passages are kept as finely as it says. */
  model: ManifestModel;
  termUnit: TermUnit;
}

const NO_TERMS = { terms: new Uint16Array(0), weights: new Uint8Array(0) };

export class SegmentWriter {
  readonly name: string;
  #storage: Storage;
  #options: SegmentWriterOptions;
  #containers: Record<SegmentComponent, ContainerWriter>;
  #documents: DocumentsWriter;
  #text: TextWriter;
  #passages = new PassagesWriter();
  #phrases: PhrasesWriter;
  #ngrams: NgramsWriter;
  #terms = new TermsWriter();
  #tfidf = new TfidfWriter();
  #documentCount = 0;
  #open: { document: Document; firstPassage: number } | undefined;

  private constructor(
    storage: Storage,
    name: string,
    rest: { options: SegmentWriterOptions; containers: Record<SegmentComponent, ContainerWriter> },
  ) {
    this.#storage = storage;
    this.name = name;
    this.#options = rest.options;
    this.#containers = rest.containers;
    const { documents, text, ngrams } = rest.containers;
    this.#documents = new DocumentsWriter(documents);
    this.#text = new TextWriter(text);
    const { model } = rest.options;
    const precision = precisionOf(model);
    this.#phrases = new PhrasesWriter(rest.containers, { dimensions: model, precision });
    this.#ngrams = new NgramsWriter(ngrams, precision.ngramStep);
  }

  /** Creates the segment's files. None of them may exist. */
  static async create(storage: Storage, name: string, options: SegmentWriterOptions): Promise<SegmentWriter> {
    return new SegmentWriter(storage, name, { options, containers: await createContainers(storage, name, options) });
  }

  get documentCount(): number {
    return this.#documentCount;
  }

  get passageCount(): number {
    return this.#passages.count;
  }

  /** Bytes written so far, and those of the postings that are still in memory. */
  get bytes(): number {
    let bytes = this.#terms.bytes + this.#tfidf.bytes;
    for (const container of Object.values(this.#containers)) bytes += container.bytes;
    return bytes;
  }

  /** Begins the next document; its passages follow, then `endDocument`. */
  async beginDocument(document: Document): Promise<void> {
    this.#open = { document, firstPassage: this.#passages.count };
    await this.#text.add(document.text);
  }

  /** @param passage  of the open document, validated */
  async addPassage({ start, end, encoded: whole }: PreparedPassage): Promise<void> {
    const encoded = reducePassage(whole, this.#options.model.storage);
    const phraseBytes = await this.#phrases.add(encoded);
    const ngramBytes = await this.#ngrams.add(encoded);
    const units = this.#options.termUnit === "passage" ? [encoded.units[0] ?? NO_TERMS] : encoded.units;
    for (const unit of units) this.#terms.add(unit);
    this.#tfidf.addPassage(this.#open!.document.text.slice(start, end));
    this.#passages.add({
      document: this.#documentCount,
      start,
      end,
      tokens: encoded.ids.length,
      startRows: encoded.startPositions.length,
      endRows: encoded.endPositions.length,
      units: units.length,
      ngramBytes,
      phraseBytes,
    });
  }

  /** @returns the document's number and what `has` and a deletion need to know of it */
  async endDocument(): Promise<{ document: number; passages: number; contentHash: string }> {
    const { document, firstPassage } = this.#open!;
    const { id, title, source, map, text, metadata = {} } = document;
    const passages = this.#passages.count - firstPassage;
    const contentHash = documentContentHash(document);
    this.#tfidf.endDocument();
    await this.#documents.add({
      id,
      title,
      source,
      contentHash,
      length: text.length,
      passageCount: passages,
      map,
      metadata,
    });
    this.#open = undefined;
    return { document: this.#documentCount++, passages, contentHash };
  }

  /** Writes what is left and syncs every file. Their names are safe only after `syncDirectory`. */
  async finish(): Promise<ManifestSegment> {
    const { passages: passagesFile, terms: termsFile, tfidf: tfidfFile } = this.#containers;
    const documents = await this.#documents.finish();
    const text = await this.#text.finish();
    const totals = this.#passages.totals();
    const passages = await this.#passages.finish(passagesFile);
    const { phrases, coarse } = await this.#phrases.finish();
    const ngrams = await this.#ngrams.finish();
    const terms = await this.#terms.finish(termsFile);
    const tfidf = await this.#tfidf.finish(tfidfFile);
    const files: FileEntry[] = [documents, text, passages, phrases, coarse, ngrams, terms, tfidf];
    const counts = { documents: this.#documentCount, passages: this.#passages.count, ...totals };
    return { name: this.name, ...counts, deletedDocuments: 0, deletedPassages: 0, files };
  }

  /** Gives the segment up and removes its files, as far as that is possible. Never throws. */
  async abandon(): Promise<void> {
    await discard(this.#storage, Object.values(this.#containers));
  }
}

/** The eight files of a new segment, none of which may exist; all or none. */
export async function createContainers(
  storage: Storage,
  name: string,
  options: { model: Pick<ManifestModel, "passageModelHash"> },
): Promise<Record<SegmentComponent, ContainerWriter>> {
  const containers: Partial<Record<SegmentComponent, ContainerWriter>> = {};
  try {
    for (const component of SEGMENT_COMPONENTS) {
      const { passageModelHash } = options.model;
      const file = `${name}.${component}`;
      containers[component] = await ContainerWriter.create(storage, file, { component, passageModelHash });
    }
  } catch (error) {
    await discard(storage, Object.values(containers));
    throw error;
  }
  return containers as Record<SegmentComponent, ContainerWriter>;
}

/** Closes and removes files under construction, as far as that is possible. Never throws. */
export async function discard(storage: Storage, containers: readonly ContainerWriter[]): Promise<void> {
  for (const container of containers) {
    await container.abandon().catch(() => {});
    await storage.remove(container.name).catch(() => {});
  }
}
