/**
 * The folder that a site is published into. A new folder gets its name only when it is complete. An
 * existing site is changed in the order of a commit: new files, then the page, then the manifest;
 * unused files are removed last. A visitor sees either the old or the new version.
 */

import { mkdir, readdir, readFile, rename, rm, rmdir, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { VerbatimError } from "../../../src/errors.js";
import { blobName } from "../../../src/publish/blob.js";
import { SITE_MANIFEST } from "../../../src/publish/site-manifest.js";
import { storageError } from "../storage/storage-error.js";

const DATA = "data";
const BLOB_FILE = /^[0-9a-f]{16}\.bin$/;
/** Names of hashed files of the page. */
const ASSET_FILE = /-[\w-]{8}\.(js|css)$/;

export class SiteFolder {
  readonly #place: string;
  /**
   * The folder that is written to: the site itself, or a temporary folder next to it that is
   * renamed at the end.
   */
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
   * @param force  allows a folder with other files, which stay unless the site has a file of the
   *   same name
   * @throws VerbatimError `invalid-argument` for a folder with other files, and those of the file
   *   system
   */
  static async open(place: string, force: boolean): Promise<SiteFolder> {
    const names = await readdir(place).catch((error: NodeJS.ErrnoException): string[] => {
      if (error.code === "ENOENT") return [];
      throw siteError(error, "read", place);
    });
    const isSite = names.includes(SITE_MANIFEST) && (await isSiteManifest(join(place, SITE_MANIFEST)));
    if (names.length > 0 && !isSite && !force) {
      throw new VerbatimError("invalid-argument", `${place} is not empty and not a published site.`, {
        where: place,
        hint: "Choose a new folder with --out, or add --force to keep the files in it and publish.",
      });
    }
    const target = names.length > 0 ? place : join(dirname(place), `.${basename(place)}.publishing-${process.pid}`);
    await mkdir(join(target, DATA), { recursive: true }).catch((error) => {
      throw siteError(error, "created", place);
    });
    return new SiteFolder(place, target);
  }

  /** Stores a blob unless it is there already. @returns its name */
  readonly put = async (bytes: Uint8Array): Promise<string> => {
    const name = blobName(bytes);
    await this.replace(`${DATA}/${name}.bin`, bytes);
    return name;
  };

  /** Writes a file in one step, replacing an older one, unless it has the same content already. */
  async replace(name: string, bytes: Uint8Array): Promise<void> {
    if (this.#kept.has(name)) return;
    this.#kept.add(name);
    const path = join(this.#target, name);
    const before = await readFile(path).catch(() => undefined);
    if (before !== undefined && Buffer.compare(before, bytes) === 0) this.unchanged++;
    else await this.#write(path, bytes);
  }

  /**
   * Call when everything is written: renames a new folder, or removes the unused files of an
   * existing site.
   */
  async finish(): Promise<void> {
    if (this.#target !== this.#place) {
      await rmdir(this.#place).catch(() => {}); // succeeds only for an empty folder
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

  /** Removes a new folder. An existing site keeps its old version. */
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
      throw siteError(error, "written", path);
    }
    this.written++;
    this.writtenBytes += bytes.length;
  }
}

/** A storage error whose hint names --out instead of --index. */
function siteError(error: unknown, doing: string, path: string): VerbatimError {
  const { code, message, hint } = storageError(error, { doing, path });
  return new VerbatimError(code, message, { hint: hint?.replaceAll("--index", "--out"), where: path, cause: error });
}

async function isSiteManifest(path: string): Promise<boolean> {
  const text = await readFile(path, "utf8").catch(() => "");
  return /^\{\s*"format": "verbatim-site"/.test(text);
}
