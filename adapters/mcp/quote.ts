/** Does a quotation stand in the documents? The documents that sound like it are looked through first, then all others. */

import { throwIfAborted } from "../../src/errors.js";
import { placeOf } from "../../src/text/place.js";
import { Quotation } from "../../src/text/quotation.js";
import { words } from "../../src/text/words.js";
import type { Place } from "../../src/types.js";
import type { WholeDocument } from "../server/document-store.js";
import { Problem } from "../server/http/problems.js";
import type { IndexHandle } from "../server/index-handle.js";
import type { QuoteOutput } from "./schemas.js";

/** Places that are told. */
const MOST_PLACES = 10;
/** Passages that sound like the quotation, in whose documents it is looked for first. */
const NEAREST = 20;
/** So much of a quotation is enough to find passages that sound like it, in UTF-16 units. */
const QUESTION_UNITS = 600;
/** Milliseconds after which no more documents are looked through; then `complete` is false. */
const SCAN_MS = 20_000;

export interface QuoteOptions {
  documentId?: string;
  signal: AbortSignal;
  /** Default SCAN_MS. */
  scanMs?: number;
}

/** @throws Problem 400 for a quotation without words, 404 for a document that is not there; what the engine throws */
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
    const nearest = search.found === undefined ? await nearestTo(index, quotation, { signal, documentId }) : undefined;
    return search.result({ complete: true, nearest });
  }
  const nearest = await nearestTo(index, quotation, { signal });
  for (const id of new Set(nearest?.documentIds)) {
    const document = await index.documents.whole(id);
    if (document !== undefined) search.look(document);
    throwIfAborted(signal);
  }
  if (search.found?.exact) return search.result({ complete: true });
  const began = performance.now();
  let complete = true;
  for await (const document of index.documents.all()) {
    throwIfAborted(signal);
    search.look(document);
    complete = performance.now() - began <= scanMs;
    if (search.found?.exact || !complete) break;
  }
  return search.result({ complete: complete || search.found?.exact === true, nearest });
}

export function noDocument(): Problem {
  return new Problem(404, "no-document", {
    title: "There is no such document.",
    hint: "list_documents tells the ids.",
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

  get found(): { exact: boolean } | undefined {
    if (this.#exact.length > 0) return { exact: true };
    return this.#sameWords.length > 0 ? { exact: false } : undefined;
  }

  look(document: WholeDocument): void {
    if (this.#seen.has(document.id)) return;
    this.#seen.add(document.id);
    const list = (exact: boolean) => (exact ? this.#exact : this.#sameWords);
    const found = this.#wanted.findIn(document.text, MOST_PLACES);
    if (found === undefined) return;
    for (const { start, end } of found.places) {
      if (list(found.exact).length === MOST_PLACES) break;
      const { id: documentId, title, source, text } = document;
      const place = placeIn(document, start);
      list(found.exact).push({ documentId, title, source, start, end, place, text: text.slice(start, end) });
    }
  }

  result(rest: { complete: boolean; nearest?: Nearest }): QuoteOutput {
    const { found } = this;
    return {
      match: found === undefined ? "none" : found.exact ? "exact" : "same-words",
      places: found?.exact ? this.#exact : this.#sameWords,
      documentsSearched: this.#seen.size,
      complete: rest.complete,
      ...(found === undefined && rest.nearest?.passage !== undefined ? { nearest: rest.nearest.passage } : {}),
    };
  }
}

export function placeIn({ map, text }: Pick<WholeDocument, "map" | "text">, offset: number): Place {
  return placeOf(map, offset, (from, to) => text.slice(from, to).split("\n").length - 1);
}

interface Nearest {
  passage: QuoteOutput["nearest"];
  /** Of all passages that sound like it, best first. */
  documentIds: string[];
}

/** Of the passages that search finds for the quotation, the one that has most of its words. */
async function nearestTo(
  index: IndexHandle,
  quotation: string,
  options: { signal: AbortSignal; documentId?: string },
): Promise<Nearest | undefined> {
  const { signal, documentId } = options;
  const { redactor, documents } = index;
  const passages = await ranked(index, quotation, { signal, filter: documentId });
  const wanted = wordsOf(quotation);
  let best: QuoteOutput["nearest"];
  for (const { documentId: id, start, end } of passages) {
    const publicId = redactor.redact(id);
    const document = await documents.whole(publicId);
    if (document === undefined) continue;
    const text = document.text.slice(start, end);
    const own = new Set(wordsOf(text));
    const sharedWords = wanted.filter((word) => own.has(word)).length / Math.max(1, wanted.length);
    if (sharedWords <= (best?.sharedWords ?? 0)) continue;
    const { title, source } = document;
    best = { documentId: publicId, title, source, start, end, place: placeIn(document, start), text, sharedWords };
  }
  return { passage: best, documentIds: passages.map(({ documentId: id }) => redactor.redact(id)) };
}

async function ranked(
  index: IndexHandle,
  quotation: string,
  options: { signal: AbortSignal; filter: string | undefined },
) {
  const { signal, filter } = options;
  const { redactor, keepsRows } = index;
  const question = quotation.slice(0, QUESTION_UNITS);
  if (question.trim() === "") return [];
  const only =
    filter === undefined
      ? {}
      : { filter: ({ id }: { id: string }) => redactor.redact(id) === filter, filterKey: `only ${filter}` };
  const asked = {
    topK: 1,
    strategy: keepsRows ? "sparse-first" : "lexical",
    readerMode: "off",
    minConfidence: 0,
    rankedPassages: NEAREST,
  } as const;
  return (await index.requireOpen().ask(question, { ...asked, ...only, signal })).passages;
}

function wordsOf(text: string): string[] {
  return [...words(text)].map((word) => word.text.toLowerCase()).filter((word) => /[\p{L}\p{N}]/u.test(word));
}
