/**
 * The index that a server or MCP answers from, once it exists, and its documents. `refresh` moves
 * both to the newest version.
 */

import type { Index } from "../../src/api/index-handle.js";
import { openIndex } from "../../src/api/open-index.js";
import type { AskOptions } from "../../src/ask/options.js";
import type { Encoder } from "../../src/encode/types.js";
import { hasCode } from "../../src/errors.js";
import type { IndexInfo } from "../../src/index/index-info.js";
import type { Storage } from "../../src/index/ports.js";
import type { Reader } from "../../src/reader/types.js";
import { SerialQueue } from "../../src/serial-queue.js";
import type { AnswerThreads } from "./answering/answer-threads.js";
import { ThreadedIndex } from "./answering/threaded-index.js";
import type { DocumentStore } from "./document-store.js";
import type { PathRedactor } from "./http/path-redactor.js";
import { Problem } from "./http/problems.js";
import { LocalDocumentStore } from "./local-document-store.js";
import { NewestSnapshot } from "./newest-snapshot.js";
import { PublicIndex, withPublicFilter } from "./public-filter.js";

/** Answers questions: the open index, or threads that have it open. Filters see public fields. */
export type OpenIndex = Pick<Index, "version" | "info" | "ask" | "askStream" | "quote" | "refresh" | "close">;

export class ServedIndex {
  readonly redactor: PathRedactor;
  readonly documents: DocumentStore;
  readonly #open: () => Promise<OpenIndex>;
  readonly #closeThreads: (() => Promise<void>) | undefined;
  #index: OpenIndex | undefined;
  /** Cached per version: counting phrases and tokens takes a pass over the index. */
  #info: IndexInfo | undefined;
  readonly #refreshing = new SerialQueue();

  constructor(parts: {
    /** Opens the newest version. @throws VerbatimError `index-missing` before the first commit */
    open: () => Promise<OpenIndex>;
    /** Closed with the index. */
    documents: DocumentStore;
    redactor: PathRedactor;
    /** Closes the threads that answer; called before the index is closed. */
    closeThreads?: () => Promise<void>;
  }) {
    this.#open = parts.open;
    this.documents = parts.documents;
    this.redactor = parts.redactor;
    this.#closeThreads = parts.closeThreads;
  }

  static ofStorage(parts: {
    storage: Storage;
    /** Stays the caller's to close, like the reader. */
    encoder: Encoder;
    reader?: Reader;
    /** Answer instead of this thread; closed with the index. */
    threads?: AnswerThreads;
    redactor: PathRedactor;
    onCache?: (outcome: "hit" | "miss") => void;
  }): ServedIndex {
    const { storage, encoder, reader, threads, redactor, onCache = () => {} } = parts;
    const snapshots = new NewestSnapshot(storage);
    const opensVersions = threads === undefined;
    const documents = new LocalDocumentStore(snapshots, redactor, { opensVersions, onCache });
    if (threads !== undefined) {
      const open = (): Promise<OpenIndex> => ThreadedIndex.open(snapshots, threads);
      return new ServedIndex({ open, documents, redactor, closeThreads: () => threads.close() });
    }
    const convert = (options: AskOptions): AskOptions => withPublicFilter(options, redactor);
    const open = async (): Promise<OpenIndex> =>
      new PublicIndex(await openIndex({ storage, encoder, reader }), convert);
    return new ServedIndex({ open, documents, redactor });
  }

  /**
   * @returns what answers questions
   * @throws Problem 503 while the index has no committed version
   */
  requireOpen(): OpenIndex {
    if (this.#index !== undefined) return this.#index;
    throw new Problem(503, "index-missing", {
      title: "The index is empty.",
      hint: "Index some documents first.",
      headers: { "Retry-After": "2" },
    });
  }

  get isOpen(): boolean {
    return this.#index !== undefined;
  }

  get info(): IndexInfo | undefined {
    if (this.#index === undefined) return undefined;
    if (this.#info?.version !== this.#index.version) this.#info = this.#index.info;
    return this.#info;
  }

  /**
   * Opens the newest version. Does nothing before the first commit.
   * @returns the version that answers now, or 0
   * @throws VerbatimError as `openIndex` and `Index.refresh`; what was open stays open
   */
  refresh(): Promise<number> {
    return this.#refreshing.run(async () => {
      if (this.#index === undefined) return this.#openBoth();
      const version = await this.#index.refresh();
      if (await this.documents.refresh(version)) this.#info = undefined;
      return version;
    });
  }

  /** Opens both the index and its documents, so that callers that see one can use the other. */
  async #openBoth(): Promise<number> {
    let index: OpenIndex;
    try {
      index = await this.#open();
    } catch (error) {
      if (hasCode(error, "index-missing")) return 0;
      throw error;
    }
    try {
      await this.documents.refresh(index.version);
    } catch (error) {
      await index.close();
      throw error;
    }
    this.#index = index;
    return index.version;
  }

  async close(): Promise<void> {
    await this.#refreshing.idle();
    await this.#closeThreads?.();
    await this.documents.close();
    await this.#index?.close();
    this.#index = undefined;
  }
}
