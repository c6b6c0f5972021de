/** The rows of a CSV file before they are parsed, without those that are too long or end in an open quote. */

export const LINE_FEED = 10;
export const CARRIAGE_RETURN = 13;
const QUOTE = 34;
const SPACE = 32;
const TAB = 9;
/** Blank lines in one string. */
const MAX_BLANK_LINES = 64 * 1024;

interface RowOptions {
  /** One character. */
  delimiter: string;
  /** Whether a quote at the beginning of a value quotes it. */
  quotes: boolean;
  /** UTF-16 units of a row, as it is written. */
  maxUnits: number;
  /** Called for each row that is left out, with the 1-based line where it begins. */
  onSkip(line: number, problem: "is-long" | "open-quote"): void;
}

/**
 * The text of the rows that can be parsed. A row that is left out is replaced by as many blank lines as it has lines,
 * so later rows keep their line numbers. An open quote extends to the end of the file. Holds at most one row in
 * memory.
 */
export async function* readableRows(text: AsyncIterable<string>, options: RowOptions): AsyncGenerator<string> {
  const rows = new RowFilter(options);
  for await (const piece of text) yield* rows.push(piece);
  yield* rows.end();
}

class RowFilter {
  readonly #options: RowOptions;
  readonly #scanner: RowScanner;
  /** What earlier pieces have of the current row; nothing if it is too long. */
  #held: string[] = [];
  #heldUnits = 0;
  /** The line where the current row begins, and its line ends so far. */
  #line = 1;
  #lineEnds = 0;
  /** A carriage return at the end of a piece, which may be half of a line end. */
  #half = "";

  constructor(options: RowOptions) {
    this.#options = options;
    this.#scanner = new RowScanner(options.delimiter.charCodeAt(0), options.quotes);
  }

  /** The text of the rows that end in this piece. */
  *push(piece: string): Generator<string> {
    const joined = this.#half + piece;
    this.#half = joined.endsWith("\r") ? "\r" : "";
    const text = this.#half === "" ? joined : joined.slice(0, -1);
    let rowStart = 0;
    /** End of what was yielded. */
    let from = 0;
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      if (unit === CARRIAGE_RETURN && text.charCodeAt(at + 1) === LINE_FEED) continue;
      if (unit === LINE_FEED || unit === CARRIAGE_RETURN) this.#lineEnds++;
      if (!this.#scanner.isRowEnd(unit)) continue;
      if (this.#heldUnits + at - rowStart > this.#options.maxUnits) {
        if (from < rowStart) yield text.slice(from, rowStart);
        yield* this.#blankLines();
        from = at + 1;
        this.#options.onSkip(this.#line, "is-long");
      } else yield* this.#held;
      rowStart = at + 1;
      this.#held = [];
      this.#heldUnits = 0;
      this.#line += this.#lineEnds;
      this.#lineEnds = 0;
    }
    if (from < rowStart) yield text.slice(from, rowStart);
    this.#heldUnits += text.length - rowStart;
    if (this.#heldUnits > this.#options.maxUnits) this.#held = [];
    else if (rowStart < text.length) this.#held.push(text.slice(rowStart));
  }

  /** The text of the last row, if no line end follows it. */
  *end(): Generator<string> {
    const isLong = this.#heldUnits > this.#options.maxUnits;
    if (this.#scanner.isInQuotes) this.#options.onSkip(this.#line, "open-quote");
    else if (isLong) this.#options.onSkip(this.#line, "is-long");
    else yield* [...this.#held, this.#half];
  }

  /** Only a row that ends has them: an open quote may reach over millions of lines. */
  *#blankLines(): Generator<string> {
    for (let count = this.#lineEnds; count > 0; count -= MAX_BLANK_LINES)
      yield "\n".repeat(Math.min(count, MAX_BLANK_LINES));
  }
}

/**
 * Finds the ends of rows as csv-parse does with `relax_quotes`: a value is quoted if it begins with a quote, after
 * spaces, and the file quotes values at all.
 */
export class RowScanner {
  readonly #delimiter: number;
  readonly #quotes: boolean;
  /** Where in a value the last unit is: "quote" after one that may be the last, or the first of two. */
  #place: "start" | "unquoted" | "quoted" | "quote" = "start";

  constructor(delimiter: number, quotes: boolean) {
    this.#delimiter = delimiter;
    this.#quotes = quotes;
  }

  get isInQuotes(): boolean {
    return this.#place === "quoted";
  }

  /** @param unit  the next one; of "\r\n" only the second */
  isRowEnd(unit: number): boolean {
    if (this.#place === "quoted") {
      if (unit === QUOTE) this.#place = "quote";
      return false;
    }
    const isEnd = unit === LINE_FEED || unit === CARRIAGE_RETURN;
    if (isEnd || unit === this.#delimiter) this.#place = "start";
    else if (this.#place === "start" && (unit === SPACE || unit === TAB)) return false;
    else if (unit === QUOTE && this.#quotes && this.#place !== "unquoted") this.#place = "quoted";
    else this.#place = "unquoted";
    return isEnd;
  }
}
