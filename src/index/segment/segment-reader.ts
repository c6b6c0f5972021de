/** One immutable segment as seen by one version: its files and its deletions. */

import { VerbatimError } from "../../errors.js";
import type { Shared } from "../../shared.js";
import { COMPONENTS, type SegmentComponent } from "../format/components.js";
import type { Container } from "../format/container.js";
import { corrupt } from "../format/corrupt.js";
import { type IndexLevel, notAtLevel } from "../format/level.js";
import type { Postings } from "../format/postings-codec.js";
import { type ManifestSegment, tombstonesFile } from "../manifest/manifest.js";
import type { Storage } from "../ports.js";
import type {
  DocumentDescription,
  DocumentRecord,
  PassageRecord,
  SegmentReader,
  StoredPassage,
  TfidfKind,
  TfidfPostings,
} from "../types.js";
import type { DocumentsReader } from "./documents.js";
import type { KeyedPostings } from "./keyed-postings.js";
import type { NgramsReader } from "./ngrams.js";
import type { PassageColumns } from "./passages.js";
import type { PhrasesReader } from "./phrases.js";
import { type Containers, type OpenFilesOptions, openSegmentFiles, type SegmentFiles } from "./segment-files.js";
import type { TextReader } from "./text.js";
import type { TfidfReader } from "./tfidf.js";
import { readTombstones, Tombstones } from "./tombstones.js";
import type { VectorsReader } from "./vectors.js";

interface OpenSegmentOptions extends OpenFilesOptions {
  /**
   * Segments of another version, with which unchanged files are shared. They must stay open until
   * the call returns.
   */
  known?: readonly OpenSegment[];
}

/**
 * Opens all files of a segment, so that it stays readable when a later commit removes them. @throws
 * VerbatimError
 */
export async function openSegment(
  storage: Storage,
  segment: ManifestSegment,
  options: OpenSegmentOptions,
): Promise<OpenSegment> {
  const { manifest, signal, known = [] } = options;
  const same = known.find(({ files }) => files.areOf(segment));
  const files = same?.sharedFiles.hold() ?? (await openSegmentFiles(storage, segment, options));
  try {
    const file = tombstonesFile(segment);
    const { passageModelHash } = manifest.model;
    const tombstones = file
      ? await readTombstones(storage, file, { documentCount: segment.documents, passageModelHash, signal })
      : new Tombstones(segment.documents);
    return new OpenSegment(segment, files, tombstones);
  } catch (error) {
    await files.release();
    throw error;
  }
}

export class OpenSegment implements SegmentReader {
  readonly name: string;
  readonly documentCount: number;
  readonly passageCount: number;
  readonly tokenCount: number;
  readonly deletedDocumentCount: number;
  readonly deletedPassageCount: number;
  readonly sharedFiles: Shared<SegmentFiles>;
  readonly files: SegmentFiles;
  readonly columns: PassageColumns;
  readonly containers: Readonly<Containers>;
  readonly documents: DocumentsReader;
  readonly text: TextReader;
  readonly tfidf: TfidfReader;
  readonly level: IndexLevel;
  #tombstones: Tombstones;
  #closed = false;

  /**
   * Holds the files until `close`. @throws VerbatimError `corrupt-segment` if the tombstones do not
   * match the manifest's counts
   */
  constructor(segment: ManifestSegment, sharedFiles: Shared<SegmentFiles>, tombstones: Tombstones) {
    this.name = segment.name;
    this.documentCount = segment.documents;
    this.passageCount = segment.passages;
    this.tokenCount = segment.tokens;
    this.sharedFiles = sharedFiles;
    const files = sharedFiles.value;
    this.files = files;
    this.columns = files.columns;
    this.containers = files.containers;
    this.#tombstones = tombstones;
    this.deletedDocumentCount = tombstones.count;
    this.deletedPassageCount = countDeleted(files.columns.document, tombstones);
    if (tombstones.count !== segment.deletedDocuments || this.deletedPassageCount !== segment.deletedPassages) {
      throw corrupt(`${segment.name}.tombstones`, "its deletions do not match the manifest's counts");
    }
    this.documents = files.documents;
    this.text = files.text;
    this.tfidf = files.tfidf;
    this.level = files.level;
  }

