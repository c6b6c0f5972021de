/** The plots of a report: exact match and F1 by system, times, and reliability. */

import type { Bin } from "../../../../src/evaluate/calibration.js";
import { type Area, box, coordinate, escaped, gridLines, label, line, SERIES, svg } from "./svg.js";

export interface Mark {
  name: string;
  /** 0 to 100. */
  value: number;
  /** Its 95 % interval, if measured. */
  interval?: readonly [number, number];
}

const percent = (share: number): string => `${Math.round(100 * share)} %`;

/** Bars from 0 to 100 with their intervals. */
export function marksPlot(title: string, marks: readonly Mark[]): string {
  const area: Area = { left: 50, top: 40, width: Math.max(240, marks.length * 90), height: 200 };
  const step = area.width / Math.max(1, marks.length);
  const y = (value: number): number => area.top + area.height * (1 - value / 100);
  const bars = marks.flatMap(({ name, value, interval }, n) => {
    const middle = area.left + (n + 0.5) * step;
    const at = { left: middle - 22, top: y(value), width: 44, height: y(0) - y(value) };
    const range = interval === undefined ? "" : ` (${interval[0].toFixed(1)}–${interval[1].toFixed(1)})`;
    const whisker =
      interval === undefined ? [] : [line([middle, y(interval[0])], [middle, y(interval[1])], 'stroke="#333"')];
    return [
      box(at, `fill="${SERIES[n % SERIES.length]}"`, `${name}: ${value.toFixed(1)}${range}`),
      ...whisker,
      label(middle, y(interval?.[1] ?? value) - 6, value.toFixed(1)),
      label(middle, area.top + area.height + 18, name),
    ];
  });
  const grid = gridLines(area, (share) => String(100 * share));
  return svg({ width: area.left + area.width + 20, height: 280, title, body: [...grid, ...bars] });
}

/**
 * Histogram bins have equal width on a logarithmic scale, because times span orders of magnitude.
 */
const TIME_BINS = 30;
/** Resolution of the clock in milliseconds. */
const atLeast = (ms: number): number => Math.max(0.001, ms);

/** Histogram of milliseconds per question, one series per system. */
export function timesPlot(title: string, series: readonly { name: string; ms: readonly number[] }[]): string {
  const area: Area = { left: 60, top: 40, width: 560, height: 200 };
  const all = series.flatMap(({ ms }) => ms.map(atLeast));
  const low = Math.min(...all);
  const high = Math.max(...all, low * 1.01);
  const binOf = (ms: number): number =>
    Math.min(TIME_BINS - 1, Math.max(0, Math.floor((Math.log(ms / low) / Math.log(high / low)) * TIME_BINS)));
  const edge = (bin: number): number => low * (high / low) ** (bin / TIME_BINS);
  const counts = series.map(({ ms }) => {
    const bins = new Array<number>(TIME_BINS).fill(0);
    for (const value of ms) bins[binOf(atLeast(value))]!++;
    return bins;
  });
  const most = Math.max(1, ...counts.flat());
  const width = area.width / TIME_BINS;
  const bars = counts.flatMap((bins, s) =>
    bins.flatMap((count, bin) => {
      if (count === 0) return [];
      const height = (area.height * count) / most;
      const slot = (width - 2) / series.length;
      const at = {
        left: area.left + bin * width + 1 + s * slot,
        top: area.top + area.height - height,
        width: slot,
        height,
      };
      const title = `${series[s]!.name}: ${count} questions, ${edge(bin).toFixed(1)} to ${edge(bin + 1).toFixed(1)} ms`;
      return [box(at, `fill="${SERIES[s % SERIES.length]}"`, title)];
    }),
  );
  const ticks = [0, TIME_BINS / 2, TIME_BINS].map((bin) =>
    label(area.left + bin * width, area.top + area.height + 18, `${edge(bin).toFixed(edge(bin) < 10 ? 1 : 0)} ms`),
  );
  const names = series.map(({ name }, s) => {
    const y = area.top + 8 + 18 * s;
    const mark = box(
      { left: area.left + area.width - 150, top: y, width: 10, height: 10 },
      `fill="${SERIES[s % SERIES.length]}"`,
    );
    return `${mark}${label(area.left + area.width - 134, y + 9, name, "start")}`;
  });
  const grid = gridLines(area, (share) => String(Math.round(share * most)));
  return svg({
    width: 640,
    height: 280,
    title,
    body: all.length === 0 ? grid : [...grid, ...bars, ...ticks, ...names],
  });
}

/** The drawing area of a reliability plot. */
export const RELIABILITY_AREA: Area = { left: 60, top: 40, width: 300, height: 300 };

/**
 * Confidence (horizontal) against the share of right answers (vertical): honest confidences are on
 * the diagonal. The area of a point grows with the number of answers in its bin.
 */
export function reliabilityPlot(title: string, bins: readonly Bin[]): string {
  const area = RELIABILITY_AREA;
  const x = (share: number): number => area.left + area.width * share;
  const y = (share: number): number => area.top + area.height * (1 - share);
  const filled = bins.filter(({ count }) => count > 0);
  const most = Math.max(1, ...filled.map(({ count }) => count));
  const counts: Area = { left: area.left, top: area.top + area.height + 40, width: area.width, height: 60 };
  const points = filled.map((bin) => {
    const { from, to, count, confidence, accuracy } = bin;
    const title = `${percent(from)} to ${percent(to)}: ${count} answers, ${percent(confidence)} sure, ${percent(accuracy)} right`;
    const radius = 3 + 7 * Math.sqrt(count / most);
    return `<circle cx="${coordinate(x(confidence))}" cy="${coordinate(y(accuracy))}" r="${coordinate(radius)}" fill="${SERIES[0]}" fill-opacity="0.8"><title>${escaped(title)}</title></circle>`;
  });
  const path = filled.map(
    ({ confidence, accuracy }, n) => `${n === 0 ? "M" : "L"}${coordinate(x(confidence))} ${coordinate(y(accuracy))}`,
  );
  const bars = filled.map(({ from, to, count }) => {
    const height = (counts.height * count) / most;
    const at = { left: x(from) + 1, top: counts.top + counts.height - height, width: x(to) - x(from) - 2, height };
    return box(at, 'fill="#bbb"', `${count} answers`);
  });
  const all = filled.reduce((sum, { count }) => sum + count, 0);
  return svg({
    width: 400,
    height: 470,
    title,
    body: [
      ...gridLines(area, percent),
      ...[0, 0.25, 0.5, 0.75, 1].map((share) => label(x(share), area.top + area.height + 16, percent(share))),
      label(area.left + area.width / 2, area.top + area.height + 32, "confidence"),
      `<text transform="translate(16 ${area.top + area.height / 2}) rotate(-90)" text-anchor="middle">right</text>`,
      line([x(0), y(0)], [x(1), y(1)], 'stroke="#888" stroke-dasharray="4 4"'),
      ...(path.length > 1 ? [`<path d="${path.join("")}" fill="none" stroke="${SERIES[0]}"/>`] : []),
      ...points,
      ...bars,
      line(
        [counts.left, counts.top + counts.height],
        [counts.left + counts.width, counts.top + counts.height],
        'class="axis"',
      ),
      label(area.left + area.width / 2, counts.top + counts.height + 18, `${all} answers`),
    ],
  });
}
