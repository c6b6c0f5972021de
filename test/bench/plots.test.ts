/** Every bench with lines has a plot, and the plot shows them. */

import { describe, expect, it } from "vitest";
import { benchesWithResults, linesOf, svgOf } from "../../bench/support/draw.js";
import { newest } from "../../bench/support/plot-parts.js";
import { PLOTS } from "../../bench/support/plots.js";

/** Marks that show a figure. */
const marks = (svg: string): number =>
  svg.match(/aria-roledescription="(bar|point|line mark|text mark|circle)"/g)?.length ?? 0;

describe("plots", () => {
  it("draws every bench's lines, with marks, the day and the machine", async () => {
    const benches = await benchesWithResults();
    expect(benches.length).toBeGreaterThan(5);
    for (const bench of benches) {
      expect(Object.keys(PLOTS)).toContain(bench);
      const lines = await linesOf(bench);
      const svg = await svgOf(bench, lines);
      expect(svg).toMatch(/^<svg [^>]*viewBox/);
      expect(svg).toContain(lines.at(-1)!.date);
      expect(svg.replaceAll("&amp;", "&")).toContain(String(lines.at(-1)!.machine).slice(0, 20));
      expect(marks(svg), bench).toBeGreaterThan(1);
      expect(svg).not.toMatch(/NaN|undefined|Infinity/);
    }
  });

  it("shows what a line says: another figure, another picture", async () => {
    const line = { date: "2026-01-01", machine: "a machine", way: "hybrid", documents: 3, msP50: 5, exactMatch: 40 };
    const one = await svgOf("whole-answer", [line]);
    expect(await svgOf("whole-answer", [line, { ...line, way: "other", msP50: 50 }])).toContain("other");
    expect(await svgOf("whole-answer", [{ ...line, msP50: 900 }])).not.toBe(one);
  });

  it("refuses a bench without a plot by its name", async () => {
    await expect(svgOf("no-such-bench", [{}])).rejects.toThrow("no-such-bench");
  });

  it("of lines that measure the same the newest counts", () => {
    const lines = [
      { engine: "a", share: 1, ms: 1 },
      { engine: "b", ms: 2 },
      { engine: "a", share: 1, ms: 3 },
    ];
    expect(newest(lines, ["engine", "share"])).toEqual([lines[1], lines[2]]);
  });
});
