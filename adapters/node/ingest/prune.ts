/**
 * Which documents of an index have certainly lost their files, or are ignored now, below the paths that the user
 * named.
 */

import { lstat, stat } from "node:fs/promises";
import { dirname, resolve, sep } from "node:path";
import { isGlob, splitGlob } from "../documents/globs.js";
import { type IgnoreRules, isIgnored, rulesForRoot, rulesIn } from "../documents/ignore-rules.js";
import { isInside } from "../documents/paths.js";
import type { KnownDocument, MissingFiles } from "./known-documents.js";

/** A path below which nothing was removed, and why. */
export interface NotPruned {
  path: string;
  /** Continues the path: "cannot be read". */
  reason: string;
  /** Documents that are kept because of it. */
  documents: number;
}

interface Root {
  path: string;
  absolute: string;
  /** Why nothing below may be removed; undefined if it may. */
  barred: string | undefined;
  /** Finds out what ignore files hide below a folder; undefined if the path is not a folder. */
  ignored: IgnoredFiles | undefined;
}

interface PruneOptions {
  cwd: string;
  /** As the user gave them. */
  paths: readonly string[];
  /** Absolute paths of all files that these paths gave. */
  listed: ReadonlySet<string>;
  /** Absolute paths of files that were read to their end in this run with nothing skipped, or that are empty. */
  readWhole: ReadonlySet<string>;
  /** Ids of the documents that the files gave in this run. */
  seen: Pick<ReadonlySet<string>, "has">;
  files: MissingFiles;
}

/**
 * A document is removed if its source is below a path that could be read, and its file certainly no longer exists,
 * was read completely without giving it (a line removed from a JSONL file, an empty file), or exists and is not
 * listed because of an ignore file. Nothing is removed below a path that cannot be read, and no document of a gone
 * file below a path that has no file at all (a disk that is not mounted is an empty folder).
 */
export async function findPrunable(
  documents: AsyncIterable<KnownDocument>,
  options: PruneOptions,
): Promise<{ ids: string[]; notPruned: NotPruned[] }> {
  const roots = await Promise.all(options.paths.filter((path) => path !== "-").map((path) => rootOf(path, options)));
  const ids: string[] = [];
  const kept = new Map<Root, number>();
  for await (const document of documents) {
    if (document.metadata["file.folder"] === undefined || options.seen.has(document.id)) continue;
    const absolute = resolve(options.cwd, document.source);
    const above = roots.filter((root) => isInside(absolute, root.absolute));
    if (above.length === 0) continue;
    if (!options.readWhole.has(absolute) && !(await options.files.isGone(document))) {
      if (await isIgnoredBelow(above, absolute, options.listed)) ids.push(document.id);
      continue;
    }
    const barred = above.find((root) => root.barred !== undefined);
    if (barred === undefined) ids.push(document.id);
    else kept.set(barred, (kept.get(barred) ?? 0) + 1);
  }
  const notPruned = [...kept].map(([{ path, barred }, count]) => ({ path, reason: barred!, documents: count }));
  return { ids, notPruned };
}

/** Whether a file that exists is hidden by ignore files below each of the paths above it. */
async function isIgnoredBelow(above: readonly Root[], absolute: string, listed: ReadonlySet<string>): Promise<boolean> {
  if (listed.has(absolute)) return false;
  for (const { ignored } of above) if (!(await ignored?.has(absolute))) return false;
  return lstat(absolute).then(
    (stats) => stats.isFile() || stats.isSymbolicLink(),
    () => false,
  );
}

async function rootOf(path: string, { cwd, listed }: PruneOptions): Promise<Root> {
  const absolute = resolve(cwd, path);
  const found = await stat(absolute).catch((error: NodeJS.ErrnoException) =>
    error.code === "ENOENT" ? "does not exist" : "cannot be read",
  );
  if (typeof found === "string") {
    if (isGlob(path))
      return {
        path,
        absolute: splitGlob(absolute, sep).folders || sep,
        barred: "is a pattern, not a folder",
        ignored: undefined,
      };
    return { path, absolute, barred: found, ignored: undefined };
  }
  const ignored = found.isDirectory() ? new IgnoredFiles(absolute) : undefined;
  for (const file of listed) if (isInside(file, absolute)) return { path, absolute, barred: undefined, ignored };
  return { path, absolute, barred: "has no file at all", ignored };
}

/** What the ignore files of a folder hide below it, by the rules of the listing (`walk.ts`). */
class IgnoredFiles {
  readonly #folder: string;
  /** By folder; undefined for a folder that is ignored itself. */
  readonly #rules = new Map<string, Promise<IgnoreRules | undefined>>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** @param file  absolute path below the folder */
  async has(file: string): Promise<boolean> {
    if (file === this.#folder) return false;
    const rules = await this.#rulesOf(dirname(file));
    return rules === undefined || isIgnored(rules, file, false);
  }

  #rulesOf(folder: string): Promise<IgnoreRules | undefined> {
    let rules = this.#rules.get(folder);
    if (rules === undefined) {
      rules = folder === this.#folder ? rulesForRoot(folder) : this.#rulesBelow(folder);
      this.#rules.set(folder, rules);
    }
    return rules;
  }

  async #rulesBelow(folder: string): Promise<IgnoreRules | undefined> {
    const above = await this.#rulesOf(dirname(folder));
    return above === undefined || isIgnored(above, folder, true) ? undefined : rulesIn(folder, above);
  }
}
