/**
 * Which passages may contain a phrase, by postings: all that do, and some that do not. A document
 * may write a word in two pieces ("co-operate", or a hyphen at the end of a line), which are indexed
 * as a pair of words, so those pairs are looked up too.
 */

import { foldText, HYPHEN, INVISIBLE } from "../../text/fold.js";
import { hash2gram, hashWord, isStopWord, words } from "../../text/words.js";
import { indexIn } from "../../vectors/ascending.js";
import type { Searcher } from "../searcher.js";

/** Pairs of words (or words) of a phrase that are looked up, the longest first: some dozen buckets each. */
const MAX_LOOKED_UP = 3;
/** Buckets of a phrase, for which two words with the most divisions have room. */
const MAX_BUCKETS = 400;
/** Ways to divide a word; one of 40 letters with two hyphens has 77. A word with more is not looked up. */
const MAX_DIVISIONS = 150;
/** Shorter words are not divided at the end of a line. */
const MIN_DIVIDED = 5;
const MIN_PIECE = 2;

/**
 * Passages through all segments, ascending, deleted ones included. A word that is divided at more
 * than one place, other than at hyphens of the phrase, may be missed. So may a symbol that replaces
 * letters ("℃", "Acme™") if the phrase spells it out ("°C", "AcmeTM").
 * @returns undefined if postings say nothing: the phrase has only function words, symbols that
 *   replace letters, and words with too many ways to divide them
 * @throws VerbatimError `aborted`, `corrupt-segment`
 */
export async function passagesThatMayHave(
  searcher: Searcher,
  phrase: string,
  signal: AbortSignal | undefined,
): Promise<Uint32Array | undefined> {
  const chosen = bucketsOf(phrase);
  if (chosen.length === 0) return undefined;
  const lists = await searcher.postings.tfidf(chosen.flat(), signal);
  let at = 0;
  const any = chosen
    .map((buckets) => buckets.map(() => lists[at++]!.passage.units).filter(({ length }) => length > 0))
    .sort((a, b) => total(a) - total(b));
  const [shortest, ...others] = any;
  const units = [...new Set(shortest!.flatMap((list) => [...list]))].sort((a, b) => a - b);
  return Uint32Array.from(
    units.filter((unit) => others.every((some) => some.some((list) => indexIn(list, unit) >= 0))),
  );
}

const total = (lists: readonly Uint32Array[]): number => lists.reduce((sum, { length }) => sum + length, 0);

/** A word with the places where a hyphen of the phrase divides it. */
interface DividedWord {
  text: string;
  joints: Set<number>;
  /** A character of a script without spaces. */
  unspaced: boolean;
}

interface LookedUpWord extends DividedWord {
  /**
   * Buckets of the word in a document that divides it or writes it with another apostrophe; undefined
   * if they are not known.
   */
  otherwise: number[] | undefined;
}

/** Lists of buckets: a passage with the phrase has one of each list. */
function bucketsOf(phrase: string): number[][] {
  const all = wordsOf(phrase);
  const pairs: Array<{ length: number; buckets: number[] }> = [];
  const singles: typeof pairs = [];
  for (const [n, { text, joints, otherwise }] of all.entries()) {
    if (otherwise === undefined) continue;
    if (!isStopWord(text)) singles.push({ length: text.length, buckets: [hashWord(text), ...otherwise] });
    const next = all[n + 1];
    if (next?.otherwise === undefined || (isStopWord(text) && isStopWord(next.text))) continue;
    if (joints.size > 0 || next.joints.size > 0) continue; // the neighbouring piece is not known
    const buckets = [hash2gram(text, next.text), ...otherwise, ...next.otherwise];
    pairs.push({ length: text.length + next.text.length, buckets });
  }
  const chosen: number[][] = [];
  let count = 0;
  for (const { buckets } of [...byLength(pairs), ...byLength(singles)]) {
    if (chosen.length === MAX_LOOKED_UP) break;
    if (count + buckets.length > MAX_BUCKETS) continue;
    chosen.push(buckets);
    count += buckets.length;
  }
  return chosen;
}

