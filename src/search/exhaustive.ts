/** Every live passage of the index: slow, and the oracle that the other strategies are tested against. */

import type { Candidates, StrategyRequest } from "./strategy.js";

export async function findExhaustive({ session }: StrategyRequest): Promise<Candidates> {
  return session.snapshot.segments.map((segment) => {
    const all = Array.from({ length: segment.passageCount }, (_, passage) => passage);
    if (segment.deletedDocumentCount === 0) return all;
    return all.filter((passage) => !segment.isDeleted(segment.passageDocuments[passage]!));
  });
}
