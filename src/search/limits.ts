/** The bounds of all passages for one question: of the rows in memory and of the segments' bounds together. */

import { passageOfRow, scanEveryRow } from "./strategies/dense-first.js";
import type { StrategyRequest } from "./strategies/strategy.js";

/** Best start rows by their first dimensions: their passages have a bound of their own, all others that of the worst of these. */
const ROWS = 8192;
/** Added to every bound: far above what the order of additions changes. */
const SLACK = 1e-6;

/**
 * At least the score of any span of each passage, numbered through all segments; −Infinity for one that is not allowed or has no span.
 * O(start rows · coarse + passages · dense), after one reading of all rows at the first call of a session.
 */
export async function upperBounds(request: StrategyRequest): Promise<Float64Array> {
  const { session, question, sparse, allowed, options } = request;
  const { kernel, numbering, snapshot } = session;
  const bounds = await largestCoarse(request);
  for (const segment of snapshot.segments.keys()) {
    const own = await session.bounds(segment, options.maxAnswerTokens, options.signal);
    own.addTo(bounds, numbering.firstPassages[segment]!, { question, kernel });
  }
  const { terms, tfidf } = sparse.all();
  for (let n = 0; n < bounds.length; n++) {
    bounds[n] = allowed.bits?.[n] === 0 ? Number.NEGATIVE_INFINITY : bounds[n]! + terms[n]! + tfidf[n]! + SLACK;
  }
  return bounds;
}

/** At least the largest coarse sum of a start row of each passage. */
async function largestCoarse(request: StrategyRequest): Promise<Float64Array> {
  const { session, question } = request;
  const { passageDocuments } = session.numbering;
  const { perStep } = question.start;
  const bounds = new Float64Array(passageDocuments.length);
  const { rows, scores } = await scanEveryRow(request, ROWS);
  bounds.fill(rows.length < ROWS ? Number.NEGATIVE_INFINITY : perStep * scores.at(-1)!);
  // from the worst to the best: a passage keeps its best row
  for (let n = rows.length - 1; n >= 0; n--) {
    bounds[passageOfRow(session, rows[n]!)] = perStep * scores[n]!;
  }
  return bounds;
}
