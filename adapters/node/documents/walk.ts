/** Paths from the command line → the files to read, in a fixed order. */

import type { Dirent, Stats } from "node:fs";
import { lstat, readdir, realpath, stat } from "node:fs/promises";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { throwIfAborted } from "../../../src/errors.js";
import { expandGlob, isGlob } from "./globs.js";
import { type IgnoreRules, isIgnored, rulesForRoot, rulesIn } from "./ignore-rules.js";
import { isIndexFolder } from "./index-folder.js";
import type { InputFile, SkippedInput } from "./input.js";
import { isInside } from "./paths.js";
import { isProgramFile } from "./program-files.js";
import { isSecretName } from "./secret-names.js";
import { isSideCar } from "./side-car-names.js";
import { skipOf } from "./skip.js";

interface ListOptions {
  /** Folder that relative paths and ids are relative to. */
  cwd: string;
  signal?: AbortSignal;
  onSkip(skip: SkippedInput): void;
}

/**
 * Files of the given paths: a file, a folder (with all below it), a glob (when no such path exists), or `-` for
 * standard input. The order does not depend on that of `paths`: by absolute path, part by part; standard input comes
 * last. A file that is reached in two ways is listed once.
 *
 * In folders and globs, ignore files apply; hidden names, `node_modules`, index folders and files that programs leave
 * in folders (`~$letter.docx`, `desktop.ini`) are skipped silently; symlinks are followed only inside the named folder,
 * and the side-car of a scan is not listed as a document of its own. What cannot be listed, and files that may hold
 * secrets by their name, go to `onSkip`. A path that is named itself is always listed, even if it is hidden, ignored or
 * a symlink.
 * @throws VerbatimError `aborted`
 */
export async function* listInputs(paths: string[], options: ListOptions): AsyncGenerator<InputFile> {
  const walk: Walk = { options, given: new Set() };
  const named = [...new Set(paths)]
    .filter((path) => path !== "-")
    .map((path) => ({ shown: path, absolute: resolve(options.cwd, path) }))
    .sort((a, b) => comparePaths(a.absolute, b.absolute));
  for (const { shown, absolute } of named) yield* listNamed(walk, shown, absolute);
  if (paths.includes("-")) yield { path: "-", absolutePath: "-", id: "stdin", size: 0, mtimeMs: 0 };
}

interface Walk {
  options: ListOptions;
  /** Real paths of the files listed so far. */
  given: Set<string>;
}

/** A named folder whose content is being listed. */
interface Root {
  /** As the user gave it; files are shown as this joined with the path below it. */
  shown: string;
  absolute: string;
  real: string;
  /** Only these paths (files and the folders above them) are listed; undefined: all. */
  wanted: ReadonlySet<string> | undefined;
  visitedFolders: Set<string>;
  /** Symlinks to places inside the root: listed last, so that a file is listed under its own name if it has one. */
  links: { path: string; real: string; stats: Stats; rules: IgnoreRules }[];
}

async function* listNamed(walk: Walk, shown: string, absolute: string): AsyncGenerator<InputFile> {
  const { cwd, onSkip } = walk.options;
  throwIfAborted(walk.options.signal);
  let stats: Stats;
  try {
    stats = await stat(absolute);
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === "ENOENT";
    if (missing && isGlob(shown)) return yield* listGlob(walk, shown);
    if (missing) {
      const broken = await lstat(absolute).then(
        () => true,
        () => false,
      );
      const reason = broken ? "is a symlink that points to nothing" : "does not exist";
      onSkip({ source: shown, code: "unreadable-document", reason, hint: "Check the path." });
      return;
    }
    return reportError(walk, error, shown);
  }
  if (stats.isFile()) return yield* give(walk, { shown, absolute, stats });
  if (!stats.isDirectory()) {
    onSkip({
      source: shown,
      code: "unsupported-document",
      reason: "is neither a file nor a folder",
      hint: "Pipe its content in: … | verbatim index -",
    });
    return;
  }
  if (await isIndexFolder(absolute)) {
    onSkip({
      source: shown,
      code: "unsupported-document",
      reason: "is an index of Verbatim, not a folder of documents",
      hint: `Name the folder of your documents; this one goes after --index.`,
    });
    return;
  }
  yield* listRoot(walk, { shown, absolute: resolve(cwd, absolute) });
}

async function* listGlob(walk: Walk, pattern: string): AsyncGenerator<InputFile> {
  const { base, shownBase, files } = await expandGlob(pattern, walk.options.cwd);
  if (files.length === 0) {
    walk.options.onSkip({
      source: pattern,
      code: "unreadable-document",
      reason: "matches no file",
      hint: "Check the pattern.",
    });
    return;
  }
  const wanted = new Set(files);
  for (const file of files) {
    for (let at = dirname(file); at.length >= base.length && !wanted.has(at); at = dirname(at)) wanted.add(at);
  }
  yield* listRoot(walk, { shown: shownBase, absolute: base, wanted });
}

