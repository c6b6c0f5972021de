/** Words, hashed 2-gram buckets and counts for tf-idf and BM25. */

import { murmur3 } from "./murmur3.js";

export interface Word {
  /** Lower case, composed (NFC). */
  text: string;
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
const kinds = new Uint8Array(0x10000);
for (let unit = 0; unit < 0x80; unit++) kinds[unit] = /[0-9A-Za-z]/.test(String.fromCharCode(unit)) ? INSIDE : BETWEEN;
const IN_WORD = /^[\p{L}\p{N}\p{M}]$/u;
const IDEOGRAPHIC = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]$/u;

function kindOf(character: string): number {
  if (!IN_WORD.test(character)) return BETWEEN;
  return IDEOGRAPHIC.test(character) ? ALONE : INSIDE;
}

/**
 * Runs of letters, digits and marks, in lower case; each Chinese character and each kana is a word of its own.
 * Nothing is stemmed; "don't" is "don" and "t". O(text)
 */
export function* words(text: string): Generator<Word> {
  let start = -1;
  let plain = true;
  for (let i = 0; i < text.length; ) {
    const unit = text.charCodeAt(i);
    let kind = kinds[unit]!;
    let end = i + 1;
    if (kind === UNKNOWN) {
      const character = String.fromCodePoint(text.codePointAt(i)!);
      kind = kindOf(character);
      end = i + character.length;
      if ((unit & 0xf800) !== 0xd800) kinds[unit] = kind;
    }
    if (kind !== INSIDE && start >= 0) {
      yield word(text, start, i, plain);
      start = -1;
      plain = true;
    }
    if (kind === ALONE) yield word(text, i, end, false);
    else if (kind === INSIDE) {
      if (start < 0) start = i;
      plain &&= unit < 0x80;
    }
    i = end;
  }
  if (start >= 0) yield word(text, start, text.length, plain);
}

function word(text: string, start: number, end: number, plain: boolean): Word {
  const exact = text.slice(start, end);
  return { text: (plain ? exact : exact.normalize("NFC")).toLowerCase(), start, end };
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
