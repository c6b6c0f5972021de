/** Keeps the visitor's choice of a language in the browser. */

import { bestLanguage, type PageLanguage } from "./languages.js";

const STORED = "verbatim-language";

/** The language that was chosen on this page before, else the browser's. */
export function visitorsLanguage(): PageLanguage {
  const chosen = storedLanguage();
  return bestLanguage([...(chosen === null ? [] : [chosen]), ...navigator.languages]);
}

export function rememberLanguage(language: PageLanguage): void {
  try {
    localStorage.setItem(STORED, language);
  } catch {} // the choice lasts until the page is left
}

function storedLanguage(): string | null {
  try {
    return localStorage.getItem(STORED);
  } catch {
    return null;
  }
}
