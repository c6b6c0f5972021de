/**
 * `verbatim eval squad FILE`: scores all spans of the gold paragraph, unfiltered (DenSPI §6.1,
 * SPARC table 3).
 */

import { passageInput, titleTokens } from "../../../src/encode/input.js";
import type { EncodedQuestion, Encoder } from "../../../src/encode/types.js";
import { parseSquad, type SquadFile, type SquadParagraph } from "../../../src/evaluate/squad-file.js";
import { type GoldQuestion, type SquadScore, scoreSquad } from "../../../src/evaluate/squad-score.js";
import { createKernel, type Kernel } from "../../../src/kernel/kernel.js";
import { prepareQuestion } from "../../../src/search/prepare.js";
import { scoreSpans } from "../../../src/search/score/score-spans.js";
import { parseJsonFile, readText } from "../input-file.js";
import { modelOf } from "../options.js";
import { requirePlaceFor, writeOutput } from "../output-file.js";
import type { CliContext, Io } from "../process-io.js";
import { QuestionProgress } from "../render/question-progress.js";
import type { EvalFlags } from "./commands/options.js";
import { printResult } from "./print-result.js";
import { squadReport } from "./report/squad-report.js";

/** Maximum input length in tokens, set by the network's position embeddings. */
const MAX_POSITIONS = 512;

export interface SquadFlags extends EvalFlags {
  language?: string;
  stored?: boolean;
  report?: string;
}

export interface SquadEvaluation {
  full: SquadScore;
  /** Share of start and end vectors that were scored; 1 without the filter. */
  rowsKept: number;
  denseOnly: SquadScore;
  /** Dense part and unigrams, without bigrams (SPARC, table 5). */
  withoutBigrams: SquadScore;
  questionsPerSecond: number;
}

interface Work {
  title: string;
  paragraph: SquadParagraph;
}

interface SquadOptions {
  encoder: Encoder;
  kernel: Kernel;
  io: Io;
  where: string;
  limit?: number;
  maxAnswerTokens?: number;
  stored?: boolean;
  language?: string;
}

/** The answers of each system by question id. */
type Answers = Record<"full" | "dense" | "unigrams", Map<string, string>>;

/** Answers every question of a SQuAD file from its paragraph. */
export async function evaluateSquad(json: unknown, options: SquadOptions): Promise<SquadEvaluation> {
  const { io, where, limit = Number.POSITIVE_INFINITY, language } = options;
  const file = parseSquad(json, where);
  const scoring = { version: file.version, language };
  const { work, golds } = workOf(file, limit);
  const answers: Answers = { full: new Map(), dense: new Map(), unigrams: new Map() };
  const progress = new QuestionProgress(io, "paragraphs", work.length);
  const started = performance.now();
  let done = 0;
  let rows = 0;
  let kept = 0;
  const waiting = work.values();
  const lane = async (): Promise<void> => {
    for (const one of waiting) {
      const counts = await answer(one, options, answers);
      rows += counts.rows;
      kept += counts.kept;
      progress.show(++done);
    }
  };
  await Promise.all([lane(), lane(), lane(), lane()]);
  return {
    rowsKept: kept / Math.max(1, rows),
    full: scoreSquad(golds, answers.full, scoring),
    denseOnly: scoreSquad(golds, answers.dense, scoring),
    withoutBigrams: scoreSquad(golds, answers.unigrams, scoring),
    questionsPerSecond: (1000 * golds.length) / (performance.now() - started),
  };
}

/** Whole paragraphs, up to the one with question number `limit`. */
function workOf({ articles }: SquadFile, limit: number): { work: Work[]; golds: GoldQuestion[] } {
  const work: Work[] = [];
  const golds: GoldQuestion[] = [];
  for (const { title, paragraphs } of articles) {
    for (const paragraph of paragraphs) {
      if (golds.length >= limit) break;
      work.push({ title: title.replaceAll("_", " "), paragraph });
      for (const { id, answers } of paragraph.questions) golds.push({ id, answers: answers.map(({ text }) => text) });
    }
  }
  return { work, golds };
}

/**
 * Answers the questions of a paragraph and adds the answers to `answers`.
 * @returns start and end rows of the paragraph, and those that were scored
 */
async function answer(
  { title, paragraph }: Work,
  { encoder, kernel, io: { signal }, maxAnswerTokens = 20, stored = false }: SquadOptions,
  { full, dense, unigrams }: Answers,
): Promise<{ rows: number; kept: number }> {
  const { tokenizer, info } = encoder;
  const titleIds = titleTokens(tokenizer, title, info);
  const tokens = tokenizer.tokenize(paragraph.context, { maxTokens: MAX_POSITIONS - titleIds.length - 3 });
  const input = passageInput(tokenizer, titleIds, { passage: { start: 0, end: paragraph.context.length, tokens } });
  const first = input.firstToken;
  input.units = [];
  const [encoded, ...questions] = await Promise.all([
    encoder.encodePassages([input], { keepAll: !stored, signal }).then((list) => list[0]!),
    ...paragraph.questions.map(({ question }) => encoder.encodeQuestion(question, { signal })),
  ]);
  for (const [q, { id }] of paragraph.questions.entries()) {
    const asked = questions[q]!;
    for (const [store, question, ngramWeight] of [
      [full, asked, info.weights.ngrams],
      [dense, asked, 0],
      [unigrams, withoutBigrams(asked), info.weights.ngrams],
    ] as const) {
      const prepared = prepareQuestion(question, { model: info, tokenizer, ngramWeight });
      const [best] = scoreSpans(encoded, prepared, { kernel, maxAnswerTokens, spansPerPassage: 1 });
      if (best === undefined) continue;
      const from = tokens.starts[best.startPosition - first]!;
      store.set(id, paragraph.context.slice(from, tokens.ends[best.endPosition - first]!));
    }
  }
  return { rows: 2 * tokens.count, kept: encoded.startPositions.length + encoded.endPositions.length };
}

function withoutBigrams(question: EncodedQuestion): EncodedQuestion {
  const none = new Float32Array(question.ids.length);
  return { ...question, startBigrams: none, endBigrams: none };
}

export async function runSquad(path: string, flags: SquadFlags, context: CliContext): Promise<void> {
  const { io } = context;
  await requirePlaceFor(flags.report, [path], io);
  const json = parseJsonFile(await readText(path, io), path);
  const { openEncoder } = await import("../../node/models/encoder/encoder.js");
  const encoder = await openEncoder({ ...modelOf(flags.model, io), threads: flags.threads });
  try {
    const result = await evaluateSquad(json, {
      encoder,
      kernel: createKernel(),
      io,
      where: path,
      limit: flags.limit,
      stored: flags.stored,
      language: flags.language,
    });
    const figures = {
      exactMatch: result.full.exactMatch,
      f1: result.full.f1,
      denseOnly: { exactMatch: result.denseOnly.exactMatch, f1: result.denseOnly.f1 },
      withoutBigrams: { exactMatch: result.withoutBigrams.exactMatch, f1: result.withoutBigrams.f1 },
      questions: result.full.questions,
      rowsKept: result.rowsKept,
      missing: result.full.missing.length,
      questionsPerSecond: result.questionsPerSecond,
      model: encoder.info.name,
    };
    printResult(context, figures, flags.json ?? false);
    const systems = { "all parts": result.full, "no bigrams": result.withoutBigrams, "dense only": result.denseOnly };
    await writeOutput(flags.report, io, () => squadReport(path, figures, systems));
  } finally {
    await encoder.close();
  }
}
