/**
 * Output files of a measurement. Their folders are checked before it begins, since it may take
 * hours.
 */

import { stat, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { Option } from "commander";
import { VerbatimError } from "../../../../src/errors.js";
import { type Io, printLine } from "../../process-io.js";

export function reportOption(): Option {
  return new Option("--report <file>", "write one page (HTML) with plots, figures and the worst questions");
}

/** @throws VerbatimError `io-error` if the folder does not exist, or the path is a folder */
export async function requirePlaceFor(file: string | undefined, io: Io): Promise<void> {
  if (file === undefined) return;
  const path = resolve(io.cwd, file);
  const isFolder = async (of: string): Promise<boolean> =>
    (await stat(of).catch(() => undefined))?.isDirectory() === true;
  if ((await isFolder(dirname(path))) && !(await isFolder(path))) return;
  throw new VerbatimError("io-error", `${file} cannot be written.`, { hint: "Choose a file in an existing folder." });
}

export async function leaveFile(file: string | undefined, io: Io, content: () => string): Promise<void> {
  if (file === undefined) return;
  await writeFile(resolve(io.cwd, file), content());
  printLine(io.stderr, `Written: ${file}`);
}
