/** Documents as callers give them, completed to what the index stores. */

import { VerbatimError } from "../errors.js";
import type { Document } from "../types.js";

/** A document to add. Only `id` and `text` are required. */
export type DocumentInput = Pick<Document, "id" | "text"> & Partial<Document>;

/** The text is its own source: line n of the text is line n of the source. */
const PLAIN_TEXT: Document["map"] = { kind: "text", segments: [{ start: 0, line: 1, linear: true }] };

/**
 * Fills in what is missing: `title` and `source` are the id, and `map` says that the text is the source itself.
 * @throws VerbatimError `invalid-argument` if `id` or `text` is not a string, or `id` is empty
 */
export function completeDocument(input: DocumentInput): Document {
  const { id, text, title = id, source = id, map = PLAIN_TEXT } = input;
  if (typeof id !== "string" || id === "") throw wrong("id", "a text that is not empty", id);
  if (typeof text !== "string") throw wrong("text", "a text", text);
  if (input.title !== undefined && input.source !== undefined && input.map !== undefined) return input as Document;
  return { ...input, title, source, map };
}

/** Accepts one document or any iterable of them. */
export async function* completeDocuments(
  given: DocumentInput | Iterable<DocumentInput> | AsyncIterable<DocumentInput>,
): AsyncGenerator<Document> {
  const documents = isOne(given) ? [given] : given;
  for await (const document of documents) yield completeDocument(document);
}

function isOne(given: DocumentInput | Iterable<DocumentInput> | AsyncIterable<DocumentInput>): given is DocumentInput {
  return !(Symbol.iterator in given) && !(Symbol.asyncIterator in given);
}

function wrong(field: "id" | "text", expected: string, found: unknown): VerbatimError {
  return new VerbatimError("invalid-argument", `A document's ${field} must be ${expected}.`, {
    found: typeof found,
    expected,
    where: field,
    hint: "Give each document at least { id, text }.",
  });
}
