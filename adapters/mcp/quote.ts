/**
 * Looks for a quotation, first in the documents with the most similar passages, then in all others.
 */

import type { AskOptions } from "../../src/ask/options.js";
import { throwIfAborted } from "../../src/errors.js";
import { placeOf } from "../../src/text/place.js";
import { Quotation } from "../../src/text/quotation.js";
import { words } from "../../src/text/words.js";
import type { WholeDocument } from "../server/document-store.js";
import { Problem } from "../server/http/problems.js";
import type { IndexHandle } from "../server/index-handle.js";
import { countNewlines, detach, type Excerpt, ExcerptReader } from "./excerpts.js";
import type { QuoteOutput } from "./schemas.js";

/** Places that are returned. */
const MAX_PLACES = 10;
/** Passages similar to the quotation whose documents are searched first. */
const NEAREST_PASSAGES = 20;
/** A prefix of the quotation of this length is enough to find similar passages, in UTF-16 units. */
const QUESTION_UNITS = 600;
/** Milliseconds after which no further documents are searched; `complete` is then false. */
const SCAN_MS = 20_000;
/** Milliseconds of searching after which other requests get a turn. */
const SLICE_MS = 10;

export interface QuoteOptions {
  documentId?: string;
  signal: AbortSignal;
  /** Default SCAN_MS. */
  scanMs?: number;
}

/**
 * @throws Problem 400 for a quotation without words, 404 for an unknown document; what the engine
 *   throws
 */
export async function quote(index: IndexHandle, quotation: string, options: QuoteOptions): Promise<QuoteOutput> {
  const wanted = new Quotation(quotation);
  if (wanted.isEmpty) {
    throw new Problem(400, "invalid-argument", { title: "The quotation is empty.", hint: "Give the words to verify." });
  }
  const { documentId, signal, scanMs = SCAN_MS } = options;
  const search = new QuoteSearch(wanted);
  if (documentId !== undefined) {
    const document = await index.documents.whole(documentId);
    if (document === undefined) throw noDocument();
    search.look(document);
    const nearest = search.match() === "none" ? await nearestTo(index, quotation, { signal, documentId }) : undefined;
    return search.result({ complete: true, nearest });
  }
  const nearest = await nearestTo(index, quotation, { signal });
  for (const id of new Set(nearest?.documentIds)) {
    const document = await index.documents.whole(id);
    if (document !== undefined) search.look(document);
    throwIfAborted(signal);
  }
  if (search.match() === "exact") return search.result({ complete: true });
  const began = performance.now();
  let sliceBegan = began;
  let complete = true;
  for await (const document of index.documents.all()) {
    throwIfAborted(signal);
    search.look(document);
    const now = performance.now();
    complete = now - began <= scanMs;
    if (search.match() === "exact" || !complete) break;
    if (now - sliceBegan > SLICE_MS) {
      // reads from the page cache never leave the microtask queue
      await new Promise((resolve) => setImmediate(resolve));
      sliceBegan = performance.now();
    }
  }
  return search.result({ complete: complete || search.match() === "exact", nearest });
}

export function noDocument(): Problem {
  return new Problem(404, "no-document", {
    title: "There is no such document.",
    hint: "list_documents returns the ids.",
  });
}

class QuoteSearch {
  readonly #wanted: Quotation;
  readonly #seen = new Set<string>();
  #exact: QuoteOutput["places"] = [];
  #sameWords: QuoteOutput["places"] = [];

  constructor(wanted: Quotation) {
    this.#wanted = wanted;
  }

  match(): QuoteOutput["match"] {
    if (this.#exact.length > 0) return "exact";
    return this.#sameWords.length > 0 ? "same-words" : "none";
  }

  look(document: WholeDocument): void {
    if (this.#seen.has(document.id)) return;
    this.#seen.add(document.id);
    const found = this.#wanted.findIn(document.text, { limit: MAX_PLACES });
    if (found === undefined) return;
    const list = found.exact ? this.#exact : this.#sameWords;
    for (const { start, end } of found.places) {
      if (list.length === MAX_PLACES) break;
      const { id: documentId, title, source, text, map } = document;
      const place = placeOf(map, start, (from, to) => countNewlines(text.slice(from, to)));
      list.push({ documentId, title, source, start, end, place, text: detach(text.slice(start, end)) });
    }
  }

  result(rest: { complete: boolean; nearest?: Nearest }): QuoteOutput {
    const match = this.match();
    return {
      match,
      places: match === "exact" ? this.#exact : this.#sameWords,
      documentsSearched: this.#seen.size,
      complete: rest.complete,
      ...(match === "none" && rest.nearest?.passage !== undefined ? { nearest: rest.nearest.passage } : {}),
    };
  }
}

interface Nearest {
  passage: QuoteOutput["nearest"];
  /** Documents of all similar passages, the most similar first. */
  documentIds: string[];
}

/** The passage with most words of the quotation, among those that search finds for it. */
async function nearestTo(
  index: IndexHandle,
  quotation: string,
  options: { signal: AbortSignal; documentId?: string },
): Promise<Nearest | undefined> {
  const passages = await similarPassages(index, quotation, options);
  const wanted = wordsOf(quotation);
  const excerpts = new ExcerptReader(index.documents);
  let best: (Excerpt & { sharedWords: number }) | undefined;
  for (const { documentId, start, end } of passages) {
    const excerpt = await excerpts.read(index.redactor.redact(documentId), start, end);
    if (excerpt === undefined) continue;
    const own = new Set(wordsOf(excerpt.text));
    const sharedWords = wanted.filter((word) => own.has(word)).length / Math.max(1, wanted.length);
    if (sharedWords > (best?.sharedWords ?? 0)) best = { ...excerpt, sharedWords };
  }
  return { passage: best, documentIds: passages.map(({ documentId }) => index.redactor.redact(documentId)) };
}

async function similarPassages(
  index: IndexHandle,
  quotation: string,
  { signal, documentId }: { signal: AbortSignal; documentId?: string },
) {
  const question = quotation.slice(0, QUESTION_UNITS);
  if (question.trim() === "") return [];
  const { redactor, keepsRows } = index;
  const isWanted = ({ id }: { id: string }): boolean => redactor.redact(id) === documentId;
  const only: AskOptions =
    documentId === undefined ? {} : { filter: isWanted, advanced: { filterKey: `only ${documentId}` } };
  const asked = {
    topK: 1,
    strategy: keepsRows ? "sparse-first" : "lexical",
    reader: "off",
    minConfidence: 0,
    advanced: { ...only.advanced, rankedPassages: NEAREST_PASSAGES },
  } as const;
  return (await index.requireOpen().ask(question, { ...only, ...asked, signal })).passages;
}

function wordsOf(text: string): string[] {
  return [...words(text)].map((word) => word.text.toLowerCase()).filter((word) => /[\p{L}\p{N}]/u.test(word));
}
