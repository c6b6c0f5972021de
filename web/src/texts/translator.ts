/** The page's texts, numbers and dates in one language. */

import { RequestError } from "../request-error.js";
import { en } from "./en.js";
import { loadTexts, type PageLanguage, type Texts } from "./languages.js";
import type { Placeholder, TextKey } from "./types.js";

type Value = string | number;

/** The values of a text's placeholders; a text without any takes none. */
export type Values<Key extends TextKey, V = Value> = [Placeholder<Key>] extends [never]
  ? []
  : [values: Record<Placeholder<Key>, V>];

export class Translator {
  readonly language: PageLanguage;
  readonly #texts: Texts;
  readonly #plural: Intl.PluralRules;

  constructor(language: PageLanguage, texts: Texts) {
    this.language = language;
    this.#texts = texts;
    this.#plural = new Intl.PluralRules(language);
  }

  /** A text with its placeholders replaced. Numbers are formatted, and `count` chooses the form. */
  text<Key extends TextKey>(key: Key, ...[values]: Values<Key>): string {
    return this.parts(key, values as Record<string, Value> | undefined)
      .map((part) => (typeof part === "number" ? this.number(part) : part))
      .join("");
  }

  /** The pieces of a text, each placeholder replaced by its value. */
  parts<V>(key: TextKey, values?: Readonly<Record<string, V>>): (string | V)[] {
    const found = this.#texts[key];
    const count = values?.count;
    const form = typeof count === "number" && this.#plural.select(count) === "one" ? "one" : "other";
    const text = typeof found === "string" ? found : (found[form] ?? found.other);
    return text.split(/\{([a-z]+)\}/).map((piece, i) => (i % 2 === 0 ? piece : values![piece]!));
  }

  number(value: number): string {
    return new Intl.NumberFormat(this.language).format(value);
  }

  /** @param share  0 to 1 */
  percent(share: number): string {
    return new Intl.NumberFormat(this.language, { style: "percent" }).format(share);
  }

  /** A day as "2026-11-23"; anything else is returned as it is. */
  day(value: string): string {
    const [, year, month, date] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(value) ?? [];
    if (year === undefined) return value;
    const day = new Date(Number(year), Number(month) - 1, Number(date));
    return new Intl.DateTimeFormat(this.language, { dateStyle: "medium" }).format(day);
  }

  /** "a, b and c" with "conjunction", "a, b or c" with "disjunction". */
  list(items: readonly string[], type: "conjunction" | "disjunction"): string {
    return new Intl.ListFormat(this.language, { type }).format(items);
  }

  /**
   * The message for a user about an error: by its code in this language, else in the words of the
   * server.
   * @param otherwise  for errors that did not come from a server
   */
  error(error: unknown, otherwise: TextKey): string {
    if (!(error instanceof RequestError)) return this.parts(otherwise).join("");
    return this.problem(error.code, error.message);
  }

  /** @param reported  the server's own text; "" if there is none */
  problem(code: string, reported: string): string {
    if (code === "unreachable") return this.text("unreachable");
    const errors: Readonly<Record<string, string>> = this.#texts.errors ?? {};
    return (Object.hasOwn(errors, code) ? errors[code] : reported) || this.text("refused");
  }
}

export const ENGLISH = new Translator("en", en);

/** @returns the English one if the script of the language cannot be loaded */
export async function loadTranslator(language: PageLanguage): Promise<Translator> {
  try {
    return new Translator(language, await loadTexts(language));
  } catch {
    return ENGLISH;
  }
}
