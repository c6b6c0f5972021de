/**
 * Guesses the language of a text from its scripts and its most frequent words. Deterministic, and
 * careful: code, tables, lists of names and very short texts have no language.
 */

import { CYRILLIC_WORDS, LATIN_WORDS, OTHER_WORDS } from "./function-words.js";

/** A language by its ISO 639-1 code; "other" is any that is not recognised. */
export type Language =
  | ("en" | "de" | "fr" | "es" | "it" | "pt" | "nl" | "pl" | "ru")
  | ("zh" | "ja" | "ko" | "ar")
  | "other";

/** Windows of a text that are looked at, and their length in UTF-16 units. */
const WINDOWS = 4;
const WINDOW_UNITS = 600;
/** Letters that a text in an alphabet needs; a character of the scripts below counts as several. */
const MIN_LETTERS = 16;
const LETTERS_PER_CHARACTER = 3;
/** Share of kana, among kana and Han, that makes a text Japanese: in Chinese, only names have any. */
const MIN_KANA = 0.2;
/** Share of letters that Persian, Urdu and other languages have and Arabic lacks. */
const MAX_FOREIGN_ARABIC = 0.03;
/** Share of a text's words that must be function words of its language: running text has 0.25 to 0.5. */
const MIN_SHARE = 0.12;
/** Factor by which another language must exceed English, whose words are in code too. */
const MIN_SHARE_OVER_ENGLISH = 1.5;
/** Different function words that a language other than English needs; fewer in a text of few words. */
const MIN_DIFFERENT = 4;
const WORDS_PER_DIFFERENT = 3;
/** A word with a letter of few languages counts as this part of a function word. */
const LETTER_WEIGHT = 0.5;
/** A function word of one letter counts as this part of another: code is full of such names. */
const SINGLE_WEIGHT = 0.25;
/** Words that a text in an alphabet needs. */
const MIN_WORDS = 4;

/** Letters that few languages have. */
const LETTERS: readonly (readonly [string, readonly Known[]])[] = [
  ["ß", ["de"]],
  ["äö", ["de", "sv", "fi"]],
  ["ü", ["de", "tr", "hu"]],
  ["ñ", ["es"]],
  ["ãõ", ["pt"]],
  ["êèùœ", ["fr"]],
  ["ç", ["fr", "pt", "tr", "ca"]],
  ["òì", ["it"]],
  ["łąęśźżćń", ["pl"]],
  ["åø", ["da", "no", "sv"]],
  ["ěřů", ["cs"]],
  ["ľĺŕ", ["sk"]],
  ["șțăâ", ["ro"]],
  ["őű", ["hu"]],
  ["ığş", ["tr"]],
  ["đ", ["vi", "hr"]],
  ["ạảấầẩẫậắằẳẵặẹẻẽếềểễệịọỏốồổỗộớờởỡợụủứừửữự", ["vi"]],
  ["ыэё", ["ru"]],
  ["іїєґ", ["uk"]],
  ["ђћџљњј", ["sr"]],
];

type Known = keyof typeof LATIN_WORDS | keyof typeof CYRILLIC_WORDS | keyof typeof OTHER_WORDS;

/** The lists that have a word. */
const LISTS: ReadonlyMap<string, readonly Known[]> = listsByWord();

const BY_LETTER: ReadonlyMap<string, readonly Known[]> = new Map(
  LETTERS.flatMap(([letters, languages]) => [...letters].map((letter) => [letter, languages] as const)),
);

/**
 * The language of most of a text.
 * @param text  at most 2,400 UTF-16 units of it are read
 * @returns undefined if the text is too short, or is not running text
 */
export function detectLanguage(text: string): Language | undefined {
  const sample = sampleOf(text);
  const counts = countScripts(sample);
  const { latin, cyrillic, han, kana, hangul, arabic, foreignArabic, rest } = counts;
  const asian = LETTERS_PER_CHARACTER * (han + kana + hangul);
  const alphabetic = latin + cyrillic + arabic + rest;
  if (asian + alphabetic < MIN_LETTERS) return undefined;
  if (asian > alphabetic) {
    if (hangul > han + kana) return "ko";
    return kana > MIN_KANA * (kana + han) ? "ja" : "zh";
  }
  const most = Math.max(latin, cyrillic, arabic, rest);
  if (most === rest) return "other";
  if (most === arabic) return foreignArabic > MAX_FOREIGN_ARABIC * arabic ? "other" : "ar";
  return byWords(sample, most === latin);
}

