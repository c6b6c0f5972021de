/**
 * The folder that a site is published into. A new folder gets its name only when it is complete. An
 * existing site is changed in the order of a commit: new files, then the page, then the manifest;
 * unused files are removed last. A visitor sees either the old or the new version.
 */

import { readdir, readFile, rename, rm, rmdir, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { VerbatimError } from "../../../src/errors.js";
import { blobName } from "../../../src/publish/blob.js";
import { decodeSiteManifest, SITE_MANIFEST } from "../../../src/publish/site-manifest.js";
import { createFolder } from "../storage/create-folder.js";
import { storageError } from "../storage/storage-error.js";

const PAGE = "index.html";
const DATA = "data";
const BLOB_FILE = /^([0-9a-f]{16})\.bin$/;
/** Files of a page that are removed if a later version does not have them. Their names are hashes. */
const ASSET_FILE = /^assets\/[\w-][\w.-]*$/;
/** In the page of every site. */
const PAGE_MARK = 'content="verbatim publish"';

export class SiteFolder {
  readonly #place: string;
  /**
   * The folder that is written to: the site itself, or a temporary folder next to it that is
   * renamed at the end.
   */
  readonly #target: string;
  /** Whether the folder is there already, but without files. */
  readonly #wasEmpty: boolean;
  /** Files of the page of the site that was there before. */
  readonly #before: readonly string[];
  readonly #kept = new Set<string>();
  written = 0;
  writtenBytes = 0;
  unchanged = 0;

  private constructor(
    place: string,
    { target, before, wasEmpty }: { target: string; before: readonly string[]; wasEmpty: boolean },
  ) {
    this.#place = place;
    this.#target = target;
    this.#wasEmpty = wasEmpty;
    this.#before = before;
  }

  /**
   * @param options.force  allows a folder with other files, which stay unchanged
   * @param options.assets  files of the page, by name
   * @throws VerbatimError `invalid-argument` for a folder with other files, or with a file that the
   *   site would replace, and those of the file system
   */
  static async open(
    place: string,
    { force, assets }: { force: boolean; assets: ReadonlyMap<string, Uint8Array> },
  ): Promise<SiteFolder> {
    const there = await readdir(place).catch((error: NodeJS.ErrnoException): undefined => {
      if (error.code === "ENOENT") return undefined;
      throw siteError(error, "read", place);
    });
    const names = there ?? [];
    const isSite = names.includes(SITE_MANIFEST) && (await isSiteManifest(join(place, SITE_MANIFEST)));
    if (names.length > 0 && !isSite && !force) {
      throw new VerbatimError("invalid-argument", `${place} is not empty and not a published site.`, {
        where: place,
        hint: "Choose a new folder with --out, or add --force to keep the files in it and publish.",
      });
    }
    if (names.length > 0 && !isSite) await refuseReplacing(place, { names, assets });
    const before = isSite ? await assetsOf(join(place, SITE_MANIFEST)) : [];
    const target = there !== undefined ? place : join(dirname(place), `.${basename(place)}.publishing-${process.pid}`);
    await createFolder(join(target, DATA)).catch((error) => {
      throw siteError(error, "created", place);
    });
    return new SiteFolder(place, { target, before, wasEmpty: there?.length === 0 });
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
   * existing site. A file belongs to it if its manifest named the file, or if the file is a blob,
   * which is named after its content.
   */
  async finish(): Promise<void> {
    if (this.#target !== this.#place) {
      await rename(this.#target, this.#place);
      return;
    }
    for (const name of this.#before) {
      if (!this.#kept.has(name)) await rm(join(this.#place, name), { force: true });
    }
    for (const name of await readdir(join(this.#place, DATA))) {
      const blob = BLOB_FILE.exec(name)?.[1];
      if (blob === undefined || this.#kept.has(`${DATA}/${name}`)) continue;
      const path = join(this.#place, DATA, name);
      const bytes = await readFile(path).catch(() => undefined);
      if (bytes !== undefined && blobName(bytes) === blob) await rm(path);
    }
  }

  /** Removes a new folder, and what was written to an empty one. An existing site keeps its old version. */
  async abandon(): Promise<void> {
    if (this.#target !== this.#place) await rm(this.#target, { recursive: true, force: true });
    if (!this.#wasEmpty) return;
    const folders = new Set([DATA]);
    for (const name of this.#kept) {
      await rm(join(this.#place, name), { force: true });
      if (name.includes("/")) folders.add(dirname(name));
    }
    for (const folder of folders) await rmdir(join(this.#place, folder)).catch(() => {}); // others may use it by now
  }

  async #write(path: string, bytes: Uint8Array): Promise<void> {
    const temporary = `${path}.publishing`;
    try {
      await createFolder(dirname(path));
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

/** The hashed files of the page that a site's manifest names; none if it is damaged. */
async function assetsOf(path: string): Promise<string[]> {
  try {
    const { assets } = decodeSiteManifest(await readFile(path, "utf8"), path);
    return assets.filter((name) => ASSET_FILE.test(name));
  } catch {
    return [];
  }
}

/**
 * Files that an interrupted first publication left are ours: a page has a mark, and the other files
 * have the content that they will get.
 */
async function refuseReplacing(
  place: string,
  { names, assets }: { names: readonly string[]; assets: ReadonlyMap<string, Uint8Array> },
): Promise<void> {
  const replaced = names.includes(SITE_MANIFEST) ? [SITE_MANIFEST] : [];
  if (names.includes(PAGE) && !(await readFile(join(place, PAGE), "utf8").catch(() => "")).includes(PAGE_MARK)) {
    replaced.push(PAGE);
  }
  for (const [name, bytes] of assets) {
    const found = await readFile(join(place, name)).catch(() => undefined);
    if (found !== undefined && Buffer.compare(found, bytes) !== 0) replaced.push(name);
  }
  if (replaced.length === 0) return;
  throw new VerbatimError("invalid-argument", `Publishing would replace files in ${place}: ${replaced.join(", ")}.`, {
    found: replaced,
    where: place,
    hint: "Choose another folder with --out, or move these files away.",
  });
}
