/**
 * One segment under construction. Rows are streamed to its files; tables and postings stay in memory.
 */

import { precisionOf } from "../../encode/precision.js";
import { storableHeadings } from "../../text/headings.js";
import type { Document } from "../../types.js";
import { type BySegmentComponent, COMPONENTS, type SegmentComponent } from "../format/components.js";
import { ContainerWriter, type FileEntry } from "../format/container-writer.js";
import { documentContentHash } from "../format/content-hash.js";
import { type IndexLevel, THIN_TERMS } from "../format/level.js";
import type { ManifestModel, ManifestSegment } from "../manifest/manifest.js";
import type { Storage } from "../ports.js";
import type { PreparedPassage } from "../types.js";
import { DocumentsWriter } from "./documents.js";
import { largestTerms } from "./largest-terms.js";
import { NgramsWriter } from "./ngrams.js";
import { PassagesWriter } from "./passages.js";
import { PhrasesWriter } from "./phrases.js";
import { TermsWriter } from "./terms.js";
import { TextWriter } from "./text.js";
import { TfidfWriter } from "./tfidf.js";
import { VectorsWriter } from "./vectors.js";

export interface SegmentWriterOptions {
  /** With `storage`, passages are stored at its precision. */
  model: ManifestModel;
  /** How much of each passage is stored; default `full`. */
  level?: IndexLevel;
  /** Term weights stored per passage at level `thin`: the largest; default THIN_TERMS. */
  thinTerms?: number;
}

const NO_TERMS = { terms: new Uint16Array(0), weights: new Uint8Array(0) };

export class SegmentWriter {
  readonly name: string;
  #storage: Storage;
  #options: SegmentWriterOptions & { level: IndexLevel };
  #containers: BySegmentComponent<ContainerWriter>;
  #documents: DocumentsWriter;
  #text: TextWriter;
  #passages: PassagesWriter;
  /** Only at level `full`. */
  #rows: { phrases: PhrasesWriter; ngrams: NgramsWriter } | undefined;
  /** Not at level `lexical`. */
  #vectors: VectorsWriter | undefined;
  /** Stays empty at level `lexical`. */
  #terms = new TermsWriter();
  #tfidf = new TfidfWriter();
  #documentCount = 0;
  #open: { document: Document; contentHash: string; firstPassage: number } | undefined;

