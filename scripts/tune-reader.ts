/**
 * Chooses the interpolation of the reader's score with that of phrase search, and when `auto`
 * reads, on development questions (bench/development/build.py), never on a measuring set.
 *
 *   npx tsx scripts/tune-reader.ts QUESTIONS --index held.index [--model DIR] [--reader-model DIR] [--limit 800] [--passages 10] [--gain 0.8] [--miss 0.15] [--write]
 *
 * QUESTIONS is a SQuAD file, or lines with languages (bench/development/languages.py). The model is
 * the one that made the index, unless it is named. The passages of every question are read once,
 * and all interpolations are tried on the same logits. The one with the most exact matches is
 * chosen (ties: better F1, then no answer part, then the lower cap, which ends reading earlier).
 * `likely` is the lowest logit at which stopping early costs at most `--miss` points of exact
 * match. `readBelow` is the lowest confidence threshold that keeps the share `--gain` of the gain of
 * reading always. It requires a calibrated phrase search (scripts/calibrate.ts) and is omitted
 * otherwise; `--write` then refuses. A reader's calibration depends on its interpolation and is dropped, so
 * calibrate it again afterwards.
 */

import { readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { openEncoder } from "../adapters/node/models/encoder/encoder.js";
import { openReader } from "../adapters/node/models/reader/reader.js";
import { installedReaderFolder } from "../adapters/node/models/reader/reader-folder.js";
import { openSearcher } from "../adapters/node/open-searcher.js";
import { confidences, FEATURE_SPANS, phraseFeatures } from "../src/ask/confidence.js";
import { readablePassages } from "../src/ask/read-answers.js";
import { metricOf } from "../src/evaluate/answer-metric.js";
import { draw } from "../src/evaluate/draw.js";
import { parseOpenQuestions } from "../src/evaluate/open-questions.js";
import { interpolatedScore, likelyScore } from "../src/reader/interpolation.js";
import { readPassages } from "../src/reader/read-passages.js";
import type { Interpolation } from "../src/reader/types.js";
import { questionForReader } from "../src/reader/windows.js";
import { Locator } from "../src/search/locate/locate.js";
import { mergeBest } from "../src/search/locate/merge.js";
import { findSpans } from "../src/search/search.js";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    index: { type: "string" },
    model: { type: "string" },
    "reader-model": { type: "string" },
    limit: { type: "string", default: "800" },
    passages: { type: "string", default: "10" },
    gain: { type: "string", default: "0.8" },
    miss: { type: "string", default: "0.15" },
    write: { type: "boolean", default: false },
  },
});
const [path] = positionals;
if (path === undefined || values.index === undefined) {
  console.error(
    "usage: tune-reader QUESTIONS --index DIR [--model DIR] [--reader-model DIR] [--limit N] [--passages N] [--gain SHARE] [--miss POINTS] [--write]",
  );
  process.exit(2);
}

interface Read {
  /** Position of its passage in the ranking. */
  passage: number;
  rank: number;
  span: number;
  answer: number;
  exactMatch: number;
  f1: number;
}
interface Asked {
  phrase: { exactMatch: number; f1: number; confidence: number | undefined };
  read: Read[];
  /** Ranks of the passages, falling. */
  ranks: number[];
}

