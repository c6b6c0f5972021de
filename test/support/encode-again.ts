/**
 * An upgrade's encoder for made-up documents: their encodings are looked up, so what it writes can be compared byte
 * for byte.
 */

import type { PreparedDocument } from "../../src/index/types.js";
import type { EncodeStored } from "../../src/index/write/upgrade-segment.js";

/** By title and text: a document may have been moved, or another may have had its name. */
export function encodeAgain(prepared: Iterable<PreparedDocument>): EncodeStored {
  const known = new Map<string, PreparedDocument>();
  for (const one of prepared) known.set(`${one.document.title}\n${one.document.text}`, one);
  return async function* encode(documents) {
    for await (const { document, spans } of documents) {
      const { passages } = known.get(`${document.title}\n${document.text}`)!;
      if (passages.some(({ start, end }, p) => spans[p]?.start !== start || spans[p]?.end !== end))
        throw new Error(`the passages of ${document.id} have other offsets`);
      yield { document, passages };
    }
  };
}
