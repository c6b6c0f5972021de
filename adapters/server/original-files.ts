/** The files that indexed documents came from, as far as they may be shown. */

import { constants } from "node:fs";
import { type FileHandle, open, realpath } from "node:fs/promises";
import { resolve } from "node:path";
import { isInside } from "../node/documents/paths.js";
import type { DocumentVersion, KeptOriginals } from "../node/storage/kept-originals.js";
import type { DocumentOrigin } from "./document-store.js";

export interface OriginalFile {
  file: FileHandle;
  bytes: number;
  mtimeMs: number;
  /** Absolute, without symbolic links. */
  path: string;
}

export class OriginalFiles {
  readonly #cwd: string;
  readonly #roots: Promise<string[]>;
  readonly #uploads: KeptOriginals | undefined;

  /**
   * @param paths  served files and folders; files outside of these and of `cwd` are never opened
   * @param cwd  folder that the sources of documents are relative to
   * @param options.uploads  the files of documents that were uploaded
   */
  constructor(paths: readonly string[], cwd: string, { uploads }: { uploads?: KeptOriginals } = {}) {
    this.#cwd = cwd;
    this.#uploads = uploads;
    const roots = [...paths.map((path) => resolve(cwd, path)), cwd];
    this.#roots = Promise.all(roots.map((root) => realpath(root).catch(() => root)));
  }

  /**
   * Opens the file that a document came from, or that was uploaded; the caller closes it.
   * @returns undefined if it is missing, not a regular file, or outside of the served folders, also
   *   by way of a symbolic link
   */
  open(origin: Pick<DocumentOrigin, "id" | "contentHash" | "source" | "isFile">): Promise<OriginalFile | undefined> {
    return origin.isFile ? this.#openSource(origin.source) : this.#openUpload(origin);
  }

  /** @param source  as the index stores it */
  async #openSource(source: string): Promise<OriginalFile | undefined> {
    const path = await realpath(resolve(this.#cwd, source)).catch(() => undefined);
    if (path === undefined) return undefined;
    const roots = await this.#roots;
    if (!roots.some((root) => isInside(path, root))) return undefined;
    return openRegular(path);
  }

  async #openUpload(document: DocumentVersion): Promise<OriginalFile | undefined> {
    return this.#uploads && openRegular(this.#uploads.pathOf(document));
  }
}

async function openRegular(path: string): Promise<OriginalFile | undefined> {
  // Windows has neither flag. O_NONBLOCK: opening a named pipe must not wait for a writer.
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
  const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(() => undefined);
  if (file === undefined) return undefined;
  const stats = await file.stat();
  if (stats.isFile()) return { file, bytes: stats.size, mtimeMs: stats.mtimeMs, path };
  await file.close();
  return undefined;
}
