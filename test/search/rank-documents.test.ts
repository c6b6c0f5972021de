/** Documents by their best passage: the same as sorting all of them, for any scores and any cut into segments. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rankDocuments } from "../../src/search/rank-documents.js";
import { askable, textDocument } from "../support/ask.js";

const WORDS = "mill river tower lamp bridge keeper harbour stone ".repeat(80);

describe("rankDocuments", () => {
  it("equals the plain sort, deleted documents left out", async () => {
    // long ones have several passages
    const documents = Array.from({ length: 9 }, (_, n) => textDocument(`d${n}`, WORDS.slice(n, 200 + n * 400)));
    const { searcher, snapshot } = await askable(documents, { segments: 2, deleted: ["d2", "d7"] });
    const { passageDocuments, firstPassages } = searcher.numbering;
    expect(snapshot.segments.length).toBe(2);
    expect(firstPassages.at(-1)).toBeGreaterThan(documents.length);
    const ids: string[] = [];
    for (const [s, segment] of snapshot.segments.entries()) {
      for (let d = 0; d < segment.documentCount; d++) ids.push((await searcher.document(s, d)).id);
    }
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: -3, max: 3 }), {
          minLength: passageDocuments.length,
          maxLength: passageDocuments.length,
        }),
        fc.integer({ min: 1, max: 12 }),
        async (scores, count) => {
          const oracle = ids
            .map((id, document) => {
              const own = scores.filter((_, passage) => passageDocuments[passage] === document);
              return { id, score: Math.max(...own), document };
            })
            .filter(({ id, score }) => score > 0 && id !== "d2" && id !== "d7")
            .sort((a, b) => b.score - a.score || a.document - b.document)
            .slice(0, count)
            .map(({ id, score }) => ({ id, score }));
          expect(await rankDocuments(searcher, scores, { count })).toEqual(oracle);
        },
      ),
      { seed: 4, numRuns: 200 },
    );
  });
});
