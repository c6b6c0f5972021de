/** Page numbers in the lines at the edges of pages, and which of these lines are not part of the text. Pure. */

/** A line with a number that may be the page's. */
export interface NumberedLine {
  number: number;
  /**
   * "plain": a page number and nothing else ("3", "- iv -", "Page 3 of 12"); "named": with a word for "page", and other
   * text; "start", "end": a number at that side of other text; "chapter": "3-12".
   */
  form: "plain" | "named" | "start" | "end" | "chapter";
  /** The other text, in lower case. */
  head: string;
  /** A separator or a wide gap is between the number and the head. */
  isApart: boolean;
  /** Number of pages, as in "3 of 12". */
  total: number | undefined;
}

const NUMBER = String.raw`\d{1,4}`;
/** Words for "page" and for "of", in the languages that are supported. */
const PAGE = String.raw`(?:page|seite|página|pagina|pág\.?|pag\.?|p\.|s\.|bladzijde|blz\.?|strona|str\.?|страница|стр\.?|صفحة|第)`;
const PAGE_AFTER = "(?:页|頁|ページ|페이지|쪽)";
const TOTAL = String.raw`(?:\s*(?:[/|]|of|von|sur|de|di|van|z|из)\s*(${NUMBER}))`;
/** What decorates a page number, or separates it from a head. */
const MARKS = String.raw`[\s\-–—|·•*~()[\]<>«».:/]`;

const PLAIN = new RegExp(
  `^${MARKS}{0,5}(?:${PAGE}${MARKS}{0,3})?(${NUMBER})${TOTAL}?\\s*${PAGE_AFTER}?${MARKS}{0,5}$`,
  "iu",
);
const ROMAN = new RegExp(`^${MARKS}{0,5}(?:${PAGE}\\s*)?([ivxlc]{1,8})${MARKS}{0,5}$`, "u");
const CHAPTER = new RegExp(`^(\\d{1,2}|\\p{Lu})\\s?[-–—]\\s?(${NUMBER})$`, "u");
const NAMED = new RegExp(
  `(?<![\\p{L}\\p{N}])${PAGE}\\s{0,3}(${NUMBER})(?:\\s*${PAGE_AFTER}|(?![\\p{L}\\p{N}]|[.,]\\d))${TOTAL}?`,
  "iu",
);
const START = new RegExp(`^[-–—|(\\[]{0,3}\\s?(${NUMBER})${TOTAL}?(\\s*[|–—•·]\\s*|\\s+)(?=.*\\p{L})`, "u");
const BEFORE = String.raw`(\s*[/|–—•·]\s*|\s+-\s+|\s+)`;
const END = new RegExp(`${BEFORE}(${NUMBER})\\s?[-–—|)\\]]{0,3}$`, "u");
const END_OF_TOTAL = new RegExp(`${BEFORE}(${NUMBER})${TOTAL}\\s?[-–—|)\\]]{0,3}$`, "u");

/** The numbers of a line that may be its page's. */
export function numbersOf(line: string): NumberedLine[] {
  const text = line.trim().replace(/\s{2,}/g, "  ");
  const plain = PLAIN.exec(text);
  if (plain !== null) return [numbered(plain[1]!, "plain", { total: plain[2] })];
  const roman = ROMAN.exec(text)?.[1];
  if (roman !== undefined) return [{ ...numbered("0", "plain"), number: romanNumber(roman) }];
  const chapter = CHAPTER.exec(text);
  if (chapter !== null) return [numbered(chapter[2]!, "chapter", { head: chapter[1]!, isApart: true })];
  const named = NAMED.exec(text);
  if (named !== null) {
    const head = `${text.slice(0, named.index)}#${text.slice(named.index + named[0].length)}`;
    return [numbered(named[1]!, "named", { head, total: named[2], isApart: true })];
  }
  const start = START.exec(text);
  const ofTotal = END_OF_TOTAL.exec(text);
  // "Report 2024 / 3"
  const end = ofTotal !== null && Number(ofTotal[2]) <= Number(ofTotal[3]) ? ofTotal : END.exec(text);
  return [
    ...(start === null
      ? []
      : [
          numbered(start[1]!, "start", {
            head: text.slice(start[0].length),
            total: start[2],
            isApart: isGap(start[3]!),
          }),
        ]),
    ...(end === null
      ? []
      : [numbered(end[2]!, "end", { head: text.slice(0, end.index), total: end[3], isApart: isGap(end[1]!) })]),
  ];
}

function numbered(
  digits: string,
  form: NumberedLine["form"],
  { head = "", total, isApart = false }: { head?: string; total?: string; isApart?: boolean } = {},
): NumberedLine {
  return {
    number: Number(digits),
    form,
    head: head.trim().toLowerCase().replace(/\s+/g, " "),
    isApart,
    total: total === undefined ? undefined : Number(total),
  };
}

