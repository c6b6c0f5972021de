/** JSON lines: each `{id | _id, title?, text, metadata?}` is one document, as in BEIR. Streamed. */

import type { Document, MetadataValue } from "../../../../src/types.js";
import { streamText, wellFormed } from "../decode.js";
import type { ReadContext } from "../input.js";
import type { ReadLimits } from "../limits.js";
import { lines } from "../lines.js";
import { jsonProblem, parseJson } from "./json-problem.js";
import { metadataOf, RecordSkips, SeenIds } from "./records.js";

/**
 * One document per line, in order; the text is exactly the record's. Its id is the record's, or `<file>#<line>` without
 * one. A line that is broken, has no text, or repeats an id is reported and skipped.
 * @param head  the first bytes of the stream, which decide the encoding
 * @throws VerbatimError `unsupported-document` for binary data
 */
export async function* readJsonl(
  stream: AsyncIterable<Uint8Array>,
  context: ReadContext,
  { head }: { head: Uint8Array },
): AsyncGenerator<Document> {
  const { text } = streamText(stream, head);
  const ids = new SeenIds();
  const skips = new RecordSkips(context.skipRecord);
  try {
    for await (const line of lines(text, context.limits.maxRecordUnits)) {
      if (line.text !== undefined && line.text.trim() === "") continue;
      const record = line.text === undefined ? "is too long" : parseRecord(line.text, context.limits);
      const document = typeof record === "string" ? record : documentOf(record, line.number, context);
      const problem =
        typeof document === "string"
          ? document
          : ids.add(document.id)
            ? undefined
            : `repeats the id ${quoted(document.id)}`;
      if (typeof document !== "string" && problem === undefined) yield document;
      else {
        skips.report({
          reason: `line ${line.number} ${problem}`,
          code: "unreadable-document",
          hint: 'Write one object per line: {"id": …, "title": …, "text": …}, each id once.',
          line: line.number,
        });
      }
    }
  } finally {
    skips.finish();
  }
}

/** The record of a line, or what is wrong with it. */
function parseRecord(line: string, limits: ReadLimits): Record<string, unknown> | string {
  const problem = jsonProblem(line, limits);
  if (problem !== undefined) return problem;
  let value: unknown;
  try {
    value = parseJson(line);
  } catch {
    return "is not valid JSON";
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return "is not an object";
  return withExactId(value as Record<string, unknown>, line);
}

/** A string, or a number. */
const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"?|-?\d[\d.eE+-]*/gs;

/** The record of a line with an id of more digits than a number can hold as a string of these digits. */
function withExactId(record: Record<string, unknown>, line: string): Record<string, unknown> {
  const id = record.id ?? record._id;
  if (!Number.isInteger(id) || Number.isSafeInteger(id)) return record;
  const exact = line.replace(STRING_OR_NUMBER, (token) => (/^-?\d{16,}$/.test(token) ? `"${token}"` : token));
  const { id: own, _id } = parseJson(exact) as Record<string, unknown>;
  return { ...record, id: own ?? _id };
}

/** The document of a record, or what is wrong with it. */
function documentOf(record: Record<string, unknown>, line: number, context: ReadContext): Document | string {
  const { id, _id, title, text, metadata, ...others } = record;
  if (text === undefined || text === null) return "has no text";
  if (typeof text !== "string") return "has a text that is not a string";
  if (text.trim() === "") return "has an empty text";
  const ownId = id ?? _id;
  if (ownId !== undefined && ownId !== null && typeof ownId !== "string" && typeof ownId !== "number") {
    return "has an id that is neither a string nor a number";
  }
  const given = ownId === undefined || ownId === null || ownId === "" ? undefined : wellFormed(String(ownId));
  return {
    id: given ?? `${context.input.id}#${line}`,
    title: typeof title === "string" || typeof title === "number" ? wellFormed(String(title)) : "",
    text: wellFormed(text),
    source: context.input.path,
    map: { kind: "jsonl", segments: [{ start: 0, line }] },
    metadata: recordMetadata(others, metadata),
  };
}

/** Other fields of the record, then those of its `metadata`, which win. */
function recordMetadata(others: Record<string, unknown>, metadata: unknown): Record<string, MetadataValue> | undefined {
  const own = typeof metadata === "object" && metadata !== null && !Array.isArray(metadata) ? metadata : {};
  return metadataOf([...Object.entries(others), ...Object.entries(own)]);
}

/** An id for a message: short, on one line. */
function quoted(id: string): string {
  return JSON.stringify(id.length > 80 ? `${id.slice(0, 80)}…` : id);
}
