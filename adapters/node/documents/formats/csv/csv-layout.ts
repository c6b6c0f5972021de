/** How a CSV file is laid out: its delimiter, its quotes, and the lines above its header. Decided by the first rows. */

import { CARRIAGE_RETURN, LINE_FEED, RowScanner } from "./csv-rows.js";

export interface CsvLayout {
  /** One character; UNIT_SEPARATOR for a file of one column, whose values are not split. */
  delimiter: string;
  /** Whether a quote at the beginning of a value quotes it. Some programs write tab-separated values without quoting. */
  quotes: boolean;
  /** 1-based line where the header begins. */
  headerLine: number;
}

/** The first rows, from which the layout is inferred. */
const SAMPLE_ROWS = 40;
const DELIMITERS = [",", ";", "\t", "|"];
const UNIT_SEPARATOR = "\u001f";

/** One row of the sample, split at a delimiter. */
interface SampleRow {
  line: number;
  /** Number of blank rows, or groups of them, above it. */
  block: number;
  values: string[];
  /** Values if a delimiter before a space separates nothing, as a comma in a sentence. */
  tightCount: number;
}

/** How well the rows of the sample fit a delimiter. */
interface Candidate {
  delimiter: string;
  quotes: boolean;
  rows: SampleRow[];
  /** Rows that have the delimiter. */
  delimited: number;
  /** The most frequent number of values among these. */
  width: number;
  /** Rows with that many values. */
  shared: number;
}

/**
 * Chooses the delimiter that most rows have, and then the one that gives most rows the same number of values. Rows with
 * fewer values above such rows, as a title or an account number, precede the header.
 * @param sample  the beginning of the file, decoded
 * @param isCut  whether more follows
 */
export function csvLayout(sample: string, isCut: boolean): CsvLayout {
  const hasTabQuotes = quotesTabs(sample, isCut);
  return (
    layoutOf(sample, { hasTabQuotes, isTight: true }) ??
    layoutOf(sample, { hasTabQuotes, isTight: false }) ?? { delimiter: UNIT_SEPARATOR, quotes: true, headerLine: 1 }
  );
}

/** @param options.isTight  whether a delimiter before a space separates nothing */
function layoutOf(
  sample: string,
  { hasTabQuotes, isTight }: { hasTabQuotes: boolean; isTight: boolean },
): CsvLayout | undefined {
  const candidates = DELIMITERS.map((delimiter) => {
    const quotes = delimiter !== "\t" || hasTabQuotes;
    return candidateOf({ delimiter, quotes }, sampleRows(sample, { delimiter, quotes }), isTight);
  });
  const { delimiter, quotes, rows, width, shared } = candidates.reduce((best, next) =>
    isBetter(next, best) ? next : best,
  );
  if (shared === 0) return undefined;
  const first = shared > 1 ? headerIndex(rows, width) : 0;
  const below = rows.slice(first);
  const isTable = first > 0 && below.filter(({ values }) => values.length === width).length * 2 > below.length;
  const header = rows[isTable ? first : 0]!;
  return header.values.length > 1 ? { delimiter, quotes, headerLine: header.line } : undefined;
}

/**
 * Whether the cells of a tab-separated file that begin with a quote are quoted: each ends in a quote before a tab or
 * the end of a line. O(sample).
 */
function quotesTabs(sample: string, isCut: boolean): boolean {
  for (let at = 0; at < sample.length; ) {
    const isLineStart = at === 0 || sample[at - 1] === "\n" || sample[at - 1] === "\r";
    if (sample[at] === '"') {
      const start = at;
      do at = sample.indexOf('"', at + 1) + 1;
      while (at > 0 && sample[at] === '"');
      // A quoted text may continue after the sample, but a tab in it is rare.
      if (at === 0) return isCut && !sample.includes("\t", start);
      // Values of a file with another delimiter say nothing about tabs.
      const next = sample.charAt(at);
      if (!"\t\r\n".includes(next) && !(isLineStart && DELIMITERS.includes(next))) return false;
    }
    while (at < sample.length && !"\t\r\n".includes(sample[at]!)) at++;
    at++;
  }
  return true;
}

