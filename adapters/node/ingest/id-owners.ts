/** Which file an id belongs to, so that a record cannot take the place of another file's document. */

import { resolve } from "node:path";
import { type IdSet, IdTable } from "../../../src/ingest/id-table.js";
import type { InputFile } from "../documents/input.js";
import { idOf } from "../documents/walk.js";
import type { KnownDocument } from "./known-documents.js";

/** A document of the index before the run. */
type StoredSource = Pick<KnownDocument, "source" | "metadata">;

export interface IdOwnersOptions {
  cwd: string;
  /** Absolute paths of all files of the run. */
  listed: ReadonlySet<string>;
  /** The index's document with an id. */
  stored: (id: string) => StoredSource | undefined | Promise<StoredSource | undefined>;
  /** Whether the file of a stored document certainly no longer exists. */
  isGone: (stored: StoredSource) => Promise<boolean>;
  /** Absolute paths of the files that were read completely in this run. */
  readWhole: ReadonlySet<string>;
}

export class IdOwners {
  readonly #options: IdOwnersOptions;
  /** By id: twice the number of its file, and 1 more if the id is in `seen`. */
  readonly #claimed = new IdTable();
  readonly #files: InputFile[] = [];

  /** A set of claimed ids, which takes no memory of its own. */
  readonly seen: IdSet = {
    has: (id) => ((this.#claimed.get(id) ?? 0) & 1) === 1,
    add: (id) => this.#claimed.set(id, (this.#claimed.get(id) ?? 0) | 1),
  };

  constructor(options: IdOwnersOptions) {
    this.#options = options;
  }

  /**
   * Claims an id for a file.
   * @returns the path of the file that the id belongs to, if that is another one: the document must be skipped
   */
  async claim(id: string, input: InputFile): Promise<string | undefined> {
    const owner = await this.#otherOwner(id, input);
    if (owner !== undefined) return owner;
    if (this.#files.at(-1) !== input) this.#files.push(input);
    if (this.#claimed.get(id) === undefined) this.#claimed.set(id, 2 * (this.#files.length - 1));
    return undefined;
  }

  async #otherOwner(id: string, input: InputFile): Promise<string | undefined> {
    const claimed = this.#claimed.get(id);
    const first = claimed === undefined ? undefined : this.#files[claimed >>> 1]!;
    if (first !== undefined && first !== input) return first.path;
    if (id === input.id) return undefined;
    const { cwd, listed, stored, isGone, readWhole } = this.#options;
    const named = resolve(cwd, id);
    if (named !== input.absolutePath && listed.has(named) && idOf(named, cwd) === id) return id;
    const known = await stored(id);
    if (known === undefined || known.metadata["file.folder"] === undefined) return undefined;
    const file = resolve(cwd, known.source);
    // A file that was read in this run and did not give the id any more has lost the record.
    if (file === input.absolutePath || readWhole.has(file) || (await isGone(known))) return undefined;
    return known.source;
  }
}
