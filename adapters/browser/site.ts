/**
 * `verbatim-qa/browser`: asks an index that `verbatim publish` has written to a static host. Only
 * the site's own files are requested.
 *
 *     import { openSite } from "verbatim-qa/browser";
 *
 *     const site = await openSite("/answers/");
 *     for await (const { kind, answers } of site.ask("who founded the observatory?")) show(kind, answers);
 *
 * The nearest sentences come first, found by words in two round trips, then, if phrases were
 * published, exact spans.
 */

import { VerbatimError } from "../../src/errors.js";
import { LoadOnce } from "../../src/load-once.js";
import { unpackJson } from "../../src/publish/blob.js";
import type { SiteManifest } from "../../src/publish/site-manifest.js";
import { decodeStart } from "../../src/publish/start.js";
import { TermsFirst } from "../../src/publish/terms-first.js";
import type { ListedDocument, TextPiece } from "../../src/publish/text-shards.js";
import { type AnswerView, phraseView, type SiteResult } from "./answer-view.js";
import { OfflineCopy } from "./offline-copy.js";
import { PhraseClient, type PhraseWorker } from "./phrase-client.js";
import { siteAddress } from "./site-address.js";
import { SiteBlobs } from "./site-blobs.js";
import { nearestSentences } from "./site-sentences.js";
import type { WebCaches, WebFetch } from "./web.js";

export type { RestrictionResult } from "../../src/ask/result.js";
export type { AnswerJson } from "../../src/ask/result-json.js";
export type { SiteLevel, SiteManifest } from "../../src/publish/site-manifest.js";
export type { ListedDocument } from "../../src/publish/text-shards.js";
export type { Shown } from "../../src/search/locate/shown.js";
export type { Quoted } from "../../src/search/types.js";
export type { WebPort } from "../rpc/endpoint.js";
export type { AnswerView, PlaceView, SiteResult } from "./answer-view.js";
export type { PhraseClient, PhraseWorker } from "./phrase-client.js";
export type { CacheMode, FetchPriority, WebCache, WebCaches, WebFetch } from "./web.js";

/** Larger sites are not cached for offline visits unless the caller raises the limit. */
const MAX_OFFLINE_BYTES = 64 * 1024 * 1024;

export interface OpenSiteOptions {
  /** Default: the global one. */
  fetch?: WebFetch;
  /** Default: the browser's; null: nothing is cached. */
  caches?: WebCaches | null;
  /**
   * Starts the worker that runs the phrase model, from the address in the site's manifest. Default:
   * a module worker; null: sentences only.
   */
  startWorker?: ((address: URL) => PhraseWorker) | null;
  /** Receives the share of the phrase model that has arrived, 0 to 1. */
  onPhraseProgress?: (share: number) => void;
}

export interface SiteAskOptions {
  /** Number of answers, default 5. */
  topK?: number;
  signal?: AbortSignal;
}

/** A part of a document's extracted text. */
export interface SiteDocumentText {
  id: string;
  title: string;
  source: string;
  length: number;
  from: number;
  to: number;
  text: string;
}

/**
 * Opens a published site: fetches its manifest and its start file.
 * @param address  the site's folder; relative to the page
 * @throws VerbatimError `io-error`, `corrupt-manifest`, `corrupt-segment`, `unsupported-format`
 */
export async function openSite(address: string | URL, options: OpenSiteOptions = {}): Promise<Site> {
  const page = (globalThis as { document?: { baseURI: string } }).document?.baseURI;
  const base = siteAddress(address, page);
  const blobs = new SiteBlobs({ base, fetch: options.fetch, caches: options.caches, priority: "high" });
  const manifest = await blobs.manifest();
  const start = decodeStart(await blobs.blob(manifest.start), blobs.url(manifest.start));
  const site = new Site(manifest, blobs, { start: new TermsFirst(start, (name) => blobs.blob(name)), options });
  if (manifest.files !== undefined && (await blobs.kept()).has(manifest.files)) site.loadPhrases();
  return site;
}

