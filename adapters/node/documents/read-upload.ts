/** Content that was sent under a file name → its documents, as from a file of that name. */

import type { Document } from "../../../src/types.js";
import { withFields } from "./formats/fields.js";
import type { InputFile } from "./input.js";
import { type ReadOptions, readDocuments } from "./read-documents.js";

/**
 * The documents of an upload, one at a time and with bounded memory: pass them directly to `writer.add`.
 * Every format is read, in a parser process (see `readFiles`); nothing is written to the disk. The documents have the
 * fields `file.modified` (today) and `file.extension`, but no `file.folder`: they are from no folder, so following or
 * pruning a folder never removes them.
 * @param name  file name without folder; decides the format, and is the document's id and source
 * @param content  all bytes, or a stream of them
 * @throws VerbatimError `aborted`; `internal` if the process cannot be started. Everything else goes to `onSkip`
 */
export async function* readUpload(
  name: string,
  content: Uint8Array | AsyncIterable<Uint8Array>,
  options: Omit<ReadOptions, "content">,
): AsyncGenerator<Document> {
  const size = content instanceof Uint8Array ? content.length : 0;
  const input: InputFile = { path: name, absolutePath: "-", id: name, size, mtimeMs: Date.now() };
  const stream = content instanceof Uint8Array ? [content] : content;
  for await (const document of readDocuments(input, { ...options, content: toAsync(stream) })) {
    const { "file.folder": _, ...metadata } = withFields(document, { ...input, absolutePath: name }).metadata ?? {};
    yield { ...document, metadata };
  }
}

async function* toAsync(parts: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* parts;
}
