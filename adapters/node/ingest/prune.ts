/** Which documents of an index have certainly lost their files, below the paths that the user named. */

import { stat } from "node:fs/promises";
import { resolve, sep } from "node:path";
import { isGlob } from "../documents/globs.js";
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
}

interface PruneOptions {
  cwd: string;
  /** As the user gave them. */
  paths: readonly string[];
  /** Absolute paths of all files that these paths gave. */
  listed: ReadonlySet<string>;
  /** Absolute paths of files that were read to their end in this run with nothing skipped. */
  readWhole: ReadonlySet<string>;
  /** Ids of the documents that the files gave in this run. */
  seen: Pick<ReadonlySet<string>, "has">;
  files: MissingFiles;
}

/**
 * A document is removed if its source is below a path that could be read, and its file certainly no longer exists or was
 * read completely without giving it (a line removed from a JSONL file). Nothing is removed below a path that cannot be read
 * or has no file at all (a disk that is not mounted is an empty folder).
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
    const above = roots.filter((root) => isBelow(absolute, root.absolute));
    if (above.length === 0) continue;
    if (!options.readWhole.has(absolute) && !(await options.files.isGone(document))) continue;
    const barred = above.find((root) => root.barred !== undefined);
    if (barred === undefined) ids.push(document.id);
    else kept.set(barred, (kept.get(barred) ?? 0) + 1);
  }
  const notPruned = [...kept].map(([{ path, barred }, count]) => ({ path, reason: barred!, documents: count }));
  return { ids, notPruned };
}

async function rootOf(path: string, { cwd, listed }: PruneOptions): Promise<Root> {
  const absolute = resolve(cwd, path);
  const problem = await stat(absolute).then(
    () => undefined,
    (error: NodeJS.ErrnoException) => (error.code === "ENOENT" ? "does not exist" : "cannot be read"),
  );
  if (problem !== undefined) {
    if (isGlob(path)) return { path, absolute: globBase(absolute), barred: "is a pattern, not a folder" };
    return { path, absolute, barred: problem };
  }
  for (const file of listed) if (isBelow(file, absolute)) return { path, absolute, barred: undefined };
  return { path, absolute, barred: "has no file at all" };
}

/** The folders before the first part with a glob character. */
function globBase(absolute: string): string {
  const parts = absolute.split(sep);
  const first = parts.findIndex((part) => isGlob(part));
  return parts.slice(0, first === -1 ? parts.length : first).join(sep) || sep;
}

function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}
