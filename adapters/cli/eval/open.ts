/**
 * `verbatim eval open QUESTIONS --index DIR`: asks a whole index, and compares a second strategy
 * question by question.
 */

import type { Index } from "../../../src/api/index-handle.js";
import { type AskOptions, defaultStrategy, planReading } from "../../../src/ask/options.js";
import type { Encoder } from "../../../src/encode/types.js";
import { metricOf } from "../../../src/evaluate/answer-metric.js";
import { pairedBootstrap } from "../../../src/evaluate/bootstrap.js";
import { draw } from "../../../src/evaluate/draw.js";
import { isNamedDocument, type OpenQuestion, parseOpenQuestions } from "../../../src/evaluate/open-questions.js";
import { LEVELS } from "../../../src/index/format/level.js";
import type { Reader, ReaderMode } from "../../../src/reader/types.js";
import type { StrategyName } from "../../../src/search/strategies/names.js";
import { readText } from "../input-file.js";
import { type ReaderFlags, readingOf } from "../options.js";
import { requirePlaceFor, writeOutput } from "../output-file.js";
import type { CliContext, Io } from "../process-io.js";
import { QuestionProgress } from "../render/question-progress.js";
import { withIndex } from "../with-index.js";
import type { EvalFlags } from "./commands/options.js";
import { PassageTexts, rankOfGold } from "./gold-passages.js";
import {
  byLanguage,
  type FiguresByLanguage,
  type OpenSummary,
  type Outcome,
  percent,
  summarise,
} from "./open-summary.js";
import { printResult } from "./print-result.js";
import { type JudgedSystem, openReport } from "./report/open-report.js";

export interface OpenFlags extends EvalFlags, ReaderFlags {
  index: string;
  /** Default: depends on the index's level. */
  strategy?: StrategyName;
  compare?: StrategyName;
  /** Passages whose phrases are scored, for both strategies. */
  candidates?: number;
  seed: number;
  topK: number;
  report?: string;
  /** Language of questions that do not name theirs. */
  language?: string;
}

export type QuestionOptions = Omit<AskOptions, "topK" | "signal">;

interface Judge {
  right: (text: string) => number;
  anchored?: (text: string) => number;
  isIn: (text: string) => boolean;
  f1: (text: string) => number;
}

function judgeOf({ pattern, answers, language }: OpenQuestion, fallback: string): Judge {
  if (pattern !== undefined) {
    return {
      right: (text) => Number(pattern.matchesAnywhere(text)),
      anchored: (text) => Number(pattern.matchesStart(text)),
      isIn: (text) => pattern.matchesAnywhere(text),
      f1: () => 0,
    };
  }
  const metric = metricOf(language ?? fallback);
  return {
    right: (text) => metric.exactMatch(text, answers),
    isIn: (text) => metric.isIn(text, answers),
    f1: (text) => metric.f1(text, answers),
  };
}

/** False if the question's document is known and is another one. */
function mayHold({ document, goldPassages }: OpenQuestion, id: string): boolean {
  if (document !== undefined) return isNamedDocument(id, document);
  return goldPassages === undefined || goldPassages.includes(id);
}