function candidateOf(
  { delimiter, quotes }: Pick<CsvLayout, "delimiter" | "quotes">,
  rows: SampleRow[],
  isTight: boolean,
): Candidate {
  const frequencies = new Map<number, number>();
  for (const { values, tightCount } of rows) {
    const count = isTight ? tightCount : values.length;
    if (count > 1) frequencies.set(count, (frequencies.get(count) ?? 0) + 1);
  }
  let delimited = 0;
  let width = 1;
  let shared = 0;
  for (const [count, frequency] of frequencies) {
    delimited += frequency;
    if (frequency > shared || (frequency === shared && count > width)) [width, shared] = [count, frequency];
  }
  return { delimiter, quotes, rows, delimited, width, shared };
}

function isBetter(one: Candidate, other: Candidate): boolean {
  if (one.delimited !== other.delimited) return one.delimited > other.delimited;
  if (one.shared !== other.shared) return one.shared > other.shared;
  return one.width > other.width;
}

/** Index of the first row that is not narrower than a header; 0 if all are. */
function headerIndex(rows: readonly SampleRow[], width: number): number {
  const firstWide = rows.findIndex(
    ({ values }) => values.length === width && filledCount(values) > Math.ceil(width / 2),
  );
  const widest = firstWide > 0 && isBelowPreamble(rows, firstWide) ? Math.ceil(width / 2) : width / 2;
  const options = { width, widest, block: rows[firstWide]?.block ?? 0 };
  return Math.max(
    0,
    rows.findIndex((row) => !isPreamble(row, options)),
  );
}

const NUMBER = /^[-+]?\d[\d.,]*%?$/;

/**
 * Whether the first wide row may be a header. A single row of names above it is one with a name less: R leaves out the
 * name of the first column.
 */
function isBelowPreamble(rows: readonly SampleRow[], firstWide: number): boolean {
  const isHeader = !rows[firstWide]!.values.some((value) => NUMBER.test(value));
  return isHeader && (firstWide > 1 || rows[0]!.values.some((value) => /\d/.test(value)));
}

/**
 * Whether a row is narrower than a header. A column `text` has a meaning of its own.
 * @param options.widest  values of such a row at most
 * @param options.block  that of the first wide row: narrower rows above a blank line are not part of its table
 */
function isPreamble(
  { values, tightCount, block }: SampleRow,
  { width, widest, block: tableBlock }: { width: number; widest: number; block: number },
): boolean {
  if (values.some((value) => value.toLowerCase() === "text")) return false;
  const filled = filledCount(values);
  if (filled === 0) return true;
  const isAboveBlank = block < tableBlock;
  // Spreadsheet programs write as many delimiters in each row.
  if (values.length === width) return width > 2 && filled <= (isAboveBlank ? Math.ceil(width / 2) : 1);
  if (isAboveBlank && values.length < width) return true;
  return tightCount === 1 || tightCount <= widest;
}

/** Values without the empty ones at the end. */
function filledCount(values: readonly string[]): number {
  return values.findLastIndex((value) => value !== "") + 1;
}

/** The first rows that are not blank. One that the sample cuts off is left out. */
function sampleRows(sample: string, { delimiter, quotes }: Pick<CsvLayout, "delimiter" | "quotes">): SampleRow[] {
  const scanner = new RowScanner(delimiter.charCodeAt(0), quotes);
  const text = /[\r\n]$/.test(sample) ? sample : `${sample}\n`;
  const rows: SampleRow[] = [];
  let line = 1;
  let block = 0;
  let row: SampleRow = { line, block, values: [], tightCount: 1 };
  let start = 0;
  for (let at = 0; at < text.length && rows.length < SAMPLE_ROWS; at++) {
    const unit = text.charCodeAt(at);
    if (unit === CARRIAGE_RETURN && text.charCodeAt(at + 1) === LINE_FEED) continue;
    if (unit === LINE_FEED || unit === CARRIAGE_RETURN) line++;
    const isRowEnd = scanner.isRowEnd(unit);
    if (!isRowEnd && (text[at] !== delimiter || scanner.isInQuotes)) continue;
    row.values.push(text.slice(start, at).trim());
    start = at + 1;
    if (!isRowEnd) {
      if (text[at + 1] !== " ") row.tightCount++;
      continue;
    }
    if (row.values.length > 1 || row.values[0] !== "") rows.push(row);
    if (row.values.every((value) => value === "")) block++;
    row = { line, block, values: [], tightCount: 1 };
  }
  return rows;
}
