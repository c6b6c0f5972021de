/** The folder of the index that a command works on. */

import { resolve } from "node:path";
import type { Io } from "./process-io.js";

/**
 * Resolves the folder of an index.
 * @param index  the folder as the user wrote it
 * @param options.needsManifest  false for commands that can do without a manifest; default true
 * @throws VerbatimError `index-missing`, with the folder as the user wrote it; `corrupt-manifest` if
 *   there are segments without a manifest, unless `needsManifest` is false
 */
export async function indexFolder(
  index: string,
  { cwd }: Pick<Io, "cwd">,
  { needsManifest = true }: { needsManifest?: boolean } = {},
): Promise<string> {
  const { requireIndex, requireIndexFiles } = await import("../node/index-info.js");
  const path = resolve(cwd, index);
  await (needsManifest ? requireIndex(path, index) : requireIndexFiles(path, index));
  return path;
}