const questions = draw(parseOpenQuestions(await readFile(path, "utf8"), path), Number(values.limit), 1);
const encoder = await openEncoder({ modelFolder: values.model, index: values.index, threads: 1 });
const readerFolder = values["reader-model"] ?? (await installedReaderFolder(encoder.model));
const reader = await openReader({ folder: readerFolder, model: encoder.model });
if (values.write && encoder.info.calibration === undefined) {
  console.error(
    "Calibrate phrase search first (scripts/calibrate.ts): without its confidence no `readBelow` can be chosen, and the mode `auto` needs one.",
  );
  process.exit(1);
}
const { searcher, close } = await openSearcher(values.index, encoder);
const { bounds } = reader.info;
const everything: Interpolation = { reader: 1, answer: 0, most: bounds.start + bounds.end };
const asked: Asked[] = [];
const began = performance.now();
for (const [n, { question, answers: golds, language = "en" }] of questions.entries()) {
  const { exactMatch, f1 } = metricOf(language);
  const encoded = await encoder.encodeQuestion(question);
  const found = await findSpans(searcher, encoded, { topK: 1 });
  const merged = await mergeBest(searcher, found.spans, { question, topK: 1, firstWave: FEATURE_SPANS });
  const { calibration } = encoder.info;
  const sure = calibration === undefined ? undefined : confidences(calibration, phraseFeatures(merged, found.spans))[0];
  const judge = (text: string | undefined): { exactMatch: number; f1: number } =>
    text === undefined ? { exactMatch: 0, f1: 0 } : { exactMatch: exactMatch(text, golds), f1: f1(text, golds) };
  const chosen = await readablePassages(searcher, found, {
    count: Number(values.passages),
    maxHeadingTokens: reader.info.maxHeadingTokens,
  });
  const options = { interpolation: everything, maxAnswerTokens: 20, isContinuation: searcher.isContinuation };
  const read: Read[] = [];
  for await (const state of readPassages(reader, questionForReader(encoded.ids, reader.info), {
    passages: chosen,
    options,
  })) {
    if (state.ended === undefined) continue;
    const spans = state.spans.map((span) => ({
      ...chosen[span.passage]!,
      ...span,
      passage: chosen[span.passage]!.passage,
      parts: { dense: 0, ngram: 0, terms: 0, tfidf: 0, vector: 0 },
    }));
    const located = await new Locator(searcher).locate(spans);
    for (const [k, { text }] of located.entries()) {
      const { logit, answer, rank } = spans[k]!;
      read.push({ passage: state.spans[k]!.passage, rank, span: logit, answer, ...judge(text) });
    }
  }
  asked.push({
    phrase: { ...judge(merged[0]?.best.text), confidence: sure },
    read,
    ranks: chosen.map(({ rank }) => rank),
  });
  if (n % 50 === 49)
    console.error(`${n + 1} of ${questions.length}, ${Math.round((performance.now() - began) / 1000)} s`);
}
await close();
await reader.close();
await encoder.close();

const mean = (pick: (one: Asked) => number): number => asked.reduce((sum, one) => sum + pick(one), 0) / asked.length;
function firstBy(read: readonly Read[], interpolation: Interpolation): Read | undefined {
  let best: Read | undefined;
  let most = Number.NEGATIVE_INFINITY;
  for (const one of read) {
    const score = interpolatedScore(interpolation, one.rank, one);
    if (score > most) [best, most] = [one, score];
  }
  return best;
}
const logits = asked
  .flatMap(({ read }) => (read.length === 0 ? [] : [Math.max(...read.map(({ span }) => span))]))
  .sort((a, b) => a - b);
const quantile = (share: number): number => Number(logits[Math.floor(share * (logits.length - 1))]!.toFixed(2));
const rows: Array<Interpolation & { exactMatch: number; f1: number }> = [];
for (const weight of [0.2, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1]) {
  for (const answer of [0, 0.5, 1, 2]) {
    for (const most of [everything.most, quantile(0.99), quantile(0.9)]) {
      const interpolation = { reader: weight, answer, most };
      rows.push({
        ...interpolation,
        exactMatch: 100 * mean(({ read }) => firstBy(read, interpolation)?.exactMatch ?? 0),
        f1: 100 * mean(({ read }) => firstBy(read, interpolation)?.f1 ?? 0),
      });
    }
  }
}
rows.sort((a, b) => b.exactMatch - a.exactMatch || b.f1 - a.f1 || a.answer - b.answer || a.most - b.most);
const { reader: weight, answer, most } = rows[0]!;
const interpolation: Interpolation = { reader: weight, answer, most };
const phrase = { exactMatch: 100 * mean((one) => one.phrase.exactMatch), f1: 100 * mean((one) => one.phrase.f1) };
console.log(
  JSON.stringify({
    questions: asked.length,
    phrase,
    bounds,
    quantiles: { "0.5": quantile(0.5), "0.9": quantile(0.9), "0.99": quantile(0.99) },
  }),
);
for (const row of rows.slice(0, 20)) console.log(JSON.stringify(row));
for (const row of rows.filter((one) => one.answer === 0 && one.most === everything.most))
  console.log("reader's weight", JSON.stringify(row));

