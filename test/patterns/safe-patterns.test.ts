/** Every regular expression of the product takes time linear in its input, or has a written reason to be safe. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { checkSync } from "recheck";
import ts from "typescript";
import { describe, expect, it } from "vitest";

const FOLDERS = ["src", "adapters", "web/src"];

/** Patterns that the checker flags although their input is bounded where they are used. */
const BOUNDED: Readonly<Record<string, string>> = {
  "/[A-Za-z0-9.]+$/": "src/text/sentences.ts passes at most 40 characters",
  "/[\\p{L}\\p{M}\\p{N}.]+$/u": "src/text/sentences.ts passes at most 40 characters",
};

/** Patterns built at run time, which cannot be read from the source: what each is made of. */
const BUILT: Readonly<Record<string, string>> = {
  "adapters/node/documents/formats/markup/tex.ts": "made of the words title and author",
  "adapters/server/http/app.ts": "made of the server's own route names",
  "src/evaluate/mlqa-score.ts": "made of its own lists of articles",
  "src/evaluate/regex-match.ts": "given by the person who runs an evaluation",
  "src/evaluate/treebank-words.ts": "made of its own lists of contractions",
  "web/src/marks.tsx": "words of the question, escaped, matched against one displayed passage",
};

function sourceFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !/\.test\.tsx?$|\.d\.ts$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
}

/** Regular expression literals of the product with the places that use them, and files that build patterns. */
function collectPatterns(): { literals: Map<string, string[]>; built: Set<string> } {
  const literals = new Map<string, string[]>();
  const built = new Set<string>();
  for (const file of FOLDERS.flatMap(sourceFiles)) {
    const kind = file.endsWith("x") ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
    const source = ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true, kind);
    const visit = (node: ts.Node): void => {
      if (ts.isRegularExpressionLiteral(node)) {
        const line = source.getLineAndCharacterOfPosition(node.getStart()).line + 1;
        literals.set(node.text, [...(literals.get(node.text) ?? []), `${file}:${line}`]);
      } else if (ts.isNewExpression(node) || ts.isCallExpression(node)) {
        if (node.expression.getText() === "RegExp") built.add(file);
      }
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  return { literals, built };
}

describe("regular expressions of the product", () => {
  const { literals, built } = collectPatterns();

  it("take linear time", { timeout: 600_000 }, () => {
    expect(literals.size).toBeGreaterThan(50);
    const problems: string[] = [];
    for (const [pattern, places] of literals) {
      if (pattern in BOUNDED) continue;
      const end = pattern.lastIndexOf("/");
      const result = checkSync(pattern.slice(1, end), pattern.slice(end + 1), { timeout: 120_000, randomSeed: 1 });
      if (result.status !== "safe") problems.push(`${pattern} is ${result.status} (${places.join(", ")})`);
    }
    expect(problems).toEqual([]);
  });

  it("are exempt only while they are used", () => {
    expect(Object.keys(BOUNDED).filter((pattern) => !literals.has(pattern))).toEqual([]);
  });

  it("are built at run time only in the places listed here", () => {
    expect([...built].sort()).toEqual(Object.keys(BUILT).sort());
  });
});