  private constructor(
    storage: Storage,
    name: string,
    rest: { options: SegmentWriterOptions & { level: IndexLevel }; containers: BySegmentComponent<ContainerWriter> },
  ) {
    this.#storage = storage;
    this.name = name;
    this.#options = rest.options;
    this.#containers = rest.containers;
    const { documents, text, phrases, ngrams, vectors } = rest.containers;
    this.#documents = new DocumentsWriter(documents);
    this.#text = new TextWriter(text);
    const { model, level } = rest.options;
    this.#passages = new PassagesWriter(level);
    this.#vectors = vectors && new VectorsWriter(vectors);
    if (phrases === undefined || ngrams === undefined) return;
    const precision = precisionOf(model);
    this.#rows = {
      phrases: new PhrasesWriter(phrases, { dimensions: model, precision }),
      ngrams: new NgramsWriter(ngrams, precision.ngramStep),
    };
  }

  /** Creates the segment's files, none of which may exist. */
  static async create(storage: Storage, name: string, given: SegmentWriterOptions): Promise<SegmentWriter> {
    const options = { ...given, level: given.level ?? "full" };
    return new SegmentWriter(storage, name, { options, containers: await createContainers(storage, name, options) });
  }

  get passageCount(): number {
    return this.#passages.count;
  }

  /** Bytes written so far, and those of postings in memory. */
  get bytes(): number {
    let bytes = this.#terms.bytes + this.#tfidf.bytes;
    for (const container of Object.values(this.#containers)) bytes += container.bytes;
    return bytes;
  }

  /** Begins the next document; its passages follow, then `endDocument`. */
  async beginDocument(document: Document, contentHash = documentContentHash(document)): Promise<void> {
    this.#open = { document, contentHash, firstPassage: this.#passages.count };
    await this.#text.add(document.text);
  }

  /** @param passage  of the open document, validated; what the level does not store is ignored */
  async addPassage({ start, end, encoded }: PreparedPassage): Promise<void> {
    const { level, thinTerms = THIN_TERMS } = this.#options;
    const phraseBytes = (await this.#rows?.phrases.add(encoded)) ?? 0;
    const ngramBytes = (await this.#rows?.ngrams.add(encoded)) ?? 0;
    await this.#vectors?.add(encoded.vector);
    const terms = encoded.units[0] ?? NO_TERMS;
    if (level === "full") this.#terms.add(terms);
    else if (level === "thin") this.#terms.add(largestTerms(terms, thinTerms));
    this.#tfidf.addPassage(this.#open!.document.text.slice(start, end));
    this.#passages.add({
      document: this.#documentCount,
      start,
      end,
      tokens: encoded.ids.length,
      startRows: this.#rows === undefined ? 0 : encoded.startPositions.length,
      endRows: this.#rows === undefined ? 0 : encoded.endPositions.length,
      ngramBytes,
      phraseBytes,
    });
  }

  /** @returns the document's number and what the writer needs to find and delete it */
  async endDocument(): Promise<{ document: number; passages: number; contentHash: string }> {
    const { document, contentHash, firstPassage } = this.#open!;
    const { id, title, source, map, text, metadata = {} } = document;
    const headings = storableHeadings(document.headings ?? [], text.length);
    const passages = this.#passages.count - firstPassage;
    this.#tfidf.endDocument();
    await this.#documents.add({
      id,
      title,
      source,
      contentHash,
      length: text.length,
      passageCount: passages,
      map,
      ...(headings.length === 0 ? {} : { headings }),
      metadata,
    });
    this.#open = undefined;
    return { document: this.#documentCount++, passages, contentHash };
  }

  /**
   * Writes what is left and syncs every file. Their names are durable only after `syncDirectory`.
   */
  async finish(): Promise<ManifestSegment> {
    const { passages: passagesFile, terms: termsFile, tfidf: tfidfFile } = this.#containers;
    const documents = await this.#documents.finish();
    const text = await this.#text.finish();
    const totals = this.#passages.totals();
    const passages = await this.#passages.finish(passagesFile);
    const phrases = await this.#rows?.phrases.finish();
    const ngrams = await this.#rows?.ngrams.finish();
    const vectors = await this.#vectors?.finish();
    const terms = termsFile && (await this.#terms.finish(termsFile));
    const tfidf = await this.#tfidf.finish(tfidfFile);
    const { level } = this.#options;
    const files = filesOf(level, { documents, text, passages, phrases, ngrams, vectors, terms, tfidf });
    const counts = { name: this.name, documents: this.#documentCount, passages: this.#passages.count, ...totals };
    return newEntry(counts, { level, files });
  }

  /** Abandons the segment and removes its files as far as possible. Never throws. */
  async abandon(): Promise<void> {
    await discard(this.#storage, Object.values(this.#containers));
  }
}

/** The files of a level, in their order. */
export const filesOf = (
  level: IndexLevel,
  files: Partial<Record<SegmentComponent, FileEntry | undefined>>,
): FileEntry[] => COMPONENTS[level].map((component) => files[component]!);

/** The manifest entry of a new segment. */
export function newEntry(
  counts: Pick<ManifestSegment, "name" | "documents" | "passages" | "startRows" | "endRows" | "tokens">,
  { level, files }: { level: IndexLevel; files: FileEntry[] },
): ManifestSegment {
  return { ...counts, deletedDocuments: 0, deletedPassages: 0, ...(level === "full" ? {} : { level }), files };
}

/** Creates the files of a new segment, none of which may exist; all or none. */
export async function createContainers(
  storage: Storage,
  name: string,
  options: { model: Pick<ManifestModel, "passageModelHash">; level: IndexLevel },
): Promise<BySegmentComponent<ContainerWriter>> {
  const containers: Partial<Record<SegmentComponent, ContainerWriter>> = {};
  try {
    for (const component of COMPONENTS[options.level]) {
      const { passageModelHash } = options.model;
      const file = `${name}.${component}`;
      containers[component] = await ContainerWriter.create(storage, file, { component, passageModelHash });
    }
  } catch (error) {
    await discard(storage, Object.values(containers));
    throw error;
  }
  return containers as BySegmentComponent<ContainerWriter>;
}

/** Closes and removes files under construction as far as possible. Never throws. */
export async function discard(storage: Storage, containers: readonly ContainerWriter[]): Promise<void> {
  for (const container of containers) {
    await container.abandon().catch(() => {});
    await storage.remove(container.name).catch(() => {});
  }
}
