/** The best spans of a whole search, kept in bounded memory while passages go by. */

import type { SpanCandidate } from "./types.js";

/** A span with its passage's tokens, which its text is found by. */
export interface FoundSpan extends SpanCandidate {
  ids: Uint16Array;
  firstToken: number;
}

/** Score descending, ties by segment, passage, start, end: a total order. */
export function compareSpans(a: SpanCandidate, b: SpanCandidate): number {
  return (
    b.score - a.score ||
    a.segment - b.segment ||
    a.passage - b.passage ||
    a.startPosition - b.startPosition ||
    a.endPosition - b.endPosition
  );
}

/** Keeps the `limit` best spans of any number; the order of adding plays no part. Amortised O(log limit) a span. */
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
