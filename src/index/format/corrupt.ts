/** The error for damaged segment files. */

import { VerbatimError } from "../../errors.js";

/** @param where  begins with the file's name */
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
