/** Which ids documents can get from callers, and which ones can be looked up. */

/** Longest id that a caller can give a document, in UTF-16 units. */
export const MAX_NEW_ID_UNITS = 512;
/**
 * Longest id that is looked up, in UTF-16 units. Ids from records and paths that the command line has indexed may be
 * longer than what a caller can give. A look-up compares the id with a list and never makes a path of it.
 */
export const MAX_ID_UNITS = 8192;

/**
 * Whether a caller may give a document this id: it can be written in a URL, and cannot be mistaken for the path of a
 * file outside the working folder, on any system.
 */
export function isNewId(id: string): boolean {
  if (id === "" || id.length > MAX_NEW_ID_UNITS || /[\p{Cc}\p{Cs}]/u.test(id)) return false;
  return !/^([/\\]|[a-z]:[/\\])/i.test(id) && !id.split(/[/\\]/).includes("..");
}
