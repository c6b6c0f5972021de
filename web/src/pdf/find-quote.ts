/**
 * Finds the glyphs of an answer. Differences between drawn and extracted text (spaces, hyphens,
 * accents as characters of their own) do not count.
 */

/** The part of a document's text that one page gave, and the answer's part of it. */
export interface PageQuote {
  /** Extracted text of the page. */
  text: string;
  /** The answer's range in `text`, `end` exclusive. */
  start: number;
  end: number;
}

/** Letters without accents, and digits, with, for each, the position of what it comes from. */
interface Compact {
  text: string;
  from: number[];
}

/** Characters on each side of an answer that are compared to choose between equal places. */
const CONTEXT = 400;
/** Letters of a run that is looked up on a page; two texts about different things share few. */
const RUN = 6;
/** Minimum share of such runs that an indexed text has in common with its page. */
const MIN_SHARED_RUNS = 0.5;

/**
 * @param glyphs  the text of each glyph on the page, in drawing order
 * @returns the first glyph of the answer and the one after its last; undefined if the page does not
 *   contain the answer in these words, because the file has changed or because its glyphs are in
 *   another order
 */
export function findQuote(glyphs: readonly string[], quote: PageQuote): { first: number; after: number } | undefined {
  const page = compact(glyphs);
  const text = compact([...quote.text.slice(quote.start, quote.end)]).text;
  if (text === "") return undefined;
  const before = compact([...quote.text.slice(Math.max(0, quote.start - 2 * CONTEXT), quote.start)]).text;
  const after = compact([...quote.text.slice(quote.end, quote.end + 2 * CONTEXT)]).text;
  let best: { at: number; score: number } | undefined;
  for (let at = page.text.indexOf(text); at >= 0; at = page.text.indexOf(text, at + 1)) {
    const score = sharedEnd(page.text.slice(0, at), before) + sharedStart(page.text.slice(at + text.length), after);
    if (best === undefined || score > best.score) best = { at, score };
  }
  if (best === undefined) return undefined;
  const first = page.from[best.at]!;
  const last = page.from[best.at + text.length - 1]!;
  return {
    first: withSigns(glyphs, quote, { first, last, step: -1 }),
    after: withSigns(glyphs, quote, { first, last, step: 1 }),
  };
}

/**
 * Whether a page is still the one that was indexed, as far as its glyphs show. Those of right-to-left
 * scripts may be drawn from the last letter of a line to its first.
 * @param text  the extracted text of the page
 */
export function isIndexedPage(glyphs: readonly string[], text: string): boolean {
  const page = compact(glyphs).text;
  const reversed = [...page].reverse().join("");
  const indexed = compact([...text]).text;
  let runs = 0;
  let shared = 0;
  for (let at = 0; at + RUN <= indexed.length; at += RUN, runs++) {
    const run = indexed.slice(at, at + RUN);
    if (page.includes(run) || reversed.includes(run)) shared++;
  }
  // A page whose glyphs have no known letters shows nothing.
  return page === "" || shared >= runs * MIN_SHARED_RUNS;
}

function compact(parts: readonly string[]): Compact {
  const from: number[] = [];
  let text = "";
  for (const [at, part] of parts.entries()) {
    for (const character of part.normalize("NFKD")) {
      if (!/[\p{L}\p{N}]/u.test(character)) continue;
      text += character;
      for (let unit = 0; unit < character.length; unit++) from.push(at);
    }
  }
  return { text, from };
}

function sharedStart(left: string, right: string): number {
  const most = Math.min(left.length, right.length, CONTEXT);
  let shared = 0;
  while (shared < most && left[shared] === right[shared]) shared++;
  return shared;
}

function sharedEnd(left: string, right: string): number {
  const most = Math.min(left.length, right.length, CONTEXT);
  let shared = 0;
  while (shared < most && left.at(-1 - shared) === right.at(-1 - shared)) shared++;
  return shared;
}

/** Extends a range by the signs that begin or end the answer, such as "$" or "%". */
function withSigns(
  glyphs: readonly string[],
  { text, start, end }: PageQuote,
  { first, last, step }: { first: number; last: number; step: 1 | -1 },
): number {
  const answer = [...text.slice(start, end)];
  const isSign = (character: string) => !/[\p{L}\p{N}]/u.test(character);
  // From the words outwards.
  const signs =
    step === 1
      ? answer.slice(answer.findLastIndex((character) => !isSign(character)) + 1)
      : answer
          .slice(
            0,
            answer.findIndex((character) => !isSign(character)),
          )
          .reverse();
  let at = step === 1 ? last : first;
  for (const sign of signs) {
    if (/[\s\p{M}]/u.test(sign)) continue;
    let next = at + step;
    while (/^[\s\p{M}]*$/u.test(glyphs[next] ?? "x")) next += step;
    if (glyphs[next] !== sign) break;
    at = next;
  }
  return step === 1 ? at + 1 : at;
}
