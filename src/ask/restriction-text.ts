/** A question's phrases and excluded words, as every interface words them. */

import type { RestrictionResult } from "./result.js";

/**
 * "Only passages with “red barn” and without “pump”." or, if no passage is left, why, and what to do.
 * @param show  makes a phrase safe for where it is shown
 */
export function restrictionText(restriction: RestrictionResult, show = (text: string): string => `“${text}”`): string {
  const { phrases, excluded, missing, searchedPassages } = restriction;
  const list = (texts: readonly string[], word: string): string => {
    const shown = texts.map(show);
    const last = shown.pop()!;
    return shown.length === 0 ? last : `${shown.join(", ")} ${word} ${last}`;
  };
  const parts = [
    ...(phrases.length === 0 ? [] : [`with ${list(phrases, "and")}`]),
    ...(excluded.length === 0 ? [] : [`without ${list(excluded, "or")}`]),
  ];
  const wanted = parts.join(" and ");
  if (searchedPassages !== undefined) {
    const among = `the ${searchedPassages.toLocaleString("en-US")} best-ranked passages`;
    const found = missing === undefined ? `Only passages ${wanted}, of ${among}` : `None of ${among} is ${wanted}`;
    return `${found}: these words cannot be looked up. Add a rarer word to search all.`;
  }
  if (missing === undefined) return `Only passages ${wanted}.`;
  if (missing.length > 0) {
    return `None of the searched passages contains ${list(missing, "or")}. Remove the quotation marks to find the words anywhere.`;
  }
  const fix = phrases.length > 0 ? "Remove some of the quotation marks" : "Remove an excluded word";
  return `There is no passage ${wanted}. ${fix}${phrases.length > 0 && excluded.length > 0 ? " or an excluded word" : ""}.`;
}
