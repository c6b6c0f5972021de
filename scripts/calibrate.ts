/**
 * Fits `calibration` in a model.json, which maps features of a search to the probability that the
 * answer is right. Uses the development mix (bench/development/mix.py; languages.py for several
 * languages) or other questions for tuning, never a measuring set. The model is the one that made
 * the index, unless --model names a folder. Every question is asked three times: of the whole
 * index, with its own article hidden, so that no answer is right, and with its own passage hidden,
 * so that much looks plausible and little is right. The first counts twice, so that half of the
 * questions can be answered. With --unanswerable FILE, questions that nothing answers are asked
 * instead of hiding anything; they are weighted so that they make up a third.
 *
 *   npx tsx scripts/calibrate.ts questions.jsonl --index mix.index --write                  phrase search: model.json of the encoder
 *   npx tsx scripts/calibrate.ts questions.jsonl --index mix.index --reader on --write      the reader: model.json of the reader
 *
 * Reported figures are cross-validated: each fifth of the articles is judged by a fit on the
 * others. The fit that is written uses all articles.
 */

import { readFile, writeFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { summary } from "../adapters/cli/eval/calibration.js";
import { type HiddenPart, type JudgedQuestion, judgeQuestion, RIGHT_F1 } from "../adapters/cli/eval/judge-question.js";
import { openIndex } from "../adapters/node/index.js";
import { modelFolderFor } from "../adapters/node/models/choice.js";
import { openEncoder } from "../adapters/node/models/encoder/encoder.js";
import { openReader } from "../adapters/node/models/reader/reader.js";
import { installedReaderFolder } from "../adapters/node/models/reader/reader-folder.js";
import { confidenceOf } from "../src/ask/confidence.js";
import type { Calibration } from "../src/encode/types.js";
import { draw } from "../src/evaluate/draw.js";
import { fitLogistic } from "../src/evaluate/fit-logistic.js";
import { type OpenQuestion, parseOpenQuestions } from "../src/evaluate/open-questions.js";

const FOLDS = 5;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    index: { type: "string" },
    model: { type: "string" },
    reader: { type: "string", default: "off" },
    "reader-model": { type: "string" },
    limit: { type: "string", default: "1500" },
    keep: { type: "string", default: "0.9" },
    unanswerable: { type: "string" },
    write: { type: "boolean", default: false },
  },
});
const [path] = positionals;
if (path === undefined || values.index === undefined || !["off", "on"].includes(values.reader)) {
  console.error(
    "usage: calibrate QUESTIONS --index DIR [--reader on] [--model DIR] [--reader-model DIR] [--limit N] [--unanswerable FILE] [--keep SHARE] [--write]",
  );
  process.exit(2);
}

/** Fits a calibration; its `threshold` keeps the share `keep` of the right answers. */
function fitCalibration(samples: readonly JudgedQuestion[], keep: number): Calibration {
  const known = samples.filter((one) => one.features !== undefined);
  const names = Object.keys(known[0]!.features!);
  const columns = names.map((name) => known.map((one) => one.features![name]!));
  const moments = columns.map((column) => {
    const mean = column.reduce((sum, value) => sum + value, 0) / column.length;
    const scale = Math.sqrt(column.reduce((sum, value) => sum + (value - mean) ** 2, 0) / column.length);
    return { mean, scale: scale > 0 ? scale : 1 };
  });
  const rows = known.map((one) =>
    names.map((name, d) => (one.features![name]! - moments[d]!.mean) / moments[d]!.scale),
  );
  const { intercept, weights } = fitLogistic(
    rows,
    known.map((one) => one.right),
  );
  const round = (value: number): number => Number(value.toFixed(6));
  const features = Object.fromEntries(
    names.map((name, d) => [
      name,
      { mean: round(moments[d]!.mean), scale: round(moments[d]!.scale), weight: round(weights[d]!) },
    ]),
  );
  const calibration: Calibration = { intercept: round(intercept), features, threshold: 0, about: {} };
  const rights = known
    .filter((one) => one.right === 1)
    .map((one) => confidenceOf(calibration, one.features!))
    .sort((a, b) => a - b);
  calibration.threshold = Math.floor(100 * (rights[Math.floor((1 - keep) * rights.length)] ?? 0)) / 100;
  return calibration;
}

const judged = (calibration: Calibration, samples: readonly JudgedQuestion[]): JudgedQuestion[] =>
  samples.map((one) => ({
    ...one,
    confidence: one.features === undefined ? undefined : confidenceOf(calibration, one.features),
  }));