function isGap(between: string): boolean {
  return /\S|\s{2}/.test(between);
}

const DIGITS: Record<string, number> = { i: 1, v: 5, x: 10, l: 50, c: 100 };

function romanNumber(digits: string): number {
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const value = DIGITS[digits[i]!]!;
    sum += value < (DIGITS[digits[i + 1]!] ?? 0) ? -value : value;
  }
  return sum;
}

/** A numbered line at the edge of a page. */
export interface EdgeLine extends NumberedLine {
  /** Counted from 1. */
  page: number;
  isTop: boolean;
  /** Further from the text than lines of the text are from each other, and not in larger letters. */
  isSeparated: boolean;
}

/** Plain numbers on this many pages are page numbers, … */
const MIN_PLAIN = 2;
/** … and so are others on this many. */
const MIN_PAGES = 3;
/** Heads with larger numbers than the pages' are records: "Room 101", "Invoice 1001". */
const MAX_SHIFT = 50;
/** Numbers before or after a head are on at least this share of the pages from the first to the last of them. */
const MIN_SHARE = 0.8;
/** A head that names its number says that it is not the page's. */
const LABEL = /(?:[:#№=]|(?<!\p{L})(?:no|nr|num|núm|number|nummer|numéro|número|numero|numer|номер)\.?|n[º°])$/u;

/**
 * The lines, of one place and with numbers that differ from their pages' by the same, that are page numbers or have
 * one. In doubt a line is text: "Day 1", "Day 2", "Day 3" at the top of pages are headings.
 * @param options.title  the document's, in lower case
 * @param options.pageCount  of the document
 */
export function pageNumberLines<T extends EdgeLine>(
  lines: readonly T[],
  options: { title: string; pageCount: number },
): T[] {
  const plain = lines.filter(({ form }) => form === "plain");
  const chapter = lines.filter(({ form }) => form === "chapter");
  const named = lines.filter(({ form }) => form === "named");
  return [
    ...(countPages(plain) >= MIN_PLAIN && !areYears(plain) ? plain : []),
    ...(countPages(chapter) >= MIN_PAGES ? chapter : []),
    ...(countPages(named) >= MIN_PAGES ? withoutFirst(named) : []),
    ...headed(
      lines.filter(({ form }) => form === "start" || form === "end"),
      options,
    ),
  ];
}

/** Years at the top of pages are headings. */
function areYears(lines: readonly EdgeLine[]): boolean {
  return lines.every(({ isTop, number }) => isTop && number >= 1800 && number <= 2100);
}

/** Lines of a head and a number. */
function headed<T extends EdgeLine>(
  lines: readonly T[],
  { title, pageCount }: { title: string; pageCount: number },
): T[] {
  if (countPages(lines) < MIN_PAGES) return [];
  // "Ainslie 1", "2 Ainslie": no text alternates like this.
  const atStart = countPages(lines.filter(({ form }) => form === "start"));
  const atEnd = countPages(lines.filter(({ form }) => form === "end"));
  if (atStart >= 2 && atEnd >= 2) return [...lines];
  const pages = lines.map(({ page }) => page);
  const span = Math.max(...pages) - Math.min(...pages) + 1;
  if (countPages(lines) < MIN_SHARE * span) return [];
  const probable = lines.filter(
    ({ head, number, page, isSeparated }) =>
      isSeparated && Math.abs(number - page) <= MAX_SHIFT && !LABEL.test(head) && /\p{L}/u.test(head),
  );
  const repeated = groupBy(probable, ({ head }) => head).filter((same) => countPages(same) >= 2 && isRun(same));
  // The number continues where the head changes.
  if (repeated.length > 1) return repeated.flat();
  const [same] = repeated;
  if (same === undefined || countPages(same) < MIN_PAGES) return [];
  const { head } = same[0]!;
  const isNumber = same.every(
    ({ isApart, total, number, page }) => isApart || (total === pageCount && number === page),
  );
  const isName = head === title || (head.match(/[\p{L}\p{N}]+/gu) ?? []).length >= 2;
  return isNumber && isName ? withoutFirst(same) : [];
}

/** The head says something once. */
function withoutFirst<T extends EdgeLine>(lines: readonly T[]): T[] {
  const first = Math.min(...lines.map(({ page }) => page));
  return lines.filter(({ page }) => page !== first);
}

/** Whether no other pages are between those of the lines. */
function isRun(lines: readonly EdgeLine[]): boolean {
  const pages = lines.map(({ page }) => page);
  return Math.max(...pages) - Math.min(...pages) < countPages(lines);
}

function countPages(lines: readonly EdgeLine[]): number {
  return new Set(lines.map(({ page }) => page)).size;
}

/** Items with equal keys, in the order of the first of each. */
export function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): T[][] {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const same = groups.get(key);
    if (same === undefined) groups.set(key, [item]);
    else same.push(item);
  }
  return [...groups.values()];
}
