/** Checks quotations against the documents of an index: a verdict for each, with its evidence. */

import { throwIfAborted, VerbatimError } from "../errors.js";
import { EventLoopTurns } from "../event-loop-turns.js";
import { type Loading, loadShared } from "../load-shared.js";
import type { Searcher } from "../search/searcher.js";
import { hasWord } from "../text/words.js";
import { DocumentNames } from "./document-names.js";
import { DocumentText } from "./document-text.js";
import type { FoundPlace } from "./places.js";
import { piecesOf } from "./quotation-pieces.js";
import { QuotationSearch, type SearchOutcome } from "./quotation-search.js";
import { ReadBudget, type ReadQuotation, readAll } from "./read-all.js";
import { findStitched, type Stitched } from "./stitched.js";
import type { QuotationInput, QuoteCheck, QuoteOptions } from "./types.js";

/** UTF-16 units of the longest quotation. */
export const MAX_QUOTATION_UNITS = 100_000;
/** Milliseconds of work between turns of the event loop, such as for a signal to stop. */
const TURN_MS = 10;
/** Documents of an attribution that are listed. */
const MAX_NAMED = 10;

/**
 * @throws VerbatimError `invalid-argument` for a quotation without words or longer than
 *   MAX_QUOTATION_UNITS, and for an unknown `documentId`; `aborted`, `corrupt-segment`
 */
export async function checkQuotations(
  searcher: Searcher,
  inputs: readonly QuotationInput[],
  options: QuoteOptions = {},
): Promise<QuoteCheck[]> {
  const { signal, onProgress } = options;
  for (const { text } of inputs) refuseUnusable(text);
  const names = inputs.some((input) => (input.attributedTo ?? input.mentioned ?? input.documentId) !== undefined)
    ? await namesOf(searcher, signal)
    : undefined;
  const search = new QuotationSearch(searcher, new DocumentText(searcher, signal), signal);
  const checking = { searcher, search, names, signal, budget: new ReadBudget() };
  const checks: QuotationCheck[] = [];
  const turns = new EventLoopTurns(TURN_MS);
  for (const [n, input] of inputs.entries()) {
    await turns.next();
    throwIfAborted(signal);
    const check = new QuotationCheck(checking, input);
    await check.run();
    checks.push(check);
    onProgress?.(n + 1, inputs.length);
  }
  const unsure = checks.filter(({ mayBeMissed }) => mayBeMissed);
  if (unsure.length > 0) {
    const read = await readAll(
      search,
      unsure.map(({ input }) => input.text),
      { searcher, signal, budget: new ReadBudget() },
    );
    for (const [n, check] of unsure.entries()) check.takeRead(read[n]!);
  }
  const results: QuoteCheck[] = [];
  for (const check of checks) results.push(await check.result());
  return results;
}

function refuseUnusable(text: string): void {
  if (!hasWord(text)) {
    throw new VerbatimError("invalid-argument", "A quotation has no words.", { hint: "Give the words to verify." });
  }
  if (text.length > MAX_QUOTATION_UNITS) {
    throw new VerbatimError("invalid-argument", `A quotation has more than ${MAX_QUOTATION_UNITS} characters.`, {
      hint: "Check it in parts.",
    });
  }
}

/** Names of the documents of a searcher, which never change. */
const namesBySearcher = new WeakMap<Searcher, Loading<DocumentNames>>();

function namesOf(searcher: Searcher, signal: AbortSignal | undefined): Promise<DocumentNames> {
  const begin = (): Promise<DocumentNames> => DocumentNames.read(searcher, signal);
  return loadShared(namesBySearcher, searcher, { begin, signal });
}

/** What all checks of a call share. */
interface Checking {
  searcher: Searcher;
  search: QuotationSearch;
  /** Undefined if no quotation names a document. */
  names: DocumentNames | undefined;
  signal: AbortSignal | undefined;
  /** For reading named documents. */
  budget: ReadBudget;
}

/** One quotation while it is checked. */
class QuotationCheck {
  readonly input: QuotationInput;
  readonly #checking: Checking;
  /** The only documents that are searched. */
  readonly #only: ReadonlySet<number> | undefined;
  /** The source that the draft names. */
  readonly #attributedTo: string | undefined;
  /** The documents that the attribution names. */
  readonly #named: ReadonlySet<number> | undefined;
  #found: FoundPlace[] = [];
  #stitched: Stitched | undefined;
  /** The named documents do not contain it. */
  #isMissingInNamed = false;
  #near: SearchOutcome["near"] = [];
  #complete = true;

