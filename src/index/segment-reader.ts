/** One immutable segment, open for reading: the columns in memory, all else read when asked. */

import { VerbatimError } from "../errors.js";
import { CoarseCode, CoarseReader } from "./coarse.js";
import { type Container, openContainer } from "./container.js";
import { corrupt } from "./corrupt.js";
import { DocumentsReader, ID_BYTES } from "./documents.js";
import type { KeyedPostings } from "./keyed-postings.js";
import {
  type Manifest,
  type ManifestSegment,
  SEGMENT_COMPONENTS,
  type SegmentComponent,
  segmentFile,
  tombstonesFile,
} from "./manifest.js";
import { NgramsReader, readNgramStep } from "./ngrams.js";
import { type PassageColumns, readPassageColumns } from "./passages.js";
import { type PhrasePrecision, PhrasesReader, readPhrasePrecision } from "./phrases.js";
import type { Storage } from "./ports.js";
import { openTerms } from "./terms.js";
import { TextReader } from "./text.js";
import { TfidfReader } from "./tfidf.js";
import { readTombstones, Tombstones } from "./tombstones.js";
import type {
  DocumentRecord,
  PassageRecord,
  Postings,
  SegmentReader,
  StoredPassage,
  TermUnit,
  TfidfKind,
} from "./types.js";

type Containers = Record<SegmentComponent, Container>;

/** Opens all files of a segment, so that it stays readable when a later commit removes them. @throws VerbatimError */
export async function openSegment(
  storage: Storage,
  segment: ManifestSegment,
  options: { manifest: Pick<Manifest, "model" | "termUnit">; signal?: AbortSignal; checked?: boolean },
): Promise<OpenSegment> {
  const { manifest, signal, checked } = options;
  const { passageModelHash } = manifest.model;
  const opened = await Promise.allSettled(
    SEGMENT_COMPONENTS.map(async (component) => {
      const file = segmentFile(segment, component);
      if (!file) throw corrupt(`${segment.name}.${component}`, "the manifest does not name it");
      return openContainer(storage, file, { component, passageModelHash, signal, checked });
    }),
  );
  const containers = opened.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
  try {
    const failed = opened.find((result) => result.status === "rejected");
    if (failed) throw failed.reason;
    const byName = Object.fromEntries(
      SEGMENT_COMPONENTS.map((component, i) => [component, containers[i]!]),
    ) as Containers;
    if (byName.documents.section("ids").length !== segment.documents * ID_BYTES)
      // before anything is allocated for them
      throw corrupt(`${segment.name}.documents`, `it is not of ${segment.documents} documents`);
    const columns = await readPassageColumns(byName.passages, segment, signal);
    const precision = await readPhrasePrecision(byName.phrases, manifest.model, signal);
    const ngramStep = await readNgramStep(byName.ngrams, signal);
    const file = tombstonesFile(segment);
    const tombstones = file
      ? await readTombstones(storage, file, { documentCount: segment.documents, passageModelHash, signal })
      : new Tombstones(segment.documents);
    return new OpenSegment(segment, byName, { manifest, columns, tombstones, precision, ngramStep });
  } catch (error) {
    await Promise.allSettled(containers.map((container) => container.close()));
    throw error;
  }
}

export class OpenSegment implements SegmentReader {
  readonly name: string;
  readonly documentCount: number;
  readonly passageCount: number;
  readonly startRowCount: number;
  readonly endRowCount: number;
  readonly tokenCount: number;
  readonly termUnit: TermUnit;
  readonly termUnitPassages: Uint32Array;
  readonly deletedDocumentCount: number;
  readonly deletedPassageCount: number;
  readonly columns: PassageColumns;
  readonly containers: Readonly<Containers>;
  readonly documents: DocumentsReader;
  readonly text: TextReader;
  readonly terms: KeyedPostings;
  readonly tfidf: TfidfReader;
  #tombstones: Tombstones;
  readonly phrases: PhrasesReader;
  readonly coarse: CoarseReader;
  readonly ngrams: NgramsReader;