const byLength = <T extends { length: number }>(list: T[]): T[] => list.sort((a, b) => b.length - a.length);

/** U+02BC: quotations take it for an apostrophe, and an index for a letter of the word. */
const LETTER_APOSTROPHE = "ʼ";
const APOSTROPHE_INSIDE = /(?<=[\p{L}\p{N}\p{M}])ʼ(?=[\p{L}\p{N}])/gu;
/** A rare letter that replaces a symbol, so that the word that touches it is not looked up. */
const UNKNOWN = "\ua7f7";
/** The slash of "1⁄2", for which a document may have "½". */
const FRACTION_SLASH = "⁄";

/** The words of a phrase as an index has them; those with hyphens between them as one. */
function wordsOf(phrase: string): LookedUpWord[] {
  const visible = [...phrase].filter((character) => !INVISIBLE.test(character)).join("");
  const plain = [...visible.replace(/\[(\p{L})\](?=\p{L})/gu, "$1").replace(APOSTROPHE_INSIDE, "'")]
    .map((character) => (foldsToOtherWords(character) ? UNKNOWN : character))
    .join("");
  const all: Array<DividedWord & { compound?: { text: string; bucket?: number } }> = [];
  let before = 0;
  for (const { text, start, end, unspaced } of words(plain)) {
    const last = all.at(-1);
    const between = plain.slice(before, start);
    if (last !== undefined && !unspaced && isHyphens(between.trim())) {
      last.joints.add(last.text.length);
      last.text += text;
    } else {
      const word: (typeof all)[number] = { text, joints: new Set(), unspaced };
      if (last !== undefined && between.length === 1 && foldText(between).text === "'") {
        word.compound = last.compound ?? { text: last.text };
        word.compound.text += LETTER_APOSTROPHE + text;
        last.compound = word.compound;
      }
      all.push(word);
    }
    before = end;
  }
  return all.map(({ compound, ...word }) => {
    const pieces = piecesOf(word);
    if (compound === undefined) return { ...word, otherwise: pieces };
    compound.bucket ??= hashWord(compound.text);
    return { ...word, otherwise: pieces?.concat(compound.bucket) };
  });
}

const isHyphens = (text: string): boolean => text !== "" && [...text].every((one) => HYPHEN.test(one));

/**
 * True if a document may have other characters in its place, which an index divides into other words:
 * "1⁄2" for "½", or "AcmeTM" for "Acme™", of which the index has the word "acme".
 */
function foldsToOtherWords(character: string): boolean {
  if (character < "\x80") return false;
  if (character === FRACTION_SLASH || character === LETTER_APOSTROPHE) return true;
  const folded = foldText(character).text;
  if (folded === "" || folded === character) return false;
  const inWord = (part: string): string => Array.from(words(`a${part}a`), ({ text }) => text).join(" ");
  return inWord(character) !== inWord(folded);
}

/**
 * Buckets of the first two pieces of a word that is divided.
 * @returns undefined if the word is not known, if it can be divided in too many ways, or if some pieces
 *   are pairs of function words, which are not indexed
 */
function piecesOf({ text, joints, unspaced }: DividedWord): number[] | undefined {
  if (unspaced) return [];
  const ends = [text.length, ...joints];
  const divisions = ends.reduce((sum, end) => sum + end - 1, 0);
  if (text.includes(UNKNOWN) || divisions > MAX_DIVISIONS) return undefined;
  const buckets: number[] = [];
  for (let cut = 1; cut < text.length; cut++) {
    const isOwn = joints.has(cut);
    for (const end of ends) {
      if (end <= cut) continue;
      const [first, second] = [text.slice(0, cut), text.slice(cut, end)];
      if (!isStopWord(first) || !isStopWord(second)) buckets.push(hash2gram(first, second));
      else if (isOwn || (text.length >= MIN_DIVIDED && first.length >= MIN_PIECE && second.length >= MIN_PIECE)) {
        return undefined;
      }
    }
  }
  return buckets;
}
