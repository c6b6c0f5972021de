/** Lines of text on pages, as a PDF or a scan gives them. */

/** A piece of a line with a place of its own. */
export interface PlacedWord {
  text: string;
  /** See `boxPath`. */
  path: string;
}

/** A part of a line. */
export interface PagePiece {
  text: string;
  left: number;
  right: number;
}

/** A line of text. Lengths are in one unit for the whole document, 1/72 inch in a PDF; y grows upwards. */
export interface PageLine {
  /** On one line, without white space at its ends. */
  text: string;
  left: number;
  right: number;
  /** y of the baseline. */
  y: number;
  /** Size of the line's font; 0 if it is not known. */
  height: number;
  /** Name of the font of the whole line; "" if it is not known, or if there are several. */
  font: string;
  /** Whether all letters of that font have one width, as in code. Default: unknown. */
  isMonospace?: boolean;
  /** Parts of the line that are drawn one by one, if there are several; a table shows in the gaps between them. */
  pieces?: readonly PagePiece[];
  /** Whether a paragraph begins here, if the source says so. Absent: the layout decides. */
  beginsParagraph?: boolean;
  /** Joined by spaces, they are the text. Absent: only the page is known. */
  words?: readonly PlacedWord[];
}

/** Whether the sizes of two lines differ by at most `factor`; a size that is not known is any. */
export function isSameSize(a: PageLine, b: PageLine, { factor }: { factor: number }): boolean {
  return a.height === 0 || b.height === 0 || Math.max(a.height, b.height) <= factor * Math.min(a.height, b.height);
}

export interface TextPage {
  /** Counted from 1. */
  number: number;
  /** In reading order. */
  lines: PageLine[];
}

/** A rectangle, in the unit of its page, from the top left. */
export interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

/**
 * A place on a page as a media fragment: `xywh=percent:12.5,40,30.25,1.8` is left, top, width and height in percent of
 * the page as it is shown, so it does not depend on the resolution. (Media Fragments URI 1.0, section 4.2.2)
 */
export function boxPath({ left, top, width, height }: Box, page: { width: number; height: number }): string {
  const percent = (part: number, whole: number) => Math.round((10_000 * part) / whole) / 100;
  const sides = [
    percent(left, page.width),
    percent(top, page.height),
    percent(width, page.width),
    percent(height, page.height),
  ];
  return `xywh=percent:${sides.join(",")}`;
}

/** The rectangle, in percent of the page, that `boxPath` wrote; undefined for another path. */
export function boxOfPath(path: string): Box | undefined {
  const [start, sides = ""] = path.split(":");
  const [left, top, width, height, ...others] = sides.split(",").map(Number);
  if (start !== "xywh=percent" || left === undefined || top === undefined) return undefined;
  if (width === undefined || height === undefined || others.length > 0) return undefined;
  return { left, top, width, height };
}
