/**
 * Lists the documents of an index without texts, maps and vectors, so that even a large index is
 * listed quickly.
 */

import { Shared } from "../../shared.js";
import type { MetadataValue } from "../../types.js";
import { type Container, openContainer } from "../format/container.js";
import type { FileEntry } from "../format/container-writer.js";
import { corrupt } from "../format/corrupt.js";
import { type ManifestModel, type ManifestSegment, segmentFile } from "../manifest/manifest.js";
import type { Storage } from "../ports.js";
import { DocumentsReader } from "./documents.js";

/** A document as the index knows it. */
export interface StoredDocument {
  id: string;
  title: string;
  source: string;
  metadata: Record<string, MetadataValue>;
  /** From `documentContentHash`: equal for equal title, text and metadata. */
  contentHash: string;
  passages: number;
}

export function storedDocumentOf(head: Omit<StoredDocument, "contentHash">, contentHash: string): StoredDocument {
  const { id, title, source, metadata, passages } = head;
  return { id, title, source, metadata, contentHash, passages };
}

/** About half a kilobyte each. */
const MAX_CACHED = 500_000;

/**
 * Caches whole segments for callers that list an index repeatedly. Segments never change, so only
 * new ones are read.
 */
export class StoredDocumentsCache {
  readonly #maxDocuments: number;
  #byFile = new Map<string, readonly StoredDocument[]>();

  /** @param maxDocuments  documents in the cache; of a larger index, the last ones are read each time */
  constructor(maxDocuments = MAX_CACHED) {
    this.#maxDocuments = maxDocuments;
  }

  /** All documents of the file by number, deleted ones included. */
  get(file: FileEntry): readonly StoredDocument[] | undefined {
    return this.#byFile.get(keyOf(file));
  }

  set(file: FileEntry, documents: readonly StoredDocument[]): void {
    this.#byFile.set(keyOf(file), documents);
  }

  /** Whether this many more documents fit. */
  hasRoomFor(documents: number): boolean {
    let held = documents;
    for (const list of this.#byFile.values()) held += list.length;
    return held <= this.#maxDocuments;
  }

  /** Forgets all other files. */
  keepOnly(files: readonly FileEntry[]): void {
    const kept = new Set(files.map(keyOf));
    for (const key of this.#byFile.keys()) if (!kept.has(key)) this.#byFile.delete(key);
  }
}

const keyOf = ({ name, id }: FileEntry): string => `${name} ${id}`;

interface ReadOptions {
  model: Pick<ManifestModel, "passageModelHash">;
  signal?: AbortSignal;
}

/**
 * Live documents of complete segments, in the order of the index. @throws VerbatimError
 * `corrupt-segment`, `aborted`
 */
export async function* storedDocuments(
  storage: Storage,
  segments: ReadonlyArray<{ entry: ManifestSegment | undefined; deleted: ReadonlySet<number> }>,
  options: ReadOptions & { cache?: StoredDocumentsCache },
): AsyncGenerator<StoredDocument> {
  const { cache } = options;
  cache?.keepOnly(segments.map(({ entry }) => documentsFile(entry!)));
  for (const { entry, deleted } of segments) {
    const known = cache?.get(documentsFile(entry!));
    if (known !== undefined) {
      for (const [document, stored] of known.entries()) if (!deleted.has(document)) yield stored;
      continue;
    }
    const read: StoredDocument[] = [];
    const keep = cache?.hasRoomFor(entry!.documents) ?? false;
    for await (const { document, stored } of readDocuments(storage, entry!, options)) {
      if (keep) read.push(stored);
      if (!deleted.has(document)) yield stored;
    }
    if (keep) cache?.set(documentsFile(entry!), read);
  }
}

interface OpenFile {
  container: Container;
  documents: DocumentsReader;
}

/**
 * Reads documents of complete segments one by one. Keeps their files open until `close`, because
 * opening one takes far longer than reading a document.
 */
export class DocumentLookup {
  readonly #storage: Storage;
  readonly #options: ReadOptions;
  readonly #open = new Map<string, Promise<Shared<OpenFile>>>();

  constructor(storage: Storage, options: ReadOptions) {
    this.#storage = storage;
    this.#options = options;
  }

  /**
   * @param options.current  all segments of the index: files of others are closed
   * @throws VerbatimError `corrupt-segment`, `io-error`, `aborted`
   */
  async read(
    entry: ManifestSegment,
    document: number,
    { current, signal }: { current: ReadonlyArray<{ entry: ManifestSegment | undefined }>; signal?: AbortSignal },
  ): Promise<StoredDocument> {
    const key = keyOf(documentsFile(entry));
    let opening = this.#open.get(key);
    if (opening === undefined) {
      await this.#closeAllBut(new Set(current.map((one) => one.entry && keyOf(documentsFile(one.entry)))));
      opening = this.#open.get(key) ?? this.#opened(entry);
      this.#open.set(key, opening);
      opening.catch(() => this.#open.delete(key));
    }
    const file = await opening;
    return file.use(async ({ documents }) => {
      const record = await documents.read(document, signal);
      const { id, title, source, metadata = {}, contentHash, passageCount: passages } = record;
      return { id, title, source, metadata, contentHash, passages };
    });
  }

  /** Closes all files; those that are being read, afterwards. */
  close(): Promise<void> {
    return this.#closeAllBut(new Set());
  }

  async #opened(entry: ManifestSegment): Promise<Shared<OpenFile>> {
    const container = await openDocuments(this.#storage, entry, this.#options);
    try {
      const documents = new DocumentsReader(container, entry.documents);
      return new Shared({ container, documents }, (file) => file.container.close());
    } catch (error) {
      await container.close();
      throw error;
    }
  }

  async #closeAllBut(kept: ReadonlySet<string | undefined>): Promise<void> {
    for (const [key, opening] of [...this.#open]) {
      if (kept.has(key)) continue;
      this.#open.delete(key);
      const file = await opening.catch(() => undefined); // reported to those that read it
      await file?.release();
    }
  }
}

async function* readDocuments(
  storage: Storage,
  entry: ManifestSegment,
  options: ReadOptions,
): AsyncGenerator<{ document: number; stored: StoredDocument }> {
  const container = await openDocuments(storage, entry, options);
  try {
    const documents = new DocumentsReader(container, entry.documents);
    for await (const { document, head, contentHash } of documents.heads(options.signal)) {
      yield { document, stored: storedDocumentOf(head, contentHash) };
    }
  } finally {
    await container.close();
  }
}

function openDocuments(storage: Storage, entry: ManifestSegment, { model, signal }: ReadOptions) {
  const { passageModelHash } = model;
  return openContainer(storage, documentsFile(entry), { component: "documents", passageModelHash, signal });
}

function documentsFile(entry: ManifestSegment): FileEntry {
  const file = segmentFile(entry, "documents");
  if (!file) throw corrupt(`${entry.name}.documents`, "the manifest does not name it");
  return file;
}