/** Evenly spaced windows: the beginning of a document is often unlike the rest. */
function sampleOf(text: string): string {
  if (text.length <= WINDOWS * WINDOW_UNITS) return text;
  const step = (text.length - WINDOW_UNITS) / (WINDOWS - 1);
  const windows = Array.from({ length: WINDOWS }, (_, i) => {
    const start = Math.floor(i * step);
    return text.slice(start, start + WINDOW_UNITS);
  });
  return windows.join(" ");
}

function countScripts(text: string) {
  const counts = { latin: 0, cyrillic: 0, han: 0, kana: 0, hangul: 0, arabic: 0, foreignArabic: 0, rest: 0 };
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0xc0) {
      const lower = unit | 0x20;
      if (lower >= 0x61 && lower <= 0x7a) counts.latin++;
    } else if (unit < 0x250) counts.latin++;
    else if (unit >= 0x400 && unit < 0x530) counts.cyrillic++;
    else if (unit >= 0x600 && unit < 0x700) {
      counts.arabic++;
      if (FOREIGN_ARABIC.has(text[at]!)) counts.foreignArabic++;
    } else if (unit >= 0x1e00 && unit < 0x1f00) counts.latin++;
    else if ((unit >= 0x3040 && unit < 0x3100) || (unit >= 0xff66 && unit < 0xffa0)) counts.kana++;
    else if ((unit >= 0x3400 && unit < 0xa000) || (unit >= 0xf900 && unit < 0xfb00)) counts.han++;
    else if ((unit >= 0x1100 && unit < 0x1200) || (unit >= 0xac00 && unit < 0xd7b0)) counts.hangul++;
    else if (isOtherLetter(unit)) counts.rest++;
  }
  return counts;
}

/** Letters of Persian, Urdu, Pashto and Kurdish that Arabic does not have. */
const FOREIGN_ARABIC: ReadonlySet<string> = new Set("پچژگکیےٹڈڑںۆێە");

/** Greek, Armenian to Thai and their neighbours, Georgian, Ethiopic, Khmer. */
const isOtherLetter = (unit: number): boolean =>
  (unit >= 0x370 && unit < 0x400) ||
  (unit >= 0x530 && unit < 0x600) ||
  (unit >= 0x700 && unit < 0x1100) ||
  (unit >= 0x1200 && unit < 0x1800);

function byWords(sample: string, isLatin: boolean): Language | undefined {
  const found = new Map<Known, { score: number; different: Set<string> }>();
  let words = 0;
  const count = (language: Known, weight: number, word?: string): void => {
    const entry = found.get(language) ?? { score: 0, different: new Set() };
    entry.score += weight;
    if (word !== undefined) entry.different.add(word);
    found.set(language, entry);
  };
  for (const [word] of sample.toLowerCase().matchAll(/\p{L}+/gu)) {
    words++;
    const lists = LISTS.get(word) ?? [];
    const weight = (word.length === 1 ? SINGLE_WEIGHT : 1) / Math.sqrt(lists.length);
    for (const language of lists) count(language, weight, word);
    if (lists.length > 0 || !/[^a-z]/.test(word)) continue;
    for (const letter of new Set(word)) {
      for (const language of BY_LETTER.get(letter) ?? []) count(language, LETTER_WEIGHT);
    }
  }
  if (words < MIN_WORDS) return undefined;
  let best: Known | undefined;
  for (const [language, { score }] of found) {
    if (isLatin === isCyrillic(language)) continue;
    if (best === undefined || score > found.get(best)!.score) best = language;
  }
  if (best === undefined) return undefined;
  const { score, different } = found.get(best)!;
  if (score < MIN_SHARE * words) return undefined;
  if (best !== "en") {
    if (different.size < Math.min(MIN_DIFFERENT, Math.max(2, words / WORDS_PER_DIFFERENT))) return undefined;
    if (score < MIN_SHARE_OVER_ENGLISH * (found.get("en")?.score ?? 0)) return undefined;
  }
  return best in OTHER_WORDS ? "other" : (best as Language);
}

const CYRILLIC: ReadonlySet<Known> = new Set(["ru", "uk", "bg", "sr"]);
const isCyrillic = (language: Known): boolean => CYRILLIC.has(language);

function listsByWord(): Map<string, Known[]> {
  const lists = new Map<string, Known[]>();
  for (const [language, words] of Object.entries({ ...LATIN_WORDS, ...CYRILLIC_WORDS, ...OTHER_WORDS })) {
    for (const word of new Set(words.split(" "))) lists.set(word, [...(lists.get(word) ?? []), language as Known]);
  }
  return lists;
}
