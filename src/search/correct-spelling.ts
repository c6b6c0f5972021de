/**
 * Corrects typing mistakes in a question: a word that neither the documents nor the model's
 * vocabulary has is replaced by a word of the documents that differs by one letter.
 *
 * The index has no list of its words, only hashed buckets. So every text at distance 1 is looked up,
 * and what is found is confirmed in the text of a passage, because other words share buckets.
 */

import { detectLanguage } from "../text/language/language.js";
import { hashWord, isStopWord, words } from "../text/words.js";
import type { Span } from "../types.js";
import { indexIn } from "../vectors/ascending.js";
import type { Searcher } from "./searcher.js";

/** Shorter words have too many neighbours. */
const MIN_LETTERS = 4;
/** Longer ones are not words; each letter costs about 54 look-ups. */
const MAX_LETTERS = 24;
/** Unknown words that neighbours are looked up for per question: each costs a few hundred look-ups. */
const MAX_TRIED = 6;
/** Words that are corrected per question. */
const MAX_CORRECTED = 3;
/** Passages read per word to confirm what was found. */
const MAX_CONFIRMED = 12;
const LETTERS = "abcdefghijklmnopqrstuvwxyz";

interface Neighbour {
  text: string;
  /** Other words of the question that share a document with it. */
  together: number;
  passages: number;
  /** A passage with it, numbered across all segments. */
  passage: number;
}

/**
 * Among several words, the one that shares documents with most other words of the question is
 * meant, then the most frequent one. Words in ranges to keep, with capitals inside, digits or
 * non-ASCII letters are kept. A question without unknown words costs nothing: its postings are read
 * for the search anyway.
 * @returns the corrected question; undefined if nothing was corrected
 * @throws VerbatimError `aborted`, `corrupt-segment`
 */
export async function correctSpelling(
  searcher: Searcher,
  question: string,
  options: { keep?: readonly Span[]; signal?: AbortSignal } = {},
): Promise<string | undefined> {
  const { keep = [], signal } = options;
  const isKept = (at: number): boolean => keep.some(({ start, end }) => start <= at && at < end);
  const content = [...words(question)].filter(({ text }) => !isStopWord(text));
  const lists = await searcher.postings.tfidf(
    content.map(({ text }) => hashWord(text)),
    signal,
  );
  const documents = lists.filter(({ passage }) => passage.live > 0).map(({ document }) => document.units);
  const isEnglish = (detectLanguage(question) ?? "en") === "en";
  let corrected = question;
  let count = 0;
  let tried = 0;
  for (const [n, { text, start, end }] of [...content.entries()].reverse()) {
    if (lists[n]!.passage.live > 0 || count === MAX_CORRECTED || tried === MAX_TRIED) continue;
    const written = question.slice(start, end);
    if (!isPlainWord(written) || isKept(start) || isKnown(searcher, text) || isKnown(searcher, written)) continue;
    tried++;
    const isAlone = content.length === 1;
    const meant = await wordMeant(searcher, text, { documents, isAlone, isEnglish, signal });
    if (meant === undefined) continue;
    count++;
    const cased = /^[A-Z]/.test(written) ? meant[0]!.toUpperCase() + meant.slice(1) : meant;
    corrected = corrected.slice(0, start) + cased + corrected.slice(end);
  }
  return count === 0 ? undefined : corrected;
}

/** Letters, of which at most the first is a capital: not an identifier or an abbreviation. */
function isPlainWord(written: string): boolean {
  return written.length >= MIN_LETTERS && written.length <= MAX_LETTERS && /^[A-Za-z][a-z]+$/.test(written);
}

/** A frequent word of the language, or its plural: one token of the model without the s. */
function isKnown({ tokenizer }: Searcher, word: string): boolean {
  const isToken = (text: string): boolean => tokenizer.tokenize(text).count === 1;
  return isToken(word) || (word.endsWith("s") && isToken(word.slice(0, -1)));
}

/** Tokens of a word in lower case or with a capital, whichever are fewer. */
function piecesOf({ tokenizer }: Searcher, word: string): number {
  const capital = word[0]!.toUpperCase() + word.slice(1);
  return Math.min(tokenizer.tokenize(word).count, tokenizer.tokenize(capital).count);
}

/**
 * The word of the documents that a mistake stands for. Few right words of other languages are one token, as those of
 * English are, so a mistake in them must have more tokens than what is meant: "Vertrag" is not "Vortrag" mistyped.
 * What is meant must also share a document with another word of the question, because in documents in English all
 * words are unknown.
 */
async function wordMeant(
  searcher: Searcher,
  typed: string,
  given: {
    documents: readonly Uint32Array[];
    isAlone: boolean;
    isEnglish: boolean;
    signal: AbortSignal | undefined;
  },
): Promise<string | undefined> {
  const { documents, isAlone, isEnglish, signal } = given;
  const minShared = isEnglish || isAlone ? 0 : 1;
  const maxPieces = isEnglish ? Number.POSITIVE_INFINITY : piecesOf(searcher, typed) - 1;
  const texts = [...neighbours(typed)].filter(
    (text) => !isStopWord(text) && beginsAlike(text, typed) && !isInflected(typed, text),
  );
  const lists = await searcher.postings.tfidf(texts.map(hashWord), signal);
  const found: Neighbour[] = [];
  for (const [n, { document, passage }] of lists.entries()) {
    if (passage.live === 0) continue;
    const together = documents.filter((others) => haveCommon(document.units, others)).length;
    if (together < minShared) continue;
    found.push({ text: texts[n]!, together, passages: passage.live, passage: passage.units[0]! });
  }
  found.sort((a, b) => b.together - a.together || b.passages - a.passages || (a.text < b.text ? -1 : 1));
  for (const { text, passage } of found.slice(0, MAX_CONFIRMED)) {
    if (piecesOf(searcher, text) > maxPieces) continue;
    if (await passageHasWord(searcher, { word: text, passage, signal })) return text;
  }
  return undefined;
}

/** Whether two lists of ascending numbers share one. O(shorter · log longer) */
function haveCommon(a: Uint32Array, b: Uint32Array): boolean {
  const [few, many] = a.length < b.length ? [a, b] : [b, a];
  return few.some((unit) => indexIn(many, unit) >= 0);
}

/** The first letter is rarely mistyped; another one makes another name ("Humber", "number"). */
function beginsAlike(a: string, b: string): boolean {
  return a[0] === b[0] || (a[0] === b[1] && a[1] === b[0]);
}

/** "designed" for "designer" and "pumps" for "pump" are other forms of a word, not mistakes. */
function isInflected(typed: string, other: string): boolean {
  return /(?:s|ed|er|ly|ing)$/.test(typed) && other.startsWith(typed.slice(0, -1));
}

/** All texts that one letter left out, added, replaced or swapped with the next turns into `word`. */
export function neighbours(word: string): Set<string> {
  const all = new Set<string>();
  for (let at = 0; at <= word.length; at++) {
    const [before, after] = [word.slice(0, at), word.slice(at)];
    for (const letter of LETTERS) {
      all.add(before + letter + after);
      if (after !== "") all.add(before + letter + after.slice(1));
    }
    if (after !== "") all.add(before + after.slice(1));
    if (after.length > 1) all.add(before + after[1]! + after[0]! + after.slice(2));
  }
  all.delete(word);
  return all;
}

async function passageHasWord(
  searcher: Searcher,
  wanted: { word: string; passage: number; signal: AbortSignal | undefined },
): Promise<boolean> {
  const text = await searcher.passageText(wanted.passage, wanted.signal);
  for (const { text: word } of words(text)) if (word === wanted.word) return true;
  return false;
}
