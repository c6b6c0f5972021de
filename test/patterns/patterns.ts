/** The regular expressions of the product, and the check that they take time linear in their input. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { checkSync } from "recheck";
import ts from "typescript";

const FOLDERS = ["src", "adapters", "web/src"];

/** Patterns that the checker flags although their input is bounded where they are used. */
export const BOUNDED: Readonly<Record<string, string>> = {
  "/[A-Za-z0-9.]+$/": "src/text/sentences.ts passes at most 40 characters",
  "/[\\p{L}\\p{M}\\p{N}.]+$/u": "src/text/sentences.ts passes at most 40 characters",
  '/[.!?…”"»](\\s(?:—|–|--)\\s?([^\\n—–]+))$/u': "src/quote/draft-source.ts passes at most 100 characters",
};

/**
 * Patterns with lookaround and the like, for which the checker has no proof: it searches for a slow
 * input, which takes most of the time. `npm run test:hostile` checks them.
 */
export const SEARCHED = JSON.parse(
  readFileSync(new URL("searched-patterns.json", import.meta.url), "utf8"),
) as readonly string[];

/** @returns regular expression literals with the places that use them, and files that build patterns */
export function collectPatterns(): { literals: Map<string, string[]>; built: Set<string> } {
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

/** @returns whether the pattern is "safe", and whether the checker has proved it */
export function checkPattern(literal: string): { status: string; proved: boolean } {
  const end = literal.lastIndexOf("/");
  // Limited in steps, not in time: the checker reports an attack that runs out of time as a success.
  const options = { timeout: null, attackTimeout: null, incubationTimeout: null, randomSeed: 1 };
  const { status, checker } = checkSync(literal.slice(1, end), literal.slice(end + 1), options);
  return { status, proved: checker === "automaton" };
}

function sourceFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !/\.test\.tsx?$|\.d\.ts$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
}
