/** Short names for folders that cannot be mistaken for each other. */

/** Stands for the top of the file system in the name of a folder. */
const TOP = "root";

/**
 * Names each folder by the last part of its path, or by as many parts as it takes for no name to be
 * equal to another one or to begin with it.
 * @param paths  absolute, with forward slashes; none contains another
 * @param options.taken  other names, which are avoided as far as the paths have parts for it
 */
export function nameFolders(
  paths: readonly string[],
  { taken }: { taken: readonly string[] },
): { path: string; name: string }[] {
  const folders = paths.map((path) => ({
    path,
    parts: [TOP, ...path.split("/").filter((part) => part !== "")],
    count: 1,
  }));
  const nameOf = ({ parts, count }: (typeof folders)[number]): string => parts.slice(-count).join("/");
  for (;;) {
    const ambiguous = folders.filter((folder) => {
      const others = [...taken, ...folders.filter((other) => other !== folder).map(nameOf)];
      const name = nameOf(folder);
      return (
        folder.count < folder.parts.length && others.some((other) => contains(other, name) || contains(name, other))
      );
    });
    if (ambiguous.length === 0) return folders.map((folder) => ({ path: folder.path, name: nameOf(folder) }));
    for (const folder of ambiguous) folder.count++;
  }
}

/** Whether `path`, with forward slashes, is the folder itself or is in it. */
export function contains(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
}
