/** Whether the records of a segment's passages can be read, hold what passages hold, and are what `coarse` repeats. */

import { throwIfAborted, VerbatimError } from "../../errors.js";
import { assignLists } from "../../kernel/list-assigner.js";
import { corrupt } from "../format/corrupt.js";
import type { CoarseCode } from "../segment/coarse.js";
import type { NgramsOutline } from "../segment/ngrams.js";
import type { OpenSegment } from "../segment/segment-reader.js";
import { validateTokens } from "../write/validate.js";
import type { SegmentCheck } from "./check-job.js";

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
  const failAt = (p: number, what: string) => corrupt(`${segment.name}.passages`, `passage ${p}: ${what}`);
  if (segment.level !== "full") return;
  const coarse = await CoarseCheck.of(segment, stretch, options);
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
    for (const [i, { startVectors }] of rows.entries()) coarse?.look(first + i, startVectors);
  }
}

function checkTotals(segment: OpenSegment, { problem }: SegmentCheck): void {
  const tokens = segment.columns.tokens.reduce((sum, count) => sum + count, 0);
  if (tokens !== segment.tokenCount) problem("passages", `${tokens} tokens, the manifest says ${segment.tokenCount}`);
}

/** What `coarse` has of a stretch of passages. */
class CoarseCheck {
  readonly #code: CoarseCode;
  readonly #rows: Uint8Array;
  readonly #problem: SegmentCheck["problem"];
  #at = 0;

  private constructor(code: CoarseCode, rows: Uint8Array, problem: SegmentCheck["problem"]) {
    this.#code = code;
    this.#rows = rows;
    this.#problem = problem;
  }

  /** Looks whether each row lies in the list where it belongs. @returns undefined when the lists cannot be read, which is told */
  static async of(
    segment: OpenSegment,
    stretch: { first: number; end: number },
    { problem, signal }: SegmentCheck,
  ): Promise<CoarseCheck | undefined> {
    const { firstStartRows: firstRows } = segment;
    const { code } = segment.coarse;
    try {
      const first = firstRows[stretch.first]!;
      const { rows, owners, centroids } = await segment.coarse.stored(first, firstRows[stretch.end]!, signal);
      if (owners !== undefined) {
        const right = assignLists(centroids!, code.bits, rows);
        const wrong = owners.findIndex((list, row) => list !== right[row]);
        if (wrong >= 0) problem("coarse", `row ${first + wrong} is in list ${owners[wrong]}, not in ${right[wrong]}`);
      }
      return new CoarseCheck(code, rows, problem);
    } catch (error) {
      if (!(error instanceof VerbatimError && error.code === "corrupt-segment")) throw error;
      problem("coarse", error.message);
      return undefined;
    }
  }

  /** @param vectors  of the next passage: the start vectors' first dimensions */
  look(passage: number, vectors: Int8Array): void {
    const code = this.#code;
    if (!code.standsAt(this.#rows, this.#at, { vectors, width: code.dimensions }))
      this.#problem("coarse", `rows of passage ${passage} are not its start vectors`);
    this.#at += (vectors.length / code.dimensions) * code.rowBytes;
  }
}
