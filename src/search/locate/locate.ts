/** From token positions to offsets in a document. Offsets are not stored: the passage's text is tokenised again. */

import { VerbatimError } from "../../errors.js";
import type { DocumentRecord } from "../../index/types.js";
import type { TokenOffsets } from "../../text/tokens.js";
import type { Searcher } from "../searcher.js";
import type { FoundSpan } from "../spans.js";
import { wholeCharacters } from "./whole-characters.js";
import { wholeEdges } from "./whole-edges.js";
import { wholeNumbers } from "./whole-numbers.js";

/**
 * A span with its text and its range `[start, end)` in UTF-16 units of its document, without half
 * characters, and with brackets and quotation marks in pairs.
 */
export interface LocatedSpan {
  span: FoundSpan;
  /** Document number within the segment. */
  document: number;
  record: DocumentRecord;
  start: number;
  end: number;
  text: string;
  passageStart: number;
  passageEnd: number;
  /** The document's text from `passageStart` to `passageEnd`. */
  passageText: string;
  /** The range is the name of the item that the span is in, not the span. */
  isName?: true;
}

interface ReadPassage {
  document: number;
  record: DocumentRecord;
  start: number;
  end: number;
  text: string;
  /** Offsets of the text's first tokens, as far as a span needed them. */
  tokens: TokenOffsets | undefined;
}

/** Locates the spans of one search; reads each passage once, and finds its tokens up to its last span. */
export class Locator {
  readonly #searcher: Searcher;
  readonly #signal: AbortSignal | undefined;
  readonly #passages = new Map<string, Promise<ReadPassage>>();

  constructor(searcher: Searcher, signal?: AbortSignal) {
    this.#searcher = searcher;
    this.#signal = signal;
  }

  /**
   * The places of spans, in their order.
   * @throws VerbatimError `corrupt-segment` if a passage's text, as far as its spans go, does not give the tokens
   *   that were indexed
   */
  async locate(spans: readonly FoundSpan[]): Promise<LocatedSpan[]> {
    const reads = new Map<string, Promise<ReadPassage>>();
    const counts = new Map<string, number>();
    for (const span of spans) {
      const key = keyOf(span);
      counts.set(key, Math.max(counts.get(key) ?? 0, span.endPosition - span.firstToken + 1));
      if (!reads.has(key)) reads.set(key, this.#passage(span));
    }
    const passages = await Promise.all(reads.values());
    const byKey = new Map([...reads.keys()].map((key, n) => [key, passages[n]!]));
    return spans.map((span) => {
      const passage = byKey.get(keyOf(span))!;
      const tokens = this.#tokens(passage, span, counts.get(keyOf(span))!);
      const { document, record, start, end, text } = passage;
      const characters = wholeCharacters(
        text,
        tokens.starts[span.startPosition - span.firstToken]!,
        tokens.ends[span.endPosition - span.firstToken]!,
      );
      const numbers = wholeNumbers(text, characters.start, characters.end);
      const { start: from, end: to } = wholeEdges(text, numbers.start, numbers.end);
      return {
        span,
        document,
        record,
        start: start + from,
        end: start + to,
        text: text.slice(from, to),
        passageStart: start,
        passageEnd: end,
        passageText: text,
      };
    });
  }

  #passage(span: FoundSpan): Promise<ReadPassage> {
    const key = keyOf(span);
    let reading = this.#passages.get(key);
    if (reading === undefined) {
      reading = this.#read(span);
      this.#passages.set(key, reading);
    }
    return reading;
  }

  async #read(span: FoundSpan): Promise<ReadPassage> {
    const searcher = this.#searcher;
    const reader = searcher.segment(span.segment);
    const { document, start, end } = reader.passage(span.passage);
    const [record, text] = await Promise.all([
      searcher.document(span.segment, document, this.#signal),
      reader.readText(document, start, end, this.#signal),
    ]);
    return { document, record, start, end, text, tokens: undefined };
  }

  /** The first `count` tokens of the passage, or more. Text after them does not affect their offsets. */
  #tokens(passage: ReadPassage, span: FoundSpan, count: number): TokenOffsets {
    if (passage.tokens !== undefined && passage.tokens.starts.length >= count) return passage.tokens;
    const { tokenizer } = this.#searcher;
    const stored = span.ids.subarray(span.firstToken, span.firstToken + count);
    const placed = tokenizer.place?.(passage.text, stored);
    if (placed !== undefined) {
      passage.tokens = placed;
      return placed;
    }
    const tokens = tokenizer.tokenize(passage.text, { maxTokens: count });
    if (tokens.count !== count || stored.some((id, t) => tokens.ids[t] !== id)) {
      const { record, start, end } = passage;
      throw new VerbatimError(
        "corrupt-segment",
        `The text of a passage of "${record.id}" does not give the tokens that were indexed.`,
        {
          found: `${tokens.count} tokens in the text, or others`,
          expected: `${count} tokens, as indexed`,
          where: `${this.#searcher.segment(span.segment).name}, passage ${span.passage}, characters ${start} to ${end}`,
          hint: "Run `verbatim check`; if the index is whole, the model's vocabulary is not the one it was made with.",
        },
      );
    }
    passage.tokens = tokens;
    return tokens;
  }
}

function keyOf({ segment, passage }: FoundSpan): string {
  return `${segment}:${passage}`;
}
