/** Extracted text in the making, together with the map back to its source. */

import type { SourceSegment } from "../../../../src/types.js";
import { wellFormed } from "../decode.js";
import { unreadable } from "../skip.js";

/** Where the next written text comes from; see SourceSegment. */
export type SourceMark = Omit<SourceSegment, "start">;

/** What may stand between two written texts, weakest first; of several asked for, the strongest stands. */
export type Separator = "" | " " | " | " | "\n" | "\n\n";
const STRENGTH: Record<Separator, number> = { "": 0, " ": 1, " | ": 2, "\n": 3, "\n\n": 4 };

export class TextBuilder {
  readonly segments: SourceSegment[] = [];
  readonly #maxUnits: number;
  #parts: string[] = [];
  #length = 0;
  #separator: Separator = "";

  constructor(maxUnits: number) {
    this.#maxUnits = maxUnits;
  }

  /** UTF-16 units written, without a separator that waits. */
  get length(): number {
    return this.#length;
  }

  /** Asks for a separator before the next text; none is ever written at the start or the end. */
  separate(separator: Separator): void {
    if (STRENGTH[separator] > STRENGTH[this.#separator]) this.#separator = separator;
  }

  /**
   * Adds text that comes from `mark`; a segment begins unless the one before says the same.
   * @throws VerbatimError `unreadable-document` when the text grows beyond its limit
   */
  write(text: string, mark: SourceMark): void {
    if (text === "") return;
    if (this.#length > 0 && this.#separator !== "") this.#append(this.#separator);
    this.#separator = "";
    const last = this.segments.at(-1);
    if (
      last === undefined ||
      last.linear ||
      mark.linear ||
      last.line !== mark.line ||
      last.page !== mark.page ||
      last.path !== mark.path
    ) {
      this.segments.push({ start: this.#length, ...mark });
    }
    this.#append(wellFormed(text));
  }

  /** The text so far. */
  text(): string {
    if (this.#parts.length > 1) this.#parts = [this.#parts.join("")];
    return this.#parts[0] ?? "";
  }

  #append(text: string): void {
    this.#length += text.length;
    if (this.#length > this.#maxUnits) {
      throw unreadable(`has more than ${this.#maxUnits} characters of text`, "Split it, or raise the limit.");
    }
    this.#parts.push(text);
  }
}
