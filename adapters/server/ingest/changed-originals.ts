/** Keeps the files of uploaded documents in step with one change of the index. Runs in the indexing process. */

import type { Document } from "../../../src/types.js";
import { formatBytes } from "../../node/documents/skip.js";
import type { DocumentVersion, KeptOriginals } from "../../node/storage/kept-originals.js";
import type { IngestSetup, Skip } from "./protocol.js";

export class ChangedOriginals {
  readonly #files: KeptOriginals;
  readonly #maxBytes: number;
  readonly #upload: { name: string; path: string } | undefined;
  #mayHaveFile: Promise<(id: string) => boolean> | undefined;
  /** Documents of the change that had a file before, or have one now. */
  readonly #versions: DocumentVersion[] = [];
  /** Written for a document that the writer does not have yet. */
  #pending: DocumentVersion | undefined;

  /**
   * @param files  the same for all changes, because it keeps a list of what is there
   * @param upload  the file that the documents of the change come from
   */
  constructor(files: KeptOriginals, { maxKeptBytes }: IngestSetup, upload?: { name: string; path: string }) {
    this.#files = files;
    this.#maxBytes = maxKeptBytes;
    this.#upload = maxKeptBytes > 0 ? upload : undefined;
  }

  /**
   * Keeps the file of a document that is about to be added, if it is a PDF.
   * @returns why it is not kept, to be reported
   * @throws VerbatimError `out-of-space`, `permission-denied`, `io-error`
   */
  async adding({ id, source, map }: Document, contentHash: string): Promise<Skip | undefined> {
    const document = { id, contentHash };
    this.#mayHaveFile ??= this.#files.finder();
    // a document inside of the file, such as an attachment, has another id
    const isFile = map.kind === "pdf" && id === this.#upload?.name;
    if (isFile || (await this.#mayHaveFile)(id)) this.#versions.push(document);
    if (!isFile) return undefined;
    const outcome = await this.#files.keep(document, this.#upload!.path, { maxBytes: this.#maxBytes });
    if (outcome === "kept") this.#pending = document;
    if (outcome !== "full") return undefined;
    const reason = `was indexed, but its original is not kept: originals take ${formatBytes(this.#maxBytes)} already`;
    return { source, reason, hint: "Delete uploaded PDFs that are no longer needed." };
  }

  /** The writer has the document. */
  added({ id }: Document): void {
    if (this.#pending?.id === id) this.#pending = undefined;
  }

  /** Removes the files of earlier versions, after the commit. @throws VerbatimError `permission-denied`, `io-error` */
  async committed(): Promise<void> {
    const ids = this.#versions.map(({ id }) => id);
    if (ids.length > 0) await this.#files.remove(ids, this.#versions);
  }

  /** Removes what was kept for a document that was not added. */
  async failed(): Promise<void> {
    if (this.#pending !== undefined) await this.#files.discard(this.#pending);
  }

  /** Removes the files of deleted documents, after the commit. @throws VerbatimError `permission-denied`, `io-error` */
  async deleted(ids: readonly string[]): Promise<void> {
    await this.#files.remove(ids);
  }
}
