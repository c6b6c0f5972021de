/**
 * The plots of the benches, one entry per bench, in Vega-Lite; bench/support/draw.ts draws them.
 */

import { bars, curves, type Figure, type Line, newest, type PlotSpec, points } from "./plot-parts.js";

export type PlotOf = (lines: readonly Line[]) => PlotSpec;

const MS = "milliseconds per question (p50)";
const engineOf = (line: Line): string => String(line.engine).replace(/^(\S+) [\d.]+ /, "$1 ");

/** One value for each of the fields, with its label. */
function spread(lines: readonly Line[], fields: Record<string, string>, about: (line: Line) => object): Figure[] {
  return lines.flatMap((line) =>
    Object.entries(fields)
      .filter(([field]) => line[field] !== undefined)
      .map(([field, what]) => ({ ...about(line), what, value: line[field] as number })),
  );
}

const LATENCY = { msP50: "p50", msP99: "p99" };

export const PLOTS: Record<string, PlotOf> = {
  "ask-latency": (lines) => ({
    title: "One question, model loaded, one thread",
    panels: [
      bars(
        spread(newest(lines, ["documents", "strategy"]), LATENCY, ({ strategy, documents }) => ({
          row: `${strategy}, ${documents} documents`,
        })),
        { value: "milliseconds" },
      ),
    ],
  }),
  "answer-list": (lines) => ({
    title: "Right answers among the first five",
    panels: [
      bars(
        spread(
          newest(lines, ["set", "reader"]),
          { exactMatch: "first answer", amongFive: "among five", inSentenceOfFive: "in the sentences of five" },
          ({ set, reader }) => ({ row: `${set}, reader ${reader}` }),
        ),
        { value: "% of the questions" },
      ),
    ],
  }),
  "check-speed": (lines) => ({
    title: "verbatim check",
    panels: [
      bars(
        spread(
          newest(lines, ["threads"]),
          { megabytesPerSecondP50: "median round", megabytesPerSecondWorst: "worst round" },
          ({ threads }) => ({ row: threads === 1 ? "one thread" : `${threads}` }),
        ),
        { value: "MB per second" },
      ),
    ],
  }),
  cluster: (lines) => ({
    title: "An answer from an OpenSearch cluster",
    panels: [
      bars(
        spread(newest(lines, ["passages", "strategy"]), { msP50: "p50", msP95: "p95" }, ({ strategy, passages }) => ({
          row: `${strategy}, ${passages} passages`,
        })),
        { value: "milliseconds" },
      ),
    ],
  }),
  "dense-peers": (lines) => {
    const figures = newest(lines, ["engine", "share", "nprobe", "ef", "rows"])
      .filter(({ rows }) => rows === lines.at(-1)!.rows)
      .map((line) => ({
        ...line,
        bytesPerRow: line.bytesPerRow,
        series: engineOf(line),
        x: line.msP50 as number,
        y: line.recall as number,
      }));
    return {
      title: `The ${lines.at(-1)!.k} best of ${lines.at(-1)!.rows} rows of ${lines.at(-1)!.dimensions}, one thread`,
      panels: [
        curves(figures, { x: MS, y: "recall", logX: true }),
        points(
          bestAt(figures, 0.95).map((figure) => ({ ...figure, x: figure.bytesPerRow, y: figure.x })),
          { x: "bytes per row", y: "ms at recall ≥ 0.95", logX: true, logY: true },
        ),
      ],
    };
  },
  languages: (lines) => ({
    title: "Languages detected",
    panels: [
      bars(
        newest(lines, ["of"]).flatMap(({ of, texts, counts }) => {
          const { unknown = 0, ...found } = counts as Record<string, number>;
          const [language, most] = Object.entries(found).sort((a, b) => b[1] - a[1])[0] ?? ["none", 0];
          const share = (count: number): number => (100 * count) / (texts as number);
          const row = `${of}, mostly ${language}`;
          return [
            { row, what: "most frequent language", value: share(most) },
            { row, what: "no language", value: share(unknown) },
          ];
        }),
        { value: "% of the texts" },
      ),
    ],
  }),
  "first-answer": (lines) => ({
    title: "Cold start, model loaded",
    panels: [
      bars(
        spread(
          newest(lines, ["documents", "strategy"]),
          { openMsP50: "opening", msP50: "and the first answer", msMax: "the slowest" },
          ({ strategy, documents }) => ({
            row: `${strategy === "MiniSearch" ? "MiniSearch, documents only" : strategy}, ${documents} documents`,
          }),
        ),
        { value: "milliseconds", logValue: true },
      ),
    ],
  }),
  growth: (lines) => {
    // an existing index has no build figures
    const shown = newest(lines, ["size"]).map((line) => ({
      ...lines.findLast((other) => other.size === line.size && other.indexSeconds !== undefined),
      ...line,
    })) as Line[];
    const over = (fields: Record<string, string>, y: string, logY = false) =>
      curves(
        spread(shown, fields, ({ documents }) => ({ x: documents as number, order: documents as number })).map(
          ({ what, value, ...about }) => ({ ...about, series: String(what), x: about.x as number, y: value as number }),
        ),
        { x: "documents", y, logX: true, logY },
      );
    return {
      title: "An index that grows",
      panels: [
        over(
          { msP50: "p50", msP99: "p99", coldMs: "open + first answer", cpuMsMean: "processor, mean" },
          "milliseconds",
          true,
        ),
        over({ residentMB: "resident, answering" }, "MB"),
        over({ ofText: "index ÷ UTF-8 text" }, "times the text"),
        over({ indexSeconds: "indexing, total" }, "seconds", true),
        over({ exactMatch: "planted questions" }, "exact match, %"),
      ],
      columns: 2,
    };
  },
  "index-rate": (lines) => ({
    title: "Indexing compared with the bare encoder, two threads (newest run)",
    panels: [
      bars(
        spread(
          lines.slice(-1),
          {
            bareTokensPerSecond: "bare encoder",
            encoderTokensPerSecond: "encoder with term weights",
            indexTokensPerSecond: "all of indexing",
          },
          () => ({}),
        ).map(({ what, ...figure }) => ({ ...figure, what, row: what })),
        { value: "tokens per second" },
      ),
    ],
  }),
  "live-index": (lines) => ({
    title: "Questions while the index changes (newest run)",
    panels: [
      bars(
        spread(newest(lines, ["what"]), { ...LATENCY, heldMsP50: "p50", heldMsP99: "p99" }, ({ what }) => ({
          row: what === "merge alone" ? "merge alone: thread blocked" : String(what),
        })),
        { value: "milliseconds" },
      ),
    ],
  }),
  "published-site": (lines) => ({
    title: "An index on a static host",
    panels: [
      bars(
        spread(
          newest(lines, ["kind", "delay", "documents"]),
          {
            coldMillisecondsP50: "first sentence, cold",
            warmSentenceMsP50: "sentence, warm",
            warmExactAfterMsP50: "exact answer after it",
          },
          ({ kind, delay, documents = 10_000 }) => ({
            row: `${kind === "range" ? "Range" : "whole files"}, ${delay} ms round trip, ${documents} documents`,
          }),
        ),
        { value: "milliseconds (p50)" },
      ),
    ],
  }),
  quotations: (lines) => ({
    title: "A hundred quotations of a draft",
    panels: [
      bars(
        spread(
          newest(lines, ["documents"]),
          { firstMs: "first check", msP50: "warm (p50)", peerMs: "plain substring search" },
          ({ documents }) => ({ row: `${documents} documents` }),
        ),
        { value: "milliseconds" },
      ),
    ],
  }),
  retrieval: (lines) => {
    const shown = newest(lines, ["engine", "setting", "documents"]).filter(
      ({ documents }) => documents === lines.at(-1)!.documents,
    );
    const figures = (field: string): Figure[] =>
      shown
        .filter((line) => line[field] !== undefined)
        .map((line) => ({ ...line, series: engineOf(line), x: line.msP50 as number, y: line[field] as number }));
    const exact = figures("recall");
    return {
      title: `100 of ${lines.at(-1)!.documents} documents per question, one thread`,
      panels: [
        points(figures("amongTen"), { x: MS, y: "own paragraph among ten", logX: true }),
        ...(exact.length > 0 ? [curves(exact, { x: MS, y: "recall of the exact 100", logX: true })] : []),
      ],
    };
  },
  "parser-isolation": (lines) => ({
    title: "Indexing with parsers in a process of their own",
    panels: [
      bars(
        spread(
          newest(lines, ["level"]),
          { isolatedCpuMs: "own process", inProcessCpuMs: "same process" },
          ({ level }) => ({ row: `level ${level}` }),
        ),
        { value: "milliseconds of CPU time" },
      ),
    ],
  }),
  scans: (lines) => ({
    title: "Scanned pages, 200 dpi",
    panels: [
      bars(
        spread(newest(lines, ["pages"]), { slowestPageSeconds: "slowest page" }, ({ pages }) => ({
          row: `${pages} pages`,
        })),
        { value: "seconds per page, one thread" },
      ),
    ],
  }),
  "server-load": (lines) => ({
    title: "A server under load (open loop), newest run of each rate",
    panels: [
      curves(
        spread(
          newest(
            lines.filter(({ msP50 }) => msP50 !== undefined),
            ["documents", "rate"],
          ),
          LATENCY,
          (line) => ({
            x: line.rate as number,
          }),
        ).map(({ what, value, ...about }) => ({ series: String(what), x: about.x as number, y: value as number })),
        { x: "questions per second", y: "milliseconds", logY: true },
      ),
    ],
  }),
  "server-reader": (lines) => ({
    title: "Served questions with the reader: time on the HTTP thread",
    panels: [
      points(
        newest(lines, ["name", "atOnce"]).map((line) => ({
          series: `${line.name}, ${line.atOnce} at once`,
          x: line.mainThreadCpuMs as number,
          y: line.msP50 as number,
        })),
        { x: "CPU time of the HTTP thread per question, ms", y: "median latency, ms" },
      ),
    ],
  }),
  "table-questions": (lines) => ({
    title: "Questions about tables of 12 or more rows",
    panels: [
      bars(
        spread(
          newest(lines, ["form", "reader"]),
          { em: "first answer", amongFive: "among five" },
          ({ form, reader }) => ({
            row: `${form}, reader ${reader}`,
          }),
        ),
        { value: "% of the questions" },
      ),
    ],
  }),
  tokenize: (lines) => ({
    title: "Unigram tokens",
    panels: [
      bars(
        spread(newest(lines, ["text", "system"]), { tokensPerCpuSecondP50: "median round" }, ({ text, system }) => ({
          row: `${system}, ${text}`,
        })),
        { value: "tokens per second of CPU time" },
      ),
    ],
  }),
  "whole-answer": (lines) => ({
    title: "A whole answer: exact match and time",
    panels: [
      points(
        newest(lines, ["way", "documents"])
          .filter(({ documents }) => documents === lines.at(-1)!.documents)
          .map((line) => ({ series: String(line.way), x: line.msP50 as number, y: line.exactMatch as number })),
        { x: MS, y: "exact match, %", logX: true },
      ),
    ],
  }),
};

/** The fastest point of each series whose y is at least the given value. */
function bestAt<T extends Figure & { series: string; x: number; y: number }>(
  figures: readonly T[],
  least: number,
): T[] {
  const best = new Map<string, T>();
  for (const figure of figures) {
    const known = best.get(figure.series);
    if (figure.y >= least && (known === undefined || figure.x < known.x)) best.set(figure.series, figure);
  }
  return [...best.values()];
}
