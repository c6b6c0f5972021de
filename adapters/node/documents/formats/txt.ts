/** Plain text: the file's own text, unchanged. */

import type { Document } from "../../../../src/types.js";
import { decodeText, wellFormed } from "../decode.js";
import type { ReadContext } from "../input.js";
import { unreadable } from "../skip.js";

/** @throws VerbatimError `unsupported-document` for binary data, `unreadable-document` beyond the text limit */
export function readTxt(bytes: Uint8Array, context: ReadContext): Document[] {
  const { text, encoding, bomBytes, exact } = decodeText(bytes);
  if (text.length > context.limits.maxTextUnits) {
    throw unreadable(
      `has more than ${context.limits.maxTextUnits} characters of text`,
      "Split it, or raise the limit.",
    );
  }
  const byte = encoding === "utf-8" && exact ? { byte: bomBytes } : {};
  return [
    {
      id: context.input.id,
      title: context.name,
      text: exact ? text : wellFormed(text),
      source: context.input.path,
      map: { kind: "text", segments: [{ start: 0, line: 1, linear: true, ...byte }] },
    },
  ];
}
