/** Documents in, encoded passages out, in order and with bounded memory: the pipeline between the encoder and the index writer. */

import { passageInput, passageRoom, titleTokens } from "./encode/input.js";
import type { EncodedPassage, Encoder, PassageInput } from "./encode/types.js";
import { throwIfAborted } from "./errors.js";
import { contentHash } from "./index/content-hash.js";
import type { IndexWriter } from "./index/writer.js";
import { splitPassages } from "./text/passages.js";
import type { Document } from "./types.js";

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
  /** Passages an encoder call takes; default 8. */
  batchPassages?: number;
  /** Encoder calls under way at most; default 4. Memory is bounded by batchPassages × inFlight passages, whatever a document's size. */
  inFlight?: number;
  /** "sentence" gives every sentence term weights of its own. */
  termUnit?: "passage" | "sentence";
}

interface Entry {
  document: Document;
  start: number;
  end: number;
  last: boolean;
}

interface Batch {
  entries: Entry[];
  tokens: number;
  encoded: Promise<EncodedPassage[]>;
}

/**
 * Encodes documents and hands them to the writer. Documents whose content is already in the index are left alone; a changed one
 * is replaced. What the writer was given when the signal fires stays valid: the caller commits it.
 * @throws VerbatimError `aborted` when the signal fires, and whatever encoder or writer throw
 */
export async function ingest(
  documents: AsyncIterable<Document> | Iterable<Document>,
  writer: IndexWriter,
  options: IngestOptions & { encoder: Encoder },
): Promise<IngestProgress> {
  const { encoder, signal, batchPassages = 8, inFlight = 4, termUnit = "passage" } = options;
  const { tokenizer, info } = encoder;
  const progress: IngestProgress = {
    documents: 0,
    unchanged: 0,
    replaced: 0,
    passages: 0,
    tokens: 0,
    phrases: 0,
    skipped: 0,
  };
  const seen = new Set<string>();
  const waiting: Batch[] = [];
  let inputs: PassageInput[] = [];
  let entries: Entry[] = [];
  let open: Document | undefined;

  const deliver = async (): Promise<void> => {
    const batch = waiting.shift()!;
    const encoded = await batch.encoded;
    for (const [i, entry] of batch.entries.entries()) {
      if (open !== entry.document) {
        open = entry.document;
        if (writer.has(entry.document.id) !== undefined) progress.replaced++;
        await writer.beginDocument(entry.document);
      }
      await writer.addPassage({ start: entry.start, end: entry.end, encoded: encoded[i]! });
      progress.passages++;
      progress.phrases += encoded[i]!.startPositions.length;
      if (entry.last) {
        await writer.endDocument();
        progress.documents++;
        open = undefined;
      }
    }
    progress.tokens += batch.tokens;
    options.onProgress?.({ ...progress });
  };
  const submit = async (): Promise<void> => {
    if (inputs.length === 0) return;
    const batch: Batch = {
      entries,
      tokens: inputs.reduce((sum, input) => sum + input.ids.length, 0),
      encoded: encoder.encodePassages(inputs, signal === undefined ? {} : { signal }),
    };
    batch.encoded.catch(() => {}); // reported when it is delivered
    waiting.push(batch);
    inputs = [];
    entries = [];
    while (waiting.length >= inFlight) await deliver();
  };
  const skip = (document: Document, reason: string, hint?: string): void => {
    progress.skipped++;
    options.onSkip?.({ documentId: document.id, source: document.source, reason, hint });
  };

  try {
    for await (const document of documents) {
      throwIfAborted(signal);
      if (seen.has(document.id)) {
        skip(document, `its id "${document.id}" occurs twice in this run`, "Give each document an id of its own.");
        continue;
      }
      seen.add(document.id);
      if (writer.has(document.id)?.contentHash === contentHash(document)) {
        progress.unchanged++;
        options.onProgress?.({ ...progress });
        continue;
      }
      const title = titleTokens(tokenizer, document.title, info);
      const maxTokens = passageRoom(info, title.length);
      let held: Entry | undefined;
      for (const passage of splitPassages(document.text, { tokenizer, maxTokens, signal })) {
        if (passage.tokens.count === 0) continue;
        const sentences = termUnit === "sentence" ? { text: document.text, textOffset: 0 } : undefined;
        if (inputs.length >= batchPassages) await submit();
        inputs.push(passageInput(tokenizer, title, sentences === undefined ? { passage } : { passage, sentences }));
        held = { document, start: passage.start, end: passage.end, last: false };
        entries.push(held);
      }
      if (held === undefined)
        skip(document, "it has no words", "Nothing to do: it holds only white space or control characters.");
      else held.last = true; // its batch is still open: submit() runs before the next push, never after it
    }
    await submit();
    while (waiting.length > 0) await deliver();
  } catch (error) {
    if (open !== undefined) writer.dropDocument();
    throw error;
  }
  return progress;
}
