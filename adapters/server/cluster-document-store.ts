/**
 * Lists and reads documents of an index in a cluster. Ids are read once per version, everything
 * else when it is needed.
 */

import { documentKey } from "../../src/index/format/content-hash.js";
import { LoadOnce } from "../../src/load-once.js";
import { requireClusterIndex } from "../opensearch/alias-lookup.js";
import type { ConnectedIndex } from "../opensearch/connected-index.js";
import { storedDocuments } from "../opensearch/documents.js";
import { type FoundRecord, Records } from "../opensearch/record-cache.js";
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

export class ClusterDocumentStore implements DocumentStore {
  #connected: ConnectedIndex;
  readonly #redactor: PathRedactor;
  #version = -1;
  /** Ids in the index by the id that callers see, in the order of the index; one per version. */
  #ids = new LoadOnce(() => this.#readIds());
  readonly cachedDocuments = 0;

  constructor(connected: ConnectedIndex, redactor: PathRedactor) {
    this.#connected = connected;
    this.#redactor = redactor;
  }

  async refresh(version: number): Promise<boolean> {
    const { connection, index } = this.#connected;
    const found = await requireClusterIndex(connection);
    if (version === this.#version && found.index === index) return false;
    this.#connected = { connection, ...found };
    this.#version = version;
    this.#ids = new LoadOnce(() => this.#readIds());
    return true;
  }

  async close(): Promise<void> {
    await this.#connected.connection.close();
  }

  async list(query: ListQuery): ReturnType<DocumentStore["list"]> {
    const listed = await listPage(await this.#ids.get(), query);
    if (listed === undefined) return undefined;
    const { page, ...rest } = listed;
    const described = await Promise.all(page.map(([publicId]) => this.describe(publicId)));
    return { documents: described.filter((document) => document !== undefined), ...rest };
  }

  async ids(): Promise<string[]> {
    return [...(await this.#ids.get()).keys()];
  }

  async idOf(publicId: string): Promise<string | undefined> {
    return (await this.#ids.get()).get(publicId);
  }

  async describe(publicId: string): Promise<ListedDocument | undefined> {
    const found = await this.#find(publicId);
    if (found === undefined) return undefined;
    const { title, source, length, metadata } = found.record;
    return {
      id: publicId,
      title,
      source: this.#redactor.redactSource(source),
      length,
      passages: found.passages,
      metadata: this.#redactor.redactMetadata(metadata),
    };
  }

  async text(publicId: string, from: number, to: number): Promise<string | undefined> {
    const found = await this.#find(publicId);
    return found && this.#records().text(found, { from, to });
  }

  async origin(publicId: string): Promise<DocumentOrigin | undefined> {
    const found = await this.#find(publicId);
    return found && originOf(found.record);
  }

  async record(publicId: string): Promise<DocumentRecordView | undefined> {
    const found = await this.#find(publicId);
    return found && this.#view(publicId, found);
  }

  async whole(publicId: string): Promise<WholeDocument | undefined> {
    const found = await this.#find(publicId);
    if (found === undefined) return undefined;
    const record = this.#view(publicId, found);
    return { ...record, text: await this.#records().text(found, { from: 0, to: record.length }) };
  }

  #view(publicId: string, { record: { title, source, map, length } }: FoundRecord): DocumentRecordView {
    return { id: publicId, title, source: this.#redactor.redactSource(source), map, length };
  }

  #records(): Records {
    return new Records(this.#connected.connection, this.#connected.index);
  }

  async #find(publicId: string): Promise<FoundRecord | undefined> {
    const id = (await this.#ids.get()).get(publicId);
    return id === undefined ? undefined : this.#records().find(documentKey(id));
  }

  async #readIds(): Promise<Map<string, string>> {
    const ids = new Map<string, string>();
    for await (const { id } of storedDocuments(this.#connected, {})) ids.set(this.#redactor.redact(id), id);
    return ids;
  }
}
