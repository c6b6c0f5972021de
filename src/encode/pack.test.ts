/** What is kept of the network's outputs, against the plain way of choosing it. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { packPassage, packTerms } from "./pack.js";

const SPECIAL = 1;

describe("n-gram weights of a row", () => {
  it("are the largest, ties to the first, in order of position", () => {
    const cases = fc.record({
      length: fc.integer({ min: 3, max: 40 }),
      perRow: fc.integer({ min: 0, max: 12 }),
      levels: fc.constantFrom(2, 6, 400),
      seed: fc.nat(),
      keepAll: fc.boolean(),
    });
    fc.assert(
      fc.property(cases, ({ length, perRow, levels, seed, keepAll }) => {
        let state = seed + 1;
        const draw = (below: number): number => {
          state = (Math.imul(state, 1103515245) + 12345) >>> 0;
          return (state >>> 8) % below;
        };
        const ids = Uint16Array.from({ length }, (_, t) => (t === 0 || t === length - 1 ? SPECIAL : 10 + draw(5)));
        const ngrams = Float32Array.from({ length: 4 * length * length }, () => draw(levels) / 16 - 0.01);
        const scales = { start: 1, end: 1, coherencyStart: 1, coherencyEnd: 1, ngram: 16, term: 1 };
        const model = {
          dense: 1,
          coherency: 1,
          scales,
          filter: { start: 0, end: 0 },
          ngramsPerRow: perRow,
          termsPerUnit: 1,
        };
        const raw = {
          start: new Float32Array(length),
          end: new Float32Array(length),
          coherency: new Float32Array(2 * length),
          keep: new Float32Array(2 * length).fill(1),
          ngrams,
          vector: new Float32Array(0),
        };
        const input = { ids, firstToken: 1, units: [] };
        const packed = packPassage(input, raw, { model, isSpecial: (id) => id === SPECIAL, units: [], keepAll });
        const planes = [packed.startUnigrams, packed.startBigrams, packed.endUnigrams, packed.endBigrams];
        for (const [plane, rows] of planes.entries()) {
          const isAllowed = (t: number): boolean =>
            ids[t] !== SPECIAL && (plane % 2 === 0 || (t + 1 < length && ids[t + 1] !== SPECIAL));
          for (const [r, row] of packed.startPositions.entries()) {
            const weightOf = (t: number): number =>
              Math.min(255, Math.round(ngrams[(plane * length + row) * length + t]! * 16));
            const right = Array.from(ids.keys())
              .filter((t) => isAllowed(t) && t !== row && weightOf(t) >= 1)
              .sort((a, b) => weightOf(b) - weightOf(a) || a - b)
              .slice(0, keepAll ? length : perRow)
              .sort((a, b) => a - b);
            const [from, end] = [rows.offsets[r]!, rows.offsets[r + 1]!];
            expect([...rows.positions.slice(from, end)]).toEqual(right);
            expect([...rows.weights.slice(from, end)]).toEqual(right.map(weightOf));
          }
        }
      }),
      { numRuns: 200 },
    );
  });
});

describe("term weights of a unit", () => {
  const weights = Float32Array.from([0, 0.5, 0.9, 0.3, 0, 0.4]);
  const kept = (options: { limit: number; own?: number[]; ownTermWeight?: number }): Array<[number, number]> => {
    const { terms, weights: values } = packTerms(weights, { scale: 100, ...options });
    return Array.from(terms, (term, n) => [term, values[n]!]);
  };

  it("are the largest, by ascending term", () => {
    expect(kept({ limit: 3 })).toEqual([
      [1, 50],
      [2, 90],
      [5, 40],
    ]);
  });

  it("a term that the unit contains has at least its least weight and keeps a larger one", () => {
    expect(kept({ limit: 3, own: [4, 2, 4, 0], ownTermWeight: 0.45 })).toEqual([
      [0, 45],
      [1, 50],
      [2, 90],
    ]);
    expect(kept({ limit: 4, own: [4, 2, 4, 0], ownTermWeight: 0.45 })).toEqual([
      [0, 45],
      [1, 50],
      [2, 90],
      [4, 45],
    ]);
  });

  it("a least weight beyond the largest byte is that byte", () => {
    expect(kept({ limit: 2, own: [4], ownTermWeight: 9 })).toEqual([
      [2, 90],
      [4, 255],
    ]);
  });
});
