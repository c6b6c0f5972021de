/** The best spans of a whole search, collected in bounded memory. */

import type { ScoreParts } from "./types.js";

/** A scored span before its text is known. Positions are positions in `ids`, end inclusive. */
export interface FoundSpan {
  segment: number;
  passage: number;
  startPosition: number;
  endPosition: number;
  score: number;
  parts: ScoreParts;
  /** The passage's input tokens, by which the span's text is found. */
  ids: Uint16Array;
  /** Position of the first token of the passage's own text. */
  firstToken: number;
}

/** Score descending, ties by segment, passage, start, end: a total order. */
function compareSpans(a: FoundSpan, b: FoundSpan): number {
  return (
    b.score - a.score ||
    a.segment - b.segment ||
    a.passage - b.passage ||
    a.startPosition - b.startPosition ||
    a.endPosition - b.endPosition
  );
}

/** Keeps the `limit` best spans; the result does not depend on the order of adding. Amortised O(log limit) per span. */
export class SpanCollector {
  readonly #limit: number;
  #spans: FoundSpan[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(span: FoundSpan): void {
    this.#spans.push(span);
    if (this.#spans.length >= 4 * this.#limit) this.#spans = this.sorted();
  }

  /** Best first. */
  sorted(): FoundSpan[] {
    return this.#spans.sort(compareSpans).slice(0, this.#limit);
  }
}
