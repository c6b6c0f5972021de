/**
 * Finds exact spans in a published index. Runs in a worker (phrase-worker.ts); tests call it
 * directly.
 */

import type { Index } from "../../src/api/index-handle.js";
import { openIndex } from "../../src/api/open-index.js";
import type { AskResult } from "../../src/ask/result.js";
import type { SiteBlobs } from "./site-blobs.js";
import { type OpenNetwork, openSiteEncoder, type SiteEncoder } from "./site-encoder.js";
import { SiteFiles, SiteStorage } from "./site-storage.js";

interface PhraseSearchOptions {
  blobs: SiteBlobs;
  /** Name of the table of files, from the manifest that the page opened: a newer version may be published by now. */
  files: string;
  openNetwork: OpenNetwork;
  /** Receives the bytes of model and runtime that have arrived since the last call. */
  onBytes?: (bytes: number) => void;
}

export class PhraseSearch {
  readonly files: SiteFiles;
  readonly #index: Index;
  readonly #encoder: SiteEncoder;

  private constructor(files: SiteFiles, index: Index, encoder: SiteEncoder) {
    this.files = files;
    this.#index = index;
    this.#encoder = encoder;
  }

  /** @throws VerbatimError, errors of its requests */
  static async open({ blobs, files: table, openNetwork, onBytes }: PhraseSearchOptions): Promise<PhraseSearch> {
    const files = await SiteFiles.open(blobs, table);
    const encoder = await openSiteEncoder(files, { openNetwork, onBytes });
    try {
      const storage = new SiteStorage(files, blobs.base.href);
      return new PhraseSearch(files, await openIndex({ storage, encoder, correctsSpelling: false }), encoder);
    } catch (error) {
      await encoder.close();
      throw error;
    }
  }

  /** As `Index.ask`. */
  ask(question: string, options: { topK?: number; explain?: boolean; signal?: AbortSignal } = {}): Promise<AskResult> {
    return this.#index.ask(question, { ...options, advanced: { rankedPassages: 0 } });
  }

  async close(): Promise<void> {
    await this.#index.close();
    await this.#encoder.close();
  }
}
