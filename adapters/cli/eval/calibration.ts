/**
 * `verbatim eval calibration QUESTIONS --index DIR`: how reliable is the confidence, and does it
 * recognise unanswerable questions?
 */

import type { Index } from "../../../src/api/index-handle.js";
import type { AskOptions } from "../../../src/ask/options.js";
import { VerbatimError } from "../../../src/errors.js";
import {
  auroc,
  type Bin,
  type ChanceError,
  calibrationError,
  chanceCalibrationError,
  reliability,
} from "../../../src/evaluate/calibration.js";
import { draw } from "../../../src/evaluate/draw.js";
import { type OpenQuestion, parseOpenQuestions } from "../../../src/evaluate/open-questions.js";
import type { ReaderMode } from "../../../src/reader/types.js";
import type { StrategyName } from "../../../src/search/strategies/names.js";
import { readText } from "../input-file.js";
import { type ReaderFlags, readingOf } from "../options.js";
import { requirePlaceFor, writeOutput } from "../output-file.js";
import type { CliContext, Io } from "../process-io.js";
import { QuestionProgress } from "../render/question-progress.js";
import { withIndex } from "../with-index.js";
import type { EvalFlags } from "./commands/options.js";
import { articleOf, type HiddenPart, type JudgedQuestion, judgeQuestion } from "./judge-question.js";
import { printResult } from "./print-result.js";
import { reportPage } from "./report/page.js";
import { reliabilityPlot } from "./report/plots.js";

export interface CalibrationFlags extends EvalFlags, ReaderFlags {
  index: string;
  strategy: StrategyName;
  unanswerable?: string;
  hide: Exclude<HiddenPart, "nothing">;
  seed: number;
  report?: string;
  svg?: string;
}

export async function runCalibration(path: string, flags: CalibrationFlags, context: CliContext): Promise<void> {
  const { io } = context;
  const inputs = [path, ...(flags.unanswerable === undefined ? [] : [flags.unanswerable])];
  await requirePlaceFor(flags.report, inputs, io);
  await requirePlaceFor(flags.svg, inputs, io);
  const drawn = (list: OpenQuestion[]): OpenQuestion[] => draw(list, flags.limit, flags.seed);
  const questions = drawn(parseOpenQuestions(await readText(path, io), path));
  const withoutAnswer =
    flags.unanswerable === undefined
      ? withPartHidden(questions, path)
      : drawn(parseOpenQuestions(await readText(flags.unanswerable, io), flags.unanswerable, { unanswerable: true }));
  await withIndex(flags, io, async ({ index, encoder, reader }) => {
    const { strategy, reader: readerMode = "default" } = flags;
    const options: AskOptions = { strategy, ...readingOf(flags), signal: io.signal };
    const asked = await askAll(index, questions, { hidden: "nothing", options, io });
    const hidden = flags.unanswerable === undefined ? flags.hide : "article";
    const unanswerable = await askAll(index, withoutAnswer, { hidden, options, io });
    const thresholds: Thresholds = {
      phraseSearch: encoder.info.calibration?.threshold,
      reader: reader?.info.calibration?.threshold,
    };
    const result: CalibrationResult = {
      ...summary(asked, unanswerable, thresholds),
      strategy,
      reader: readerMode,
      seed: flags.seed,
      model: encoder.info.name,
    };
    printResult(context, result, flags.json ?? false);
    const plot = reliabilityPlotOf([...asked, ...unanswerable], strategy);
    await writeOutput(flags.svg, io, () => plot);
    const title = `eval calibration ${path}`;
    await writeOutput(flags.report, io, () => reportPage({ title, plots: [plot], figures: result, worst: [] }));
  });
}

/** The same questions, to be asked with their own article or passage hidden. */
function withPartHidden(questions: OpenQuestion[], path: string): OpenQuestion[] {
  if (questions.some((question) => articleOf(question) !== undefined)) return questions;
  throw new VerbatimError("invalid-argument", `${path} does not say which article a question belongs to.`, {
    hint: "Name a file of questions that the index cannot answer with --unanswerable FILE.",
  });
}

async function askAll(
  index: Index,
  questions: OpenQuestion[],
  how: { hidden: HiddenPart; options: AskOptions; io: Io },
): Promise<JudgedQuestion[]> {
  const progress = new QuestionProgress(
    how.io,
    how.hidden === "nothing" ? "answerable" : "unanswerable",
    questions.length,
  );
  const judged: JudgedQuestion[] = [];
  for (const question of questions) {
    judged.push(await judgeQuestion(index, question, how));
    progress.show(judged.length);
  }
  return judged;
}

/** Confidence of the first answer; no answer counts as 0. */
const confidenceOf = ({ confidence }: JudgedQuestion): number => confidence ?? 0;

function binsOf(judged: readonly JudgedQuestion[], of: "right" | "exactMatch"): Bin[] {
  return reliability(
    judged.map(confidenceOf),
    judged.map((one) => one[of]),
  );
}

/** An answer with more than this confidence looks certain to a reader of the page. */
const HIGH_CONFIDENCE = 0.8;

/** The share of the questions that `is` holds for; 0 for no questions. */
function shareOf(judged: readonly JudgedQuestion[], is: (one: JudgedQuestion) => boolean): number {
  return judged.filter(is).length / Math.max(1, judged.length);
}

