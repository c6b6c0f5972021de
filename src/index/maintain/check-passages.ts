/** Checks that the records of a segment's passages can be read and are valid. */

import { throwIfAborted } from "../../errors.js";
import { corrupt } from "../format/corrupt.js";
import type { OpenSegment } from "../segment/segment-reader.js";
import { validateTokens } from "../write/validate.js";
import type { SegmentCheck } from "./check-job.js";

const PASSAGES_AT_ONCE = 64;

/**
 * Every bit pattern is a valid vector, so this checks the form of the records.
 * @param range  passages first … end − 1
 * @throws VerbatimError `corrupt-segment` if the check cannot continue; other problems are reported
 *   one by one
 */
export async function checkPassages(
  segment: OpenSegment,
  range: { first: number; end: number },
  options: SegmentCheck,
): Promise<void> {
  const { manifest, signal } = options;
  if (range.first === 0) checkTotals(segment, options);
  const failAt = (p: number, what: string) => corrupt(`${segment.name}.passages`, `passage ${p}: ${what}`);
  if (segment.level !== "full") return;
  for (let first = range.first; first < range.end; first += PASSAGES_AT_ONCE) {
    throwIfAborted(signal);
    const end = Math.min(range.end, first + PASSAGES_AT_ONCE);
    const numbers = Array.from({ length: end - first }, (_, i) => first + i);
    const rows = await segment.phrases.outline(numbers, signal);
    for (const [i, tokens] of (await segment.ngrams.read(numbers, signal)).entries()) {
      const fail = (what: string) => failAt(first + i, what);
      validateTokens({ ...rows[i]!, ...tokens }, { model: manifest.model, fail });
    }
  }
}

function checkTotals(segment: OpenSegment, { problem }: SegmentCheck): void {
  const tokens = segment.columns.tokens.reduce((sum, count) => sum + count, 0);
  if (tokens !== segment.tokenCount) problem("passages", `${tokens} tokens, the manifest says ${segment.tokenCount}`);
}
