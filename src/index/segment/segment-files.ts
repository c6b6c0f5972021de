/**
 * The open files of one segment without its tombstones, shared by all open versions of an index
 * that have it.
 */

import { Shared } from "../../shared.js";
import { type BySegmentComponent, COMPONENTS } from "../format/components.js";
import { type Container, openContainer } from "../format/container.js";
import { corrupt } from "../format/corrupt.js";
import { type IndexLevel, notAtLevel } from "../format/level.js";
import { levelOf, type Manifest, type ManifestSegment, segmentFile } from "../manifest/manifest.js";
import type { Storage } from "../ports.js";
import { ID_BYTES } from "./document-keys.js";
import { DocumentsReader } from "./documents.js";
import type { KeyedPostings } from "./keyed-postings.js";
import { NgramsReader, readNgramStep } from "./ngrams.js";
import { type PassageColumns, readPassageColumns } from "./passages.js";
import { PhrasesReader, readPhrasePrecision } from "./phrases.js";
import { openTerms } from "./terms.js";
import { TextReader } from "./text.js";
import { TfidfReader } from "./tfidf.js";
import { VectorsReader } from "./vectors.js";

export type Containers = BySegmentComponent<Container>;

export interface OpenFilesOptions {
  manifest: Pick<Manifest, "model">;
  signal?: AbortSignal;
  /** The caller has just checked all blocks; do not check them again. */
  checked?: boolean;
}

/** Readers of what only level `full` stores. */
interface RowReaders {
  phrases: PhrasesReader;
  ngrams: NgramsReader;
}

interface Parts {
  containers: Containers;
  columns: PassageColumns;
  rows: RowReaders | undefined;
  /** Dimension of the vectors. */
  vector: number;
}

export class SegmentFiles {
  readonly entry: ManifestSegment;
  readonly containers: Readonly<Containers>;
  readonly columns: PassageColumns;
  readonly documents: DocumentsReader;
  readonly text: TextReader;
  readonly tfidf: TfidfReader;
  readonly level: IndexLevel;
  readonly #terms: KeyedPostings | undefined;
  readonly #vectors: VectorsReader | undefined;
  readonly #rows: RowReaders | undefined;

  /** @throws VerbatimError `corrupt-segment` if the files do not belong together */
  constructor(entry: ManifestSegment, { containers, columns, rows, vector }: Parts) {
    this.entry = entry;
    this.level = levelOf(entry);
    this.containers = containers;
    this.columns = columns;
    this.#rows = rows;
    this.documents = new DocumentsReader(containers.documents, entry.documents);
    this.text = new TextReader(containers.text, entry.documents);
    this.#vectors = containers.vectors && new VectorsReader(containers.vectors, { passages: entry.passages, vector });
    this.#terms = containers.terms && openTerms(containers.terms, entry.passages);
    this.tfidf = new TfidfReader(containers.tfidf, entry, columns.document);
  }

  /** @throws VerbatimError `invalid-argument` if the level has none */
  get rows(): RowReaders {
    if (this.#rows === undefined) throw notAtLevel(this.entry.name, { level: this.level, needs: "full" });
    return this.#rows;
  }

  /** @throws VerbatimError `invalid-argument` if the level has none */
  get terms(): KeyedPostings {
    if (this.#terms === undefined) throw notAtLevel(this.entry.name, { level: this.level, needs: "thin" });
    return this.#terms;
  }

  /** @throws VerbatimError `invalid-argument` if the level has none */
  get vectors(): VectorsReader {
    if (this.#vectors === undefined) throw notAtLevel(this.entry.name, { level: this.level, needs: "thin" });
    return this.#vectors;
  }

  /** Whether a manifest's segment has the same files, tombstones aside. */
  areOf(entry: ManifestSegment): boolean {
    const counts = ["name", "documents", "passages", "startRows", "endRows", "tokens"] as const;
    if (counts.some((name) => entry[name] !== this.entry[name])) return false;
    if (levelOf(entry) !== this.level) return false;
    return COMPONENTS[this.level].every((component) => {
      const mine = segmentFile(this.entry, component)!;
      const other = segmentFile(entry, component);
      return other?.name === mine.name && other.bytes === mine.bytes && other.id === mine.id;
    });
  }

  /** Names the file of the vectors and its content, in every process; undefined at a level without vectors. */
  get vectorsKey(): string | undefined {
    const file = this.#vectors && segmentFile(this.entry, "vectors");
    return file && `${file.name} ${file.id}`;
  }

  close(): Promise<void> {
    return closeAll(Object.values(this.containers));
  }
}

/**
 * Opens all files, so that they stay readable when a later commit removes them. @throws
 * VerbatimError
 */
export async function openSegmentFiles(
  storage: Storage,
  entry: ManifestSegment,
  options: OpenFilesOptions,
): Promise<Shared<SegmentFiles>> {
  const { manifest, signal, checked } = options;
  const { passageModelHash } = manifest.model;
  const components = COMPONENTS[levelOf(entry)];
  const opened = await Promise.allSettled(
    components.map(async (component) => {
      const file = segmentFile(entry, component);
      if (!file) throw corrupt(`${entry.name}.${component}`, "the manifest does not name it");
      return openContainer(storage, file, { component, passageModelHash, signal, checked });
    }),
  );
  const containers = opened.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
  try {
    const failed = opened.find((result) => result.status === "rejected");
    if (failed) throw failed.reason;
    const byName = Object.fromEntries(components.map((component, i) => [component, containers[i]!])) as Containers;
    const files = new SegmentFiles(entry, await readParts(byName, entry, options));
    return new Shared(files, () => files.close());
  } catch (error) {
    await closeAll(containers);
    throw error;
  }
}

async function readParts(
  containers: Containers,
  entry: ManifestSegment,
  { manifest, signal }: OpenFilesOptions,
): Promise<Parts> {
  if (containers.documents.section("ids").length !== entry.documents * ID_BYTES)
    // before anything is allocated
    throw corrupt(`${entry.name}.documents`, `it does not have ${entry.documents} documents`);
  const columns = await readPassageColumns(containers.passages, entry, signal);
  const { phrases, ngrams } = containers;
  const { vector } = manifest.model;
  if (phrases === undefined || ngrams === undefined) return { containers, columns, rows: undefined, vector };
  const precision = await readPhrasePrecision(phrases, manifest.model, signal);
  const step = await readNgramStep(ngrams, signal);
  const reader = new PhrasesReader(phrases, columns, { dimensions: manifest.model, precision });
  const rows = {
    phrases: reader,
    ngrams: new NgramsReader(ngrams, columns, { step }),
  };
  return { containers, columns, rows, vector };
}

async function closeAll(containers: readonly Container[]): Promise<void> {
  await Promise.allSettled(containers.map((container) => container.close()));
}
