/** Builds extracted text together with the map back to its source. */

import type { SourceSegment } from "../../../../src/types.js";
import { wellFormed } from "../decode.js";
import type { ReadLimits } from "../limits.js";
import { unreadable } from "../skip.js";

/** Where the next written text comes from; see SourceSegment. */
export type SourceMark = Omit<SourceSegment, "start">;

/** What separates two written texts, weakest first; the strongest one asked for is written. */
export type Separator = "" | " " | " | " | "\n" | "\n\n";
const STRENGTH: Record<Separator, number> = { "": 0, " ": 1, " | ": 2, "\n": 3, "\n\n": 4 };

export class TextBuilder {
  readonly segments: SourceSegment[] = [];
  readonly #limits: Pick<ReadLimits, "maxTextUnits" | "maxSegments">;
  #parts: string[] = [];
  #length = 0;
  #separator: Separator = "";

  constructor(limits: Pick<ReadLimits, "maxTextUnits" | "maxSegments">) {
    this.#limits = limits;
  }

  /** UTF-16 units written, without a pending separator. */
  get length(): number {
    return this.#length;
  }

  /** Asks for a separator before the next text; none is written at the start or the end. */
  separate(separator: Separator): void {
    if (STRENGTH[separator] > STRENGTH[this.#separator]) this.#separator = separator;
  }

  /**
   * Adds text that comes from `mark`; a segment begins unless the previous one has the same mark.
   * @throws VerbatimError `unreadable-document` when the text or its map grows beyond its limit
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
      const { maxSegments } = this.#limits;
      if (this.segments.length >= maxSegments) {
        throw unreadable(`has more than ${maxSegments.toLocaleString("en")} lines or parts`, "Split it.");
      }
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
    const { maxTextUnits } = this.#limits;
    if (this.#length > maxTextUnits) {
      throw unreadable(`has more than ${maxTextUnits} characters of text`, "Split it, or raise the limit.");
    }
    this.#parts.push(text);
  }
}
