/** Every regular expression of the product takes time linear in its input, or has a written reason to be safe. */

import { describe, expect, it } from "vitest";
import { BOUNDED, checkPattern, collectPatterns, SEARCHED } from "./patterns.js";

/** Patterns built at run time, which cannot be read from the source: what each is made of. */
const BUILT: Readonly<Record<string, string>> = {
  "adapters/node/documents/formats/markup/tex.ts": "made of the words title and author",
  "adapters/node/documents/formats/pages/page-numbers.ts":
    "made of its own lists of words and marks, matched against lines with at most two spaces in a row",
  "adapters/server/http/app.ts": "made of the server's own route names",
  "src/evaluate/mlqa-score.ts": "made of its own lists of articles",
  "src/evaluate/regex-match.ts": "given by the person who runs an evaluation",
  "src/evaluate/treebank-words.ts": "made of its own lists of contractions",
  "web/src/marks.tsx": "words of the question, escaped, matched against one displayed passage",
};

describe("regular expressions of the product", () => {
  const { literals, built } = collectPatterns();

  it("are proved to take linear time, or listed for the search of slow inputs", { timeout: 600_000 }, () => {
    expect(literals.size).toBeGreaterThan(50);
    const problems: string[] = [];
    for (const [pattern, places] of literals) {
      if (pattern in BOUNDED || SEARCHED.includes(pattern)) continue;
      const { status, proved } = checkPattern(pattern);
      if (status !== "safe") problems.push(`${pattern} is ${status} (${places.join(", ")})`);
      else if (!proved) problems.push(`add to searched-patterns.json: ${JSON.stringify(pattern)}`);
    }
    expect(problems).toEqual([]);
  });

  it("are exempt, or listed for the search, only while they are used", () => {
    expect([...Object.keys(BOUNDED), ...SEARCHED].filter((pattern) => !literals.has(pattern))).toEqual([]);
  });

  it("are built at run time only in the places listed here", () => {
    expect([...built].sort()).toEqual(Object.keys(BUILT).sort());
  });
});
