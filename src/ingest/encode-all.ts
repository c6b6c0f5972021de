/**
 * Encodes documents passage by passage, in order, with bounded memory: the encoder works a few calls ahead of the
 * consumer.
 */

import { passageInput, passageRoom, type TokenisedPassage, titleTokens } from "../encode/input.js";
import type { EncodedPassage, Encoder, PassageInput } from "../encode/types.js";
import { throwIfAborted } from "../errors.js";
import type { PreparedPassage } from "../index/types.js";
import { splitPassages } from "../text/passages.js";
import type { Document } from "../types.js";

/** An encoded passage on its way to the writer. */
export interface Entry extends PreparedPassage {
  document: Document;
  tokens: number;
  /** The last passage of its document. */
  last: boolean;
}

type OpenEntry = Omit<Entry, "encoded">;

/** Passages per encoder call: even one short document keeps several workers busy. */
const BATCH_PASSAGES = 2;
/**
 * Maximum concurrent encoder calls. Memory is bounded by `BATCH_PASSAGES` × `IN_FLIGHT` passages,
 * however large a document is.
 */
const IN_FLIGHT = 16;

interface EncodeAllOptions {
  encoder: Encoder;
  signal?: AbortSignal;
  /** The passages of a document in order. Default: whole sentences that fit into `maxTokens`. */
  split?: (document: Document, options: { maxTokens: number }) => Iterable<TokenisedPassage>;
  /** True for a document that must not be encoded; the callback has counted or reported it. */
  skip: (document: Document) => Promise<boolean>;
  /** Called for a document without passages, for which nothing is yielded. */
  noWords: (document: Document) => void;
}

/** The encoded passages of all documents, in order. The encoder works up to `IN_FLIGHT` calls ahead of the consumer. */
export async function* encodeAll(
  documents: AsyncIterable<Document> | Iterable<Document>,
  options: EncodeAllOptions,
): AsyncGenerator<Entry> {
  const { encoder, signal } = options;
  const { tokenizer, info } = encoder;
  const {
    split = (document: Document, { maxTokens }: { maxTokens: number }) =>
      splitPassages(document.text, { tokenizer, maxTokens }, signal),
  } = options;
  const waiting: Array<{ entries: OpenEntry[]; encoded: Promise<EncodedPassage[]> }> = [];
  let inputs: PassageInput[] = [];
  let entries: OpenEntry[] = [];
  const submit = (): void => {
    const encoded = encoder.encodePassages(inputs, { signal });
    encoded.catch(() => {}); // reported when it is awaited
    waiting.push({ entries, encoded });
    inputs = [];
    entries = [];
  };
  async function* deliver(): AsyncGenerator<Entry> {
    const batch = waiting.shift()!;
    const encoded = await batch.encoded;
    for (const [i, entry] of batch.entries.entries()) yield { ...entry, encoded: encoded[i]! };
  }
  for await (const document of documents) {
    throwIfAborted(signal);
    if (await options.skip(document)) continue;
    const title = titleTokens(tokenizer, document.title, info);
    const maxTokens = passageRoom(info, title.length);
    let newest: OpenEntry | undefined;
    for (const passage of split(document, { maxTokens })) {
      if (inputs.length >= BATCH_PASSAGES) {
        submit();
        while (waiting.length >= IN_FLIGHT) yield* deliver();
      }
      const input = passageInput(tokenizer, title, { passage });
      inputs.push(input);
      newest = { document, start: passage.start, end: passage.end, tokens: input.ids.length, last: false };
      entries.push(newest);
    }
    // The newest entry is still in the open batch: a batch is submitted only before something is added to it.
    if (newest === undefined) options.noWords(document);
    else newest.last = true;
  }
  if (inputs.length > 0) submit();
  while (waiting.length > 0) yield* deliver();
}

/**
 * Groups entries by document. The passages of one document must be consumed before the next is asked for.
 * Ends `entries` when the consumer stops early, so that its source is closed.
 */
export async function* byDocument(
  entries: AsyncGenerator<Entry>,
): AsyncGenerator<{ document: Document; passages: AsyncGenerator<Entry> }> {
  let next = await entries.next();
  async function* passages(): AsyncGenerator<Entry> {
    for (let last = false; !last && next.done !== true; ) {
      const entry = next.value;
      last = entry.last;
      yield entry;
      if (!last) next = await entries.next();
    }
  }
  try {
    while (next.done !== true) {
      yield { document: next.value.document, passages: passages() };
      next = await entries.next();
    }
  } finally {
    await entries.return(undefined);
  }
}
