/** Fields that are not in the document itself: those of its file, and those given for a whole run. */

import { posix } from "node:path";
import type { Document, MetadataValue } from "../../../../src/types.js";
import { splitName } from "../detect-format.js";
import type { InputFile } from "../input.js";

/**
 * `file.modified` (the day of the last change, UTC, as 2026-01-31), `file.extension` (lower case, without the dot and
 * `.gz`; absent when there is none) and `file.folder` (as in ids: relative to the working folder, "." for it). None
 * for standard input. They do not count for a document's content hash, so the day stays that of the content that was
 * read first when a file is only touched.
 */
function fileFields(input: InputFile): Record<string, MetadataValue> {
  if (input.absolutePath === "-") return {};
  const { ending } = splitName(posix.basename(input.id));
  const modified = new Date(input.mtimeMs);
  return {
    ...(Number.isNaN(modified.getTime()) ? {} : { "file.modified": modified.toISOString().slice(0, 10) }),
    ...(ending === "" ? {} : { "file.extension": ending }),
    "file.folder": posix.dirname(input.id),
  };
}

/** The document with the fields of its file, and with `given` in the place of its own of the same name. */
export function withFields(
  document: Document,
  input: InputFile,
  given: Readonly<Record<string, MetadataValue>> = {},
): Document {
  const metadata = { ...document.metadata, ...given, ...fileFields(input) };
  return Object.keys(metadata).length === 0 ? document : { ...document, metadata };
}
