/** Reads a token file, and refuses one that other users could read or change. */

import { open } from "node:fs/promises";
import { VerbatimError } from "../../../src/errors.js";
import { Tokens } from "./tokens.js";

/**
 * Read, write or execute for other users, or write for the group. Reading by the group is how
 * service accounts share a secret.
 */
const TOO_OPEN = 0o027;

/**
 * @param path  absolute path
 * @throws VerbatimError `permission-denied` (too open), `invalid-argument` (as `Tokens.parse`), and
 *   what the file system throws
 */
export async function readTokenFile(path: string): Promise<Tokens> {
  return Tokens.parse(await readPrivate(path));
}

async function readPrivate(path: string): Promise<string> {
  const handle = await open(path, "r");
  try {
    // of the open file, which cannot be exchanged after the check
    const stats = await handle.stat();
    if (process.platform !== "win32" && stats.isFile() && (stats.mode & TOO_OPEN) !== 0)
      throw tooOpen(path, stats.mode);
    return await handle.readFile("utf8");
  } finally {
    await handle.close();
  }
}

function tooOpen(path: string, mode: number): VerbatimError {
  return new VerbatimError("permission-denied", `Other users can read or change the token file ${path}.`, {
    where: path,
    found: (mode & 0o777).toString(8).padStart(4, "0"),
    hint: `Run: chmod 600 ${path}`,
  });
}
