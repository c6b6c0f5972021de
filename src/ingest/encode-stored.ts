/** Encodes the passages of documents that an index already holds, for an upgrade. */

import { tokenisePassage } from "../encode/input.js";
import type { Encoder } from "../encode/types.js";
import type { EncodeStored, StoredForEncoding } from "../index/write/upgrade-segment.js";
import type { Document } from "../types.js";
import { byDocument, encodeAll } from "./encode-all.js";

/** Keeps the stored passage boundaries, even where this version would split the text differently. */
export function encodeStored(encoder: Encoder): EncodeStored {
  return async function* encode(documents, { signal }) {
    /** Documents given to the encoder whose passages have not been yielded yet, in order. */
    const waiting: StoredForEncoding[] = [];
    const spansOf = new WeakMap<Document, StoredForEncoding["spans"]>();
    const { tokenizer } = encoder;
    async function* recorded(): AsyncGenerator<Document> {
      for await (const stored of documents) {
        waiting.push(stored);
        spansOf.set(stored.document, stored.spans);
        yield stored.document;
      }
    }
    const entries = encodeAll(recorded(), {
      encoder,
      signal,
      skip: async () => false,
      noWords: () => {},
      split: (document) => spansOf.get(document)!.map((span) => tokenisePassage(tokenizer, document.text, span)),
    });
    for await (const encoded of byDocument(entries)) {
      let stored = waiting.shift()!;
      for (; stored.document !== encoded.document; stored = waiting.shift()!)
        yield { document: stored.document, passages: [] };
      yield encoded;
    }
    for (const { document } of waiting) yield { document, passages: [] };
  };
}
