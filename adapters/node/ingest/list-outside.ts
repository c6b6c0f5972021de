/** Lists the files to index. */

import { resolve } from "node:path";
import { VerbatimError } from "../../../src/errors.js";
import type { InputFile, SkippedInput } from "../documents/input.js";
import { isInside } from "../documents/paths.js";
import { listInputs } from "../documents/walk.js";

/**
 * @param index  folder of the index
 * @throws VerbatimError `invalid-argument` if all paths are the folder of the index or in it, or if the caller, which
 *   may have no types, passed one string, whose characters would be paths
 */
export function requirePaths(paths: readonly string[], { index, cwd }: { index: string; cwd: string }): void {
  if (!Array.isArray(paths) || !paths.every((path) => typeof path === "string")) {
    throw new VerbatimError("invalid-argument", "The paths are not a list of strings.", {
      hint: 'For example ["docs"].',
    });
  }
  if (paths.length === 0 || !paths.every((path) => path !== "-" && isInside(resolve(cwd, path), index))) return;
  throw new VerbatimError("invalid-argument", "All paths are in the folder of the index itself.", {
    where: index,
    hint: "Choose another folder with --index.",
  });
}

/** The inputs, without those in the folder of the index itself (an unfinished first run leaves files there). */
export async function listOutside(
  index: string,
  paths: readonly string[],
  options: { cwd: string; signal: AbortSignal | undefined; onSkip: (skip: SkippedInput) => void },
): Promise<InputFile[]> {
  const inputs: InputFile[] = [];
  for await (const input of listInputs([...paths], options)) {
    if (!isInside(input.absolutePath, index)) inputs.push(input);
  }
  return inputs;
}
