/** CSV and TSV: with a column of texts each row is a document, otherwise the file is one, with a sentence per value. */

import { Readable } from "node:stream";
import { parse } from "csv-parse";
import { oneLine } from "../../../../../src/text/one-line.js";
import type { Document } from "../../../../../src/types.js";
import { streamText, wellFormed } from "../../decode.js";
import type { ReadContext } from "../../input.js";
import { decodeAs } from "../../older-encodings.js";
import { unreadable } from "../../skip.js";
import { metadataOf, RecordSkips, SeenIds } from "../records.js";
import { TextBuilder } from "../text-builder.js";
import { type CsvLayout, csvLayout } from "./csv-layout.js";
import { readableRows } from "./csv-rows.js";

/** A row: its values, its number (1-based, without the rows up to the header) and the line where it begins. */
interface Row {
  values: string[];
  number: number;
  line: number;
}

/** The first bytes, from which the delimiter and the header's line are inferred. */
const SAMPLE_BYTES = 64 * 1024;

/**
 * The header is the first row that is as wide as the rows below it. With a column `text` that holds texts (see
 * `hasTexts`): `id` or `_id` (else `<file>#<row>`), `title`, `text`; the others are metadata. Without: one document with `name: value.` for each value
 * that is not empty, and a blank line between rows; rows above the header are its first lines. Rows that cannot be
 * read are reported and skipped; if the header is one of them, no row is read.
 * @param head  the first bytes of the stream, which decide encoding and delimiter
 * @throws VerbatimError `unsupported-document` for binary data, `unreadable-document` without a data row
 */
export async function* readCsv(
  stream: AsyncIterable<Uint8Array>,
  context: ReadContext,
  { head }: { head: Uint8Array },
): AsyncGenerator<Document> {
  const { text, encoding, bomBytes } = streamText(stream, head);
  const layout = csvLayout(decodeAs(head.subarray(bomBytes, SAMPLE_BYTES), encoding), head.length > SAMPLE_BYTES);
  const skips = new RecordSkips(context.skipRecord);
  let firstSkipped = Number.POSITIVE_INFINITY;
  const readable = readableRows(text, {
    delimiter: layout.delimiter,
    quotes: layout.quotes,
    maxUnits: context.limits.maxRecordUnits,
    onSkip: (line, problem) => {
      firstSkipped = Math.min(firstSkipped, line);
      skips.report({ ...ROW_PROBLEMS[problem](line), code: "unreadable-document", line });
    },
  });
  try {
    const rows = parseRows(readable, layout, skips);
    const preamble: Row[] = [];
    let first = await rows.next();
    while (!first.done && (first.value.line < layout.headerLine || isDelimiterLine(first.value.values))) {
      if (!isDelimiterLine(first.value.values)) preamble.push(first.value);
      first = await rows.next();
    }
    if (first.done || firstSkipped < first.value.line) return;
    const header = first.value.values.map((name) => name.trim());
    const textColumn = header.findIndex((name) => name.toLowerCase() === "text");
    const firstRows = textColumn < 0 ? [] : await takeRows(rows, FIRST_ROWS);
    const all = joined(firstRows, rows);
    if (hasTexts(firstRows, header, textColumn)) yield* rowDocuments(all, { header, textColumn, context, skips });
    else yield wholeFile(header, await collectRows(all, { header, preamble, context }), context);
  } finally {
    skips.finish();
  }
}

/** The rows that decide whether a column holds texts. */
const FIRST_ROWS = 20;
/** A text has at least this many words. The column `Text` of a bank statement has fewer. */
const MIN_WORDS = 5;

/**
 * Whether each row is a document: next to the column `text` there is one for an id or a title, or none at all, or the
 * median of the first texts has at least `MIN_WORDS` words.
 */
function hasTexts(firstRows: readonly Row[], header: readonly string[], textColumn: number): boolean {
  if (textColumn < 0) return false;
  if (header.length === 1 || header.some((name) => /^(?:_?id|title)$/i.test(name))) return true;
  const counts = firstRows.map(({ values }) => wordCount(values[textColumn] ?? "")).sort((a, b) => a - b);
  return (counts[counts.length >> 1] ?? 0) >= MIN_WORDS;
}

/** Words between spaces; in scripts without spaces, a word for every two characters. */
function wordCount(text: string): number {
  const unspaced = text.match(/[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff]/g)?.length ?? 0;
  return Math.max(text.split(/\s+/).filter(Boolean).length, unspaced / 2);
}

async function takeRows(rows: AsyncGenerator<Row>, count: number): Promise<Row[]> {
  const taken: Row[] = [];
  while (taken.length < count) {
    const next = await rows.next();
    if (next.done) break;
    taken.push(next.value);
  }
  return taken;
}

async function* joined(firstRows: Row[], rest: AsyncGenerator<Row>): AsyncGenerator<Row> {
  yield* firstRows;
  yield* rest;
}

