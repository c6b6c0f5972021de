/** The rectangles that cover a run of glyphs: one for each line. */

import type { Glyph, Point } from "./text-state.js";

export interface Rectangle {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** Glyphs of a line are at most this far apart, in heights of the line. */
const GAP = 2.5;

/**
 * @param toView  maps a point of the page to the shown page, which may be rotated and scaled
 * @returns in units of the shown page, in reading order
 */
export function rectanglesOf(glyphs: readonly Glyph[], toView: (point: Point) => Point): Rectangle[] {
  const rectangles: Rectangle[] = [];
  for (const { text, quad } of glyphs) {
    if (text.trim() === "") continue; // a line of its own would be one of only spaces
    const box = boundsOf(quad.map(toView));
    const last = rectangles.at(-1);
    if (last !== undefined && isSameLine(last, box, isUpright(quad.map(toView)))) join(last, box);
    else rectangles.push(box);
  }
  return rectangles;
}

function boundsOf(points: readonly Point[]): Rectangle {
  const xs = points.map(([x]) => x);
  const ys = points.map(([, y]) => y);
  return { left: Math.min(...xs), top: Math.min(...ys), right: Math.max(...xs), bottom: Math.max(...ys) };
}

/** Whether the baseline is nearer to horizontal on the shown page. */
function isUpright([start, end]: readonly Point[]): boolean {
  return Math.abs(end![0] - start![0]) >= Math.abs(end![1] - start![1]);
}

function isSameLine(line: Rectangle, next: Rectangle, upright: boolean): boolean {
  const [low, high, nextLow, nextHigh] = upright
    ? [line.top, line.bottom, next.top, next.bottom]
    : [line.left, line.right, next.left, next.right];
  const [start, end, nextStart, nextEnd] = upright
    ? [line.left, line.right, next.left, next.right]
    : [line.top, line.bottom, next.top, next.bottom];
  const height = Math.min(high - low, nextHigh - nextLow);
  const overlap = Math.min(high, nextHigh) - Math.max(low, nextLow);
  const gap = Math.max(nextStart - end, start - nextEnd);
  return overlap > height / 2 && gap < GAP * height;
}

function join(line: Rectangle, next: Rectangle): void {
  line.left = Math.min(line.left, next.left);
  line.top = Math.min(line.top, next.top);
  line.right = Math.max(line.right, next.right);
  line.bottom = Math.max(line.bottom, next.bottom);
}
