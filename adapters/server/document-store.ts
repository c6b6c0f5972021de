/** How a server reads the documents of its index. `publicId` is the id that callers see. */

import type { DocumentRecord } from "../../src/index/types.js";
import type { ListedDocument } from "./http/schemas.js";
import type { ListQuery } from "./list-page.js";

/** What is stored about a document, without its text; the id is the one that callers see. */
export type DocumentRecordView = Pick<DocumentRecord, "id" | "title" | "source" | "map" | "length">;

/** The file that a document came from. */
export interface DocumentOrigin extends Pick<DocumentRecord, "contentHash" | "map" | "length"> {
  /** In the index, which callers must not see. */
  id: string;
  /** As the index stores it, which callers must not see. */
  source: string;
  /** False for a document that was sent to the server. */
  isFile: boolean;
}

/** A document with its whole text. */
export interface WholeDocument extends DocumentRecordView {
  text: string;
}

/** Lists and reads the documents of one version of an index, wherever the index is stored. */
export interface DocumentStore {
  /** Parts of document texts that are held in memory. */
  readonly cachedDocuments: number;
  /**
   * Moves to the version that answers questions now.
   * @param version  its number
   * @returns whether it is another version, or the same number of another index
   * @throws VerbatimError when it cannot be opened
   */
  refresh(version: number): Promise<boolean>;
  close(): Promise<void>;
  /**
   * Documents in the order of the index.
   * @param query.after  public id of the last document before the page
   * @returns undefined if there is no document with the id `query.after`, or no version is open
   */
  list(query: ListQuery): Promise<{ documents: ListedDocument[]; total: number; next?: string } | undefined>;
  /** @returns public ids in the order of the index; undefined while no version is open */
  ids(): Promise<string[] | undefined>;
  /** @returns the id in the index; undefined for an unknown document */
  idOf(publicId: string): Promise<string | undefined>;
  /** @returns undefined for an unknown document */
  describe(publicId: string): Promise<ListedDocument | undefined>;
  /** @returns where the document came from; undefined for an unknown document */
  origin(publicId: string): Promise<DocumentOrigin | undefined>;
  /** @returns undefined for an unknown document */
  record(publicId: string): Promise<DocumentRecordView | undefined>;
  /** @returns `text.slice(from, to)` of the document's text; undefined for an unknown document */
  text(publicId: string, from: number, to: number): Promise<string | undefined>;
  /** @returns undefined for an unknown document */
  whole(publicId: string): Promise<WholeDocument | undefined>;
}

/** Only documents of files have the field `file.folder` (docs/cli.md). */
export function originOf({ id, contentHash, source, map, length, metadata }: DocumentRecord): DocumentOrigin {
  return { id, contentHash, source, map, length, isFile: metadata["file.folder"] !== undefined };
}