const ROW_PROBLEMS = {
  "is-long": (line: number) => ({
    reason: `the row that begins at line ${line} is too long`,
    hint: "Close the quote that it opens, or split the row.",
  }),
  "open-quote": (line: number) => ({
    reason: `the row that begins at line ${line} opens a quote that is never closed, so the rest of the file was not read`,
    hint: "Close the quote.",
  }),
};

async function* rowDocuments(
  rows: AsyncIterable<Row>,
  table: { header: string[]; textColumn: number; context: ReadContext; skips: RecordSkips },
): AsyncGenerator<Document> {
  const { header, textColumn, context } = table;
  const ids = new SeenIds();
  const column = (...names: string[]) => header.findIndex((name) => names.includes(name.toLowerCase()));
  const idColumn = column("id", "_id");
  const titleColumn = column("title");
  for await (const { values, number, line } of rows) {
    const text = values[textColumn] ?? "";
    const id = wellFormed(values[idColumn] || `${context.input.id}#${number}`);
    const problem =
      text.trim() === "" ? "has no text" : ids.add(id) ? undefined : `repeats the id ${JSON.stringify(id)}`;
    if (problem !== undefined) {
      table.skips.report({ reason: `row ${number} (line ${line}) ${problem}`, code: "unreadable-document", line });
      continue;
    }
    // Line ends inside quotes are the file's own: they count in the text, and those of earlier values move it.
    const before = lineEnds(values.slice(0, textColumn));
    yield {
      id,
      title: wellFormed(values[titleColumn] ?? ""),
      text: wellFormed(text),
      source: context.input.path,
      map: { kind: "csv", segments: [{ start: 0, line: line + before, linear: true, path: `row ${number}` }] },
      metadata: metadataOf(
        header.flatMap((name, at): [string, unknown][] =>
          at === idColumn || at === titleColumn || at === textColumn || !values[at] ? [] : [[name, values[at]]],
        ),
      ),
    };
  }
}

async function collectRows(
  rows: AsyncIterable<Row>,
  { header, preamble, context }: { header: string[]; preamble: Row[]; context: ReadContext },
): Promise<TextBuilder> {
  const builder = new TextBuilder(context.limits);
  for (const { values, line } of preamble) {
    builder.separate("\n");
    builder.write(oneLine(values.join(" ")), { line });
  }
  const start = builder.length;
  for await (const { values, number, line } of rows) {
    const mark = { line, path: `row ${number}` };
    builder.separate("\n\n");
    for (const [at, raw] of values.entries()) {
      const value = raw.trim();
      if (value === "") continue;
      const name = header[at] ?? "";
      builder.write(`${name === "" ? "" : `${name}: `}${value}${/[.!?…。！？]$/.test(value) ? "" : "."}`, mark);
      builder.separate(" ");
    }
  }
  if (builder.length === start) throw unreadable("has no rows below its header", "Add rows, or use --format txt.");
  return builder;
}

function wholeFile(header: string[], builder: TextBuilder, context: ReadContext): Document {
  return {
    id: context.input.id,
    title: context.name,
    text: builder.text(),
    source: context.input.path,
    map: { kind: "csv", segments: builder.segments },
    metadata: metadataOf([["columns", header.filter((name) => name !== "")]]),
  };
}

/** Rows of the file; those down to the header have the number 0. */
async function* parseRows(
  text: AsyncIterable<string>,
  { delimiter, quotes, headerLine }: CsvLayout,
  skips: RecordSkips,
): AsyncGenerator<Row> {
  const parser = parse({
    delimiter,
    quote: quotes ? '"' : null,
    record_delimiter: ["\r\n", "\n", "\r"],
    relax_column_count: true,
    relax_quotes: true,
    ltrim: true,
    skip_records_with_error: true,
    on_skip: (error) => {
      const line = typeof error?.lines === "number" ? error.lines : undefined;
      skips.report({ reason: `line ${line} cannot be read as a row`, code: "unreadable-document", line });
      return undefined;
    },
  });
  const source = Readable.from(text);
  source.on("error", (error) => parser.destroy(error));
  source.pipe(parser);
  try {
    // Lines are counted here: the parser counts "\r\n" inside quotes twice.
    let number = 0;
    let line = 1;
    for await (const values of parser as AsyncIterable<string[]>) {
      if (values.length > 1 || values[0]?.trim() !== "")
        yield { values, number: line < headerLine || isDelimiterLine(values) ? 0 : number++, line };
      line += 1 + lineEnds(values);
    }
  } finally {
    source.destroy();
    parser.destroy();
  }
}

/** Line ends inside the values of a row. */
function lineEnds(values: string[]): number {
  let count = 0;
  for (const value of values) count += value.match(/\r\n|\n|\r/g)?.length ?? 0;
  return count;
}

/** "sep=;", a line that names the delimiter for Excel. */
function isDelimiterLine(values: readonly string[]): boolean {
  return values.length === 2 && values[0]!.toLowerCase() === "sep=" && values[1] === "";
}
