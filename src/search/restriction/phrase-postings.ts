/**
 * Which passages may contain a phrase, by postings: all that do, and some that do not. A document
 * may write a word in two pieces ("co-operate", or a hyphen at the end of a line), which are indexed
 * as a pair of words, so those pairs are looked up too.
 */

import { HYPHEN, INVISIBLE } from "../../text/fold.js";
import { hash2gram, hashWord, isStopWord, words } from "../../text/words.js";
import { placeOf } from "../score/postings.js";
import type { SearchSession } from "../session.js";

/** Pairs of words (or words) of a phrase that are looked up, the longest first: some dozen buckets each. */
const MAX_LOOKED_UP = 3;
/** Shorter words are not divided at the end of a line. */
const MIN_DIVIDED = 5;
const MIN_PIECE = 2;

/**
 * Passages through all segments, ascending, deleted ones included. A word that is divided at more
 * than one place, other than at hyphens of the phrase, may be missed.
 * @returns undefined if postings say nothing: the phrase has only function words
 * @throws VerbatimError `aborted`, `corrupt-segment`
 */
export async function passagesThatMayHave(
  session: SearchSession,
  phrase: string,
  signal: AbortSignal | undefined,
): Promise<Uint32Array | undefined> {
  const chosen = bucketsOf(phrase);
  if (chosen.length === 0) return undefined;
  const lists = await session.postings.tfidf(chosen.flat(), signal);
  let at = 0;
  const any = chosen
    .map((buckets) => buckets.map(() => lists[at++]!.passage.units).filter(({ length }) => length > 0))
    .sort((a, b) => total(a) - total(b));
  const [shortest, ...others] = any;
  const units = [...new Set(shortest!.flatMap((list) => [...list]))].sort((a, b) => a - b);
  return Uint32Array.from(
    units.filter((unit) => others.every((some) => some.some((list) => placeOf(list, unit) >= 0))),
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

/** Lists of buckets: a passage with the phrase has one of each list. */
function bucketsOf(phrase: string): number[][] {
  const all = wordsOf(phrase);
  const pairs: Array<{ length: number; buckets: number[] }> = [];
  const singles: typeof pairs = [];
  for (const [n, word] of all.entries()) {
    const pieces = piecesOf(word);
    if (pieces === undefined) continue;
    const { text } = word;
    if (!isStopWord(text)) singles.push({ length: text.length, buckets: [hashWord(text), ...pieces] });
    const next = all[n + 1];
    const nextPieces = next === undefined ? undefined : piecesOf(next);
    if (next === undefined || nextPieces === undefined || (isStopWord(text) && isStopWord(next.text))) continue;
    if (word.joints.size > 0 || next.joints.size > 0) continue; // the neighbouring piece is not known
    const buckets = [hash2gram(text, next.text), ...pieces, ...nextPieces];
    pairs.push({ length: text.length + next.text.length, buckets });
  }
  return [...byLength(pairs), ...byLength(singles)].slice(0, MAX_LOOKED_UP).map(({ buckets }) => buckets);
}

const byLength = <T extends { length: number }>(list: T[]): T[] => list.sort((a, b) => b.length - a.length);

/** The words of a phrase; those with hyphens between them as one. */
function wordsOf(phrase: string): DividedWord[] {
  const visible = [...phrase.normalize("NFKC")].filter((character) => !INVISIBLE.test(character)).join("");
  const plain = visible.replace(/\[(\p{L})\](?=\p{L})/gu, "$1");
  const all: DividedWord[] = [];
  let before = 0;
  for (const { text, start, end, unspaced } of words(plain)) {
    const last = all.at(-1);
    const between = plain.slice(before, start).trim();
    if (last !== undefined && between !== "" && [...between].every((one) => HYPHEN.test(one)) && !unspaced) {
      last.joints.add(last.text.length);
      last.text += text;
    } else all.push({ text, joints: new Set(), unspaced });
    before = end;
  }
  return all;
}

/**
 * Buckets of the first two pieces of a word that is divided.
 * @returns undefined if some of them are pairs of function words, which are not indexed
 */
function piecesOf({ text, joints, unspaced }: DividedWord): number[] | undefined {
  if (unspaced) return [];
  const buckets: number[] = [];
  for (let cut = 1; cut < text.length; cut++) {
    const isOwn = joints.has(cut);
    for (const end of [text.length, ...joints]) {
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
