/**
 * The documents of an index before a run: which are kept under another name or with other fields without being
 * encoded again.
 */

import { lstat } from "node:fs/promises";
import { resolve } from "node:path";
import { documentContentHash } from "../../../src/index/format/content-hash.js";
import type { IdSet } from "../../../src/ingest/id-table.js";
import type { Document, MetadataValue } from "../../../src/types.js";
import { idOf } from "../documents/walk.js";

/** A document of the index, without its text. */
export interface KnownDocument {
  id: string;
  title: string;
  source: string;
  metadata: Readonly<Record<string, MetadataValue>>;
  contentHash: string;
}

/** A document that gets another id, source or other fields; its text and title are unchanged. */
interface Move {
  from: string;
  to: { id: string; source: string; metadata: Record<string, MetadataValue> };
  /** False when only fields change. */
  renamed: boolean;
}

/** About half a kilobyte each. In a larger index, renamed files are encoded again, so that memory is bounded. */
const MAX_KNOWN = 500_000;

/** Whether the files of sources are gone; each is looked up on the disk once. */
export class MissingFiles {
  readonly #cwd: string;
  readonly #listed: ReadonlySet<string>;
  readonly #answers = new Map<string, Promise<boolean>>();

  /** @param listed  absolute paths of files that were just listed: they are not looked up again */
  constructor(cwd: string, listed: ReadonlySet<string> = new Set()) {
    this.#cwd = cwd;
    this.#listed = listed;
  }

  /**
   * True if the document was read from a file that certainly no longer exists, or that is a folder now. A file that
   * cannot be examined (no permission, a failing disk) is not gone, nor is a document from standard input or from a
   * program.
   */
  isGone({ source, metadata }: Pick<KnownDocument, "source" | "metadata">): Promise<boolean> {
    if (metadata["file.folder"] === undefined) return Promise.resolve(false);
    let answer = this.#answers.get(source);
    if (answer === undefined) {
      const path = resolve(this.#cwd, source);
      if (this.#listed.has(path)) return Promise.resolve(false);
      answer = lstat(path).then(
        (stats) => stats.isDirectory(),
        (error: NodeJS.ErrnoException) => error.code === "ENOENT" || error.code === "ENOTDIR",
      );
      this.#answers.set(source, answer);
    }
    return answer;
  }
}

interface KnownDocumentsOptions {
  files: MissingFiles;
  cwd: string;
  /** Ids of the run's documents, each of which is in it before `isKept` is called. */
  seen: Pick<IdSet, "has">;
  /** Default 500,000. */
  maxKnown?: number;
}

export class KnownDocuments {
  readonly #files: MissingFiles;
  readonly #cwd: string;
  readonly #byId = new Map<string, KnownDocument>();
  #goneByHash: Promise<Map<string, KnownDocument[]>> | undefined;
  readonly #moves = new Map<string, Move>();
  /** Ids of the run's documents so far. */
  readonly #seen: Pick<IdSet, "has">;
  /** Documents left for the next run, because the document to be moved for them was given by another file. */
  readonly left: Array<{ id: string; source: string }> = [];

  private constructor({ files, cwd, seen }: KnownDocumentsOptions) {
    this.#files = files;
    this.#cwd = cwd;
    this.#seen = seen;
  }

  /** Whether all documents of the index are known. */
  isComplete = false;

  /** The document with this id; undefined in an index that is too large to be held in memory. */
  get(id: string): KnownDocument | undefined {
    return this.#byId.get(id);
  }

  get moves(): Move[] {
    return [...this.#moves.values()];
  }

  /** @param count  how many there are */
  static async read(
    documents: AsyncIterable<KnownDocument>,
    count: number,
    options: KnownDocumentsOptions,
  ): Promise<KnownDocuments> {
    const known = new KnownDocuments(options);
    if (count > (options.maxKnown ?? MAX_KNOWN)) return known;
    for await (const document of documents) known.#byId.set(document.id, document);
    known.isComplete = true;
    return known;
  }

  /**
   * Whether the index already has the document's passages under another name or with other fields; then it is added to
   * `moves`. False for a document that is unchanged in all respects.
   * @param contentHash  of the document
   */
  async isKept(document: Document, contentHash: string): Promise<boolean> {
    const taken = this.#moves.get(document.id);
    if (taken !== undefined) {
      // A record has the id of a gone file that was considered renamed: the record keeps the id.
      this.#moves.delete(document.id);
      this.left.push({ id: taken.to.id, source: taken.to.source });
    }
    const old = this.#byId.get(document.id);
    if (old?.contentHash === contentHash) {
      if (old.source === document.source || !(await this.#files.isGone(old))) return false;
      return this.#move(old, document, { renamed: true });
    }
    if (old !== undefined && old.title === document.title) {
      const { title, text } = document;
      if (documentContentHash({ title, text, metadata: { ...old.metadata } }) === old.contentHash)
        return this.#move(old, document, { renamed: false });
    }
    this.#goneByHash ??= this.#findGone();
    const same = (await this.#goneByHash).get(contentHash);
    for (let gone = same?.shift(); gone !== undefined; gone = same?.shift())
      if (!this.#seen.has(gone.id)) return this.#move(gone, document, { renamed: true });
    return false;
  }

  #move(from: KnownDocument, to: Document, { renamed }: { renamed: boolean }): true {
    const { id, source, metadata = {} } = to;
    this.#moves.set(from.id, { from: from.id, to: { id, source, metadata }, renamed });
    return true;
  }

  /** Documents of gone files by content. A record with an id of its own is never considered renamed. */
  async #findGone(): Promise<Map<string, KnownDocument[]>> {
    const gone = new Map<string, KnownDocument[]>();
    for (const document of this.#byId.values()) {
      const file = idOf(resolve(this.#cwd, document.source), this.#cwd);
      if (document.id !== file && !document.id.startsWith(`${file}#`)) continue;
      if (!(await this.#files.isGone(document))) continue;
      const same = gone.get(document.contentHash);
      if (same) same.push(document);
      else gone.set(document.contentHash, [document]);
    }
    return gone;
  }
}
