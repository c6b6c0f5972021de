/** Reassembles documents whose text and map were sent in pieces. */

import type { Document, SourceSegment } from "../../../../src/types.js";
import type { ParserItem } from "./messages.js";

export class DocumentAssembly {
  #texts: string[] = [];
  #segments: SourceSegment[] = [];

  addPiece(piece: Extract<ParserItem, { kind: "text" | "segments" }>): void {
    if (piece.kind === "text") this.#texts.push(piece.text);
    else for (const segment of piece.segments) this.#segments.push(segment);
  }

  /** The document, completed with the pieces sent before it. */
  complete(document: Document): Document {
    let whole = document;
    if (this.#texts.length > 0) whole = { ...whole, text: this.#texts.join("") };
    if (this.#segments.length > 0) whole = { ...whole, map: { ...whole.map, segments: this.#segments } };
    this.#texts = [];
    this.#segments = [];
    return whole;
  }
}
