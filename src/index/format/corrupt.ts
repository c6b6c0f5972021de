/** The error that says: this file is not what was written. */

import { VerbatimError } from "../../errors.js";

/** The error of a damaged segment file. `where` begins with the file's name. */
export function corrupt(
  where: string,
  what: string,
  details: { found?: unknown; expected?: unknown } = {},
): VerbatimError {
  return new VerbatimError("corrupt-segment", `The index is damaged: ${where}: ${what}.`, {
    where,
    hint: 'Run "verbatim check" to see everything that is damaged, then "verbatim repair", or index the documents again.',
    ...details,
  });
}
