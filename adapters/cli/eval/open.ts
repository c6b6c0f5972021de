/**
 * `verbatim eval open QUESTIONS --index DIR`: asks a whole index, and compares a second strategy
 * question by question.
 */

import { resolve } from "node:path";
import type { Index } from "../../../src/api/index-handle.js";
import type { AskOptions } from "../../../src/ask/options.js";
import { defaultStrategy } from "../../../src/ask/options.js";
import { bootstrapMean, type Interval, pairedBootstrap } from "../../../src/evaluate/bootstrap.js";
import { exactMatch } from "../../../src/evaluate/exact-match.js";
import { f1 } from "../../../src/evaluate/f1.js";
import { drawQuestions, type OpenQuestion, parseOpenQuestions } from "../../../src/evaluate/open-questions.js";
import { LEVELS } from "../../../src/index/format/level.js";
import type { Reader } from "../../../src/reader/types.js";
import type { Strategy } from "../../../src/search/strategies/names.js";
import { openReaderFor } from "../open-reader.js";
import { modelFolder, type ReaderFlags, readingOf } from "../options.js";
import type { CliContext, Io } from "../process-io.js";
import { PassageTexts, rankOfGold } from "./gold-passages.js";
import { type Judged, openReport } from "./report/open-report.js";
import { leaveFile, requirePlaceFor } from "./report/write.js";
import { type EvalFlags, EvalProgress, percentile, printResult, readText } from "./shared.js";

const ANSWER_RANKS = [1, 5, 20, 50] as const;
const PASSAGE_RANKS = [1, 10, 20, 50] as const;

export interface OpenFlags extends EvalFlags, ReaderFlags {
  index: string;
  /** Default: depends on the index's level. */
  strategy?: Strategy;
  compare?: Strategy;
  /** Candidates of the sparse stage, for both strategies. */
  candidates?: number;
  seed: number;
  topK: number;
  report?: string;
}

export interface Outcome extends Judged {
  /** CuratedTREC: the expression matches from the start of the answer, as in DrQA. */
  startAnchored: number | undefined;
  f1: number;
  /** 1-based rank of the first right answer; undefined if there is none. */
  answerRank: number | undefined;
  passageRank: number | undefined;
  hasGoldPassage: boolean;
  /** Number of passages that the reader read. */
  read: number;
  /**
   * Number of passages encoded for this question because the index does not store their vectors.
   */
  encoded: number;
}

export type How = Omit<AskOptions, "topK" | "signal">;

function judge(question: OpenQuestion): { right: (text: string) => number; anchored?: (text: string) => number } {
  const { pattern, answers } = question;
  if (pattern === undefined) return { right: (text) => exactMatch(text, answers) };
  return {
    right: (text) => Number(pattern.matchesAnywhere(text)),
    anchored: (text) => Number(pattern.matchesStart(text)),
  };
}

/** Asks one question and judges the answers. */
export async function askOne(
  index: Index,
  question: OpenQuestion,
  options: { how: How; topK: number; texts: PassageTexts | undefined; io: Io },
): Promise<Outcome> {
  const { how, topK, texts, io } = options;
  const asked = await index.ask(question.question, { minConfidence: 0, ...how, topK, signal: io.signal });
  const { answers, passages, tookMs } = asked;
  const { right, anchored } = judge(question);
  const first = answers[0]?.text ?? "";
  const answerAt = answers.findIndex((answer) => right(answer.text) === 1);
  const passageRank = await rankOfGold(question, passages, texts);
  return {
    exactMatch: answers.length === 0 ? 0 : right(first),
    startAnchored: anchored === undefined ? undefined : answers.length === 0 ? 0 : anchored(first),
    f1: question.pattern === undefined && answers.length > 0 ? f1(first, question.answers) : 0,
    answerRank: answerAt < 0 ? undefined : answerAt + 1,
    passageRank,
    hasGoldPassage: question.goldPassages !== undefined || question.document !== undefined,
    ms: tookMs,
    question: question.question,
    given: first,
    source: answers[0]?.source ?? "",
    golds: question.pattern === undefined ? question.answers : [],
    confidence: answers[0]?.confidence,
    score: answers[0]?.score ?? 0,
    read: asked.reading?.passages ?? 0,
    encoded: asked.encodedPassages ?? 0,
  };
}

function percent({ mean, low, high }: Interval): [number, number] {
  return mean === undefined ? [0, 0] : [100 * low, 100 * high];
}

