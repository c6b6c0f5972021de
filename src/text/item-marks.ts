/** Marks that items of lists and numbered clauses begin with: "•", "3.", "7.3", "(b)", "第一条". */

const BULLET = /^[*+•‣◦▪·●○■□☐☑➢✓]\s/u;
/** Has no other meaning. */
const ONLY_BULLET = /^[•‣◦▪●○■□☐☑➢✓]$/u;
/** Also signs: "- 18 degrees". */
const DASH = /^(?:[-–—]|>+)\s/u;
const NUMBER = /^(?:\d{1,3}[.)]|[a-zA-Z][)]|[ivx]{2,5}[.)]|\([a-zA-Z0-9]{1,3}\))\s/u;
const CHINESE =
  /^(?:[①-⑳・]|\d{1,3}[、．]|[一二三四五六七八九十]{1,3}、|[（(][一二三四五六七八九十\d]{1,3}[）)]|第[一二三四五六七八九十百\d]{1,5}[条條章节節])/u;
/** "7.3 The tenant", but not "7.3 million". */
const CLAUSE = /^\d{1,3}(?:\.\d{1,3}){1,4}[.)]?(?=\s+\p{Lu})/u;
/** "a. the deposit", but not the abbreviations "z. B." and "p. 7". */
const LETTER = /^[a-z]\.(?=\s+(?!\p{L}\.|\d))/u;

/** The end of a sentence or of what announces a list. */
const ENDS_SENTENCE = /[.:;!?。；：！？]["'”’»)\]]*$/u;
/** A line with fewer columns was not wrapped. */
const SHORT_LINE = 40;
/** How many lines before and after a mark are searched for others of its kind. */
const NEAR_LINES = 20;
const MAX_MARK_UNITS = 24;

/**
 * Whether a line begins an item of a list, or a numbered clause.
 * @param before  the line before it, which must have ended there; "" at the beginning or after a blank line
 */
export function beginsItem(line: string, before: string): boolean {
  if (BULLET.test(line) || DASH.test(line) || NUMBER.test(line) || CHINESE.test(line)) return true;
  return (CLAUSE.test(line) || LETTER.test(line)) && mayEndBefore(before);
}

/** The kind of a line's mark, equal for all items of one list; undefined for a line without. */
export function markKind(line: string): string | undefined {
  const mark = markOf(line);
  return mark && kindOf(mark);
}

function kindOf(mark: string): string {
  if (!/[\p{L}\p{N}]/u.test(mark)) return mark;
  const kind = mark.replace(/\d{1,3}(?=\D{0,3}$)/u, "1"); // "7.3" and "7.4", but not "8.1"
  return kind === mark ? kind.replace(/[a-z]+/u, "a").replace(/[一二三四五六七八九十百]+/u, "一") : kind;
}

/**
 * The text with spaces instead of the marks of lists: every other character keeps its offset. Only marks
 * of two or more items of one kind count, and bullets: "on⏎3. May" is a date. O(text)
 */
export function blankMarks(text: string): string {
  const lines = itemsOf(text);
  let blanked = "";
  let from = 0;
  for (const [n, { start, length, line, kind }] of lines.entries()) {
    const isNear = (other: (typeof lines)[number] | undefined): boolean =>
      other !== undefined && other.kind === kind && Math.abs(other.line - line) <= NEAR_LINES;
    if (!ONLY_BULLET.test(kind) && !isNear(lines[n - 1]) && !isNear(lines[n + 1])) continue;
    blanked += text.slice(from, start) + " ".repeat(length);
    from = start + length;
  }
  return from === 0 ? text : blanked + text.slice(from);
}

/** Lines with a mark that are not the rest of a sentence. */
function itemsOf(text: string): Array<{ start: number; length: number; line: number; kind: string }> {
  const items: Array<{ start: number; length: number; line: number; kind: string }> = [];
  let before = "";
  let isAfterItem = false;
  let number = 0;
  for (let at = 0; at < text.length; number++) {
    const newline = text.indexOf("\n", at);
    const end = newline < 0 ? text.length : newline;
    const line = text.slice(at, end);
    const shown = line.trim();
    const start = at + line.length - line.trimStart().length;
    const mark = markOf(shown.slice(0, 2 * MAX_MARK_UNITS));
    if (mark !== undefined && (isAfterItem || mayEndBefore(before)))
      items.push({ start, length: mark.length, line: number, kind: kindOf(mark) });
    before = shown;
    isAfterItem = mark !== undefined;
    at = end + 1;
  }
  return items;
}

function markOf(line: string): string | undefined {
  for (const pattern of [BULLET, NUMBER, CLAUSE, LETTER, CHINESE]) {
    const mark = pattern.exec(line)?.[0].trimEnd();
    if (mark !== undefined) return mark;
  }
  return undefined;
}

/** Whether a sentence or heading may end with this line. */
function mayEndBefore(line: string): boolean {
  return line === "" || ENDS_SENTENCE.test(line) || (line.length < SHORT_LINE && !/[,，、]$/u.test(line));
}
