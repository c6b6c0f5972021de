/** Marks that begin on one line and end on the next: the rest of what is marked is moved to the first line. */

import { MAX_MARKED_UNITS } from "./markup-writer.js";

/** What ends a mark that a line leaves open; undefined if it leaves none open. */
type OpenMark = (line: string) => RegExp | undefined;

/**
 * Completes line `i`, if the next line of its paragraph ends what it leaves open. Lines are read without knowing their
 * neighbours, so the few moved words have the place of the line above.
 * @param lines  changed in place
 * @returns how many lines are read now: 2 if nothing is left of the next one, else 1
 */
export function completeLine(lines: string[], i: number, openMark: OpenMark): 1 | 2 {
  const line = lines[i]!;
  const next = lines[i + 1]?.trim() ?? "";
  if (next === "" || line.length + next.length > MAX_MARKED_UNITS) return 1;
  const end = openMark(line)?.exec(next);
  if (end === undefined || end === null) return 1;
  let from = end.index + end[0].length;
  while (".,;:!?)".includes(next[from] ?? " ")) from++;
  lines[i] = `${line.trimEnd()} ${next.slice(0, from)}`;
  const rest = next.slice(from).trimStart();
  if (rest === "") return 2;
  lines[i + 1] = rest;
  return 1;
}