function summarise(outcomes: Outcome[], seed: number): Record<string, unknown> {
  const em = outcomes.map((one) => one.exactMatch);
  const f1s = outcomes.map((one) => one.f1);
  const share = (values: Outcome[], good: (one: Outcome) => boolean): number =>
    values.filter(good).length / Math.max(1, values.length);
  const withGold = outcomes.filter((one) => one.hasGoldPassage);
  const anchored = outcomes.filter((one) => one.startAnchored !== undefined);
  const times = Float64Array.from(outcomes, (one) => one.ms).sort();
  const emInterval = bootstrapMean(em, { seed });
  const f1Interval = bootstrapMean(f1s, { seed });
  const within = (rank: number | undefined, k: number): boolean => rank !== undefined && rank <= k;
  return {
    exactMatch: 100 * emInterval.mean,
    exactMatchInterval: percent(emInterval),
    f1: 100 * f1Interval.mean,
    f1Interval: percent(f1Interval),
    ...(anchored.length > 0
      ? { exactMatchStartAnchored: 100 * share(anchored, (one) => one.startAnchored === 1) }
      : {}),
    ...Object.fromEntries(
      ANSWER_RANKS.map((k) => [`answerRecallAt${k}`, share(outcomes, (one) => within(one.answerRank, k))]),
    ),
    ...(withGold.length === 0
      ? {}
      : Object.fromEntries(
          PASSAGE_RANKS.map((k) => [`passageRecallAt${k}`, share(withGold, (one) => within(one.passageRank, k))]),
        )),
    ...(outcomes.some(({ read }) => read > 0)
      ? {
          readShare: share(outcomes, ({ read }) => read > 0),
          passagesRead: outcomes.reduce((sum, { read }) => sum + read, 0) / outcomes.length,
        }
      : {}),
    ...(outcomes.some(({ encoded }) => encoded > 0)
      ? { passagesEncoded: outcomes.reduce((sum, { encoded }) => sum + encoded, 0) / outcomes.length }
      : {}),
    msMean: times.reduce((sum, ms) => sum + ms, 0) / Math.max(1, times.length),
    msP50: percentile(times, 0.5),
    msP99: percentile(times, 0.99),
  };
}

export async function runOpen(path: string, flags: OpenFlags, context: CliContext): Promise<void> {
  const { io } = context;
  await requirePlaceFor(flags.report, io);
  const questions = drawQuestions(parseOpenQuestions(await readText(path, io), path), flags.limit, flags.seed);
  const { openEncoder } = await import("../../node/models/encoder/encoder.js");
  const { openIndex } = await import("../../node/open-index.js");
  const encoder = await openEncoder({ modelFolder: modelFolder(flags.model, io), threads: flags.threads });
  let reader: Reader | undefined;
  try {
    const reads = flags.compare === "sparta-reader" ? { ...flags, strategy: flags.compare } : flags;
    reader = await openReaderFor(reads, { model: encoder.model, io, threads: flags.threads });
    const index = await openIndex({ path: resolve(io.cwd, flags.index), encoder, reader, signal: io.signal });
    let texts: PassageTexts | undefined;
    try {
      texts = questions.some(({ document }) => document !== undefined)
        ? await PassageTexts.open(resolve(io.cwd, flags.index), encoder)
        : undefined;
      const run = async (how: How): Promise<Outcome[]> => {
        const outcomes: Outcome[] = [];
        const progress = new EvalProgress(io, how.strategy ?? "questions", questions.length);
        for (const question of questions) {
          outcomes.push(await askOne(index, question, { how, topK: flags.topK, texts, io }));
          progress.show(outcomes.length);
        }
        return outcomes;
      };
      const { levels } = index.info;
      const { strategy = defaultStrategy(LEVELS.filter((level) => levels[level] !== undefined)) } = flags;
      const { reader = "off", readerPassages, candidates } = flags;
      const given = readingOf(flags);
      const main = await run({ ...given, strategy, reader, advanced: { ...given.advanced, candidates } });
      const named = reader === "off" ? strategy : `${strategy}, reader ${reader}`;
      const summary = summarise(main, flags.seed);
      const systems = [{ name: named, summary, judged: main }];
      const result: Record<string, unknown> = {
        strategy,
        reader,
        ...summary,
        questions: questions.length,
        documents: index.info.documents,
        passages: index.info.passages,
        topK: flags.topK,
        seed: flags.seed,
        model: encoder.info.name,
      };
      if (flags.compare !== undefined) {
        const other = await run({ strategy: flags.compare, reader: "off", advanced: { candidates, readerPassages } });
        const difference = pairedBootstrap(
          main.map((one) => one.exactMatch),
          other.map((one) => one.exactMatch),
          { seed: flags.seed },
        );
        const compared = summarise(other, flags.seed);
        systems.push({ name: flags.compare, summary: compared, judged: other });
        result.compared = {
          strategy: flags.compare,
          ...compared,
          exactMatchDifference: 100 * difference.mean,
          exactMatchDifferenceInterval: percent(difference),
          pValue: difference.pValue,
        };
      }
      printResult(context, result, flags.json ?? false);
      await leaveFile(flags.report, io, () => openReport({ title: `eval open ${path}`, systems, figures: result }));
    } finally {
      await texts?.close();
      await index.close();
    }
  } finally {
    await reader?.close();
    await encoder.close();
  }
}
