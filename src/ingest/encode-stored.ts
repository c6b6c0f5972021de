/** "These documents are in the index already: encode their passages as they lie", for an upgrade. */

import { tokenisePassage } from "../encode/input.js";
import type { Encoder } from "../encode/types.js";
import type { EncodeStored, StoredForEncoding } from "../index/write/upgrade-segment.js";
import type { Document } from "../types.js";
import { type Entry, encodeAll } from "./encode-all.js";

/** Passages are those that were indexed, whatever this program would cut today. */
export function encodeStored(encoder: Encoder): EncodeStored {
  return async function* encode(documents, { signal }) {
    /** Handed to the encoder and not yet handed on, in order, with their spans. */
    const waiting: StoredForEncoding[] = [];
    const spansOf = new WeakMap<Document, StoredForEncoding["spans"]>();
    const { tokenizer } = encoder;
    async function* remembered(): AsyncGenerator<Document> {
      for await (const stored of documents) {
        waiting.push(stored);
        spansOf.set(stored.document, stored.spans);
        yield stored.document;
      }
    }
    const stream = encodeAll(remembered(), {
      ...{ encoder, signal, passOver: async () => false, noWords: () => {} },
      split: (document) => spansOf.get(document)!.map((span) => tokenisePassage(tokenizer, document.text, span)),
    });
    let next = await stream.next();
    async function* passagesOfOne(): AsyncGenerator<Entry> {
      for (let last = false; !last && next.done !== true; ) {
        const entry = next.value;
        last = entry.last;
        yield entry;
        if (!last) next = await stream.next();
      }
    }
    try {
      while (waiting.length > 0) {
        const { document, spans } = waiting.shift()!;
        if (spans.length === 0) {
          yield { document, passages: [] };
          continue;
        }
        yield { document, passages: passagesOfOne() };
        next = await stream.next();
      }
    } finally {
      await stream.return(undefined);
    }
  };
}
