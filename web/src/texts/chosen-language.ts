/** Keeps the visitor's choice of a language in the browser. */

import { storedValues } from "../stored-values.js";
import { bestLanguage, type PageLanguage } from "./languages.js";

const STORED = "verbatim-language";

/** The language that was chosen on this page before, else the browser's. */
export function visitorsLanguage(): PageLanguage {
  const chosen = storedValues.get(STORED);
  return bestLanguage([...(chosen === null ? [] : [chosen]), ...navigator.languages]);
}

export function rememberLanguage(language: PageLanguage): void {
  storedValues.set(STORED, language);
}