/** The reliability plot of answerable and unanswerable questions together. */
function reliabilityPlotOf(all: readonly JudgedQuestion[], name: string): string {
  const bins = binsOf(all, "right");
  return reliabilityPlot(`Reliability, ${name}: calibration error ${calibrationError(bins).toFixed(3)}`, bins);
}

/**
 * The confidence below which `ask` gives no answer, by what the answer comes from. Undefined if it
 * is not calibrated.
 */
interface Thresholds {
  phraseSearch: number | undefined;
  reader: number | undefined;
}

/** The figures of answerable and unanswerable questions. Errors, shares and AUROC are 0 to 1. */
interface CalibrationSummary {
  /** The error over all questions. */
  expectedCalibrationError: number;
  /** The error that perfect confidences would show by chance on as many questions. */
  expectedCalibrationErrorByChance: ChanceError;
  /** The error over the answerable questions. */
  expectedCalibrationErrorOfAnswerable: number;
  /** The error over the answerable questions if only exact matches count as right. */
  expectedCalibrationErrorOfAnswerableByExactMatch: number;
  /** AUROC of the confidences of answerable against unanswerable questions. */
  aurocAnswerable: number;
  /** AUROC of the confidences of right against wrong answers to answerable questions. */
  aurocRight: number;
  /** Number of answerable questions. */
  answerable: number;
  /** Number of unanswerable questions. */
  unanswerable: number;
  /** Share of the answerable questions that are answered right. */
  rightShare: number;
  /** Number of answers with more than 80 % confidence. */
  highConfidenceAnswers: number;
  /** Share of the answers with more than 80 % confidence that are wrong. */
  highConfidenceErrorRate: number;
  /** Share of the answerable questions whose answer is an exact match. */
  exactMatchShare: number;
  /** The thresholds of the networks that answered; missing, with the two shares below, if none is known. */
  thresholds?: Partial<Thresholds>;
  /** Share of the unanswerable questions whose answer is below the threshold. */
  abstainedOfUnanswerable?: number;
  /** Share of the right answers that are below the threshold. */
  abstainedOfRight?: number;
  reliability: ReliabilityRow[];
}

/** A bin of the reliability table; confidence and accuracy are null if it is empty. */
interface ReliabilityRow {
  from: number;
  to: number;
  count: number;
  confidence: number | null;
  accuracy: number | null;
}

/** What `eval calibration --json` prints. */
interface CalibrationResult extends CalibrationSummary {
  strategy: StrategyName;
  reader: ReaderMode | "default";
  seed: number;
  model: string;
}

/**
 * @param thresholds each question is judged by the threshold of the network that answered it, as in
 *   `ask`: in mode `auto` that is the reader's for the questions it read, and phrase search's for
 *   the others
 * @throws VerbatimError `invalid-argument` if no answer has a confidence
 */
export function summary(
  asked: JudgedQuestion[],
  unanswerable: JudgedQuestion[],
  thresholds: Thresholds,
): CalibrationSummary {
  const all = [...asked, ...unanswerable];
  const abstains = (one: JudgedQuestion): boolean =>
    confidenceOf(one) < ((one.read ? thresholds.reader : thresholds.phraseSearch) ?? 0);
  const used = [...new Set(all.map(({ read }) => (read ? "reader" : "phraseSearch")))] as (keyof Thresholds)[];
  const known: Partial<Thresholds> = Object.fromEntries(used.map((name) => [name, thresholds[name]]));
  if (all.every(({ confidence }) => confidence === undefined)) {
    throw new VerbatimError("invalid-argument", "No answer has a confidence: the model is not calibrated.", {
      hint: "Calibrate it with scripts/calibrate.ts, or name another model.",
    });
  }
  const isRight = ({ right }: JudgedQuestion): boolean => right === 1;
  const isWrong = ({ right }: JudgedQuestion): boolean => right === 0;
  const rightlyAnswered = asked.filter(isRight);
  const highConfidence = all.filter((one) => confidenceOf(one) > HIGH_CONFIDENCE);
  const bins = binsOf(all, "right");
  return {
    expectedCalibrationError: calibrationError(bins),
    expectedCalibrationErrorByChance: chanceCalibrationError(all.map(confidenceOf)),
    expectedCalibrationErrorOfAnswerable: calibrationError(binsOf(asked, "right")),
    expectedCalibrationErrorOfAnswerableByExactMatch: calibrationError(binsOf(asked, "exactMatch")),
    aurocAnswerable: auroc(asked.map(confidenceOf), unanswerable.map(confidenceOf)),
    aurocRight: auroc(rightlyAnswered.map(confidenceOf), asked.filter(isWrong).map(confidenceOf)),
    answerable: asked.length,
    unanswerable: unanswerable.length,
    rightShare: shareOf(asked, isRight),
    highConfidenceAnswers: highConfidence.length,
    highConfidenceErrorRate: shareOf(highConfidence, isWrong),
    exactMatchShare: shareOf(asked, (one) => one.exactMatch === 1),
    ...(used.every((name) => thresholds[name] === undefined)
      ? {}
      : {
          thresholds: known,
          abstainedOfUnanswerable: shareOf(unanswerable, abstains),
          abstainedOfRight: shareOf(rightlyAnswered, abstains),
        }),
    reliability: bins.map(({ from, to, count, confidence, accuracy }) => ({
      from,
      to,
      count,
      confidence: count === 0 ? null : confidence,
      accuracy: count === 0 ? null : accuracy,
    })),
  };
}
