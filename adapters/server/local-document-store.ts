/** Lists and reads the documents of an index in a storage. */

import type { OpenSnapshot } from "../../src/index/open-snapshot.js";
import { LoadOnce } from "../../src/load-once.js";
import { Lru } from "../../src/search/lru.js";
import type { Shared } from "../../src/shared.js";
import {
  type DocumentOrigin,
  type DocumentRecordView,
  type DocumentStore,
  originOf,
  type WholeDocument,
} from "./document-store.js";
import type { PathRedactor } from "./http/path-redactor.js";
import type { ListedDocument } from "./http/schemas.js";
import { type ListQuery, listPage } from "./list-page.js";
import type { NewestSnapshot } from "./newest-snapshot.js";

/** Where a document is stored, and its public name. */
interface Entry {
  /** The id that callers see. */
  publicId: string;
  /** The id in the index. */
  id: string;
  segment: number;
  document: number;
}

interface Opened {
  snapshot: OpenSnapshot;
  entries: LoadOnce<Map<string, Entry>>;
  /** Slices of document texts, by document and bounds. */
  texts: Lru<string, string>;
}

/** Limit on cached text, in UTF-16 units. */
const CACHED_UNITS = 16 * 1024 * 1024;

export class LocalDocumentStore implements DocumentStore {
  readonly #snapshots: NewestSnapshot;
  readonly #redactor: PathRedactor;
  readonly #opensVersions: boolean;
  readonly #onCache: (outcome: "hit" | "miss") => void;
  /** The version that is read, held until the next refresh. */
  #read: Shared<OpenSnapshot> | undefined;
  /** The newest snapshot with what was read of it. */
  #opened: Opened | undefined;

  /**
   * @param snapshots  closed with the store
   * @param options.opensVersions  true if nothing else opens new versions of `snapshots`
   */
  constructor(
    snapshots: NewestSnapshot,
    redactor: PathRedactor,
    options: { opensVersions: boolean; onCache: (outcome: "hit" | "miss") => void },
  ) {
    this.#snapshots = snapshots;
    this.#redactor = redactor;
    this.#opensVersions = options.opensVersions;
    this.#onCache = options.onCache;
  }

  get cachedDocuments(): number {
    return this.#opened?.texts.size ?? 0;
  }

  /**
   * Reads from the version that is open now; until then, from the one before, although the newest one may be open
   * already: questions are answered from that one first.
   * @throws VerbatimError as `openSnapshot`
   */
  async refresh(_version: number): Promise<boolean> {
    if (this.#opensVersions) await this.#snapshots.refresh();
    const newest = this.#snapshots.hold();
    if (newest === this.#read) {
      await newest?.release();
      return false;
    }
    const before = this.#read;
    this.#read = newest;
    await before?.release();
    return true;
  }

  async close(): Promise<void> {
    const read = this.#read;
    this.#read = undefined;
    await read?.release();
    await this.#snapshots.close();
  }

  list(query: ListQuery): ReturnType<DocumentStore["list"]> {
    return this.#use(async (opened) => {
      const entries = await opened.entries.get();
      const listed = await listPage(entries, query);
      if (listed === undefined) return undefined;
      const { page, ...rest } = listed;
      return { documents: await Promise.all(page.map(([, entry]) => this.#describe(opened, entry))), ...rest };
    });
  }

  ids(): Promise<string[] | undefined> {
    return this.#use(async (opened) => [...(await opened.entries.get()).keys()]);
  }

  idOf(publicId: string): Promise<string | undefined> {
    return this.#useEntry(publicId, async (_, { id }) => id);
  }

  describe(publicId: string): Promise<ListedDocument | undefined> {
    return this.#useEntry(publicId, (opened, entry) => this.#describe(opened, entry));
  }

  origin(publicId: string): Promise<DocumentOrigin | undefined> {
    return this.#useEntry(publicId, async ({ snapshot }, { segment, document }) =>
      originOf(await snapshot.segments[segment]!.readDocument(document)),
    );
  }

  record(publicId: string): Promise<DocumentRecordView | undefined> {
    return this.#useEntry(publicId, (opened, entry) => this.#readRecord(opened, entry));
  }

  text(publicId: string, from: number, to: number): Promise<string | undefined> {
    return this.#useEntry(publicId, async ({ snapshot, texts }, { segment, document }) => {
      const key = `${segment} ${document} ${from} ${to}`;
      const known = texts.get(key);
      this.#onCache(known === undefined ? "miss" : "hit");
      const text = known ?? (await snapshot.segments[segment]!.readText(document, from, to));
      if (text.length <= CACHED_UNITS / 4) texts.set(key, text);
      return text;
    });
  }

  whole(publicId: string): Promise<WholeDocument | undefined> {
    return this.#useEntry(publicId, (opened, entry) => this.#readWhole(opened, entry));
  }

  async #readRecord({ snapshot }: Opened, { publicId, segment, document }: Entry): Promise<DocumentRecordView> {
    const { title, source, map, length } = await snapshot.segments[segment]!.readDocument(document);
    return { id: publicId, title, source: this.#redactor.redactSource(source), map, length };
  }

  async #readWhole(opened: Opened, entry: Entry): Promise<WholeDocument> {
    const record = await this.#readRecord(opened, entry);
    const text = await opened.snapshot.segments[entry.segment]!.readText(entry.document, 0, record.length);
    return { ...record, text };
  }

  async #describe({ snapshot }: Opened, { publicId, segment, document }: Entry): Promise<ListedDocument> {
    const record = await snapshot.segments[segment]!.readDocument(document);
    const { title, length, passageCount: passages } = record;
    const source = this.#redactor.redactSource(record.source);
    return { id: publicId, title, source, length, passages, metadata: this.#redactor.redactMetadata(record.metadata) };
  }

  async #readEntries(snapshot: OpenSnapshot): Promise<Map<string, Entry>> {
    const entries = new Map<string, Entry>();
    for (const [number, segment] of snapshot.segments.entries()) {
      for await (const { document, head } of segment.documents.heads()) {
        if (segment.isDeleted(document)) continue;
        const publicId = this.#redactor.redact(head.id);
        entries.set(publicId, { publicId, id: head.id, segment: number, document });
      }
    }
    return entries;
  }

  /** Runs `work` with a document of the newest version; undefined for an unknown id. */
  #useEntry<T>(publicId: string, work: (opened: Opened, entry: Entry) => Promise<T>): Promise<T | undefined> {
    return this.#use(async (opened) => {
      const entry = (await opened.entries.get()).get(publicId);
      return entry === undefined ? undefined : work(opened, entry);
    });
  }

  /** Runs `work` with the newest version, which stays open meanwhile; undefined while there is none. */
  async #use<T>(work: (opened: Opened) => Promise<T>): Promise<T | undefined> {
    const snapshot = this.#read?.hold();
    if (snapshot === undefined) return undefined;
    try {
      return await work(this.#openedFrom(snapshot.value));
    } finally {
      await snapshot.release();
    }
  }

  #openedFrom(snapshot: OpenSnapshot): Opened {
    if (this.#opened?.snapshot !== snapshot) {
      const texts = new Lru<string, string>(CACHED_UNITS, ({ length }) => length);
      const entries = new LoadOnce(() => this.#readEntries(snapshot));
      this.#opened = { snapshot, entries, texts };
    }
    return this.#opened;
  }
}