  constructor(
    segment: ManifestSegment,
    containers: Containers,
    rest: {
      manifest: Pick<Manifest, "model" | "termUnit">;
      columns: PassageColumns;
      tombstones: Tombstones;
      precision: PhrasePrecision | undefined;
      ngramStep: number | undefined;
    },
  ) {
    const { manifest, columns, tombstones } = rest;
    this.name = segment.name;
    this.documentCount = segment.documents;
    this.passageCount = segment.passages;
    this.startRowCount = segment.startRows;
    this.endRowCount = segment.endRows;
    this.tokenCount = segment.tokens;
    this.termUnit = manifest.termUnit;
    this.columns = columns;
    this.containers = containers;
    this.termUnitPassages = passagesOfUnits(columns.units, segment.units);
    this.#tombstones = tombstones;
    this.deletedDocumentCount = tombstones.count;
    this.deletedPassageCount = countDeleted(columns.document, tombstones);
    if (tombstones.count !== segment.deletedDocuments || this.deletedPassageCount !== segment.deletedPassages) {
      throw corrupt(`${segment.name}.tombstones`, "it deletes other documents than the manifest counts");
    }
    this.documents = new DocumentsReader(containers.documents, segment.documents);
    this.text = new TextReader(containers.text, segment.documents);
    const { precision, ngramStep } = rest;
    this.phrases = new PhrasesReader(containers.phrases, columns, { dimensions: manifest.model, precision });
    const code = new CoarseCode(manifest.model, this.phrases.precision.coarseBits);
    this.coarse = new CoarseReader(containers.coarse, code, segment.startRows);
    this.ngrams = new NgramsReader(containers.ngrams, columns, { step: ngramStep });
    this.terms = openTerms(containers.terms, segment.units);
    this.tfidf = new TfidfReader(containers.tfidf, segment, columns.document);
  }

  get passageDocuments(): Uint32Array {
    return this.columns.document;
  }

  get firstStartRows(): Uint32Array {
    return this.columns.startRows;
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

  async readText(document: number, from: number, to: number, signal?: AbortSignal): Promise<string> {
    this.#checkNumber(document, this.documentCount, "document");
    return this.text.read(document, Math.max(0, from), to, signal);
  }

  termPostings(term: number, signal?: AbortSignal): Promise<Postings | undefined> {
    return this.terms.find(term, signal);
  }

  tfidfPostings(kind: TfidfKind, bucket: number, signal?: AbortSignal): Promise<Postings | undefined> {
    return this.tfidf.find(kind, bucket, signal);
  }

  tfidfNorms(kind: TfidfKind): Promise<Float32Array> {
    return this.tfidf.norms(kind);
  }

  readCoarse(onRows: (firstRow: number, rows: Int8Array) => void, signal?: AbortSignal): Promise<void> {
    return this.coarse.read(onRows, signal);
  }

  async close(): Promise<void> {
    await Promise.all(Object.values(this.containers).map((container) => container.close()));
  }

  #checkNumber(number: number, count: number, what: string): void {
    if (!(Number.isInteger(number) && number >= 0 && number < count)) {
      throw new VerbatimError("invalid-argument", `${this.name} has ${count} ${what}s, there is no ${what} ${number}.`);
    }
  }
}

function passagesOfUnits(firstUnits: Uint32Array, unitCount: number): Uint32Array {
  const passages = new Uint32Array(unitCount);
  for (let p = 0; p + 1 < firstUnits.length; p++) passages.fill(p, firstUnits[p]!, firstUnits[p + 1]!);
  return passages;
}

function countDeleted(passageDocuments: Uint32Array, tombstones: Tombstones): number {
  if (tombstones.count === 0) return 0;
  let count = 0;
  for (const document of passageDocuments) if (tombstones.has(document)) count++;
  return count;
}
