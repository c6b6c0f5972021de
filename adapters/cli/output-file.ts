/** Output files of a long command, whose folders are checked before it begins. */

import type { Stats } from "node:fs";
import { stat, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { VerbatimError } from "../../src/errors.js";
import { type Io, printLine } from "./process-io.js";

/**
 * Checks that an output file can be written; does nothing if there is none.
 * @param inputs  files that the command reads, which the output must not replace
 * @throws VerbatimError `io-error` if the folder does not exist, or the path is a folder,
 *   `invalid-argument` if it is one of the inputs
 */
export async function requirePlaceFor(file: string | undefined, inputs: readonly string[], io: Io): Promise<void> {
  if (file === undefined) return;
  const statsOf = (path: string): Promise<Stats | undefined> => stat(resolve(io.cwd, path)).catch(() => undefined);
  const there = await statsOf(file);
  const parent = await statsOf(dirname(resolve(io.cwd, file)));
  if (parent?.isDirectory() !== true || there?.isDirectory() === true) {
    throw new VerbatimError("io-error", `${file} cannot be written.`, { hint: "Choose a file in an existing folder." });
  }
  for (const input of inputs) {
    const read = await statsOf(input);
    if (there === undefined || read?.ino !== there.ino || read.dev !== there.dev) continue;
    throw new VerbatimError("invalid-argument", `${file} would replace ${input}, which the command reads.`, {
      hint: "Choose another file.",
    });
  }
}

/** Writes an output file and says so on standard error; does nothing if there is none. */
export async function writeOutput(file: string | undefined, io: Io, content: () => string): Promise<void> {
  if (file === undefined) return;
  await writeFile(resolve(io.cwd, file), content());
  printLine(io.stderr, `Written: ${file}`);
}
