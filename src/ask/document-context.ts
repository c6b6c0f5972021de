/**
 * What a document is about, as far as a question names it: "How much is the rent for 14 Quarry Road?" is answered by
 * a passage about the rent, and the address is elsewhere in the contract. A reader that sees the passage alone would
 * doubt that it is the right rent.
 */

import type { DocumentRecord } from "../index/types.js";
import type { Searcher } from "../search/searcher.js";
import { headingRange, headingsAbove } from "../text/headings.js";
import { oneLine } from "../text/one-line.js";
import { hashWord, isStopWord, words } from "../text/words.js";

/** UTF-16 units of a document's beginning, where it says what it is about. */
const BEGINNING_UNITS = 2000;
/** Longest excerpt, in words, from its first to its last word of the question. */
const MAX_EXCERPT_WORDS = 10;
/** Words that are shown on both sides of those. */
const WORDS_AROUND = 2;
const MAX_EXCERPTS = 2;
/** The nearest headings that are looked at. */
const MAX_HEADINGS = 6;
/** A naming word occurs in at most one of this many documents, or in two documents. */
const NAMING_SHARE = 300;

/** Where a passage is, and what of its document the reader sees in any case. */
interface ContextOf {
  segment: number;
  passage: number;
  /** What it sees of the title and the heading, and the passage. */
  shown: string;
}

/**
 * Excerpts of a document with words of the question that neither the passage nor what is shown of its title and
 * heading have: of the file's name, of the headings above the passage, and of the text's beginning before the passage.
 * @param naming  from `namingWords`
 * @returns [] if there are none; at most two, the one with the most words first
 */
export async function documentContext(
  searcher: Searcher,
  naming: ReadonlySet<string>,
  { segment, passage, shown }: ContextOf,
  signal?: AbortSignal,
): Promise<string[]> {
  if (naming.size === 0) return [];
  const reader = searcher.segment(segment);
  const { document, start } = reader.passage(passage);
  const record = await searcher.document(segment, document, signal);
  const missing = new Set(naming);
  for (const { text: word } of words(shown)) missing.delete(word);
  if (missing.size === 0) return [];
  const above = headingsAbove(record.headings ?? [], start, MAX_HEADINGS).map(headingRange);
  const lines = [
    fileName(record),
    ...(await Promise.all(above.map((range) => reader.readText(document, range.start, range.end, signal)))),
    ...(await reader.readText(document, 0, Math.min(start, BEGINNING_UNITS), signal)).split("\n"),
  ];
  return excerpts(lines, missing);
}

/** The question's words that occur in few documents, and so say which document is meant. */
export async function namingWords(searcher: Searcher, question: string, signal?: AbortSignal): Promise<Set<string>> {
  const asked = new Set<string>();
  // single characters of Chinese and the like name nothing
  for (const { text: word, unspaced } of words(question)) if (!unspaced && !isStopWord(word)) asked.add(word);
  const buckets = [...asked].map(hashWord);
  const postings = await searcher.postings.tfidf(buckets, signal);
  const most = Math.max(2, searcher.snapshot.documentCount / NAMING_SHARE);
  return new Set([...asked].filter((_, n) => postings[n]!.document.live <= most));
}

/** "contracts/lease-14-quarry-road.txt" as "lease 14 quarry road"; "" for a record of a file with several. */
function fileName({ source, id }: DocumentRecord): string {
  const name = (source || id).split(/[\\/]/).at(-1)!;
  if (!id.endsWith(name)) return "";
  return name.replace(/\.\w{1,5}$/, "").replace(/[-_.+]+/g, " ");
}

/** The excerpts that together have the most of the wanted words. */
function excerpts(lines: readonly string[], wanted: ReadonlySet<string>): string[] {
  const left = new Set(wanted);
  const chosen: string[] = [];
  while (chosen.length < MAX_EXCERPTS && left.size > 0) {
    let best: Excerpt | undefined;
    for (const line of lines) {
      const excerpt = bestExcerpt(line, left);
      if (excerpt !== undefined && excerpt.found.size > (best?.found.size ?? 0)) best = excerpt;
    }
    if (best === undefined) break;
    chosen.push(best.text);
    for (const word of best.found) left.delete(word);
  }
  return chosen;
}

interface Excerpt {
  text: string;
  /** The wanted words that it has. */
  found: Set<string>;
}

/** The part of a line with the most of the wanted words, the first of several. */
function bestExcerpt(line: string, wanted: ReadonlySet<string>): Excerpt | undefined {
  const all = [...words(line)];
  let best: { first: number; last: number; found: Set<string> } | undefined;
  for (const [first, word] of all.entries()) {
    if (!wanted.has(word.text)) continue;
    const found = new Set<string>();
    let last = first;
    for (let at = first; at < Math.min(all.length, first + MAX_EXCERPT_WORDS); at++) {
      const { text } = all[at]!;
      if (!wanted.has(text) || found.has(text)) continue;
      found.add(text);
      last = at;
    }
    if (found.size > (best?.found.size ?? 0)) best = { first, last, found };
  }
  if (best === undefined) return undefined;
  const from = all[Math.max(0, best.first - WORDS_AROUND)]!.start;
  const to = all[Math.min(all.length - 1, best.last + WORDS_AROUND)]!.end;
  return { text: oneLine(line.slice(from, to)), found: best.found };
}
