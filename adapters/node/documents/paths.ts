/** Paths of files. */

import { isAbsolute, relative, sep } from "node:path";

/**
 * Whether a path is the folder itself or is in it, at any depth.
 * @param path, folder  absolute
 */
export function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}
