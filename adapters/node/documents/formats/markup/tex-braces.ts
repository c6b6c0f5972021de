/** Which braces of LaTeX belong together. */

/** Braces, and what has braces that do not count: addresses, escaped characters and comments. */
const BRACES = /\\(?:url|href|nolinkurl|path)\{[^{}\n]*\}|\\[\s\S]|%[^\n]*|[{}]/g;
/** More open braces are not a text. */
const MAX_OPEN_BRACES = 100_000;

/** Offset of the brace that closes an open group; −1 if there is none. */
export function closingBrace(text: string): number {
  let open = 1;
  for (const { 0: brace, index } of text.matchAll(/\\.|[{}]/g)) {
    if (brace === "{") open++;
    else if (brace === "}" && --open === 0) return index;
  }
  return -1;
}

/** Offset of a mark outside of braces, such as the bracket that closes an argument; −1 if there is none. */
export function closingMark(text: string, mark: "]" | "}"): number {
  let open = 0;
  for (const { 0: unit, index } of text.matchAll(/\\.|[{}\]]/g)) {
    if (unit === mark && open === 0) return index;
    if (unit === "{") open++;
    else if (unit === "}") open--;
    if (open < 0) return -1;
  }
  return -1;
}

/** Offsets of the opening braces without a closing one. */
export function unclosedBraces(source: string): Set<number> {
  const open: number[] = [];
  for (const { 0: brace, index } of source.matchAll(BRACES)) {
    if (brace === "}") open.pop();
    else if (brace === "{" && open.length < MAX_OPEN_BRACES) open.push(index);
  }
  return new Set(open);
}
