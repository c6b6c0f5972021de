/** Ends of lines that the author of a page made. */

import type { PageLine } from "./page-lines.js";

/** A line that ends before this share of the text's width has room for another word. */
const SHORT_SHARE = 0.75;
/** This many lines with the same edges are a column. */
const MIN_COLUMN_LINES = 3;
/** Lines of about one height, in units of the page. */
const BAND = 12;

/**
 * The lines of a page after which its author began a new line, though the next word had room: addresses, fields,
 * items.
 */
export class HardBreaks {
  readonly #right: number;
  /** By height: the largest left edge. */
  readonly #lefts = new Map<number, number>();
  /** Number of lines with the same left and right edge. */
  readonly #edges = new Map<string, number>();

  constructor(lines: readonly PageLine[]) {
    this.#right = lines.reduce((right, line) => Math.max(right, line.right), 0);
    for (const line of lines) {
      const band = Math.round(line.y / BAND);
      this.#lefts.set(band, Math.max(line.left, this.#lefts.get(band) ?? line.left));
      const edges = edgesOf(line);
      this.#edges.set(edges, (this.#edges.get(edges) ?? 0) + 1);
    }
  }

  /** Whether `next`, the line below, begins a new line of the author. Not known next to other text, as in columns. */
  isBetween(line: PageLine, next: PageLine): boolean {
    if (/^\p{Ll}/u.test(next.text) || Math.abs(line.left - next.left) > line.height) return false;
    const [word = ""] = next.text.split(" ", 1);
    const wordWidth = ((next.right - next.left) * word.length) / next.text.length;
    const end = line.left + SHORT_SHARE * (this.#right - line.left);
    return line.right + wordWidth < end && this.#edges.get(edgesOf(line))! < MIN_COLUMN_LINES && this.#isAlone(line);
  }

  #isAlone({ y, right }: PageLine): boolean {
    const band = Math.round(y / BAND);
    return [band - 1, band, band + 1].every((one) => (this.#lefts.get(one) ?? 0) < right);
  }
}

function edgesOf({ left, right }: PageLine): string {
  return `${Math.round(left)} ${Math.round(right / 5)}`;
}
