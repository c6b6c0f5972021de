import { throwIfAborted, VerbatimError } from "../errors.js";
import type { Span } from "../types.js";
import { sentencesOf } from "./sentences.js";
import type { Tokenizer } from "./tokenizer.js";
import type { Tokens } from "./tokens.js";

/** A range of a document that is encoded as one unit. */
export interface Passage extends Span {
  /** The tokens of `text.slice(start, end)`, with offsets into the document's text. */
  tokens: Tokens;
}

export interface PassageOptions {
  tokenizer: Tokenizer;
  /** Maximum number of tokens, without title and special tokens; at least 1, default 220. */
  maxTokens?: number;
  /** Sentences repeated from the previous passage, unless they exceed a third of it; default 1. */
  overlapSentences?: number;
}

const DEFAULT_MAX_TOKENS = 220;

/** Maximum UTF-16 units of a passage (at most 48 KiB of UTF-8), long words and white space included. */
export const MAX_PASSAGE_UNITS = 16_384;

/** A passage filled to this share ends at the next paragraph end. */
const FULL_ENOUGH = 0.6;
/** Maximum share of maxTokens that the overlap may use. */
const OVERLAP_SHARE = 1 / 3;
/** Tokens that the pieces of one overlong sentence share. */
const OVERLAP_TOKENS = 32;

interface CountedSentence extends Span {
  count: number;
}

/**
 * Splits a text into passages of whole sentences, filled from the left up to `maxTokens`. A sentence that
 * does not fit into a passage is cut between words into pieces that overlap by 32 tokens (inside a word
 * only if that word alone has more than `maxTokens` tokens).
 *
 * Every token of the text is in a passage, except that a "word" longer than MAX_PASSAGE_UNITS is cut. Text
 * without tokens has no passages. Time O(text), memory O(passage).
 * @throws VerbatimError `invalid-argument` for a limit that is not a positive integer; `aborted`
 */
export function* splitPassages(text: string, options: PassageOptions, signal?: AbortSignal): Generator<Passage> {
  const { tokenizer, maxTokens = DEFAULT_MAX_TOKENS, overlapSentences = 1 } = options;
  requireWhole("maxTokens", maxTokens, 1);
  requireWhole("overlapSentences", overlapSentences, 0);
  let packed: CountedSentence[] = [];
  let count = 0;
  /** Sentences of `packed` that are not in an earlier passage. */
  let fresh = 0;

  for (const sentence of sentencesOf(text, 0, text.length)) {
    throwIfAborted(signal);
    const { start, end, paragraphStart } = sentence;
    const size = end - start > MAX_PASSAGE_UNITS ? Infinity : countTokens(text, sentence, tokenizer, maxTokens);
    const full = count + size > maxTokens || (packed[0] !== undefined && end - packed[0].start > MAX_PASSAGE_UNITS);
    if (fresh > 0 && (full || (paragraphStart && count >= FULL_ENOUGH * maxTokens))) {
      yield* passageOf(text, packed, { tokenizer, maxTokens, signal });
      packed = packed.slice(packed.length - overlapLength(packed, overlapSentences, maxTokens));
      fresh = 0;
    }
    if (size > maxTokens) {
      packed = [];
      count = 0;
      yield* cutSentence(text, sentence, { tokenizer, maxTokens, signal });
    } else {
      const next = { start, end, count: size };
      if (fresh === 0) {
        packed = fitting(packed, next, maxTokens);
        count = total(packed);
      }
      packed.push(next);
      count += size;
      fresh++;
    }
  }
  if (fresh > 0) yield* passageOf(text, packed, { tokenizer, maxTokens, signal });
}

function requireWhole(name: string, value: number, least: number): void {
  if (Number.isInteger(value) && value >= least) return;
  throw new VerbatimError("invalid-argument", `${name} must be a whole number from ${least} on.`, {
    found: value,
    where: name,
  });
}

/** Number of tokens of a sentence, counted up to `maxTokens + 1`. */
function countTokens(text: string, { start, end }: Span, tokenizer: Tokenizer, maxTokens: number): number {
  return tokenizer.tokenize(text, { from: start, to: end, maxTokens: maxTokens + 1 }).count;
}

const total = (sentences: readonly CountedSentence[]): number =>
  sentences.reduce((sum, sentence) => sum + sentence.count, 0);

