/** The pipeline from documents through the encoder to the index writer, in order and with bounded memory. */

import type { Encoder } from "../encode/types.js";
import { EventLoopTurns } from "../event-loop-turns.js";
import { DocumentHasher, documentContentHash } from "../index/format/content-hash.js";
import type { PreparedPassage } from "../index/types.js";
import type { IndexWriter } from "../index/write/writer.js";
import type { Document } from "../types.js";
import { byDocument, type Entry, encodeAll } from "./encode-all.js";
import { type IdSet, IdTable } from "./id-table.js";

/** Counts so far; `tokens` are encoder input tokens. */
export interface IngestProgress {
  documents: number;
  unchanged: number;
  replaced: number;
  passages: number;
  tokens: number;
  /** UTF-16 units of the documents' text that are encoded. */
  textLength: number;
  /** Start rows kept: phrases that can be found. */
  phrases: number;
  /** Documents skipped; `onSkip` gets the reason. */
  skipped: number;
}

export function noProgress(): IngestProgress {
  return { documents: 0, unchanged: 0, replaced: 0, passages: 0, tokens: 0, textLength: 0, phrases: 0, skipped: 0 };
}

export interface SkippedDocument {
  documentId: string;
  source: string;
  reason: string;
  hint?: string;
}

export interface IngestOptions {
  signal?: AbortSignal;
  onProgress?: (progress: IngestProgress) => void;
  onSkip?: (skipped: SkippedDocument) => void;
  /**
   * Called for each document before it is encoded. Return true if the caller makes sure by other means that the index
   * holds it (it moves the rows of a renamed file); the document is then neither encoded nor counted.
   */
  isKept?: (document: Document, contentHash: string) => boolean | Promise<boolean>;
  /**
   * @internal Ids of the documents so far, each of which is added before `isKept` is called. Default: a set of its
   *   own.
   */
  seen?: IdSet;
  /** Called for each encoded document once the writer has it. */
  onAdded?: (document: Document, change: "new" | "changed") => void;
}

/** Milliseconds of work between turns of the event loop. */
const TURN_MS = 50;
/** UTF-16 units of a text that are hashed without a turn: a few milliseconds. */
const UNITS_AT_ONCE = 1 << 20;

/** `documentContentHash`; the event loop turns while a long text is hashed. */
async function hashInTurns(document: Document, turns: EventLoopTurns): Promise<string> {
  const { title, text, metadata = {} } = document;
  if (text.length <= UNITS_AT_ONCE) return documentContentHash(document);
  const hasher = new DocumentHasher(title, text.length);
  for (let at = 0; at < text.length; at += UNITS_AT_ONCE) {
    hasher.update(text.slice(at, at + UNITS_AT_ONCE));
    await turns.next();
  }
  return hasher.digest(metadata);
}

/**
 * Encodes documents and passes them to the writer. Documents whose content is already in the index are left alone,
 * changed ones are replaced. When the signal fires, the current document is dropped; the writer keeps those before
 * it, and the caller may commit them. Progress grows within a document. After an error a last report counts only what
 * the writer has.
 * @throws VerbatimError `aborted` when the signal fires, and what encoder and writer throw
 */
export function ingest(
  documents: AsyncIterable<Document> | Iterable<Document>,
  writer: DocumentSink,
  options: IngestOptions & { encoder: Encoder },
): Promise<IngestProgress> {
  return new IngestRun(writer, options).run(documents);
}

type DocumentSink = Pick<IndexWriter, "has" | "add">;

/** What has been encoded of a document. */
type EncodedCounts = Pick<IngestProgress, "passages" | "tokens" | "textLength" | "phrases">;

const NOTHING: Readonly<EncodedCounts> = { passages: 0, tokens: 0, textLength: 0, phrases: 0 };

class IngestRun {
  readonly #writer: DocumentSink;
  readonly #options: IngestOptions & { encoder: Encoder };
  readonly #seen: IdSet;
  readonly #turns = new EventLoopTurns(TURN_MS);
  readonly #contentHashes = new WeakMap<Document, string>();
  /** Without the document that is being encoded. */
  readonly #progress = noProgress();
  #current: EncodedCounts = { ...NOTHING };

  constructor(writer: DocumentSink, options: IngestOptions & { encoder: Encoder }) {
    this.#writer = writer;
    this.#options = options;
    this.#seen = options.seen ?? new IdTable();
  }

  async run(documents: AsyncIterable<Document> | Iterable<Document>): Promise<IngestProgress> {
    const entries = encodeAll(documents, {
      ...this.#options,
      skip: (document) => this.#isLeftAlone(document),
      noWords: (document) => this.#skip(document, "it has no words", "Nothing to do: there is nothing to ask about."),
    });
    try {
      for await (const { document, passages } of byDocument(entries)) await this.#add(document, passages);
    } catch (error) {
      this.#current = { ...NOTHING };
      this.#report();
      throw error;
    }
    return this.#progress;
  }

  /** Whether a document is not to be encoded: the index has its content, or another document had its id. */
  async #isLeftAlone(document: Document): Promise<boolean> {
    await this.#turns.next(); // nothing else may turn it while documents are unchanged or occur twice
    if (this.#seen.has(document.id)) {
      this.#skip(document, `its id "${document.id}" occurs twice in this run`, "Give each document an id of its own.");
      return true;
    }
    this.#seen.add(document.id);
    const contentHash = await hashInTurns(document, this.#turns);
    this.#contentHashes.set(document, contentHash);
    if (await this.#options.isKept?.(document, contentHash)) return true;
    if (this.#writer.has(document.id)?.contentHash !== contentHash) return false;
    this.#progress.unchanged++;
    this.#report();
    return true;
  }

  #skip({ id, source }: Document, reason: string, hint: string): void {
    this.#progress.skipped++;
    this.#options.onSkip?.({ documentId: id, source, reason, hint });
  }

  async #add(document: Document, passages: AsyncIterable<Entry>): Promise<void> {
    const isKnown = this.#writer.has(document.id) !== undefined;
    const contentHash = this.#contentHashes.get(document);
    await this.#writer.add({ document, passages: this.#counted(passages), contentHash });
    this.#progress.documents++;
    if (isKnown) this.#progress.replaced++;
    Object.assign(this.#progress, this.#soFar(), { textLength: this.#progress.textLength + document.text.length });
    this.#current = { ...NOTHING };
    this.#options.onAdded?.(document, isKnown ? "changed" : "new");
    this.#report();
  }

  async *#counted(entries: AsyncIterable<Entry>): AsyncGenerator<PreparedPassage> {
    for await (const { start, end, encoded, tokens } of entries) {
      yield { start, end, encoded };
      this.#current.passages++;
      this.#current.tokens += tokens;
      this.#current.textLength = end;
      this.#current.phrases += encoded.startPositions.length;
      this.#report();
      await this.#turns.next();
    }
  }

  /** With the document that is being encoded. */
  #soFar(): EncodedCounts {
    const { passages, tokens, textLength, phrases } = this.#progress;
    const current = this.#current;
    return {
      passages: passages + current.passages,
      tokens: tokens + current.tokens,
      textLength: textLength + current.textLength,
      phrases: phrases + current.phrases,
    };
  }

  #report(): void {
    this.#options.onProgress?.({ ...this.#progress, ...this.#soFar() });
  }
}
