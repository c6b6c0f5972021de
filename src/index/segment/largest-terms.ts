/** The largest term weights of a passage, for level `thin`. */

import type { TermWeights } from "../../encode/types.js";

/** @returns at most `limit` terms, by ascending id; ties go to the smaller id */
export function largestTerms({ terms, weights }: TermWeights, limit: number): TermWeights {
  if (terms.length <= limit) return { terms, weights };
  const counts = new Uint32Array(256);
  for (const weight of weights) counts[weight]!++;
  let cutOff = 255;
  let above = 0;
  while (above + counts[cutOff]! < limit) above += counts[cutOff--]!;
  const kept = { terms: new Uint16Array(limit), weights: new Uint8Array(limit) };
  for (let i = 0, n = 0, ties = limit - above; n < limit; i++) {
    const weight = weights[i]!;
    if (weight < cutOff || (weight === cutOff && ties-- <= 0)) continue;
    kept.terms[n] = terms[i]!;
    kept.weights[n++] = weight;
  }
  return kept;
}
