import type { Document } from "../../../src/types.js";

/** Names that begin with this describe the file of a document, and are set by reading it. */
const FILE_PREFIX = "file.";

const isFileField = (name: string): boolean => name.startsWith(FILE_PREFIX);

/**
 * The document without fields that begin with `file.`, for documents and records that come with fields of their own:
 * with `file.folder`, a document is taken for one of a file, and pruned when there is no such file.
 */
export function withoutFileFields(document: Document): Document {
  const { metadata = {} } = document;
  if (!Object.keys(metadata).some(isFileField)) return document;
  const own = Object.entries(metadata).filter(([name]) => !isFileField(name));
  return { ...document, metadata: Object.fromEntries(own) };
}
