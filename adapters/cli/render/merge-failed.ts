/** What is printed when a merge of an index's segments fails while documents are added. */

import { toVerbatimError } from "../errors.js";
import { plain } from "./terminal.js";

export function mergeFailedLine(error: unknown): string {
  return `Merging segments failed: ${plain(toVerbatimError(error).message)} Nothing is lost; check the index with verbatim check.`;
}
