/** Ids and sources of documents as callers see them: without the paths above the served folders. */

import { createHash } from "node:crypto";
import { basename, isAbsolute, resolve, sep } from "node:path";
import type { MetadataValue } from "../../../src/types.js";
import { contains, nameFolders } from "./folder-names.js";

/** First part of the public ids of files that are in no served folder. */
const ELSEWHERE = "elsewhere";
/** Begins the public id of a document whose own id could be taken for the public id of another one. */
const HERE = "./";
/** 64 bits: names of files such as README.md repeat by the hundred thousand. */
const HASH_DIGITS = 16;

interface NamedFolder {
  path: string;
  /** What callers see in place of the path. */
  name: string;
}

export class PathRedactor {
  readonly #cwd: string;
  /** The working folder, then served paths outside of it, none of which is in another one. */
  readonly #folders: readonly NamedFolder[];

  /**
   * @param served  absolute paths that are served
   * @param options.cwd  folder that relative ids and sources are relative to. Default: the working
   *   folder of the process
   */
  constructor(served: readonly string[], { cwd = process.cwd() }: { cwd?: string } = {}) {
    this.#cwd = slashed(resolve(cwd));
    const paths = [...new Set(served.map((path) => slashed(resolve(cwd, path))))];
    const inside = paths.filter((path) => contains(this.#cwd, path)).map((path) => below(this.#cwd, path));
    const outside = paths.filter((path) => !contains(this.#cwd, path));
    const outermost = outside.filter((path) => !outside.some((other) => other !== path && contains(other, path)));
    const named = nameFolders(outermost, { taken: [ELSEWHERE, ...inside.filter((path) => path !== "")] });
    // Its files have relative ids, unless the index was made in another folder.
    const here = basename(this.#cwd) === "" ? [] : [{ path: this.#cwd, name: `${ELSEWHERE}/${basename(this.#cwd)}` }];
    this.#folders = [...here, ...named];
  }

  /**
   * The public id of a document, or the public name of its folder. Different ids have different
   * public ids, which depend on the served paths only.
   *   relative             → unchanged; "./id" if it begins like a public id of the other kinds
   *   in a served folder   → "name of the folder/rest"
   *   any other path       → "elsewhere/hash/last part"
   */
  redact(id: string): string {
    if (leadsUp(id)) return unplaced(id);
    const path = slashed(id);
    if (!isAbsolutePath(id)) return this.#isTaken(path) ? HERE + id : id;
    const folder = this.#folders.find((each) => contains(each.path, path));
    if (folder === undefined) return unplaced(id);
    return path === folder.path ? folder.name : `${folder.name}/${below(folder.path, path)}`;
  }

  /** A source as callers see it: for a file, the same as its public id wherever possible. */
  redactSource(source: string): string {
    if (/^[a-z][a-z\d+.-]+:\/\//i.test(source) || !(isAbsolutePath(source) || leadsUp(source))) return source;
    if (isAbsolutePath(source) && !isAbsolute(source)) return this.redact(source);
    const path = slashed(resolve(this.#cwd, source));
    return contains(this.#cwd, path) ? below(this.#cwd, path) || "." : this.redact(path);
  }

  /** The fields of a document, of which `file.folder` is a path. */
  redactMetadata(metadata: Readonly<Record<string, MetadataValue>>): Record<string, MetadataValue> {
    const folder = metadata["file.folder"];
    return typeof folder === "string" ? { ...metadata, "file.folder": this.redact(folder) } : { ...metadata };
  }

  /** Whether a relative path begins like the public id of an absolute one. */
  #isTaken(path: string): boolean {
    if (path.startsWith(HERE) || path.startsWith(`${ELSEWHERE}/`)) return true;
    return this.#folders.some(({ name }) => contains(name, path));
  }
}

function unplaced(path: string): string {
  const hash = createHash("sha256").update(path).digest("hex").slice(0, HASH_DIGITS);
  const last = path.split(/[/\\]/).findLast((part) => part !== "" && part !== "..") ?? "";
  return `${ELSEWHERE}/${hash}/${last}`;
}

const slashed = (path: string): string => (sep === "/" ? path : path.split(sep).join("/"));

/** Also for a path of Windows that was indexed there. */
const isAbsolutePath = (name: string): boolean => isAbsolute(name) || /^[a-z]:[\\/]/i.test(name);

const leadsUp = (name: string): boolean => name.includes("..") && name.split(/[/\\]/).includes("..");

/** The part of a path below a folder that contains it; "" for the folder itself. */
function below(folder: string, path: string): string {
  return path.slice(folder.endsWith("/") ? folder.length : folder.length + 1);
}
