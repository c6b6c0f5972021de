/** The languages of a run's documents. */

import { detectLanguage, type Language } from "../../../src/text/language/language.js";

/** Documents per language, the most frequent language first. */
export type LanguageCount = Partial<Record<Language, number>>;

/** All of the first documents are looked at, and then a part: a lexical index takes thousands a second. */
const ALL_OF = 256;
const ONE_OF = 16;

/** Counts documents by language. Those without running text, as code and tables, are not counted. */
export class LanguageCounts {
  readonly #counts = new Map<Language, number>();
  #seen = 0;

  add(text: string): void {
    const index = this.#seen++;
    if (index >= ALL_OF && index % ONE_OF !== 0) return;
    const language = detectLanguage(text);
    if (language !== undefined) this.#counts.set(language, (this.#counts.get(language) ?? 0) + 1);
  }

  get counts(): LanguageCount {
    const byCount = [...this.#counts].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
    return Object.fromEntries(byCount);
  }
}

/** Below this share, documents in other languages are not mentioned: one may be a mistake of the detection. */
const MIN_MENTIONED = 0.01;

/** Whether enough documents are in another language than English to be mentioned. */
export function mentionsForeign(counts: LanguageCount): boolean {
  return foreignShare(counts) >= MIN_MENTIONED;
}

/** English name of a language; undefined for those that the detection does not distinguish. */
export function languageName(code: string): string | undefined {
  return code === "other" ? undefined : new Intl.DisplayNames("en", { type: "language" }).of(code);
}

/** Share of the documents in a known language that are in another one than English, 0 to 1. */
export function foreignShare(counts: LanguageCount): number {
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return all === 0 ? 0 : (all - (counts.en ?? 0)) / all;
}
