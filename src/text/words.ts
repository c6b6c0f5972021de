/** Words, hashed 2-gram buckets and counts for tf-idf and BM25. */

import { murmur3 } from "./murmur3.js";

interface Word {
  /** Folded: lower case, without accents and variants of width (`foldWord`). */
  text: string;
  /** True for a character of a script without spaces, which is a word by itself. */
  unspaced: boolean;
  /** UTF-16 range in the text. */
  start: number;
  end: number;
}

/** Buckets of the hashed n-grams: 2^24, as in DrQA. */
export const NGRAM_BUCKETS = 1 << 24;

const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    "i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she her hers herself it its " +
    "itself they them their theirs themselves what which who whom whose this that these those am is are was were be been being " +
    "have has had having do does did doing a an the and but if or because as until while of at by for with about against " +
    "between into through during before after above below to from up down in out on off over under again further then once " +
    "here there when where why how all any both each few more most other some such no nor not only own same so than too very " +
    "s t can will just don should now d ll m o re ve y ain aren couldn didn doesn hadn hasn haven isn mustn needn shan shouldn " +
    "wasn weren won wouldn would could may might must shall also us"
  ).split(" "),
);

/** @param word in lower case */
export function isStopWord(word: string): boolean {
  return STOP_WORDS.has(word);
}

const UNKNOWN = 0;
const BETWEEN = 1;
const INSIDE = 2;
const ALONE = 3;
/** Not part of a word and no end of one. */
const IGNORED = 4;
const kinds = new Uint8Array(0x10000);
for (let unit = 0; unit < 0x80; unit++) kinds[unit] = /[0-9A-Za-z]/.test(String.fromCharCode(unit)) ? INSIDE : BETWEEN;
/**
 * The radicals of the Kangxi block are symbols, but PDF files have them in the place of the characters they look
 * like.
 */
const IN_WORD = /^[\p{L}\p{N}\p{M}\u2f00-\u2fd5]$/u;
/** Soft hyphens, joiners and variation selectors. */
const INVISIBLE = /[\ufe00-\ufe0f]|[\u{e0100}-\u{e01ef}]|[\u200c-\u200d]|[\u00ad\u2060\ufeff]/gu;
const IS_INVISIBLE = /[\ufe00-\ufe0f]|[\u{e0100}-\u{e01ef}]|[\u200c-\u200d]|[\u00ad\u2060\ufeff]/u;
/**
 * Blocks of scripts whose texts have no spaces between words (Thai, Lao, Myanmar, Khmer, kana, Han), and Hangul, whose
 * words end in particles. Blocks, because scripts differ between Unicode versions (docs/index-format.md §12.1).
 */
const UNSPACED =
  /^[\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u2e80-\u2fdf\u3000-\u318f\u31a0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff66-\uffdc\u{1b000}-\u{1b16f}\u{20000}-\u{3ffff}]$/u;
/**
 * What belongs to the character before it: variation selectors and voicing marks, also of half-width kana ("ｶﾞ"); and
 * the vowel and final consonant after a conjoining Hangul consonant, as decomposed text has them.
 */
const REST_OF_CHARACTER =
  /(?:(?<=[\u1100-\u115f])[\u1160-\u11a7][\u11a8-\u11ff]?)?(?:[\u3099-\u309a]|[\uff9e\uff9f]|[\ufe00-\ufe0f]|[\u{e0100}-\u{e01ef}])*/uy;
/**
 * Marks that are left out: Latin, Greek and Cyrillic accents except that of й, Hebrew and Arabic vowels, the Arabic
 * tatweel, the circles and keys around symbols.
 */
const ACCENTS =
  /(?<!и)\u0306|[\u0300-\u0305\u0307-\u036f\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670]|[\u20d0-\u20f0]/gu;
/** Letters that have no decomposition, and variants of Arabic letters. */
const PLAIN_LETTERS: Readonly<Record<string, string>> = {
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "o",
  đ: "d",
  ð: "d",
  ħ: "h",
  ı: "i",
  ł: "l",
  þ: "th",
  ς: "σ",
  ة: "ه",
  ى: "ي",
  ی: "ي",
  ک: "ك",
};
const HAS_PLAIN_LETTER = /[ßæœøđðħıłþςةىیک]/gu;
/**
 * Arabic, Persian and Devanagari digits; the last four bits give the value of the first two, 6 more those of the
 * third.
 */
const OTHER_DIGITS = /[\u0660-\u0669\u06f0-\u06f9\u0966-\u096f]/gu;

function kindOf(character: string): number {
  if (IS_INVISIBLE.test(character)) return IGNORED;
  if (!IN_WORD.test(character)) return BETWEEN;
  return UNSPACED.test(character) ? ALONE : INSIDE;
}

