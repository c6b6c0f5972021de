/** Ids and sources of documents as callers see them: without the paths above the served folders. */

import { createHash } from "node:crypto";
import { basename, isAbsolute, resolve, sep } from "node:path";
import type { MetadataValue } from "../../../src/types.js";

export class PathRedactor {
  readonly #roots: readonly string[];

  /** @param roots  absolute paths that are served */
  constructor(roots: readonly string[]) {
    this.#roots = roots.map((root) => resolve(root)).sort((a, b) => b.length - a.length);
  }

  /**
   * A relative name does not change. An absolute path below a root becomes "name of the root/rest".
   * Any other path keeps only its last part, after a hash that distinguishes equal ones.
   */
  redact(name: string): string {
    if (!isAbsolute(name) && !/^[a-z]:[\\/]/i.test(name)) return name;
    for (const root of this.#roots) {
      if (name === root) return basename(root);
      const prefix = root.endsWith(sep) ? root : root + sep;
      if (name.startsWith(prefix))
        return `${basename(root) || "root"}/${name.slice(prefix.length).split(sep).join("/")}`;
    }
    const hash = createHash("sha256").update(name).digest("hex").slice(0, 8);
    return `elsewhere/${hash}/${basename(name)}`;
  }

  /** The fields of a document, of which `file.folder` is a path. */
  redactMetadata(metadata: Readonly<Record<string, MetadataValue>>): Record<string, MetadataValue> {
    const folder = metadata["file.folder"];
    return typeof folder === "string" ? { ...metadata, "file.folder": this.redact(folder) } : { ...metadata };
  }
}
