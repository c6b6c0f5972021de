/** Creates folders that may exist. */

import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { errno } from "./storage-error.js";

/**
 * Creates a folder and those above it that are missing. Unlike `mkdir` with `recursive`, it ends
 * where the system refuses with ENOENT, as in /proc, and gives the mode to the folder alone.
 * @param mode  of the folder, if it is created
 * @throws what `mkdir` throws; EEXIST if there is something other than a folder
 */
export async function createFolder(path: string, mode?: number): Promise<void> {
  try {
    await mkdir(path, { mode });
  } catch (error) {
    if (await isFolder(path)) return;
    if (errno(error) !== "ENOENT" || (await isFolder(dirname(path)))) throw error;
    await createFolder(dirname(path));
    await createFolder(path, mode);
  }
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