  // Below level full there are no rows, at level lexical no terms and vectors: these getters throw then.

  get phrases(): PhrasesReader {
    return this.files.rows.phrases;
  }

  get ngrams(): NgramsReader {
    return this.files.rows.ngrams;
  }

  get terms(): KeyedPostings {
    return this.files.terms;
  }

  get vectors(): VectorsReader {
    return this.files.vectors;
  }

  /** @throws VerbatimError `invalid-argument` if the level has no such file */
  container(component: SegmentComponent): Container {
    const container = this.containers[component];
    if (container === undefined) throw notAtLevel(this.name, { level: this.level, needs: lowestWith(component) });
    return container;
  }

  get passageDocuments(): Uint32Array {
    return this.columns.document;
  }

  get passageTokens(): Uint16Array {
    return this.columns.tokens;
  }

  isDeleted(document: number): boolean {
    return this.#tombstones.has(document);
  }

  passage(passage: number): PassageRecord {
    this.#checkNumber(passage, this.passageCount, "passage");
    const { document, start, end } = this.columns;
    return { document: document[passage]!, start: start[passage]!, end: end[passage]! };
  }

  async readPassages(passages: readonly number[], signal?: AbortSignal): Promise<StoredPassage[]> {
    for (const passage of passages) this.#checkNumber(passage, this.passageCount, "passage");
    const [phrases, ngrams] = await Promise.all([
      this.phrases.read(passages, signal),
      this.ngrams.read(passages, signal),
    ]);
    return phrases.map((rows, i) => ({ ...ngrams[i]!, ...rows }));
  }

  async readDocument(document: number, signal?: AbortSignal): Promise<DocumentRecord> {
    this.#checkNumber(document, this.documentCount, "document");
    return this.documents.read(document, signal);
  }

  async *describeDocuments(signal?: AbortSignal): AsyncGenerator<DocumentDescription> {
    for await (const { head } of this.documents.heads(signal)) yield head;
  }

  async readText(document: number, from: number, to: number, signal?: AbortSignal): Promise<string> {
    this.#checkNumber(document, this.documentCount, "document");
    return this.text.read(document, Math.max(0, from), to, signal);
  }

  async termPostings(terms: readonly number[], signal?: AbortSignal): Promise<Array<Postings | undefined>> {
    return this.level === "lexical" ? terms.map(() => undefined) : this.terms.find(terms, signal);
  }

  tfidfPostings(buckets: readonly number[], signal?: AbortSignal): Promise<Array<TfidfPostings | undefined>> {
    return this.tfidf.find(buckets, signal);
  }

  tfidfNorms(kind: TfidfKind): Promise<Float32Array> {
    return this.tfidf.norms(kind);
  }

  async readVectors(onRows: (firstPassage: number, rows: Int8Array) => void): Promise<void> {
    if (this.level !== "lexical") await this.vectors.read(onRows);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.sharedFiles.release();
  }

  #checkNumber(number: number, count: number, what: string): void {
    if (!(Number.isInteger(number) && number >= 0 && number < count)) {
      throw new VerbatimError("invalid-argument", `${this.name} has ${count} ${what}s, there is no ${what} ${number}.`);
    }
  }
}

const lowestWith = (component: SegmentComponent): IndexLevel =>
  COMPONENTS.lexical.includes(component) ? "lexical" : COMPONENTS.thin.includes(component) ? "thin" : "full";

function countDeleted(passageDocuments: Uint32Array, tombstones: Tombstones): number {
  if (tombstones.count === 0) return 0;
  let count = 0;
  for (const document of passageDocuments) if (tombstones.has(document)) count++;
  return count;
}
