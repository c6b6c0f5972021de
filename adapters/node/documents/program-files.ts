/** Names of files that programs leave in folders of documents for themselves. */

const NAMES: ReadonlySet<string> = new Set(["desktop.ini", "thumbs.db"]);

/**
 * Whether a file with this name is a lock file of an office program (`~$letter.docx`), a setting or cache of a file
 * manager (`desktop.ini`, `Thumbs.db`), or a link to a web page (`*.url`). Other such files have hidden names
 * (`.~lock.letter.odt#`, `.DS_Store`), which folders skip anyway.
 */
export function isProgramFile(fileName: string): boolean {
  const name = fileName.toLowerCase();
  return NAMES.has(name) || name.startsWith("~$") || name.endsWith(".url");
}
