/** Features of answers whose spans tie across the last span that features are computed from. */

import { expect, it } from "vitest";
import { FEATURE_SPANS, phraseFeatures } from "../../src/ask/confidence.js";
import type { LocatedSpan } from "../../src/search/locate/locate.js";
import { mergeSpans } from "../../src/search/locate/merge.js";

/** One passage in many documents: "alpha" is its best span, "omega" a worse one. */
function featuresOfFirst(ids: readonly string[]): Record<string, number> {
  const located = [10, 2].flatMap((score) =>
    ids.map((id, passage) => {
      const text = score === 10 ? "alpha" : "omega";
      const parts = { dense: score, ngram: 0, terms: 0, tfidf: 0, vector: 0 };
      const span = { segment: 0, passage, startPosition: score, endPosition: score, score, parts };
      return { span, document: passage, record: { id }, start: 10 * score, end: 10 * score + 5, text };
    }),
  ) as unknown as LocatedSpan[];
  const spans = located.map(({ span }) => span);
  return phraseFeatures(mergeSpans(located), spans)[0]!;
}

it("does not depend on which documents' spans come first", () => {
  const ids = Array.from({ length: FEATURE_SPANS + 20 }, (_, n) => `d${String(n).padStart(2, "0")}`);
  const ascending = featuresOfFirst(ids);
  const descending = featuresOfFirst([...ids].reverse());
  expect(ascending.share).toBeGreaterThan(6);
  expect(ascending.agreement).toBeGreaterThan(2);
  expect(descending).toEqual(ascending);
});
