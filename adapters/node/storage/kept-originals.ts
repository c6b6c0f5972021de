/** The PDF files of documents that were uploaded, in a folder of the index, so that the page can show them. */

import { copyFile, link, mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { documentKey } from "../../../src/index/format/content-hash.js";
import { errno, storageError } from "./storage-error.js";

/** A version of a document. */
export interface DocumentVersion {
  id: string;
  contentHash: string;
}

/** Names of files, and of files that are being written. */
const NAME = /^[0-9a-f]{32}-[0-9a-f]{32}\.pdf(\.[0-9]+\.new)?$/;
/** A younger file may belong to a document that is being committed, in milliseconds. */
const UNCOMMITTED_MS = 60 * 60 * 1000;

/**
 * A file is named after the id and the content of its document, so it never shows with another text. It is written
 * before its document is committed and removed after its document is: a crash leaves at most a file without a
 * document, which `keepOnly` removes.
 */
export class KeptOriginals {
  readonly #folder: string;

  /** @param folder  created for its owner only when the first file is kept */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Where the file of a document is, if it is kept. */
  pathOf(document: DocumentVersion): string {
    return join(this.#folder, nameOf(document));
  }

  /**
   * Copies a file and waits until it is on the disk.
   * @param options.maxBytes  limit on all files together
   * @returns "full" if it would exceed the limit; "known" if it is there already
   * @throws VerbatimError `out-of-space`, `permission-denied`, `io-error`
   */
  async keep(
    document: DocumentVersion,
    path: string,
    { maxBytes }: { maxBytes: number },
  ): Promise<"kept" | "known" | "full"> {
    const kept = this.pathOf(document);
    const unfinished = `${kept}.${process.pid}.new`;
    try {
      if (await exists(kept)) return "known";
      const { size } = await stat(path);
      if ((await this.#bytes()) + size > maxBytes) return "full";
      await mkdir(this.#folder, { recursive: true, mode: 0o700 });
      await copyFile(path, unfinished);
      const file = await open(unfinished, "r+");
      try {
        await file.chmod(0o600);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(unfinished, kept);
      return "kept";
    } catch (error) {
      await rm(unfinished, { force: true }).catch(() => {});
      throw storageError(error, { doing: "written", path: kept });
    }
  }

  /** Removes the file of a version that was not committed. */
  async discard(document: DocumentVersion): Promise<void> {
    await rm(this.pathOf(document), { force: true });
  }

  /** Whether any document with one of these ids may have a file: a test that is cheap without files. */
  async finder(): Promise<(id: string) => boolean> {
    const known = new Set((await this.#names()).map(idPart));
    return known.size === 0 ? () => false : (id) => known.has(documentKey(id));
  }

  /**
   * Removes the files of documents.
   * @param except  versions that are in the index
   */
  async remove(ids: Iterable<string>, except: Iterable<DocumentVersion> = []): Promise<void> {
    const names = await this.#names();
    if (names.length === 0) return;
    const gone = new Set(Array.from(ids, (id) => documentKey(id)));
    const live = new Set(Array.from(except, nameOf));
    for (const name of names) if (gone.has(idPart(name)) && !live.has(name)) await this.#remove(name);
  }

  /**
   * Removes the files without a document, and what was left by processes that were killed. Younger files stay,
   * because their documents may not be committed yet.
   * @param documents  all of the index; not read if there are no files
   */
  async keepOnly(
    documents: () => AsyncIterable<DocumentVersion>,
    { olderThanMs = UNCOMMITTED_MS }: { olderThanMs?: number } = {},
  ): Promise<void> {
    const old: string[] = [];
    for (const name of await this.#names()) {
      const stats = await stat(join(this.#folder, name)).catch(() => undefined);
      if (stats !== undefined && Date.now() - stats.mtimeMs >= olderThanMs) old.push(name);
    }
    if (old.length === 0) return;
    const live = new Set<string>();
    for await (const document of documents()) live.add(nameOf(document));
    for (const name of old) if (!live.has(name)) await this.#remove(name);
  }

  /** Makes links to all files in another folder, or copies where that is not possible. */
  async copyTo(folder: string): Promise<void> {
    for (const name of await this.#names()) {
      if (!name.endsWith(".pdf")) continue;
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const [from, to] = [join(this.#folder, name), join(folder, name)];
      try {
        await link(from, to).catch((error: unknown) => (errno(error) === "EEXIST" ? undefined : copyFile(from, to)));
      } catch (error) {
        // removed meanwhile, with its document
        if (errno(error) !== "ENOENT") throw storageError(error, { doing: "written", path: to });
      }
    }
  }

  async #remove(name: string): Promise<void> {
    const path = join(this.#folder, name);
    try {
      await rm(path, { force: true });
    } catch (error) {
      throw storageError(error, { doing: "removed", path });
    }
  }

  async #bytes(): Promise<number> {
    let bytes = 0;
    for (const name of await this.#names()) {
      bytes += (await stat(join(this.#folder, name)).catch(() => undefined))?.size ?? 0;
    }
    return bytes;
  }

  async #names(): Promise<string[]> {
    try {
      return (await readdir(this.#folder)).filter((name) => NAME.test(name));
    } catch (error) {
      if (errno(error) === "ENOENT") return [];
      throw storageError(error, { doing: "read", path: this.#folder });
    }
  }
}

function nameOf({ id, contentHash }: DocumentVersion): string {
  return `${documentKey(id)}-${contentHash}.pdf`;
}

/** The part of a file's name that its document's id gives. */
function idPart(name: string): string {
  return name.slice(0, 32);
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}
