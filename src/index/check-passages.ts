/** Whether the records of a segment's passages can be read, hold what passages hold, and are what `coarse` repeats. */

import { throwIfAborted } from "../errors.js";
import type { SegmentCheck } from "./check-job.js";
import { corrupt } from "./corrupt.js";
import type { NgramsOutline } from "./ngrams.js";
import type { OpenSegment } from "./segment-reader.js";
import { validateTokens } from "./validate.js";

const PASSAGES_AT_ONCE = 64;

/**
 * Of vectors, any bits are numbers: the form of their records is looked at, and the dimensions that `coarse` has, too.
 * @param stretch  passages first … end − 1
 * @throws VerbatimError `corrupt-segment` when something is too wrong to go on; lesser faults are told one by one
 */
export async function checkPassages(
  segment: OpenSegment,
  stretch: { first: number; end: number },
  options: SegmentCheck,
): Promise<void> {
  const { manifest, signal } = options;
  if (stretch.first === 0) checkTotals(segment, options);
  const { units } = segment.columns;
  const failAt = (p: number, what: string) => corrupt(`${segment.name}.passages`, `passage ${p}: ${what}`);
  for (let p = stretch.first; manifest.termUnit === "passage" && p < stretch.end; p++) {
    const count = units[p + 1]! - units[p]!;
    if (count !== 1) throw failAt(p, `it has ${count} units of term weights`);
  }
  if (segment.level !== "full") return;
  for (let first = stretch.first; first < stretch.end; first += PASSAGES_AT_ONCE) {
    throwIfAborted(signal);
    const end = Math.min(stretch.end, first + PASSAGES_AT_ONCE);
    const numbers = Array.from({ length: end - first }, (_, i) => first + i);
    const rows = await segment.phrases.outline(numbers, signal);
    const look = (tokens: NgramsOutline, i: number): void => {
      const fail = (what: string) => failAt(first + i, what);
      validateTokens({ ...rows[i]!, ...tokens }, { model: manifest.model, fail });
    };
    await segment.ngrams.outline(numbers, look, signal);
    await checkCoarse(segment, { first, starts: rows.map(({ startVectors }) => startVectors) }, options);
  }
}

function checkTotals(segment: OpenSegment, { problem }: SegmentCheck): void {
  const tokens = segment.columns.tokens.reduce((sum, count) => sum + count, 0);
  if (tokens !== segment.tokenCount) problem("passages", `${tokens} tokens, the manifest says ${segment.tokenCount}`);
}

/** @param passages.starts  of passage `first` and those behind it: the start vectors' first dimensions */
async function checkCoarse(
  segment: OpenSegment,
  { first, starts }: { first: number; starts: readonly Int8Array[] },
  { problem, signal }: SegmentCheck,
): Promise<void> {
  const { firstStartRows: firstRows } = segment;
  const { code } = segment.coarse;
  const stored = await segment.coarse.stored(firstRows[first]!, firstRows[first + starts.length]!, signal);
  let at = 0;
  for (const [i, vectors] of starts.entries()) {
    if (!code.standsAt(stored, at, { vectors, width: code.dimensions }))
      problem("coarse", `rows of passage ${first + i} are not its start vectors`);
    at += (vectors.length / code.dimensions) * code.rowBytes;
  }
}
