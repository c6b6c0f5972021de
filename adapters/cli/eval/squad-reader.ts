/**
 * `verbatim eval squad FILE --reader on`: the reader answers from the gold paragraph, in windows if
 * it is too long.
 */

import { passageInput, questionInput, titleTokens } from "../../../src/encode/input.js";
import type { ModelInfo } from "../../../src/encode/types.js";
import { VerbatimError } from "../../../src/errors.js";
import { auroc } from "../../../src/evaluate/calibration.js";
import { parseSquad, type SquadParagraph, type SquadQuestion } from "../../../src/evaluate/squad-file.js";
import { type GoldQuestion, type SquadScore, scoreSquad } from "../../../src/evaluate/squad-score.js";
import { readerSpans } from "../../../src/reader/spans.js";
import type { Reader } from "../../../src/reader/types.js";
import { joinWindows, questionForReader, readerInputs } from "../../../src/reader/windows.js";
import type { Tokenizer } from "../../../src/text/tokenizer.js";
import { parseJsonFile, readText } from "../input-file.js";
import { openReaderFor } from "../open-reader.js";
import { modelOf, type ReaderFlags } from "../options.js";
import { requirePlaceFor, writeOutput } from "../output-file.js";
import type { CliContext, Io } from "../process-io.js";
import { QuestionProgress } from "../render/question-progress.js";
import type { EvalFlags } from "./commands/options.js";
import { printResult } from "./print-result.js";
import { squadReport } from "./report/squad-report.js";

interface SquadReaderEvaluation {
  /** For v2.0 files, a question whose answer logit is below 0 is answered with "". */
  score: SquadScore;
  /** v2.0 only: AUROC of the answer logit for answerable against unanswerable questions. */
  aurocAnswerable: number | undefined;
  windowedParagraphs: number;
  questionsPerSecond: number;
}

interface Parts {
  reader: Reader;
  model: ModelInfo;
  tokenizer: Tokenizer;
  io: Io;
}

interface Predicted {
  text: string;
  /** Logit that the passage answers the question. */
  answer: number;
  windows: number;
}

/** Reads one paragraph for one question. */
async function predict(
  question: SquadQuestion,
  given: { title: string; paragraph: SquadParagraph; maxAnswerTokens: number },
  { reader, model, tokenizer, io }: Parts,
): Promise<Predicted> {
  const { title, paragraph, maxAnswerTokens } = given;
  const { context } = paragraph;
  const titleIds = titleTokens(tokenizer, title, model);
  const tokens = tokenizer.tokenize(context);
  const passage = passageInput(tokenizer, titleIds, { passage: { start: 0, end: context.length, tokens } });
  const asked = questionInput(tokenizer, question.question, reader.info.maxQuestionTokens);
  const questionIds = questionForReader(asked, reader.info);
  const inputs = readerInputs(questionIds, passage, reader.info);
  const logits = joinWindows(inputs, await reader.read(inputs, { signal: io.signal }));
  const [best] = readerSpans(logits, { maxAnswerTokens, maxSpans: 1 }).best;
  const text = best === undefined ? "" : context.slice(tokens.starts[best.first]!, tokens.ends[best.last]!);
  return { text, answer: logits.answer, windows: inputs.length };
}

/** Has the reader answer every question of a SQuAD file from its paragraph. */
export async function evaluateSquadReader(
  json: unknown,
  options: Parts & { where: string; limit?: number; maxAnswerTokens?: number; language?: string },
): Promise<SquadReaderEvaluation> {
  const { where, limit = Number.POSITIVE_INFINITY, maxAnswerTokens = 20, reader, io } = options;
  const file = parseSquad(json, where);
  const work = file.articles
    .flatMap(({ title, paragraphs }) =>
      paragraphs.flatMap((paragraph) =>
        paragraph.questions.map((question) => ({ title: title.replaceAll("_", " "), paragraph, question })),
      ),
    )
    .slice(0, limit);
  const golds: GoldQuestion[] = work.map(({ question: { id, answers } }) => ({
    id,
    answers: answers.map((answer) => answer.text),
  }));
  const texts = new Map<string, string>();
  const answerLogits = { answerable: [] as number[], impossible: [] as number[] };
  const windowed = new Set<SquadParagraph>();
  const progress = new QuestionProgress(io, "questions", work.length);
  const started = performance.now();
  let done = 0;
  const waiting = work.values();
  const lane = async (): Promise<void> => {
    for (const { title, paragraph, question } of waiting) {
      const found = await predict(question, { title, paragraph, maxAnswerTokens }, options);
      const abstains = file.version === "2.0" && found.answer < 0;
      texts.set(question.id, abstains ? "" : found.text);
      (question.answers.length === 0 ? answerLogits.impossible : answerLogits.answerable).push(found.answer);
      if (found.windows > 1) windowed.add(paragraph);
      progress.show(++done);
    }
  };
  await Promise.all(Array.from({ length: reader.lanes + 1 }, lane));
  const { answerable, impossible } = answerLogits;
  return {
    score: scoreSquad(golds, texts, { version: file.version, language: options.language }),
    aurocAnswerable: file.version === "2.0" ? auroc(answerable, impossible) : undefined,
    windowedParagraphs: windowed.size,
    questionsPerSecond: (1000 * work.length) / (performance.now() - started),
  };
}

export async function runSquadReader(
  path: string,
  flags: EvalFlags & ReaderFlags & { stored?: boolean; report?: string; language?: string },
  context: CliContext,
): Promise<void> {
  const { io } = context;
  if (flags.stored === true) {
    throw new VerbatimError("invalid-argument", "--stored does not apply to the reader, which reads the text.", {
      hint: "Remove --stored or --reader.",
    });
  }
  await requirePlaceFor(flags.report, [path], io);
  const json = parseJsonFile(await readText(path, io), path);
  const { openEncoder } = await import("../../node/models/encoder/encoder.js");
  // only the tokenizer is used
  const encoder = await openEncoder({ ...modelOf(flags.model, io), threads: 1 });
  try {
    const reader = (await openReaderFor(
      { ...flags, reader: "on" },
      { model: encoder.model, io, threads: flags.threads },
    ))!;
    try {
      const { info: model, tokenizer } = encoder;
      const { limit, language } = flags;
      const result = await evaluateSquadReader(json, { reader, model, tokenizer, io, where: path, limit, language });
      const figures = {
        exactMatch: result.score.exactMatch,
        f1: result.score.f1,
        questions: result.score.questions,
        ...(result.aurocAnswerable === undefined ? {} : { aurocAnswerable: result.aurocAnswerable }),
        windowedParagraphs: result.windowedParagraphs,
        questionsPerSecond: result.questionsPerSecond,
        reader: reader.info.name,
      };
      printResult(context, figures, flags.json ?? false);
      await writeOutput(flags.report, io, () => squadReport(path, figures, { reader: result.score }));
    } finally {
      await reader.close();
    }
  } finally {
    await encoder.close();
  }
}
