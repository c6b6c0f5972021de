/**
 * Reports and plots: they show what was measured, are self-contained without scripts, and are
 * well-formed.
 */

import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { SaxesParser } from "saxes";
import { describe, expect, it } from "vitest";
import { type Judged, openReport, type SystemScores, worstOf } from "../../adapters/cli/eval/report/open-report.js";
import { marksPlot, RELIABILITY_AREA, reliabilityPlot, timesPlot } from "../../adapters/cli/eval/report/plots.js";
import { reliability } from "../../src/evaluate/calibration.js";
import { temporaryFolder, verbatim } from "./run-cli.js";

interface Element {
  name: string;
  attributes: Record<string, string>;
  text: string;
}

/** All elements of an SVG. @throws for invalid XML */
function elementsOf(svg: string): Element[] {
  const elements: Element[] = [];
  const open: Element[] = [];
  const parser = new SaxesParser();
  parser.on("error", (error) => {
    throw error;
  });
  parser.on("opentag", ({ name, attributes }) => {
    const element = { name, attributes: attributes as Record<string, string>, text: "" };
    elements.push(element);
    open.push(element);
  });
  parser.on("text", (text) => {
    for (const element of open) element.text += text;
  });
  parser.on("closetag", () => void open.pop());
  parser.write(svg).close();
  return elements;
}

const seeded = { seed: 20261121, numRuns: 200 };
const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 30 }),
  fc.constantFrom("<script>alert(1)</script>", "]]>", "&", '"'),
);

describe("the reliability plot", () => {
  it("has a point for every filled bin, at its confidence and its share of right answers", () => {
    const answers = fc.array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.boolean()), { maxLength: 60 });
    fc.assert(
      fc.property(answers, text, (list, title) => {
        const bins = reliability(
          list.map(([sure]) => sure),
          list.map(([, right]) => Number(right)),
        );
        const elements = elementsOf(reliabilityPlot(title, bins));
        const points = elements.filter(({ name }) => name === "circle");
        const filled = bins.filter(({ count }) => count > 0);
        expect(points).toHaveLength(filled.length);
        const { left, top, width, height } = RELIABILITY_AREA;
        for (const [n, { attributes, text: title }] of points.entries()) {
          const { count, confidence, accuracy } = filled[n]!;
          expect((Number(attributes.cx) - left) / width).toBeCloseTo(confidence, 3);
          expect(1 - (Number(attributes.cy) - top) / height).toBeCloseTo(accuracy, 3);
          expect(title).toContain(`: ${count} answers`);
        }
        expect(elements[0]!.text).toContain(`${list.length} answers`);
      }),
      seeded,
    );
  });
});

describe("the other plots", () => {
  it("draw bars as high as the values", () => {
    const marks = [
      { name: "a", value: 50 },
      { name: "b", value: 100, interval: [90, 100] as const },
    ];
    const bars = elementsOf(marksPlot("marks", marks)).filter((it) => it.name === "rect" && it.text !== "");
    expect(bars.map(({ text: title }) => title)).toEqual(["a: 50.0", "b: 100.0 (90.0–100.0)"]);
    expect(Number(bars[1]!.attributes.height)).toBe(2 * Number(bars[0]!.attributes.height));
  });

  it("count every question once, for any times and names", () => {
    const times = fc.array(fc.double({ min: 0, max: 1e6, noNaN: true }), { maxLength: 40 });
    fc.assert(
      fc.property(fc.array(fc.record({ name: text, ms: times }), { maxLength: 3 }), (series) => {
        const title = elementsOf(timesPlot("times", series))
          .filter(({ name }) => name === "rect")
          .flatMap((it) => /(\d+) questions, [\d.]+ to [\d.]+ ms$/.exec(it.text)?.[1] ?? []);
        const all = series.reduce((sum, { ms }) => sum + ms.length, 0);
        expect(title.reduce((sum, count) => sum + Number(count), 0)).toBe(all);
      }),
      seeded,
    );
  });
});

describe("the page", () => {
  it("contains no script, no address and no unescaped document text", () => {
    const judged: fc.Arbitrary<Judged> = fc.record({
      question: text,
      given: text,
      source: text,
      golds: fc.array(text, { maxLength: 3 }),
      confidence: fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { nil: undefined }),
      score: fc.double({ noNaN: true, noDefaultInfinity: true }),
      exactMatch: fc.constantFrom(0, 1),
      ms: fc.double({ min: 0, max: 1e5, noNaN: true }),
    });
    const summary: SystemScores = { exactMatch: 40, exactMatchInterval: [30, 50], f1: 50, f1Interval: [40, 60] };
    fc.assert(
      fc.property(text, fc.array(judged, { maxLength: 8 }), (title, list) => {
        const page = openReport({
          title,
          systems: [{ name: title, summary, judged: list }],
          figures: { [title]: title },
        });
        expect(page).not.toMatch(/<script|<img|<link|href=|src=|@import|url\(/i);
        expect(page.replaceAll("http://www.w3.org/2000/svg", "")).not.toMatch(/https?:\/\//);
        expect(page).not.toMatch(/\p{Cs}/u);
      }),
      { ...seeded, numRuns: 60 },
    );
  });

  it("lists wrong answers by falling confidence, and no right ones", () => {
    const one = (given: string, confidence: number, exactMatch: number): Judged => {
      return { question: "?", given, source: "s", golds: ["g"], confidence, score: 0, exactMatch, ms: 1 };
    };
    const worst = worstOf([one("right", 0.9, 1), one("unsure", 0.1, 0), one("sure", 0.8, 0)]);
    expect(worst.map(({ given }) => given)).toEqual(["sure", "unsure"]);
  });
});

describe("eval … --report", () => {
  it("writes a page as well as the figures, and rejects a missing folder before it begins", async () => {
    const cwd = await temporaryFolder();
    await writeFile(join(cwd, "a.txt"), "The observatory was founded by Ines Calder in 1911.");
    await writeFile(join(cwd, "q.jsonl"), '{"id": "1", "question": "Who founded it?", "answers": ["<Nobody> & co"]}');
    expect((await verbatim(["index", "a.txt", "--quiet"], { cwd })).status).toBe(0);
    const bare = await verbatim(["eval", "open", "q.jsonl", "--report", "nowhere/r.html"], { cwd });
    expect([bare.status, bare.stdout]).toEqual([3, ""]);
    const run = await verbatim(
      ["eval", "open", "q.jsonl", "--compare", "sparse-first", "--report", "r.html", "--json"],
      { cwd },
    );
    expect(run.status, run.stderr).toBe(0);
    expect(JSON.parse(run.stdout)).toMatchObject({ questions: 1 });
    const page = await readFile(join(cwd, "r.html"), "utf8");
    for (const needed of ["EM hybrid", "EM sparse-first", "Milliseconds", "&lt;Nobody&gt; &amp; co", "Who founded it?"])
      expect(page).toContain(needed);
    expect(existsSync(join(cwd, "nowhere"))).toBe(false);
  });
});
