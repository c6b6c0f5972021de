/** Helpers for plots as self-contained SVG text, readable on light and dark pages. */

import { escapeHtml } from "../../../../src/text/escape-html.js";

/** Escapes text for HTML and SVG; control characters and unpaired surrogates become spaces. */
export function escaped(text: string): string {
  return escapeHtml(text.replace(/(?![\t\n\r])[\p{Cc}\p{Cs}\ufffe\uffff]/gu, " "));
}

/** Formats a coordinate with at most two decimals. */
export function coordinate(value: number): string {
  return String(Math.round(value * 100) / 100);
}

/** Colours of the series, distinguishable with colour blindness (Okabe and Ito 2008). */
export const SERIES = ["#0072b2", "#d55e00", "#009e73", "#cc79a7"] as const;

/** The drawing area within a picture of `width` × `height`; y grows downwards. */
export interface Area {
  left: number;
  top: number;
  width: number;
  height: number;
}

interface Picture {
  width: number;
  height: number;
  /** Text alternative for screen readers. */
  title: string;
  body: readonly string[];
}

const STYLE =
  "text{font:12px system-ui,sans-serif;fill:#333}.title{font-size:14px;font-weight:600}.axis{stroke:#888;fill:none}.grid{stroke:#ddd}";

export function svg({ width, height, title, body }: Picture): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    `<title>${escaped(title)}</title>`,
    `<style>${STYLE}</style>`,
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    `<text class="title" x="${width / 2}" y="20" text-anchor="middle">${escaped(title)}</text>`,
    ...body,
    "</svg>",
  ].join("\n");
}

export function label(x: number, y: number, text: string, anchor: "start" | "middle" | "end" = "middle"): string {
  return `<text x="${coordinate(x)}" y="${coordinate(y)}" text-anchor="${anchor}">${escaped(text)}</text>`;
}

export function line(from: [number, number], to: [number, number], style: string): string {
  const [x1, y1, x2, y2] = [...from, ...to].map(coordinate);
  return `<line x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}" ${style}/>`;
}

export function box(at: Area, style: string, tooltip?: string): string {
  const inner = tooltip === undefined ? "/>" : `><title>${escaped(tooltip)}</title></rect>`;
  const { left, top, width, height } = at;
  return `<rect x="${coordinate(left)}" y="${coordinate(top)}" width="${coordinate(width)}" height="${coordinate(height)}" ${style}${inner}`;
}

/** Horizontal grid lines at 0, 25, … 100 % of the height, labelled by `name`. */
export function gridLines(area: Area, name: (share: number) => string): string[] {
  return [0, 0.25, 0.5, 0.75, 1].flatMap((share) => {
    const y = area.top + (1 - share) * area.height;
    const style = share === 0 ? 'class="axis"' : 'class="grid"';
    return [line([area.left, y], [area.left + area.width, y], style), label(area.left - 6, y + 4, name(share), "end")];
  });
}