/** What is asked besides the questions themselves, so that there are questions without an answer. */
interface Unanswered {
  rounds: [HiddenPart, OpenQuestion[]][];
  /** What a calibration is fitted on: some are counted more than once. */
  balanced(samples: readonly JudgedQuestion[]): JudgedQuestion[];
  /** For the model's description. */
  about: string;
  option: string;
}

/** Every question again, without its own article and without its own passage. */
function hiddenAnswers(questions: OpenQuestion[]): Unanswered {
  return {
    rounds: [
      ["article", questions],
      ["passage", questions],
    ],
    // counted twice, so that half of the questions can be answered
    balanced: (samples) => [...samples, ...samples.filter(({ answerable }) => answerable)],
    about: ", without its own article, and without its own passage",
    option: "",
  };
}

/** Questions that nothing answers, repeated until they are a third. */
async function questionsWithoutAnswer(file: string): Promise<Unanswered> {
  const withoutAnswer = parseOpenQuestions(await readFile(file, "utf8"), file, { unanswerable: true });
  return {
    rounds: [["article", withoutAnswer]],
    balanced(samples) {
      const answerable = samples.filter((one) => one.answerable);
      // each is an article of its own, so that the folds of the cross-validation divide them
      const unanswered = samples
        .filter((one) => !one.answerable)
        .map((one, n) => ({ ...one, article: `unanswerable ${n}` }));
      const count = Math.max(unanswered.length, Math.round(answerable.length / 2));
      return [...answerable, ...Array.from({ length: count }, (_, n) => unanswered[n % unanswered.length]!)];
    },
    about: `, and ${withoutAnswer.length} that nothing answers`,
    option: ` --unanswerable ${basename(file)}`,
  };
}

const all = parseOpenQuestions(await readFile(path, "utf8"), path);
const questions = draw(all, Number(values.limit), 1);
const unanswered =
  values.unanswerable === undefined ? hiddenAnswers(questions) : await questionsWithoutAnswer(values.unanswerable);
const folder = values.model === undefined ? await modelFolderFor({ index: values.index }) : resolve(values.model);
const encoder = await openEncoder({ modelFolder: folder, threads: 1 });
const readerFolder = values["reader-model"] ?? (await installedReaderFolder(encoder.model));
const reader = values.reader === "on" ? await openReader({ folder: readerFolder, model: encoder.model }) : undefined;
const index = await openIndex({ path: values.index, encoder, reader });
const asked: JudgedQuestion[] = [];
const began = performance.now();
const options = { reader: values.reader as "off" | "on", advanced: { features: true } };
const rounds: [HiddenPart, OpenQuestion[]][] = [["nothing", questions], ...unanswered.rounds];
for (const [hidden, group] of rounds) {
  for (const [n, question] of group.entries()) {
    asked.push(await judgeQuestion(index, question, { hidden, options }));
    if (n % 100 === 99)
      console.error(
        `without ${hidden}: ${n + 1} of ${group.length}, ${Math.round((performance.now() - began) / 1000)} s`,
      );
  }
}
await index.close();
await reader?.close();
await encoder.close();
const samples = unanswered.balanced(asked);

const keep = Number(values.keep);
const articles = [...new Set(samples.map(({ article }) => article))];
const crossed = Array.from({ length: FOLDS }, (_, fold) => {
  const inFold = (one: JudgedQuestion): boolean => articles.indexOf(one.article) % FOLDS === fold;
  const fitted = fitCalibration(
    samples.filter((one) => !inFold(one)),
    keep,
  );
  return judged(fitted, samples.filter(inFold));
}).flat();
const calibration = fitCalibration(samples, keep);
const measured = summary(
  crossed.filter((one) => one.answerable),
  crossed.filter((one) => !one.answerable),
  { phraseSearch: calibration.threshold, reader: calibration.threshold },
);
const { reliability, ...figures } = measured;
calibration.about = {
  right: `shares words with a gold answer, F1 at least ${RIGHT_F1}`,
  on: `${questions.length} questions of ${basename(path)}, each asked of everything${unanswered.about}`,
  keepsOfRightAnswers: keep,
  crossValidated: figures,
  command: `npx tsx scripts/calibrate.ts ${basename(path)} --index DIR${reader === undefined ? "" : " --reader on"} --limit ${values.limit}${unanswered.option} --keep ${values.keep} --write`,
};
console.log(JSON.stringify({ calibration, reliability }, undefined, 1));
if (values.write) {
  const file = join(reader === undefined ? folder : readerFolder!, "model.json");
  const info = JSON.parse(await readFile(file, "utf8"));
  await writeFile(file, `${JSON.stringify({ ...info, calibration }, undefined, 1)}\n`);
  console.error(`written to ${file}`);
}
