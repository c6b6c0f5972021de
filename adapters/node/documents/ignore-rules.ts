/** Ignore files (.gitignore, .ignore, .verbatimignore), nested: the rules of the nearest folder decide first. */

import { readFile, stat } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import ignore, { type Ignore } from "ignore";

/** Later names win within one folder. */
export const IGNORE_FILES: readonly string[] = [".gitignore", ".ignore", ".verbatimignore"];

/** The rules of a folder: its own, then those of the folders above, nearest first. */
export interface IgnoreRules {
  folder: string;
  rules: Ignore | undefined;
  above: IgnoreRules | undefined;
}

/** The rules for a folder below those of `above`. An ignore file that cannot be read counts as empty. */
export async function rulesIn(folder: string, above: IgnoreRules | undefined): Promise<IgnoreRules> {
  let rules: Ignore | undefined;
  for (const name of IGNORE_FILES) {
    const text = await readFile(join(folder, name), "utf8").catch(() => undefined);
    if (text === undefined) continue;
    rules ??= ignore({ ignorecase: process.platform === "win32" || process.platform === "darwin" });
    rules.add(text.replace(/^\ufeff/, ""));
  }
  return { folder, rules, above };
}

/**
 * The rules for a folder that the user named: its own and, inside a git repository, those of the folders above it up to
 * the repository's root. If those would ignore the folder itself, they do not apply: the user named it.
 */
export async function rulesForRoot(folder: string): Promise<IgnoreRules> {
  const above: string[] = [];
  let repository = await exists(join(folder, ".git"));
  for (let at = folder; !repository && dirname(at) !== at; ) {
    at = dirname(at);
    above.unshift(at);
    repository = await exists(join(at, ".git"));
  }
  let rules: IgnoreRules | undefined;
  if (repository) for (const at of above) rules = await rulesIn(at, rules);
  if (rules !== undefined && isIgnored(rules, folder, true)) rules = undefined;
  return rulesIn(folder, rules);
}

/** Whether the rules ignore a path (absolute, below `rules.folder`). */
export function isIgnored(rules: IgnoreRules, path: string, isFolder: boolean): boolean {
  for (let level: IgnoreRules | undefined = rules; level !== undefined; level = level.above) {
    if (level.rules === undefined) continue;
    const name = relative(level.folder, path).split(sep).join("/");
    const verdict = level.rules.test(isFolder ? `${name}/` : name);
    if (verdict.ignored) return true;
    if (verdict.unignored) return false;
  }
  return false;
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
