/** A question's phrases and excluded words, in the language of the page. */

import type { RestrictionResult } from "../../src/ask/result.js";
import type { Translator } from "./texts/translator.js";

/** What restricts the answers, or why no passage is left and what to do. */
export function restrictionLabel({ phrases, excluded, missing }: RestrictionResult, t: Translator): string {
  const quoted = (words: readonly string[]): string[] => words.map((each) => t.text("quoted", { words: each }));
  if (missing !== undefined && missing.length > 0)
    return t.text("phrasesMissing", { phrases: t.list(quoted(missing), "disjunction") });
  const values = {
    phrases: t.list(quoted(phrases), "conjunction"),
    excluded: t.list(quoted(excluded), "disjunction"),
  };
  const isLeft = missing === undefined;
  if (excluded.length === 0) return t.text(isLeft ? "onlyWith" : "noneWith", values);
  if (phrases.length === 0) return t.text(isLeft ? "onlyWithout" : "noneWithout", values);
  return t.text(isLeft ? "onlyWithAndWithout" : "noneWithAndWithout", values);
}
