/**
 * The folder that a site is published into. A new one appears whole, under its name, at the end. One that is published again changes in the order of a
 * commit: first what is new, then the page, then the manifest, at last what nobody names any more goes; a visitor sees the one version or the other.
 */

import { mkdir, readdir, readFile, rename, rm, rmdir, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { VerbatimError } from "../../../src/errors.js";
import { blobName } from "../../../src/publish/blob.js";
import { SITE_MANIFEST } from "../../../src/publish/site-manifest.js";
import { storageError } from "../storage/storage-error.js";

const DATA = "data";
const BLOB_FILE = /^[0-9a-f]{16}\.bin$/;
/** Names that the page's build gives to hashed files. */
const ASSET_FILE = /-[\w-]{8}\.(js|css)$/;

export class SiteFolder {
  readonly #place: string;
  /** Where is written: the place itself, or a folder beside it that takes the place at the end. */
  readonly #target: string;
  readonly #kept = new Set<string>();
  written = 0;
  writtenBytes = 0;
  unchanged = 0;

  private constructor(place: string, target: string) {
    this.#place = place;
    this.#target = target;
  }

  /**
   * @param force  also into a folder that holds something else: what lies there stays, unless the site has a file of that name
   * @throws VerbatimError `invalid-argument` for a folder that holds something else, and of the file system
   */
  static async open(place: string, force: boolean): Promise<SiteFolder> {
    const names = await readdir(place).catch((error: NodeJS.ErrnoException): string[] => {
      if (error.code === "ENOENT") return [];
      throw told(error, "read", place);
    });
    const isSite = names.includes(SITE_MANIFEST) && (await isSiteManifest(join(place, SITE_MANIFEST)));
    if (names.length > 0 && !isSite && !force) {
      throw new VerbatimError("invalid-argument", `${place} is not empty, and no published site.`, {
        where: place,
        hint: "Name a new folder with --out, or publish beside what lies there with --force.",
      });
    }
    const target = names.length > 0 ? place : join(dirname(place), `.${basename(place)}.publishing-${process.pid}`);
    await mkdir(join(target, DATA), { recursive: true }).catch((error) => {
      throw told(error, "made", place);
    });
    return new SiteFolder(place, target);
  }

  /** Keeps bytes under their name; what is there already is left alone. @returns the name */
  readonly put = async (bytes: Uint8Array): Promise<string> => {
    const name = blobName(bytes);
    await this.replace(`${DATA}/${name}.bin`, bytes);
    return name;
  };

  /** Writes a file in one step, over an older one of its name; one that is the same already is left alone. */
  async replace(name: string, bytes: Uint8Array): Promise<void> {
    if (this.#kept.has(name)) return;
    this.#kept.add(name);
    const path = join(this.#target, name);
    const before = await readFile(path).catch(() => undefined);
    if (before !== undefined && Buffer.compare(before, bytes) === 0) this.unchanged++;
    else await this.#write(path, bytes);
  }

  /** Everything was written: a new folder takes its place; in an old one the files that nobody names any more go. */
  async finish(): Promise<void> {
    if (this.#target !== this.#place) {
      await rmdir(this.#place).catch(() => {}); // an empty one
      await rename(this.#target, this.#place);
      return;
    }
    for (const folder of [DATA, "assets"]) {
      for (const name of await readdir(join(this.#place, folder)).catch((): string[] => [])) {
        const isOwn = folder === DATA ? BLOB_FILE.test(name) : ASSET_FILE.test(name);
        if (isOwn && !this.#kept.has(`${folder}/${name}`)) await rm(join(this.#place, folder, name));
      }
    }
  }

  /** Takes a new folder away; what was published before goes on as it was. */
  async abandon(): Promise<void> {
    if (this.#target !== this.#place) await rm(this.#target, { recursive: true, force: true });
  }

  async #write(path: string, bytes: Uint8Array): Promise<void> {
    const temporary = `${path}.publishing`;
    try {
      await mkdir(dirname(path), { recursive: true });
      await writeFile(temporary, bytes);
      await rename(temporary, path);
    } catch (error) {
      await rm(temporary, { force: true });
      throw told(error, "written", path);
    }
    this.written++;
    this.writtenBytes += bytes.length;
  }
}

/** The hints of the index's folder, said of this one. */
function told(error: unknown, doing: string, path: string): VerbatimError {
  const { code, message, hint } = storageError(error, { doing, path });
  return new VerbatimError(code, message, { hint: hint?.replaceAll("--index", "--out"), where: path, cause: error });
}

async function isSiteManifest(path: string): Promise<boolean> {
  const text = await readFile(path, "utf8").catch(() => "");
  return /^\{\s*"format": "verbatim-site"/.test(text);
}
