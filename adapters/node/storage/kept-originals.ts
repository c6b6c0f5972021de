/** The PDF files of documents that were uploaded, in a folder of the index, so that the page can show them. */

import { copyFile, link, open, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { documentKey } from "../../../src/index/format/content-hash.js";
import { createFolder } from "./create-folder.js";
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

interface Listing {
  /** When the folder last changed, in nanoseconds; undefined while there is none. */
  changedNs: bigint | undefined;
  /** By the part of the name that the document's id gives. */
  names: Map<string, Set<string>>;
  /** Total size of the files; undefined until it is needed. */
  bytes: number | undefined;
}

/**
 * A file is named after the id and the content of its document, so it never shows with another text. It is written
 * before its document is committed and removed after its document is: a crash leaves at most a file without a
 * document, which `keepOnly` removes.
 * The folder is listed again only after another program has changed it, so that a file costs the same however many
 * there are.
 */
export class KeptOriginals {
  readonly #folder: string;
  #listing: Listing | undefined;

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
      const listing = await this.#current();
      listing.bytes ??= await this.#bytesOf(listing);
      if (listing.bytes + size > maxBytes) return "full";
      await createFolder(this.#folder, 0o700);
      await copyFile(path, unfinished);
      const file = await open(unfinished, "r+");
      try {
        await file.chmod(0o600);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(unfinished, kept);
      addName(listing.names, nameOf(document));
      listing.bytes += size;
      listing.changedNs = await this.#changedNs();
      return "kept";
    } catch (error) {
      this.#listing = undefined;
      await rm(unfinished, { force: true }).catch(() => {});
      throw storageError(error, { doing: "written", path: kept });
    }
  }

  /** Removes the file of a version that was not committed. */
  async discard(document: DocumentVersion): Promise<void> {
    await this.#remove([nameOf(document)]);
  }

  /** Whether any document with one of these ids may have a file: a test that is cheap without files. */
  async finder(): Promise<(id: string) => boolean> {
    const { names } = await this.#current();
    return (id) => names.size > 0 && names.has(documentKey(id));
  }

  /**
   * Removes the files of documents.
   * @param except  versions that are in the index
   */
  async remove(ids: Iterable<string>, except: Iterable<DocumentVersion> = []): Promise<void> {
    const { names } = await this.#current();
    if (names.size === 0) return;
    const live = new Set(Array.from(except, nameOf));
    const gone = Array.from(ids, (id) => [...(names.get(documentKey(id)) ?? [])]).flat();
    await this.#remove(gone.filter((name) => !live.has(name)));
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
    await this.#remove(old.filter((name) => !live.has(name)));
  }

  /** Makes links to all files in another folder, or copies where that is not possible. */
  async copyTo(folder: string): Promise<void> {
    for (const name of await this.#names()) {
      if (!name.endsWith(".pdf")) continue;
      await createFolder(folder, 0o700);
      const [from, to] = [join(this.#folder, name), join(folder, name)];
      try {
        await link(from, to).catch((error: unknown) => (errno(error) === "EEXIST" ? undefined : copyFile(from, to)));
      } catch (error) {
        // removed meanwhile, with its document
        if (errno(error) !== "ENOENT") throw storageError(error, { doing: "written", path: to });
      }
    }
  }

  async #remove(names: readonly string[]): Promise<void> {
    if (names.length === 0) return;
    const listing = await this.#current();
    for (const name of names) {
      const path = join(this.#folder, name);
      try {
        const size = listing.bytes === undefined ? 0 : await sizeOf(path);
        await rm(path, { force: true });
        if (listing.bytes !== undefined) listing.bytes -= size;
      } catch (error) {
        this.#listing = undefined;
        throw storageError(error, { doing: "removed", path });
      }
      removeName(listing.names, name);
    }
    listing.changedNs = await this.#changedNs();
  }

  async #current(): Promise<Listing> {
    const changedNs = await this.#changedNs();
    if (this.#listing !== undefined && this.#listing.changedNs === changedNs) return this.#listing;
    const names = new Map<string, Set<string>>();
    for (const name of await this.#names()) addName(names, name);
    this.#listing = { changedNs, names, bytes: undefined };
    return this.#listing;
  }

  async #changedNs(): Promise<bigint | undefined> {
    return (await stat(this.#folder, { bigint: true }).catch(() => undefined))?.mtimeNs;
  }

  async #bytesOf({ names }: Listing): Promise<number> {
    let bytes = 0;
    for (const ofId of names.values()) for (const name of ofId) bytes += await sizeOf(join(this.#folder, name));
    return bytes;
  }

  /** Without symbolic links, so that a copy of the folder has no file from elsewhere. */
  async #names(): Promise<string[]> {
    try {
      const entries = await readdir(this.#folder, { withFileTypes: true });
      return entries.filter((entry) => entry.isFile() && NAME.test(entry.name)).map(({ name }) => name);
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

function addName(names: Listing["names"], name: string): void {
  const ofId = names.get(idPart(name));
  if (ofId === undefined) names.set(idPart(name), new Set([name]));
  else ofId.add(name);
}

function removeName(names: Listing["names"], name: string): void {
  const ofId = names.get(idPart(name));
  ofId?.delete(name);
  if (ofId?.size === 0) names.delete(idPart(name));
}

/** @returns 0 if the file is gone */
async function sizeOf(path: string): Promise<number> {
  return (await stat(path).catch(() => undefined))?.size ?? 0;
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}