  constructor(checking: Checking, input: QuotationInput) {
    const { names } = checking;
    this.#checking = checking;
    this.input = input;
    if (input.documentId !== undefined) {
      const document = names!.withId(input.documentId);
      if (document === undefined) {
        throw new VerbatimError("invalid-argument", "There is no such document.", { where: "documentId" });
      }
      this.#only = new Set([document]);
    }
    const { attributedTo, mentioned } = input;
    const meant = attributedTo === undefined && mentioned !== undefined ? names!.withName(mentioned) : undefined;
    this.#attributedTo = attributedTo ?? (meant !== undefined && meant.size > 0 ? mentioned : undefined);
    this.#named = attributedTo === undefined ? meant : names!.named(attributedTo);
  }

  /** Nothing was found, and other documents may contain it. */
  get mayBeMissed(): boolean {
    return !this.#isFound && !this.#complete && this.#only === undefined;
  }

  get #isFound(): boolean {
    return this.#found.length > 0 || this.#stitched !== undefined;
  }

  async run(): Promise<void> {
    const named = this.#only ?? (this.#named !== undefined && this.#named.size > 0 ? this.#named : undefined);
    if (named !== undefined) {
      await this.#lookIn(named);
      if (!this.#isFound && !this.#complete) await this.#read(named);
      if (this.#isFound || this.#only !== undefined) return;
      this.#isMissingInNamed = this.#complete;
    }
    await this.#lookIn(undefined);
  }

  /** Reads the documents one by one. */
  async #read(documents: ReadonlySet<number>): Promise<void> {
    const { search, ...rest } = this.#checking;
    const [read] = await readAll(search, [this.input.text], { ...rest, documents });
    this.takeRead(read!);
  }

  async #lookIn(documents: ReadonlySet<number> | undefined): Promise<void> {
    const { text } = this.input;
    const { found, near, complete } = await this.#checking.search.search(text, documents);
    this.#found = found;
    this.#complete = complete;
    if (found.length > 0) return;
    this.#near.push(...near);
    const pieces = piecesOf(text);
    if (pieces.length > 1) {
      const outcome = await findStitched(this.#checking.search, pieces, documents);
      this.#stitched = outcome.stitched;
      this.#complete = outcome.complete;
    } else if (pieces[0] !== undefined && pieces[0] !== text.trim()) {
      const outcome = await this.#checking.search.search(pieces[0], documents); // an ellipsis at an end omits nothing
      this.#found = outcome.found;
      this.#complete = outcome.complete;
    }
  }

  /** Takes over what reading documents one by one found. */
  takeRead({ found, stitched, complete }: ReadQuotation): void {
    this.#found = found;
    this.#stitched = stitched;
    this.#complete = complete;
  }

  async result(): Promise<QuoteCheck> {
    const { text } = this.input;
    const attributedTo = this.#attributedTo;
    const { search } = this.#checking;
    const check: QuoteCheck = { quotation: text, verdict: this.#verdict(), places: await search.matches(this.#found) };
    if (this.#stitched !== undefined) {
      const { stitch, pieces } = this.#stitched;
      check.stitch = stitch;
      check.pieces = [];
      for (const piece of pieces) check.pieces.push({ text: piece.text, places: await search.matches(piece.found) });
    }
    if (attributedTo !== undefined) {
      const documentIds = [...this.#named!].slice(0, MAX_NAMED).map((n) => this.#checking.names!.idOf(n));
      check.attribution = { name: attributedTo, documentIds };
    }
    if (check.verdict === "not-found") {
      const nearest = await search.nearest(text, this.#near);
      if (nearest !== undefined) check.nearest = nearest;
      check.complete = this.#complete;
    }
    return check;
  }

  #verdict(): QuoteCheck["verdict"] {
    if (!this.#isFound) return "not-found";
    if (this.#isMissingInNamed) return "misattributed";
    if (this.#stitched !== undefined) return "stitched";
    return this.#found[0]!.exact ? "exact" : "same-words";
  }
}
