/** How a CSV file is laid out: its delimiter, and the lines above its header. Decided by the first rows. */

import { CARRIAGE_RETURN, LINE_FEED, RowScanner } from "./csv-rows.js";

export interface CsvLayout {
  /** One character; UNIT_SEPARATOR for a file of one column, whose values are not split. */
  delimiter: string;
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
  values: string[];
  /** Values if a delimiter before a space separates nothing, as a comma in a sentence. */
  tightCount: number;
}

/** How well the rows of the sample fit a delimiter. */
interface Candidate {
  delimiter: string;
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
 */
export function csvLayout(sample: string): CsvLayout {
  return layoutOf(sample, true) ?? layoutOf(sample, false) ?? { delimiter: UNIT_SEPARATOR, headerLine: 1 };
}

/** @param isTight  whether a delimiter before a space separates nothing */
function layoutOf(sample: string, isTight: boolean): CsvLayout | undefined {
  const candidates = DELIMITERS.map((delimiter) => candidateOf(delimiter, sampleRows(sample, delimiter), isTight));
  const { delimiter, rows, width, shared } = candidates.reduce((best, next) => (isBetter(next, best) ? next : best));
  if (shared === 0) return undefined;
  const first =
    shared > 1
      ? Math.max(
          0,
          rows.findIndex((row) => !isPreamble(row, width)),
        )
      : 0;
  const below = rows.slice(first);
  const isTable = first > 0 && below.filter(({ values }) => values.length === width).length * 2 > below.length;
  const header = rows[isTable ? first : 0]!;
  return header.values.length > 1 ? { delimiter, headerLine: header.line } : undefined;
}

function candidateOf(delimiter: string, rows: SampleRow[], isTight: boolean): Candidate {
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
  return { delimiter, rows, delimited, width, shared };
}

function isBetter(one: Candidate, other: Candidate): boolean {
  if (one.delimited !== other.delimited) return one.delimited > other.delimited;
  if (one.shared !== other.shared) return one.shared > other.shared;
  return one.width > other.width;
}

/** Whether a row is narrower than a header. A column `text` has a meaning of its own. */
function isPreamble({ values, tightCount }: SampleRow, width: number): boolean {
  if (values.some((value) => value.toLowerCase() === "text")) return false;
  const filled = values.findLastIndex((value) => value !== "") + 1;
  if (filled === 0) return true;
  // Spreadsheet programs write as many delimiters in each row.
  if (values.length === width) return filled === 1 && width > 2;
  return tightCount === 1 || tightCount <= width / 2;
}

/** The first rows that are not blank. One that the sample cuts off is left out. */
function sampleRows(sample: string, delimiter: string): SampleRow[] {
  const scanner = new RowScanner(delimiter.charCodeAt(0));
  const text = /[\r\n]$/.test(sample) ? sample : `${sample}\n`;
  const rows: SampleRow[] = [];
  let line = 1;
  let row: SampleRow = { line, values: [], tightCount: 1 };
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
    row = { line, values: [], tightCount: 1 };
  }
  return rows;
}
