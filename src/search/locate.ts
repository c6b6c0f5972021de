/** From token positions to places in a document: the offsets are not stored, the passage's text is tokenised again. */

import { VerbatimError } from "../errors.js";
import type { DocumentRecord } from "../index/types.js";
import type { Tokens } from "../text/tokens.js";
import type { SearchSession } from "./session.js";
import type { FoundSpan } from "./spans.js";

/** A span with its text and its place `[start, end)` in UTF-16 units of its document. */
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
}

interface ReadPassage {
  document: number;
  record: DocumentRecord;
  start: number;
  end: number;
  text: string;
  tokens: Tokens;
}

/** Locates spans of one search; reads every passage once. */
export class Locator {
  readonly #session: SearchSession;
  readonly #signal: AbortSignal | undefined;
  readonly #passages = new Map<string, Promise<ReadPassage>>();

  constructor(session: SearchSession, signal?: AbortSignal) {
    this.#session = session;
    this.#signal = signal;
  }

  /** @throws VerbatimError `corrupt-segment` if the passage's text does not give the tokens that were indexed */
  async locate(span: FoundSpan): Promise<LocatedSpan> {
    const key = `${span.segment}:${span.passage}`;
    let reading = this.#passages.get(key);
    if (reading === undefined) {
      reading = this.#read(span);
      this.#passages.set(key, reading);
    }
    const { document, record, start, end, text, tokens } = await reading;
    const from = tokens.starts[span.startPosition - span.firstToken]!;
    const to = tokens.ends[span.endPosition - span.firstToken]!;
    return {
      span,
      document,
      record,
      start: start + from,
      end: start + to,
      text: text.slice(from, to),
      passageStart: start,
      passageEnd: end,
    };
  }

  async #read(span: FoundSpan): Promise<ReadPassage> {
    const session = this.#session;
    const reader = session.segment(span.segment);
    const { document, start, end } = reader.passage(span.passage);
    const [record, text] = await Promise.all([
      session.document(span.segment, document, this.#signal),
      reader.readText(document, start, end, this.#signal),
    ]);
    const tokens = session.tokenizer.tokenize(text);
    const stored = span.ids.subarray(span.firstToken, span.ids.length - 1);
    if (tokens.count !== stored.length || stored.some((id, t) => tokens.ids[t] !== id)) {
      throw new VerbatimError(
        "corrupt-segment",
        `The text of a passage of "${record.id}" does not give the tokens that were indexed.`,
        {
          found: `${tokens.count} tokens in the text`,
          expected: `${stored.length} tokens, as indexed`,
          where: `${reader.name}, passage ${span.passage}, characters ${start} to ${end}`,
          hint: "Run `verbatim check`; if the index is whole, the model's vocabulary is not the one it was made with.",
        },
      );
    }
    return { document, record, start, end, text, tokens };
  }
}
