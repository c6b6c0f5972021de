/** Writes what a measurement is told to leave in a file; asked for before it begins, since it may take hours. */

import { stat, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { Option } from "commander";
import { VerbatimError } from "../../../../src/errors.js";
import { type Io, printLine } from "../../process-io.js";

export function reportOption(): Option {
  return new Option("--report <file>", "write one page (HTML) with plots, figures and the worst questions");
}

/** @throws VerbatimError `io-error` for a file in a folder that is not there, or a folder in the file's place */
export async function requirePlaceFor(file: string | undefined, io: Io): Promise<void> {
  if (file === undefined) return;
  const path = resolve(io.cwd, file);
  const isFolder = async (of: string): Promise<boolean> =>
    (await stat(of).catch(() => undefined))?.isDirectory() === true;
  if ((await isFolder(dirname(path))) && !(await isFolder(path))) return;
  throw new VerbatimError("io-error", `${file} cannot be written.`, { hint: "Name a file in a folder that is there." });
}

export async function leaveFile(file: string | undefined, io: Io, content: () => string): Promise<void> {
  if (file === undefined) return;
  await writeFile(resolve(io.cwd, file), content());
  printLine(io.stderr, `Written: ${file}`);
}
