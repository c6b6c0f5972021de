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
  units: number;
  /** Start rows kept: phrases that can be found. */
  phrases: number;
  /** Documents skipped; `onSkip` gets the reason. */
  skipped: number;
}

export function noProgress(): IngestProgress {
  return { documents: 0, unchanged: 0, replaced: 0, passages: 0, tokens: 0, units: 0, phrases: 0, skipped: 0 };
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
   * Called for each document before it is encoded. Return true if the caller makes sure by other means that the index holds it (it
   * moves the rows of a renamed file); the document is then neither encoded nor counted.
   */
  isKept?: (document: Document, contentHash: string) => boolean | Promise<boolean>;
  /** @internal Ids of the documents so far, each of which is added before `isKept` is called. Default: a set of its own. */
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
 * Encodes documents and passes them to the writer. Documents whose content is already in the index are left alone, changed ones are
 * replaced. When the signal fires, the current document is dropped; the writer keeps those before it, and the caller may commit them.
 * Progress grows within a document. After an error a last report counts only what the writer has.
 * @throws VerbatimError `aborted` when the signal fires, and what encoder and writer throw
 */
export async function ingest(
  documents: AsyncIterable<Document> | Iterable<Document>,
  writer: Pick<IndexWriter, "has" | "add">,
  options: IngestOptions & { encoder: Encoder },
): Promise<IngestProgress> {
  const progress = noProgress();
  const { seen = new IdTable() } = options;
  const contentHashes = new WeakMap<Document, string>();
  const turns = new EventLoopTurns(TURN_MS);
  const nothing = { passages: 0, tokens: 0, units: 0, phrases: 0 };
  let current = { ...nothing };
  const report = (): void => {
    const { passages, tokens, units, phrases } = current;
    options.onProgress?.({
      ...progress,
      passages: progress.passages + passages,
      tokens: progress.tokens + tokens,
      units: progress.units + units,
      phrases: progress.phrases + phrases,
    });
  };
  const onSkip = (document: Document, reason: string, hint: string): void => {
    progress.skipped++;
    options.onSkip?.({ documentId: document.id, source: document.source, reason, hint });
  };
  const skip = async (document: Document): Promise<boolean> => {
    await turns.next(); // nothing else may turn it while documents are unchanged or occur twice
    if (seen.has(document.id)) {
      onSkip(document, `its id "${document.id}" occurs twice in this run`, "Give each document an id of its own.");
      return true;
    }
    seen.add(document.id);
    const contentHash = await hashInTurns(document, turns);
    contentHashes.set(document, contentHash);
    if (await options.isKept?.(document, contentHash)) return true;
    if (writer.has(document.id)?.contentHash !== contentHash) return false;
    progress.unchanged++;
    report();
    return true;
  };
  const noWords = (document: Document): void =>
    onSkip(document, "it has no words", "Nothing to do: there is nothing to ask about.");
  async function* counted(entries: AsyncIterable<Entry>): AsyncGenerator<PreparedPassage> {
    for await (const { start, end, encoded, tokens } of entries) {
      yield { start, end, encoded };
      current.passages++;
      current.tokens += tokens;
      current.units = end;
      current.phrases += encoded.startPositions.length;
      report();
      await turns.next();
    }
  }
  try {
    for await (const { document, passages } of byDocument(encodeAll(documents, { ...options, skip, noWords }))) {
      const known = writer.has(document.id) !== undefined;
      await writer.add({ document, passages: counted(passages), contentHash: contentHashes.get(document) });
      progress.documents++;
      if (known) progress.replaced++;
      progress.passages += current.passages;
      progress.tokens += current.tokens;
      progress.units += document.text.length;
      progress.phrases += current.phrases;
      current = { ...nothing };
      options.onAdded?.(document, known ? "changed" : "new");
      report();
    }
  } catch (error) {
    current = { ...nothing };
    report();
    throw error;
  }
  return progress;
}
