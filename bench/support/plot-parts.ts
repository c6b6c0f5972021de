/** Building blocks of the plots, in Vega-Lite. */

import type { TopLevelSpec } from "vega-lite";

/** A line of bench/results/NAME.jsonl. */
export type Line = Record<string, unknown>;
/** One data point. */
export type Figure = Record<string, unknown>;
/** One plot, made of panels. */
export type Panel = Record<string, unknown>;

export interface PlotSpec {
  title: string;
  panels: readonly Panel[];
  /** Panels side by side; default: one below the other. */
  columns?: number;
}

const WIDTH = 420;
const HEIGHT = 260;

/** The last of the lines with equal values in `keys`. */
export function newest(lines: readonly Line[], keys: readonly string[]): Line[] {
  const byKey = new Map<string, Line>();
  for (const line of lines) {
    const key = JSON.stringify(keys.map((name) => line[name] ?? null));
    byKey.delete(key); // keeps the order of the newest run
    byKey.set(key, line);
  }
  return [...byKey.values()];
}

interface Axes {
  x: string;
  y: string;
  logX?: boolean;
  logY?: boolean;
}

/** @param figures  {series, x, y}: one line per series, in the order of x */
export function curves(figures: readonly Figure[], axes: Axes): Panel {
  return {
    width: WIDTH,
    height: HEIGHT,
    data: { values: figures },
    mark: { type: "line", point: { size: 40 } },
    encoding: { ...placed(axes), ...bySeries() },
  };
}

/** @param figures  {series, x, y}: labelled points */
export function points(figures: readonly Figure[], axes: Axes): Panel {
  return {
    width: WIDTH,
    height: HEIGHT,
    data: { values: figures },
    encoding: placed(axes),
    layer: [
      { mark: { type: "point", filled: true, size: 70, opacity: 1 }, encoding: bySeries(null) },
      { mark: { type: "text", dy: -10, fontSize: 10 }, encoding: { text: { field: "series" } } },
    ],
  };
}

/** @param figures  {row, what, value}: bars per row, one per `what`, labelled with the value */
export function bars(figures: readonly Figure[], axis: { value: string; logValue?: boolean }): Panel {
  const scale = axis.logValue ? { type: "log" } : {};
  const encoding = {
    y: { field: "row", type: "nominal", title: null, sort: null, axis: { labelLimit: 260 } },
    yOffset: { field: "what", sort: null },
    x: { field: "value", type: "quantitative", title: axis.value, scale },
  };
  const label = { field: "value", type: "quantitative", format: ".3~s" };
  return {
    width: WIDTH,
    height: { step: 16 },
    data: { values: figures },
    encoding,
    layer: [
      { mark: { type: "bar" }, encoding: { color: { field: "what", title: null, sort: null } } },
      { mark: { type: "text", align: "left", dx: 3, fontSize: 10 }, encoding: { text: label } },
    ],
  };
}

function placed({ x, y, logX = false, logY = false }: Axes): object {
  const scale = (isLog: boolean) => (isLog ? { type: "log", nice: false, padding: 12 } : { zero: false, padding: 8 });
  return {
    x: { field: "x", type: "quantitative", title: x, scale: scale(logX) },
    y: { field: "y", type: "quantitative", title: y, scale: scale(logY) },
  };
}

const bySeries = (legend: object | null = { labelLimit: 260 }): object => ({
  color: { field: "series", title: null, sort: null, legend },
});

/** Has its own background, so that it is readable on light and dark pages. */
export function toVegaLite({ title, panels, columns = 1 }: PlotSpec, subtitle: string): TopLevelSpec {
  return {
    $schema: "https://vega.github.io/schema/vega-lite/v6.json",
    background: "white",
    padding: 12,
    title: { text: title, subtitle, anchor: "start", fontSize: 14, subtitleColor: "#666" },
    config: { font: "system-ui, sans-serif", axis: { gridColor: "#e5e5e5" }, view: { stroke: "#ccc" } },
    columns,
    concat: panels.map((panel) => ({ ...panel })),
    resolve: { scale: { color: "independent", x: "independent", y: "independent" } },
  } as unknown as TopLevelSpec;
}
