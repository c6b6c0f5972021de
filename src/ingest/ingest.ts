/** Documents in, encoded passages out, in order and with bounded memory: the pipeline between the encoder and the index writer. */

import type { Encoder } from "../encode/types.js";
import { documentContentHash } from "../index/format/content-hash.js";
import type { PreparedPassage } from "../index/types.js";
import type { IndexWriter } from "../index/write/writer.js";
import type { Document } from "../types.js";
import { encodeAll } from "./encode-all.js";

/** Counts so far; `tokens` are encoder input tokens. */
export interface IngestProgress {
  documents: number;
  unchanged: number;
  replaced: number;
  passages: number;
  tokens: number;
  /** Start rows kept: the phrases that can be found. */
  phrases: number;
  /** Documents passed over, with the reason. */
  skipped: number;
}

/** Before anything is read. */
export function noProgress(): IngestProgress {
  return { documents: 0, unchanged: 0, replaced: 0, passages: 0, tokens: 0, phrases: 0, skipped: 0 };
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
   * Asked of each document before it is encoded. True: the caller sees to it that the index holds it, by other means (the rows of a
   * renamed file are moved); it is neither encoded nor counted.
   */
  isKept?: (document: Document, contentHash: string) => boolean | Promise<boolean>;
  /** Told of each document that was encoded, when the writer has it. */
  onAdded?: (document: Document, change: "new" | "changed") => void;
  /** Passages an encoder call takes; default 2, so that one short document keeps several workers busy, too. */
  batchPassages?: number;
  /** Encoder calls under way at most; default 16. Memory is bounded by batchPassages × inFlight passages, whatever a document's size. */
  inFlight?: number;
}

/**
 * Encodes documents and hands them to the writer. A document whose content is already in the index is left alone; a changed one is
 * replaced. When the signal fires the document under way is dropped; those before it are the writer's, and the caller may commit them.
 * Progress grows within a document; after an error it is told once more, as what is in.
 * @throws VerbatimError `aborted` when the signal fires, and whatever encoder or writer throw
 */
export async function ingest(
  documents: AsyncIterable<Document> | Iterable<Document>,
  writer: Pick<IndexWriter, "has" | "add">,
  options: IngestOptions & { encoder: Encoder },
): Promise<IngestProgress> {
  const progress = noProgress();
  const seen = new Set<string>();
  /** Of the document that is being written: told as it grows, counted when it is in. */
  let underWay = { passages: 0, tokens: 0, phrases: 0 };
  const report = (): void => {
    const { passages, tokens, phrases } = underWay;
    options.onProgress?.({
      ...progress,
      passages: progress.passages + passages,
      tokens: progress.tokens + tokens,
      phrases: progress.phrases + phrases,
    });
  };
  const skip = (document: Document, reason: string, hint: string): void => {
    progress.skipped++;
    options.onSkip?.({ documentId: document.id, source: document.source, reason, hint });
  };
  const passOver = async (document: Document): Promise<boolean> => {
    if (seen.has(document.id)) {
      skip(document, `its id "${document.id}" occurs twice in this run`, "Give each document an id of its own.");
      return true;
    }
    seen.add(document.id);
    const contentHash = documentContentHash(document);
    if (await options.isKept?.(document, contentHash)) return true;
    if (writer.has(document.id)?.contentHash !== contentHash) return false;
    progress.unchanged++;
    report();
    return true;
  };
  const noWords = (document: Document): void =>
    skip(document, "it has no words", "Nothing to do: there is nothing to ask about.");

  const stream = encodeAll(documents, { ...options, passOver, noWords });
  let next = await stream.next();
  async function* passagesOfOne(): AsyncGenerator<PreparedPassage> {
    for (let last = false; !last && next.done !== true; ) {
      const { start, end, encoded, tokens } = next.value;
      last = next.value.last;
      yield { start, end, encoded };
      underWay.passages++;
      underWay.tokens += tokens;
      underWay.phrases += encoded.startPositions.length;
      report();
      if (!last) next = await stream.next();
    }
  }
  try {
    while (next.done !== true) {
      const { document } = next.value;
      const known = writer.has(document.id) !== undefined;
      await writer.add({ document, passages: passagesOfOne() });
      progress.documents++;
      if (known) progress.replaced++;
      progress.passages += underWay.passages;
      progress.tokens += underWay.tokens;
      progress.phrases += underWay.phrases;
      underWay = { passages: 0, tokens: 0, phrases: 0 };
      options.onAdded?.(document, known ? "changed" : "new");
      report();
      next = await stream.next();
    }
  } catch (error) {
    underWay = { passages: 0, tokens: 0, phrases: 0 };
    report(); // the last word is what is in, without the document that was dropped
    throw error;
  } finally {
    await stream.return(undefined); // when the writer throws: lets the reader of the documents close its file
  }
  return progress;
}