/** Asks one question and judges the answers. */
export async function askOne(
  index: Index,
  question: OpenQuestion,
  options: { how: QuestionOptions; topK: number; texts: PassageTexts | undefined; io: Io; language?: string },
): Promise<Outcome> {
  const { how, topK, texts, io, language = "en" } = options;
  const asked = await index.ask(question.question, { minConfidence: 0, ...how, topK, signal: io.signal });
  const { answers, passages, tookMs } = asked;
  const { right, anchored, isIn, f1 } = judgeOf(question, language);
  const first = answers[0]?.text ?? "";
  const rankOf = (good: (answer: (typeof answers)[number]) => boolean): number | undefined => {
    const at = answers.findIndex(good);
    return at < 0 ? undefined : at + 1;
  };
  const passageRank = await rankOfGold(question, passages, texts);
  return {
    exactMatch: answers.length === 0 ? 0 : right(first),
    startAnchored: anchored === undefined ? undefined : answers.length === 0 ? 0 : anchored(first),
    f1: answers.length === 0 ? 0 : f1(first),
    answerRank: rankOf((answer) => right(answer.text) === 1),
    sentenceRank: rankOf((answer) => mayHold(question, answer.documentId) && isIn(answer.context)),
    passageRank,
    hasGoldPassage: question.goldPassages !== undefined || question.document !== undefined,
    language: question.language,
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

export async function runOpen(path: string, flags: OpenFlags, context: CliContext): Promise<void> {
  const { io } = context;
  await requirePlaceFor(flags.report, [path], io);
  const questions = draw(parseOpenQuestions(await readText(path, io), path), flags.limit, flags.seed);
  // the compared strategy may need the reader too
  const opening = flags.compare === "sparta-reader" ? { ...flags, strategy: flags.compare } : flags;
  await withIndex(opening, io, async ({ path: folder, encoder, reader, index }) => {
    const needsTexts = questions.some(({ document }) => document !== undefined);
    const texts = needsTexts ? await PassageTexts.open(folder, encoder) : undefined;
    try {
      const { systems, result } = await measure({ index, encoder, reader, questions, texts, flags, io });
      printResult(context, result, flags.json ?? false);
      await writeOutput(flags.report, io, () => openReport({ title: `eval open ${path}`, systems, figures: result }));
    } finally {
      await texts?.close();
    }
  });
}

interface MeasureParts {
  index: Index;
  encoder: Pick<Encoder, "info">;
  reader: Reader | undefined;
  questions: readonly OpenQuestion[];
  texts: PassageTexts | undefined;
  flags: OpenFlags;
  io: Io;
}

/** What `eval open --json` prints. */
interface OpenResult extends OpenSummary, FiguresByLanguage {
  strategy: StrategyName;
  reader: ReaderMode;
  questions: number;
  documents: number;
  passages: number;
  topK: number;
  seed: number;
  model: string;
  /** Missing without `--compare`. */
  compared?: Comparison;
}

/** Figures of the strategy of `--compare`, and how far the main one's exact match is above it. */
interface Comparison extends OpenSummary, FiguresByLanguage {
  strategy: StrategyName;
  /** Percentage points. */
  exactMatchDifference: number;
  exactMatchDifferenceInterval: readonly [number, number];
  pValue: number;
}

/** Asks all questions, also with the strategy of `--compare`. */
async function measure(parts: MeasureParts): Promise<{ systems: JudgedSystem[]; result: OpenResult }> {
  const { index, encoder, reader, questions, flags } = parts;
  const { levels, documents, passages } = index.info;
  const { strategy = defaultStrategy(LEVELS.filter((level) => levels[level] !== undefined)) } = flags;
  const wanted = flags.reader ?? (flags.compare === undefined ? undefined : "off");
  const { mode } = planReading({ reader: wanted }, { model: encoder.info, reader, strategy });
  const given = readingOf(flags);
  const { candidates } = flags;
  const advanced = { ...given.advanced, ...(candidates === undefined ? {} : { candidates }) };
  const main = await askAll(parts, { ...given, strategy, reader: mode, advanced });
  const summary = summarise(main, flags.seed);
  const systems: JudgedSystem[] = [
    { name: mode === "off" ? strategy : `${strategy}, reader ${mode}`, summary, judged: main },
  ];
  const result: OpenResult = {
    strategy,
    reader: mode,
    ...summary,
    ...byLanguage(main, flags.seed),
    questions: questions.length,
    documents,
    passages,
    topK: flags.topK,
    seed: flags.seed,
    model: encoder.info.name,
  };
  if (flags.compare !== undefined) {
    const other = await askAll(parts, { strategy: flags.compare, reader: "off", advanced });
    systems.push({ name: flags.compare, summary: summarise(other, flags.seed), judged: other });
    result.compared = comparison(flags.compare, { main, other, seed: flags.seed });
  }
  return { systems, result };
}

async function askAll({ index, questions, texts, flags, io }: MeasureParts, how: QuestionOptions): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const progress = new QuestionProgress(io, how.strategy ?? "questions", questions.length);
  for (const question of questions) {
    outcomes.push(await askOne(index, question, { how, topK: flags.topK, texts, io, language: flags.language }));
    progress.show(outcomes.length);
  }
  return outcomes;
}

/** @param strategy  of the outcomes `other` */
function comparison(
  strategy: StrategyName,
  { main, other, seed }: { main: readonly Outcome[]; other: readonly Outcome[]; seed: number },
): Comparison {
  const difference = pairedBootstrap(
    main.map(({ exactMatch }) => exactMatch),
    other.map(({ exactMatch }) => exactMatch),
    { seed },
  );
  return {
    strategy,
    ...summarise(other, seed),
    ...byLanguage(other, seed),
    exactMatchDifference: 100 * difference.mean,
    exactMatchDifferenceInterval: percent(difference),
    pValue: difference.pValue,
  };
}
