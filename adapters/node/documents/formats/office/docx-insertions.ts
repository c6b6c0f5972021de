/** Writes elements into the XML of Word documents. */

export interface Insertion {
  /** Offset in the source. */
  at: number;
  xml: string;
}

/** @param insertions  in the order of the source */
export function withInsertions(source: string, insertions: readonly Insertion[]): string {
  const pieces: string[] = [];
  let from = 0;
  for (const { at, xml } of insertions) {
    pieces.push(source.slice(from, at), xml);
    from = at;
  }
  pieces.push(source.slice(from));
  return pieces.join("");
}

/** Whether the innermost open elements are these. */
export function isAt(names: readonly string[], ...path: readonly string[]): boolean {
  return path.every((name, n) => names[names.length - path.length + n] === name);
}