/**
 * One passage of whole sentences. Without spaces between sentences, a Unigram tokenizer can need more tokens for them
 * together than for each alone; if they do not fit, they are cut like one sentence.
 */
function* passageOf(text: string, sentences: readonly CountedSentence[], options: CutOptions): Generator<Passage> {
  const start = sentences[0]!.start;
  const end = sentences.at(-1)!.end;
  const tokens = options.tokenizer.tokenize(text, { from: start, to: end });
  if (tokens.count > options.maxTokens) yield* cutSentence(text, { start, end }, options);
  else if (tokens.count > 0) yield { start, end, tokens };
}

/** Number of trailing sentences that the next passage repeats; never all of them. */
function overlapLength(sentences: readonly CountedSentence[], most: number, maxTokens: number): number {
  let length = 0;
  let count = 0;
  while (length < most && length < sentences.length - 1) {
    count += sentences[sentences.length - 1 - length]!.count;
    if (count > OVERLAP_SHARE * maxTokens) break;
    length++;
  }
  return length;
}

/** The overlap, shortened so that the next sentence fits. */
function fitting(overlap: CountedSentence[], next: CountedSentence, maxTokens: number): CountedSentence[] {
  let first = 0;
  let count = total(overlap) + next.count;
  while (first < overlap.length && (count > maxTokens || next.end - overlap[first]!.start > MAX_PASSAGE_UNITS)) {
    count -= overlap[first]!.count;
    first++;
  }
  return overlap.slice(first);
}

interface CutOptions {
  tokenizer: Tokenizer;
  maxTokens: number;
  signal: AbortSignal | undefined;
}

/** Splits a sentence that is too long for one passage, reading MAX_PASSAGE_UNITS at a time. */
function* cutSentence(text: string, { start, end }: Span, options: CutOptions): Generator<Passage> {
  const { tokenizer, maxTokens, signal } = options;
  const overlap = Math.min(OVERLAP_TOKENS, Math.floor(maxTokens * OVERLAP_SHARE));
  for (let from = start; from < end; ) {
    throwIfAborted(signal);
    const to = windowEnd(text, from, end);
    const ahead = tokenizer.tokenize(text, { from, to, maxTokens: maxTokens + 1 });
    if (ahead.count === 0) {
      from = to;
      continue;
    }
    const first = ahead.starts[0]!;
    const pieceTo = (cut: number): Passage => {
      return { start: first, end: cut, tokens: tokenizer.tokenize(text, { from: first, to: cut }) };
    };
    const rest = to === end && ahead.count <= maxTokens ? pieceTo(end) : undefined;
    if (rest !== undefined && rest.tokens.count <= maxTokens) {
      yield rest;
      return;
    }
    // The last token may continue beyond what was read: keep the words before it, or the token itself if it is the first.
    let kept = cutAt(ahead, Math.min(maxTokens, ahead.count - 1), tokenizer);
    if (kept === 0) kept = Math.min(maxTokens, ahead.count);
    let piece = pieceTo(ahead.ends[kept - 1]!);
    // Cut off from what follows, a text can have more tokens.
    while (piece.tokens.count > maxTokens && kept > 1) {
      kept = cutAt(ahead, kept - 1, tokenizer) || kept - 1;
      piece = pieceTo(ahead.ends[kept - 1]!);
    }
    yield piece;
    const next = cutAt(ahead, kept - overlap, tokenizer);
    from = next > 0 ? ahead.starts[next]! : piece.end;
  }
}

/**
 * The last token up to `most` that begins a word and not in the middle of a character, such as "½"; 0 if there is
 * none.
 */
function cutAt({ ids, starts, ends }: Tokens, most: number, tokenizer: Tokenizer): number {
  let at = Math.max(0, most);
  while (at > 0 && (tokenizer.isContinuation(ids[at]!, ids[at - 1]!) || starts[at]! < ends[at - 1]!)) at--;
  return at;
}

/** Moves a cut out of the middle of a surrogate pair. */
function windowEnd(text: string, from: number, limit: number): number {
  const to = from + MAX_PASSAGE_UNITS;
  if (to >= limit) return limit;
  const unit = text.charCodeAt(to - 1);
  return unit >= 0xd800 && unit <= 0xdbff ? to - 1 : to;
}