/** Accuracy and passages read if reading stops at a likely logit, one passage at a time. */
function stoppingAt(likely: number): { exactMatch: number; f1: number; passages: number } {
  const ended = asked.map(({ read, ranks }) => {
    for (let count = 1; ; count++) {
      const best = firstBy(
        read.filter(({ passage }) => passage < count),
        interpolation,
      );
      const next = ranks[count];
      const isOver =
        next === undefined ||
        (best !== undefined &&
          interpolatedScore(interpolation, best.rank, best) >= likelyScore({ ...interpolation, likely }, next));
      if (isOver) return { best, count: Math.min(count, ranks.length) };
    }
  });
  const share = (pick: (one: (typeof ended)[number]) => number): number =>
    ended.reduce((sum, one) => sum + pick(one), 0) / ended.length;
  return {
    exactMatch: 100 * share(({ best }) => best?.exactMatch ?? 0),
    f1: 100 * share(({ best }) => best?.f1 ?? 0),
    passages: share(({ count }) => count),
  };
}
let likely = interpolation.most;
for (let q = 0.99; q > 0.04; q -= 0.05) {
  const at = Math.min(interpolation.most, quantile(q));
  const row = stoppingAt(at);
  console.log("likely", JSON.stringify({ quantile: Number(q.toFixed(2)), likely: at, ...row }));
  if (row.exactMatch >= rows[0]!.exactMatch - Number(values.miss)) likely = Math.min(likely, at);
}

/** Lowest confidence threshold that keeps the requested share of the gain. */
let readBelow: number | undefined;
if (asked.every((one) => one.phrase.confidence !== undefined || one.read.length === 0)) {
  const whole = rows[0]!.exactMatch - phrase.exactMatch;
  for (let t = 0.02; t <= 1.0001; t += 0.02) {
    const isRead = (one: Asked): boolean => (one.phrase.confidence ?? 1) < t;
    const interpolated =
      100 * mean((one) => (isRead(one) ? (firstBy(one.read, interpolation)?.exactMatch ?? 0) : one.phrase.exactMatch));
    const gain = (interpolated - phrase.exactMatch) / whole;
    console.log(
      "auto",
      JSON.stringify({
        readBelow: Number(t.toFixed(2)),
        exactMatch: interpolated,
        gain,
        readShare: mean((one) => Number(isRead(one))),
      }),
    );
    if (whole > 0 && readBelow === undefined && gain >= Number(values.gain)) readBelow = Number(t.toFixed(2));
  }
}
console.log(JSON.stringify({ interpolation: { ...interpolation, likely }, readBelow }));
if (values.write) {
  const file = join(readerFolder!, "model.json");
  const { calibration: _stale, ...info } = JSON.parse(await readFile(file, "utf8"));
  const tuned = {
    on: `${asked.length} questions of ${basename(path)}`,
    passages: Number(values.passages),
    phrase,
    interpolated: rows[0],
    early: stoppingAt(likely),
    gain: Number(values.gain),
  };
  await writeFile(
    file,
    `${JSON.stringify({ ...info, interpolation: { ...interpolation, likely }, ...(readBelow === undefined ? {} : { readBelow }), tuned }, undefined, 1)}\n`,
  );
  console.error(`written to ${file}`);
}
