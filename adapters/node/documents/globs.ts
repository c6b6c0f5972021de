/** Globs, for shells that do not expand them and for patterns in quotes. */

import { resolve, sep } from "node:path";
import { glob, isDynamicPattern } from "tinyglobby";

/** Whether a path has glob characters. Use it only for paths that do not exist: `a[1].txt` may be a name. */
export function isGlob(path: string): boolean {
  return isDynamicPattern(path);
}

/** The folders before the first part with glob characters, and the rest. Braces may hold several parts: `{a/b,c}`. */
export function splitGlob(pattern: string, separator = "/"): { folders: string; rest: string } {
  const parts = pattern.split(separator);
  const first = parts.findIndex(
    (part, at) =>
      isDynamicPattern(part) || (part.includes("{") && parts.slice(at).some((later) => later.includes("}"))),
  );
  const count = first === -1 ? parts.length : first;
  return { folders: parts.slice(0, count).join(separator), rest: parts.slice(count).join(separator) };
}

/**
 * The files that a pattern matches, as absolute paths, and the folder that contains them all.
 * @returns shownBase  that folder as the user wrote it ("" if the pattern begins with a glob)
 */
export async function expandGlob(
  pattern: string,
  cwd: string,
): Promise<{ base: string; shownBase: string; files: string[] }> {
  const forward = sep === "\\" ? pattern.replaceAll("\\", "/") : pattern;
  // Without a mark before them, parentheses are part of a name.
  const literal = /[@!?*+]\(/.test(forward) ? forward : forward.replace(/(?<!\\)[()]/g, "\\$&");
  const { folders, rest } = splitGlob(literal);
  const shownBase = folders.replace(/\\([()])/g, "$1") || (forward.startsWith("/") ? "/" : "");
  const base = resolve(cwd, shownBase);
  const files = await glob(rest, {
    cwd: base,
    absolute: true,
    onlyFiles: true,
    followSymbolicLinks: false,
    expandDirectories: false,
  }).catch((error: NodeJS.ErrnoException): string[] => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR" || error.code === "EACCES") return [];
    throw error;
  });
  return { base, shownBase, files: files.map((file) => resolve(base, file)) };
}