export class Site {
  readonly manifest: SiteManifest;
  readonly #blobs: SiteBlobs;
  readonly #terms: TermsFirst;
  readonly #options: OpenSiteOptions;
  readonly #offline: OfflineCopy;
  #phrases: PhraseClient | undefined;
  /** Questions in progress, and callbacks for when there is none. */
  #asking = 0;
  #quiet: (() => void)[] = [];
  #keeping: Promise<boolean> | undefined;
  /** Blobs of other versions are dropped once, after the first question. */
  #dropping: Promise<void> | undefined;
  readonly #documents = new LoadOnce(() => this.#readList());

  /** @internal Use `openSite`. */
  constructor(manifest: SiteManifest, blobs: SiteBlobs, rest: { start: TermsFirst; options: OpenSiteOptions }) {
    this.manifest = manifest;
    this.#blobs = blobs;
    this.#terms = rest.start;
    this.#options = rest.options;
    this.#offline = new OfflineCopy(blobs, { manifest, start: rest.start.start });
  }

  /** Whether exact spans follow the sentences. */
  get hasPhrases(): boolean {
    return this.manifest.files !== undefined && this.#options.startWorker !== null;
  }

  /**
   * The answers so far: the nearest sentences, then (if phrases were published) the exact spans.
   * The phrase model is loaded after the first sentences; once it is loaded, sentences and spans
   * are searched concurrently. If it fails, the error is thrown after the sentences.
   * @throws VerbatimError `invalid-argument`, `io-error`, `corrupt-segment`, `aborted`
   */
  async *ask(question: string, options: SiteAskOptions = {}): AsyncGenerator<SiteResult, void> {
    const { topK = 5, signal } = options;
    const began = performance.now();
    const left = new AbortController();
    const within = signal === undefined ? left.signal : AbortSignal.any([signal, left.signal]);
    this.#asking++;
    try {
      const early = this.#phrases?.isReady ? this.#phrases.ask(question, { topK, signal: within }) : undefined;
      early?.catch(() => {}); // thrown after the sentences
      yield await nearestSentences(this.#terms, question, { topK, isLast: !this.hasPhrases, signal });
      const spans = early ?? this.loadPhrases()?.ask(question, { topK, signal: within });
      if (spans !== undefined) yield phraseView(await spans, performance.now() - began);
    } finally {
      left.abort(); // for callers that stop after the sentences
      if (--this.#asking === 0) {
        this.#notifyQuiet();
        this.#dropping ??= this.#offline.dropOthers().catch(() => {}); // answers do not depend on it
      }
    }
  }

  /**
   * The exact spans with the parts of their scores and their passages.
   * @throws VerbatimError as `ask`; `invalid-argument` without phrases
   */
  async explain(question: string, options: SiteAskOptions = {}): Promise<SiteResult> {
    const phrases = this.loadPhrases();
    if (phrases === undefined) {
      throw new VerbatimError("invalid-argument", "This site was published without phrases.", {
        hint: "Publish it again with --level full.",
      });
    }
    const { topK = 5, signal } = options;
    const result = await phrases.ask(question, { topK, signal, explain: true });
    const view = phraseView(result, result.tookMs);
    const answers = await Promise.all(
      view.answers.map(async (answer, n): Promise<AnswerView> => {
        const { passageStart: start, passageEnd: end } = result.answers[n]!;
        const { text } = await this.readDocument(answer.documentId, start, { to: end, signal });
        return { ...answer, passage: { start, end, text } };
      }),
    );
    return { ...view, answers };
  }

  /**
   * text.slice(from, to) of a document.
   * @throws VerbatimError `invalid-argument` for an unknown id, `io-error`, `corrupt-segment`
   */
  async readDocument(
    id: string,
    from: number,
    options: { to: number; signal?: AbortSignal },
  ): Promise<SiteDocumentText> {
    const { signal } = options;
    const listed = (await this.#documents.get()).get(id);
    if (listed === undefined) {
      throw new VerbatimError("invalid-argument", `The site has no document ${id}.`, {
        found: id,
        hint: "It may have been removed since the link was made: ask again.",
      });
    }
    const begin = Math.min(Math.max(0, from), listed.length);
    const to = Math.min(Math.max(begin, options.to), listed.length);
    const pieces = await this.#terms.readPieces(listed, { from: begin, to, signal });
    const { title, length } = listed;
    return { id, title, source: pieces[0]?.source ?? id, length, from: begin, to, text: joined(pieces, begin, to) };
  }

  /** All documents, in the order of the index. */
  async documents(): Promise<ListedDocument[]> {
    return [...(await this.#documents.get()).values()];
  }

  /**
   * Loads the phrase model, if there is one and it is not loaded. Questions that wait for it throw
   * its errors.
   */
  loadPhrases(): PhraseClient | undefined {
    const { startWorker = moduleWorker, onPhraseProgress } = this.#options;
    const { worker, files, bytes } = this.manifest;
    if (!this.hasPhrases || startWorker === null || worker === undefined || files === undefined) return undefined;
    if (this.#phrases === undefined) {
      let loaded = 0;
      const onBytes = (more: number): void => {
        loaded += more;
        onPhraseProgress?.(Math.min(1, loaded / bytes.model));
      };
      const { base } = this.#blobs;
      const onLost = (): void => {
        if (this.#phrases === phrases) this.#phrases = undefined; // the next question tries again
        phrases.close();
      };
      const phrases = new PhraseClient(startWorker(new URL(worker, base)), { base, files, onBytes, onLost });
      this.#phrases = phrases;
      phrases.ready.catch(onLost);
    }
    return this.#phrases;
  }

  /**
   * Caches what an offline visit needs, and drops what earlier versions of the site cached. Leaves
   * phrases out if everything together exceeds `maxBytes`, and caches nothing if the rest does too.
   * Until everything is cached, offline visits use the last version that was complete. Pauses while
   * questions are in progress. Further calls share the run in progress, or the completed one.
   * @returns false when something could not be fetched; the next call resumes
   */
  keepOffline(options: { maxBytes?: number; signal?: AbortSignal } = {}): Promise<boolean> {
    if (this.#keeping !== undefined) return this.#keeping;
    const { maxBytes = MAX_OFFLINE_BYTES, signal } = options;
    const { hasPhrases } = this;
    const whenQuiet = (): Promise<void> => this.#whenQuiet();
    const keeping = this.#offline.complete({ maxBytes, hasPhrases, whenQuiet, signal });
    this.#keeping = keeping;
    const forget = (): void => {
      if (this.#keeping === keeping) this.#keeping = undefined;
    };
    keeping.then((whole) => whole || forget(), forget);
    return keeping;
  }

  /** Ends the worker. */
  close(): void {
    this.#phrases?.close();
    this.#phrases = undefined;
  }

  async #whenQuiet(): Promise<void> {
    while (this.#asking > 0) await new Promise<void>((resolve) => this.#quiet.push(resolve));
  }

  #notifyQuiet(): void {
    const waiting = this.#quiet;
    this.#quiet = [];
    for (const resume of waiting) resume();
  }

  async #readList(): Promise<Map<string, ListedDocument>> {
    const { list } = this.manifest;
    const documents = unpackJson<ListedDocument[]>(await this.#blobs.blob(list), list);
    return new Map(documents.map((document) => [document.id, document]));
  }
}

function joined(pieces: readonly TextPiece[], from: number, to: number): string {
  let text = "";
  for (const piece of pieces) text += piece.text.slice(from + text.length - piece.from, to - piece.from);
  return text;
}

function moduleWorker(address: URL): PhraseWorker {
  const { Worker } = globalThis as unknown as { Worker: new (address: URL, options: { type: string }) => PhraseWorker };
  return new Worker(address, { type: "module" });
}
