/**
 * `verbatim eval calibration QUESTIONS --index DIR`: how reliable is the confidence, and does it
 * recognise unanswerable questions?
 */

import { resolve } from "node:path";
import type { Index } from "../../../src/api/index-handle.js";
import type { AskOptions } from "../../../src/ask/options.js";
import { VerbatimError } from "../../../src/errors.js";
import {
  auroc,
  type Bin,
  calibrationError,
  chanceCalibrationError,
  reliability,
} from "../../../src/evaluate/calibration.js";
import { draw } from "../../../src/evaluate/draw.js";
import { type OpenQuestion, parseOpenQuestions } from "../../../src/evaluate/open-questions.js";
import type { StrategyName } from "../../../src/search/strategies/names.js";
import { openReaderFor } from "../open-reader.js";
import { modelOf, type ReaderFlags, readingOf } from "../options.js";
import type { CliContext, Io } from "../process-io.js";
import { articleOf, type HiddenPart, type JudgedQuestion, judgeQuestion } from "./judge-question.js";
import { reportPage } from "./report/page.js";
import { reliabilityPlot } from "./report/plots.js";
import { leaveFile, requirePlaceFor } from "./report/write.js";
import { type EvalFlags, EvalProgress, printResult, readText } from "./shared.js";

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
  const { openEncoder } = await import("../../node/models/encoder/encoder.js");
  const { openIndex } = await import("../../node/open-index.js");
  const encoder = await openEncoder({
    ...modelOf(flags.model, io),
    index: resolve(io.cwd, flags.index),
    threads: flags.threads ?? 1,
  });
  const reader = await openReaderFor(flags, { model: encoder.model, io, threads: flags.threads }).catch(
    async (error) => {
      await encoder.close();
      throw error;
    },
  );
  try {
    const index = await openIndex({ path: resolve(io.cwd, flags.index), encoder, reader, signal: io.signal });
    try {
      const { strategy, reader: readerMode = "default" } = flags;
      const options: AskOptions = { strategy, ...readingOf(flags), signal: io.signal };
      const asked = await askAll(index, questions, { hidden: "nothing", options, io });
      const hidden = flags.unanswerable === undefined ? flags.hide : "article";
      const unanswerable = await askAll(index, withoutAnswer, { hidden, options, io });
      const thresholds: Thresholds = {
        phraseSearch: encoder.info.calibration?.threshold,
        reader: reader?.info.calibration?.threshold,
      };
      const result = {
        ...summary(asked, unanswerable, thresholds),
        strategy,
        reader: readerMode,
        seed: flags.seed,
        model: encoder.info.name,
      };
      printResult(context, result, flags.json ?? false);
      const plot = reliabilityPlotOf([...asked, ...unanswerable], strategy);
      await leaveFile(flags.svg, io, () => plot);
      const title = `eval calibration ${path}`;
      await leaveFile(flags.report, io, () => reportPage({ title, plots: [plot], figures: result, worst: [] }));
    } finally {
      await index.close();
    }
  } finally {
    await reader?.close();
    await encoder.close();
  }
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
  const progress = new EvalProgress(how.io, how.hidden === "nothing" ? "answerable" : "unanswerable", questions.length);
  const judged: JudgedQuestion[] = [];
  for (const question of questions) {
    judged.push(await judgeQuestion(index, question, how));
    progress.show(judged.length);
  }
  return judged;
}

/** Confidence of the first answer; no answer counts as 0. */
const sure = ({ confidence }: JudgedQuestion): number => confidence ?? 0;

function binsOf(judged: readonly JudgedQuestion[], of: "right" | "exactMatch"): Bin[] {
  return reliability(
    judged.map(sure),
    judged.map((one) => one[of]),
  );
}

/** An answer with more than this confidence looks certain to a reader of the page. */
const SURE = 0.8;

/** Counts the answers that look certain, and the share of them that is wrong. */
function surelyWrong(all: readonly JudgedQuestion[]): { sureAnswers: number; wrongOfSure: number } {
  const certain = all.filter((one) => sure(one) > SURE);
  const wrong = certain.filter(({ right }) => right === 0).length;
  return { sureAnswers: certain.length, wrongOfSure: wrong / Math.max(1, certain.length) };
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
): Record<string, unknown> {
  const all = [...asked, ...unanswerable];
  const abstains = (one: JudgedQuestion): boolean =>
    sure(one) < ((one.read ? thresholds.reader : thresholds.phraseSearch) ?? 0);
  const used = [...new Set(all.map(({ read }) => (read ? "reader" : "phraseSearch")))] as (keyof Thresholds)[];
  const known = Object.fromEntries(used.map((name) => [name, thresholds[name]]));
  if (all.every(({ confidence }) => confidence === undefined)) {
    throw new VerbatimError("invalid-argument", "No answer has a confidence: the model is not calibrated.", {
      hint: "Calibrate it with scripts/calibrate.ts, or name another model.",
    });
  }
  const rights = asked.filter(({ right }) => right === 1).map(sure);
  const wrongs = asked.filter(({ right }) => right === 0).map(sure);
  const share = (list: JudgedQuestion[], good: (one: JudgedQuestion) => boolean): number =>
    list.filter(good).length / Math.max(1, list.length);
  const bins = binsOf(all, "right");
  return {
    expectedCalibrationError: calibrationError(bins),
    ofPerfectConfidences: chanceCalibrationError(all.map(sure)),
    ofAnswerable: calibrationError(binsOf(asked, "right")),
    ofAnswerableByExactMatch: calibrationError(binsOf(asked, "exactMatch")),
    aurocAnswerable: auroc(asked.map(sure), unanswerable.map(sure)),
    aurocRight: auroc(rights, wrongs),
    answerable: asked.length,
    unanswerable: unanswerable.length,
    rightShare: share(asked, ({ right }) => right === 1),
    ...surelyWrong(all),
    exactMatchShare: share(asked, (one) => one.exactMatch === 1),
    ...(used.every((name) => thresholds[name] === undefined)
      ? {}
      : {
          thresholds: known,
          abstainedOfUnanswerable: share(unanswerable, abstains),
          abstainedOfRight: share(
            asked.filter(({ right }) => right === 1),
            abstains,
          ),
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
