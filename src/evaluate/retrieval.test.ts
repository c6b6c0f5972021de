import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseBeirDocument, parseBeirQueries, parseQrels } from "./beir-files.js";
import { ndcgAt, type Ranked, recallAmong, reciprocalRankAt, runLines } from "./retrieval.js";

const ranked = (...ids: string[]): Ranked[] => ids.map((id, n) => ({ id, score: 10 - n }));
const grades = new Map([
  ["a", 2],
  ["b", 1],
  ["c", 0],
]);

describe("figures of a ranking", () => {
  it("computes nDCG by hand", () => {
    const ideal = 2 + 1 / Math.log2(3);
    expect(ndcgAt(ranked("a", "b", "x"), grades, 10)).toBe(1);
    expect(ndcgAt(ranked("x", "b", "c", "a"), grades, 10)).toBeCloseTo(
      (1 / Math.log2(3) + 2 / Math.log2(5)) / ideal,
      12,
    );
    expect(ndcgAt(ranked("x", "b", "c", "a"), grades, 3)).toBeCloseTo(1 / Math.log2(3) / ideal, 12);
    expect(ndcgAt(ranked("x"), new Map([["c", 0]]), 10)).toBe(0);
    // a grade below 0 (TREC's spam) neither helps nor harms
    expect(
      ndcgAt(
        ranked("s", "a"),
        new Map([
          ["s", -2],
          ["a", 1],
        ]),
        10,
      ),
    ).toBeCloseTo(1 / Math.log2(3), 12);
  });

  it("counts recall over relevant documents and reciprocal ranks within k", () => {
    expect(recallAmong(ranked("x", "a", "c"), grades, 3)).toBe(0.5);
    expect(recallAmong(ranked("x", "a"), grades, 1)).toBe(0);
    expect(recallAmong(ranked("x"), new Map(), 5)).toBe(0);
    expect(reciprocalRankAt(ranked("c", "x", "b"), grades, 10)).toBeCloseTo(1 / 3, 12);
    expect(reciprocalRankAt(ranked("c", "x", "b"), grades, 2)).toBe(0);
  });

  it("nDCG is 1 for the best order of everything judged, and no other order is above it", () => {
    const judged = fc.uniqueArray(fc.tuple(fc.string({ minLength: 1 }), fc.integer({ min: 0, max: 3 })), {
      selector: ([id]) => id,
      minLength: 1,
      maxLength: 12,
    });
    fc.assert(
      fc.property(judged, fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })), (list, chance) => {
        const known = new Map(list);
        const best = [...list].sort((a, b) => b[1] - a[1]).map(([id]) => id);
        const shuffled = [...list]
          .map(([id]) => [chance.next().value as number, id] as const)
          .sort((a, b) => a[0] - b[0]);
        const top = ndcgAt(ranked(...best), known, 10);
        expect(top).toBe(list.some(([, grade]) => grade > 0) ? 1 : 0);
        expect(ndcgAt(ranked(...shuffled.map(([, id]) => id)), known, 10)).toBeLessThanOrEqual(top + 1e-12);
      }),
    );
  });
});

describe("a run file", () => {
  it("has scores that fall strictly, in the order given, and near the true ones", () => {
    const scores = fc.array(fc.double({ min: -1e4, max: 1e4, noNaN: true }), { maxLength: 40 });
    fc.assert(
      fc.property(scores, (list) => {
        const ranking = list.sort((a, b) => b - a).map((score, n) => ({ id: `d${n}`, score }));
        const rows = runLines("q", ranking, "t").map((line) => line.split(" "));
        const printed = rows.map((row) => Number(row[4]));
        for (const [n, score] of printed.entries()) {
          if (n > 0) expect(score).toBeLessThan(printed[n - 1]!);
          expect(Math.abs(score - ranking[n]!.score)).toBeLessThanOrEqual(1e-6 * (ranking.length + 1));
        }
        expect(rows.map((row) => row[2])).toEqual(ranking.map(({ id }) => id));
        expect(rows.map((row) => row[3])).toEqual(ranking.map((_, n) => String(n + 1)));
      }),
    );
    expect(
      runLines(
        "q1",
        [
          { id: "d", score: 1.5 },
          { id: "e", score: 1.5 },
        ],
        "verbatim",
      ),
    ).toEqual(["q1 Q0 d 1 1.500000 verbatim", "q1 Q0 e 2 1.499999 verbatim"]);
  });
});

describe("BEIR's files", () => {
  it("reads documents, queries and judgements, with and without a heading", () => {
    expect(parseBeirDocument('{"_id": 7, "title": null, "text": "x"}', "l")).toEqual({ id: "7", title: "", text: "x" });
    expect(parseBeirQueries('\ufeff{"_id": "a", "text": "who?"}\n\n{"_id": "b", "text": "when?"}\r\n', "q")).toEqual([
      { id: "a", text: "who?" },
      { id: "b", text: "when?" },
    ]);
    const rows = "a\td1\t1\nb\td2\t0\na\td3\t2\n";
    const expected = new Map([
      [
        "a",
        new Map([
          ["d1", 1],
          ["d3", 2],
        ]),
      ],
      ["b", new Map([["d2", 0]])],
    ]);
    expect(parseQrels(rows, "t")).toEqual(expected);
    expect(parseQrels(`query-id\tcorpus-id\tscore\r\n${rows.replaceAll("\n", "\r\n")}`, "t")).toEqual(expected);
  });

  it("says which line is broken", () => {
    expect(() => parseBeirQueries('{"_id": "a", "text": "x"}\n{"_id": "b"}', "queries.jsonl")).toThrow(/line 2/);
    expect(() => parseBeirQueries("nonsense", "queries.jsonl")).toThrow(/line 1/);
    expect(() => parseQrels("query-id\tcorpus-id\tscore\na\tb", "test.tsv")).toThrow(/line 2/);
    expect(() => parseQrels("h\th\th\na\tb\tone", "test.tsv")).toThrow(/line 2/);
    expect(() => parseQrels("a\tb\t1\na\tb\t1\t9", "test.tsv")).toThrow(/line 2/);
  });
});
