/**
 * Checks that the records of a segment's passages can be read and are valid, and that `coarse`
 * repeats them.
 */

import { throwIfAborted, VerbatimError } from "../../errors.js";
import { assignLists } from "../../kernel/list-assigner.js";
import { corrupt } from "../format/corrupt.js";
import type { CoarseCode } from "../segment/coarse.js";
import type { OpenSegment } from "../segment/segment-reader.js";
import { validateTokens } from "../write/validate.js";
import type { SegmentCheck } from "./check-job.js";

const PASSAGES_AT_ONCE = 64;

/**
 * Every bit pattern is a valid vector, so this checks the form of the records, and the dimensions
 * that `coarse` repeats.
 * @param stretch  passages first … end − 1
 * @throws VerbatimError `corrupt-segment` if the check cannot continue; other problems are reported
 *   one by one
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
    for (const [i, tokens] of (await segment.ngrams.read(numbers, signal)).entries()) {
      const fail = (what: string) => failAt(first + i, what);
      validateTokens({ ...rows[i]!, ...tokens }, { model: manifest.model, fail });
    }
    for (const [i, { startVectors }] of rows.entries()) coarse?.look(first + i, startVectors);
  }
}

function checkTotals(segment: OpenSegment, { problem }: SegmentCheck): void {
  const tokens = segment.columns.tokens.reduce((sum, count) => sum + count, 0);
  if (tokens !== segment.tokenCount) problem("passages", `${tokens} tokens, the manifest says ${segment.tokenCount}`);
}

/** Compares a stretch of passages with `coarse`. */
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

  /**
   * Checks that each row is in the right inverted list. @returns undefined if the lists cannot be
   * read, which is reported
   */
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

  /** @param vectors  first dimensions of the next passage's start vectors */
  look(passage: number, vectors: Int8Array): void {
    const code = this.#code;
    if (!code.isEncodedAt(this.#rows, this.#at, { vectors, width: code.dimensions }))
      this.#problem("coarse", `rows of passage ${passage} are not its start vectors`);
    this.#at += (vectors.length / code.dimensions) * code.rowBytes;
  }
}