async function* listRoot(
  walk: Walk,
  named: { shown: string; absolute: string; wanted?: ReadonlySet<string> },
): AsyncGenerator<InputFile> {
  let real: string;
  let rules: IgnoreRules;
  try {
    real = await realpath(named.absolute);
    rules = await rulesForRoot(named.absolute);
  } catch (error) {
    return reportError(walk, error, named.shown);
  }
  const root: Root = { ...named, real, wanted: named.wanted, visitedFolders: new Set(), links: [] };
  yield* listFolder(walk, root, { path: root.absolute, rules });
  // Following a link to a folder may find more links: the list grows while it is read.
  for (const link of root.links) {
    if (link.stats.isFile())
      yield* give(walk, { shown: shownPath(root, link.path), absolute: link.path, stats: link.stats });
    else if (!root.visitedFolders.has(link.real)) {
      yield* listFolder(walk, root, { path: link.path, rules: await rulesIn(link.path, link.rules) });
    }
  }
}

async function* listFolder(
  walk: Walk,
  root: Root,
  folder: { path: string; rules: IgnoreRules },
): AsyncGenerator<InputFile> {
  let entries: Dirent[];
  try {
    root.visitedFolders.add(await realpath(folder.path));
    entries = await readdir(folder.path, { withFileTypes: true });
  } catch (error) {
    return reportError(walk, error, shownPath(root, folder.path));
  }
  const names = new Set(entries.filter((entry) => entry.isFile()).map((entry) => entry.name));
  const isListed = (name: string): boolean => {
    const path = join(folder.path, name);
    return names.has(name) && (root.wanted?.has(path) ?? true) && !isIgnored(folder.rules, path, false);
  };
  entries.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  for (const entry of entries) {
    throwIfAborted(walk.options.signal);
    const path = join(folder.path, entry.name);
    if (entry.name.startsWith(".") || entry.name === "node_modules") continue;
    if (root.wanted !== undefined && !root.wanted.has(path)) continue;
    try {
      const link = entry.isSymbolicLink() ? await resolveLink(walk, root, path) : undefined;
      if (link === null) continue;
      const stats = link?.stats ?? (await lstat(path));
      if (isIgnored(folder.rules, path, stats.isDirectory())) continue;
      if (stats.isFile() && isProgramFile(entry.name)) continue;
      if (stats.isFile() && (isSecretName(entry.name) || isSecretName(basename(link?.real ?? "")))) {
        skipSecret(walk, shownPath(root, path));
        continue;
      }
      if (stats.isFile() && link === undefined && (await isSideCar(path, isListed))) continue;
      if (link !== undefined) root.links.push({ path, ...link, rules: folder.rules });
      else if (stats.isFile()) yield* give(walk, { shown: shownPath(root, path), absolute: path, stats });
      else if (stats.isDirectory()) {
        if (await isIndexFolder(path)) continue;
        yield* listFolder(walk, root, { path, rules: await rulesIn(path, folder.rules) });
      }
    } catch (error) {
      reportError(walk, error, shownPath(root, path));
    }
  }
}

/** The target of a symlink below a root, or null (and a line to `onSkip`) if it must not be followed. */
async function resolveLink(walk: Walk, root: Root, path: string): Promise<{ real: string; stats: Stats } | null> {
  const skip = (reason: string, hint: string): null => {
    walk.options.onSkip({ source: shownPath(root, path), code: "unreadable-document", reason, hint });
    return null;
  };
  let real: string;
  try {
    real = await realpath(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return skip("is a symlink that points to nothing", "Remove the link.");
  }
  if (!isInside(real, root.real)) {
    return skip("is a symlink that leaves the folder", "Name it (or its target) itself to index it.");
  }
  if (isInside(await realpath(dirname(path)), real)) return skip("is a symlink loop", "Remove the link.");
  return { real, stats: await stat(path) };
}

async function* give(walk: Walk, file: { shown: string; absolute: string; stats: Stats }): AsyncGenerator<InputFile> {
  let real: string;
  try {
    real = await realpath(file.absolute);
  } catch (error) {
    return reportError(walk, error, file.shown);
  }
  if (walk.given.has(real)) return;
  walk.given.add(real);
  yield {
    path: file.shown,
    absolutePath: file.absolute,
    id: idOf(file.absolute, walk.options.cwd),
    size: file.stats.size,
    mtimeMs: file.stats.mtimeMs,
    identity: { realPath: real, device: file.stats.dev, inode: file.stats.ino },
  };
}

function skipSecret(walk: Walk, shown: string): void {
  walk.options.onSkip({
    source: shown,
    code: "unsupported-document",
    reason: "may hold keys or passwords, judging by its name",
    hint: "Name the file itself to index it anyway.",
  });
}

function reportError(walk: Walk, error: unknown, shown: string): void {
  const skip = skipOf(error, shown);
  if (skip === undefined) throw error;
  walk.options.onSkip(skip);
}

/** Path relative to `cwd` with forward slashes; absolute outside it. */
export function idOf(absolute: string, cwd: string): string {
  const base = resolve(cwd);
  return (isInside(absolute, base) ? relative(base, absolute) : absolute).split(sep).join("/");
}

function shownPath(root: Root, absolute: string): string {
  return join(root.shown, relative(root.absolute, absolute));
}

/** Code unit order, part by part, so that the content of a folder stays together. */
function comparePaths(a: string, b: string): number {
  const x = a.replaceAll(sep, "\0");
  const y = b.replaceAll(sep, "\0");
  return x < y ? -1 : x > y ? 1 : 0;
}
