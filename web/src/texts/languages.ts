/** The page's languages, and which of them a visitor gets. */

import { en } from "./en.js";
import type { Plural, TextKey, Translation } from "./types.js";

/** In the order of the choice, each by its own name. */
export const LANGUAGE_NAMES = { en: "English", de: "Deutsch", es: "Español", fr: "Français", zh: "中文" } as const;

export type PageLanguage = keyof typeof LANGUAGE_NAMES;

export const PAGE_LANGUAGES = Object.keys(LANGUAGE_NAMES) as PageLanguage[];

/** A language's texts; English has no errors: it shows those of the server. */
export type Texts = Readonly<Record<TextKey, string | Plural>> & Partial<Pick<Translation, "errors">>;

/** English comes with the page; another language is a script of its own. */
const LOADERS: Readonly<Record<PageLanguage, () => Promise<Texts>>> = {
  en: async () => en,
  de: async () => (await import("./de.js")).de,
  es: async () => (await import("./es.js")).es,
  fr: async () => (await import("./fr.js")).fr,
  zh: async () => (await import("./zh.js")).zh,
};

/** Loads the texts of a language. @throws if its script cannot be loaded */
export const loadTexts = (language: PageLanguage): Promise<Texts> => LOADERS[language]();

/** @param wanted  language tags, the most preferred first */
export function bestLanguage(wanted: readonly string[]): PageLanguage {
  for (const tag of wanted) {
    const primary = tag.toLowerCase().split("-", 1)[0];
    const known = PAGE_LANGUAGES.find((language) => language === primary);
    if (known !== undefined) return known;
  }
  return "en";
}
