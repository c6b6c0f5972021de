/**
 * Passages that contain phrases and do not contain others. Postings decide which passages may; the
 * text of a passage decides when it is chosen as a candidate, because a frequent phrase has more
 * passages than a question can read.
 */

import { throwIfAborted } from "../../errors.js";
import { EventLoopTurns } from "../../event-loop-turns.js";
import { AllowedPassages } from "../allowed.js";
import type { Searcher } from "../searcher.js";
import { passagesThatMayHave } from "./phrase-postings.js";
import { RestrictionMatcher } from "./restriction-matcher.js";

/** What a question says about the words of its answer's passage (docs/cli.md, "Phrases and excluded words"). */
export interface PassageRestriction {
  /** The passage contains each of them: the same words, regardless of case, hyphens, ligatures and quotation marks. */
  phrases: string[];
  /** It contains none of these. */
  excluded: string[];
}

/** Passages that are read together. */
const BATCH = 64;
/** Milliseconds of reading between turns of the event loop, such as for a signal to stop. */
const TURN_MS = 10;

/** Allowed passages of which only some have been read. */
export class RestrictedPassages extends AllowedPassages {
  override readonly isRestricted = true;
  readonly #searcher: Searcher;
  readonly #matcher: RestrictionMatcher;
  readonly #bits: Uint8Array;
  readonly #read = new Set<number>();
  readonly #turns = new EventLoopTurns(TURN_MS);
  readonly #maxRead: number;
  #searched: number | undefined;

  private constructor(
    searcher: Searcher,
    bits: Uint8Array,
    { restriction, maxRead }: { restriction: PassageRestriction; maxRead: number },
  ) {
    super(bits);
    this.#maxRead = maxRead;
    this.#searcher = searcher;
    this.#bits = bits;
    this.#matcher = new RestrictionMatcher(restriction);
  }

  override get searchedPassages(): number | undefined {
    return this.#searched;
  }

  /**
   * Looks the phrases up.
   * @param options.among  the passages that may be ranked otherwise
   * @param options.maxRead  passages read if no phrase can be looked up; the others then count as not allowed
   * @throws VerbatimError `aborted`, `corrupt-segment`
   */
  static async open(
    searcher: Searcher,
    restriction: PassageRestriction,
    { among, maxRead, signal }: { among: AllowedPassages; maxRead: number; signal?: AbortSignal },
  ): Promise<RestrictedPassages> {
    const { phrases } = restriction;
    const count = searcher.numbering.passageDocuments.length;
    const lists = await Promise.all(phrases.map((phrase) => passagesThatMayHave(searcher, phrase, signal)));
    const known = lists.filter((list) => list !== undefined);
    const bits = new Uint8Array(count);
    if (known.length === 0)
      for (let passage = 0; passage < count; passage++) bits[passage] = among.has(passage) ? 1 : 0;
    for (const [n, list] of known.entries()) {
      for (const passage of list) if (bits[passage] === n && among.has(passage)) bits[passage]!++;
    }
    if (known.length > 1)
      for (let passage = 0; passage < count; passage++) bits[passage] = bits[passage] === known.length ? 1 : 0;
    return new RestrictedPassages(searcher, bits, {
      restriction,
      maxRead: known.length === 0 ? maxRead : Number.POSITIVE_INFINITY,
    });
  }

  override async confirm(numbers: readonly number[], signal?: AbortSignal): Promise<number[]> {
    const unread = numbers.filter((number) => this.#bits[number] === 1 && !this.#read.has(number));
    for (let first = 0; first < unread.length; first += BATCH) {
      throwIfAborted(signal);
      if (this.#read.size >= this.#maxRead) {
        this.#leaveOutUnread();
        break;
      }
      const batch = unread.slice(first, first + BATCH);
      const keeps = await Promise.all(batch.map((number) => this.#contains(number, signal)));
      for (const [n, number] of batch.entries()) {
        this.#read.add(number);
        if (!keeps[n]) this.#bits[number] = 0;
      }
      await this.#turns.next();
    }
    return numbers.filter((number) => this.#bits[number] === 1);
  }

  /** Whether any passage is allowed: reads until there is one. */
  async hasAny(signal?: AbortSignal): Promise<boolean> {
    for (let from = this.#bits.indexOf(1); from >= 0; from = this.#bits.indexOf(1, from + 1)) {
      if ((await this.confirm([from], signal)).length > 0) return true;
    }
    return false;
  }

  #leaveOutUnread(): void {
    this.#searched = this.#read.size;
    const bits = this.#bits;
    for (let number = bits.indexOf(1); number >= 0; number = bits.indexOf(1, number + 1)) {
      if (!this.#read.has(number)) bits[number] = 0;
    }
  }

  async #contains(number: number, signal: AbortSignal | undefined): Promise<boolean> {
    return this.#matcher.accepts(await this.#searcher.passageText(number, signal));
  }
}

/**
 * The phrases that no passage of `among` contains; empty if each of them is in one, but no passage meets
 * the whole restriction. @throws VerbatimError `aborted`, `corrupt-segment`
 */
export async function missingPhrases(
  searcher: Searcher,
  { phrases }: PassageRestriction,
  options: { among: AllowedPassages; maxRead: number; signal?: AbortSignal },
): Promise<string[]> {
  const missing: string[] = [];
  for (const phrase of phrases) {
    const only = { phrases: [phrase], excluded: [] };
    const found = await RestrictedPassages.open(searcher, only, options);
    if (!(await found.hasAny(options.signal))) missing.push(phrase);
  }
  return missing;
}