const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;

/** Whether a text has a letter or a digit. */
export function hasWord(text: string): boolean {
  return LETTER_OR_DIGIT.test(text);
}

/**
 * Runs of letters, digits and marks, folded; each character of Chinese, kana, Hangul and the scripts of South-East
 * Asia is a word of its own. A run of accents alone is not a word. Nothing is stemmed; "don't" is "don" and "t". No
 * dictionary and no `Intl.Segmenter` is used, because indexes must not depend on the version of a runtime's data.
 * O(text)
 */
export function* words(text: string): Generator<Word> {
  let start = -1;
  let end = 0;
  let plain = true;
  for (let i = 0; i < text.length; ) {
    const unit = text.charCodeAt(i);
    let kind = kinds[unit]!;
    let next = i + 1;
    if (kind === UNKNOWN) {
      const character = String.fromCodePoint(text.codePointAt(i)!);
      kind = kindOf(character);
      next = i + character.length;
      if ((unit & 0xf800) !== 0xd800) kinds[unit] = kind;
    }
    if (kind === INSIDE) {
      if (start < 0) start = i;
      plain &&= unit < 0x80 && (start === i || end === i);
      end = next;
    } else if (kind !== IGNORED) {
      const word = start >= 0 ? folded(text, start, end, plain) : "";
      if (word !== "") yield { text: word, start, end, unspaced: false };
      start = -1;
      plain = true;
      if (kind === ALONE) {
        next = endOfCharacter(text, next);
        const exact = next === i + 1 && isFolded(unit);
        yield { text: exact ? text[i]! : folded(text, i, next, false), start: i, end: next, unspaced: true };
      }
    }
    i = next;
  }
  const last = start >= 0 ? folded(text, start, end, plain) : "";
  if (last !== "") yield { text: last, start, end, unspaced: false };
}

function folded(text: string, start: number, end: number, plain: boolean): string {
  const exact = text.slice(start, end);
  return plain ? exact.toLowerCase() : foldWord(exact);
}

/** The end of a character of which the first code point ends at `from`. */
function endOfCharacter(text: string, from: number): number {
  const unit = text.charCodeAt(from);
  // Most characters are followed by a character with nothing to add.
  if (!(unit >= 0xfe00 || (unit & 0xff00) === 0x1100 || unit === 0x3099 || unit === 0x309a || unit === 0xdb40)) {
    return from;
  }
  REST_OF_CHARACTER.lastIndex = from;
  REST_OF_CHARACTER.test(text);
  return REST_OF_CHARACTER.lastIndex;
}

/** True for kana, Han and Hangul that folding never changes. */
const isFolded = (unit: number): boolean =>
  (unit >= 0x3041 && unit <= 0x30fe) || (unit >= 0x3400 && unit <= 0x9fff) || (unit >= 0xac00 && unit <= 0xd7a3);

/**
 * The form in which words are compared: "Ärger" as "arger", "ＰＤＦ" as "pdf", "Straße" as "strasse", "Ёлка" as "елка".
 */
export function foldWord(word: string): string {
  const visible = word.replace(INVISIBLE, "").normalize("NFKC").toLowerCase();
  const bare = visible.normalize("NFD").replace(ACCENTS, "");
  return bare
    .replace(HAS_PLAIN_LETTER, (letter) => PLAIN_LETTERS[letter]!)
    .replace(OTHER_DIGITS, (digit) => String((digit.charCodeAt(0) & 15) - (digit > "\u0900" ? 6 : 0)))
    .normalize("NFC");
}

/** Bucket of a single word. */
export function hashWord(only: string): number {
  return murmur3(only) & (NGRAM_BUCKETS - 1);
}

/** Bucket of two neighbouring words: murmur3 of "first second", modulo 2^24 (DrQA). */
export function hash2gram(first: string, second: string): number {
  return murmur3(`${first} ${second}`) & (NGRAM_BUCKETS - 1);
}

/**
 * Counts of the buckets of a text, uni- and bigrams together. Single stop words and pairs of stop words are
 * ignored; a bigram with one stop word counts ("the observatory").
 * @returns bucket → count, in order of first occurrence
 */
export function ngramCounts(text: string): Map<number, number> {
  const counts = new Map<number, number>();
  const add = (bucket: number): void => {
    counts.set(bucket, (counts.get(bucket) ?? 0) + 1);
  };
  let last: string | undefined;
  let lastStops = false;
  for (const { text: current } of words(text)) {
    const stops = isStopWord(current);
    if (!stops) add(hashWord(current));
    if (last !== undefined && !(stops && lastStops)) add(hash2gram(last, current));
    last = current;
    lastStops = stops;
  }
  return counts;
}
