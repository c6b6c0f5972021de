/** The passages of sparse-first and of dense-first together: words find what vectors miss, and the other way round. */

import { findDenseFirst } from "./dense-first.js";
import { findSparseFirst } from "./sparse-first.js";
import { type Candidates, type StrategyRequest, toCandidates } from "./strategy.js";

export async function findHybrid(request: StrategyRequest): Promise<Candidates> {
  const found = [await findSparseFirst(request), await findDenseFirst(request)];
  const chosen = found.flatMap((candidates) =>
    candidates.flatMap((passages, segment) => passages.map((passage) => [segment, passage] as const)),
  );
  return toCandidates(request.session.snapshot.segments.length, chosen);
}
