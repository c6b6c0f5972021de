/** Checks that the levels given are consistent, with each other and with an existing index. */

import { VerbatimError } from "../../errors.js";
import { type IndexLevel, isBelow, isLevel, LEVELS } from "../format/level.js";
import type { IndexWriterOptions } from "./writer-options.js";

const MAX_TERMS = 4096;

/** @throws VerbatimError `invalid-argument` */
export function checkLevels({
  level,
  addedLevel,
  thinTerms,
}: Pick<IndexWriterOptions, "level" | "addedLevel" | "thinTerms">): void {
  for (const given of [level, addedLevel]) if (given !== undefined) checkLevel(given);
  if (level !== undefined && addedLevel !== undefined && isBelow(level, addedLevel))
    throw new VerbatimError("invalid-argument", `Level ${addedLevel} cannot be added to an index of level ${level}.`);
  if (thinTerms === undefined) return;
  if (level !== undefined && level !== "thin")
    throw new VerbatimError("invalid-argument", `Level ${level} does not take a number of terms.`, {
      hint: "Leave the number out, or use --level thin.",
    });
  if (!(Number.isInteger(thinTerms) && thinTerms >= 1 && thinTerms <= MAX_TERMS))
    throw new VerbatimError(
      "invalid-argument",
      `The number of terms per passage must be 1 to ${MAX_TERMS}, not ${thinTerms}.`,
    );
}

/** @throws VerbatimError `invalid-argument` */
export function checkLevel(level: IndexLevel): void {
  if (isLevel(level)) return;
  const expected = LEVELS.join(", ");
  throw new VerbatimError("invalid-argument", `"${level}" is not a level.`, {
    found: level,
    expected,
    hint: `Give one of ${expected}.`,
  });
}

/** The error for writing an index of one level at another. */
export function otherLevel(found: IndexLevel, expected: IndexLevel): VerbatimError {
  const hint = isBelow(found, expected)
    ? `Run verbatim upgrade --level ${expected} to upgrade it; it answers meanwhile.`
    : "Omit --level. A level cannot be lowered; for a smaller index, build a new one in another folder.";
  return new VerbatimError("invalid-argument", `The index is of level ${found}.`, { found, expected, hint });
}
