/**
 * `verbatim ask --questions FILE --out FILE`: asks many questions, several at a time, and writes
 * one JSON line each in the order of the file. Lines go to `FILE.part`, which is renamed to FILE at
 * the end, so an interrupted run resumes after its last complete line.
 */

import { realpath, stat } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import type { Index } from "../../../src/api/index-handle.js";
import type { AskOptions } from "../../../src/ask/options.js";
import { resultJson } from "../../../src/ask/result-json.js";
import { hasCode, throwIfAborted, VerbatimError } from "../../../src/errors.js";
import { toVerbatimError } from "../errors.js";
import { readText } from "../input-file.js";
import { requirePlaceFor } from "../output-file.js";
import { type Io, printLine } from "../process-io.js";
import { QuestionProgress } from "../render/question-progress.js";
import { count, counted, duration } from "../render/terminal.js";
import { type BatchQuestion, finishPart, openPart, type Part } from "./batch-part.js";

/** Questions in flight per encoder thread. */
const IN_FLIGHT_PER_THREAD = 4;

/**
 * Parses lines of text, or of `{"id", "question"}`. Blank lines are skipped; a missing id is the
 * line number.
 * @throws VerbatimError `unreadable-document` naming the line
 */
export function parseQuestions(text: string, path: string): BatchQuestion[] {
  const questions: BatchQuestion[] = [];
  for (const [n, raw] of text
    .replace(/^\ufeff/, "")
    .split(/\r?\n/)
    .entries()) {
    const line = raw.trim();
    if (line === "") continue;
    if (!line.startsWith("{")) questions.push({ id: String(n + 1), question: line });
    else questions.push(questionOf(line, n + 1, path));
  }
  if (questions.length > 0) return questions;
  throw new VerbatimError("unreadable-document", `${path} has no questions.`, { hint: "Write one question per line." });
}

function questionOf(line: string, number: number, path: string): BatchQuestion {
  let record: { id?: unknown; question?: unknown };
  try {
    record = JSON.parse(line);
  } catch {
    record = {};
  }
  const { id = number, question } = record;
  if (typeof question === "string" && (typeof id === "string" || typeof id === "number"))
    return { id: String(id), question };
  throw new VerbatimError("unreadable-document", `${path}, line ${number} is not {"id": …, "question": …}.`, {
    hint: "Write one question per line, as plain text or as such an object.",
  });
}

/**
 * @param how.settings  what decides the answers, by option: a run with others does not resume
 * @returns whether any question had an answer
 * @throws VerbatimError `invalid-argument` if the partial file has other questions or settings,
 *   `aborted`
 */
export async function askBatch(
  index: Index,
  files: { questions: string; out: string },
  how: { options: AskOptions; settings: Readonly<Record<string, unknown>>; threads: number | undefined; io: Io },
): Promise<boolean> {
  const { options, settings, threads = availableParallelism(), io } = how;
  const questions = parseQuestions(await readText(files.questions, io), files.questions);
  const out = await outputPath(files, io);
  const part = await openPart(out, { questions, settings, shown: files.out });
  try {
    const found = await answerRest(index, { part, questions }, { options, threads, io });
    await finishPart(out);
    return found;
  } finally {
    await part.lock.release();
  }
}

/** Appends the lines of the questions that have none yet, and closes the file. @returns as `askBatch` */
async function answerRest(
  index: Index,
  { part, questions }: { part: Part; questions: readonly BatchQuestion[] },
  { options, threads, io }: { options: AskOptions; threads: number; io: Io },
): Promise<boolean> {
  let { found } = part;
  if (part.done > 0)
    printLine(io.stderr, `Resuming after ${count(part.done)} of ${count(questions.length)} questions.`);
  const began = performance.now();
  const left = questions.slice(part.done);
  const progress = new QuestionProgress(io, "questions", left.length);
  /** Lines of the next questions, in order. */
  const inFlight: Array<Promise<Line>> = [];
  let written = 0;
  try {
    const startNext = (): void => {
      const next = left[inFlight.length + written];
      if (next === undefined) return;
      const answer = answerLine(index, next, options);
      answer.catch(() => {}); // reported when its turn comes
      inFlight.push(answer);
    };
    for (let n = 0; n < IN_FLIGHT_PER_THREAD * threads; n++) startNext();
    for (; written < left.length; written++) {
      const line = await inFlight[0]!;
      throwIfAborted(io.signal);
      await part.file.write(line.text);
      found ||= line.found;
      startNext();
      inFlight.shift();
      progress.show(written + 1);
    }
    await part.file.sync();
  } catch (error) {
    if (!io.signal.aborted || !hasCode(error, "aborted")) throw error;
    const done = count(part.done + written);
    throw new VerbatimError("aborted", `Stopped after ${done} of ${counted(questions.length, "question")}.`, {
      hint: "Run the same command again to resume.",
      cause: error,
    });
  } finally {
    await Promise.allSettled(inFlight); // the caller closes the index next
    await part.file.close();
  }
  printLine(io.stderr, doneLine(questions.length, { asked: left.length, seconds: (performance.now() - began) / 1000 }));
  return found;
}

/**
 * The file that the output is renamed to: not a folder, a device or the questions; a symlink stays one.
 * @throws VerbatimError `io-error`, `invalid-argument`
 */
async function outputPath({ questions, out }: { questions: string; out: string }, io: Io): Promise<string> {
  await requirePlaceFor(out, [questions], io);
  const path = await realpath(resolve(io.cwd, out)).catch(() => resolve(io.cwd, out));
  const there = await stat(path).catch(() => undefined);
  if (there === undefined || there.isFile()) return path;
  throw new VerbatimError("invalid-argument", `${out} is not a regular file.`, {
    hint: "Choose a file in an existing folder.",
  });
}

/** "Answered 2 questions in 1.6 s (1.2 per second)." */
function doneLine(total: number, { asked, seconds }: { asked: number; seconds: number }): string {
  if (asked === 0) return `All ${counted(total, "question")} were already answered.`;
  const which =
    asked === total ? counted(total, "question") : `the remaining ${asked} of ${counted(total, "question")}`;
  return `Answered ${which} in ${duration(seconds)} (${(asked / Math.max(seconds, 1e-3)).toFixed(1)} per second).`;
}

interface Line {
  text: string;
  found: boolean;
}

/**
 * The line of one question; an invalid question gets a line with its error. @throws other errors
 */
async function answerLine(index: Index, { id, question }: BatchQuestion, options: AskOptions): Promise<Line> {
  try {
    const result = await index.ask(question, options);
    return { text: `${JSON.stringify({ id, ...resultJson(result) })}\n`, found: result.answers.length > 0 };
  } catch (error) {
    const { code, message } = toVerbatimError(error);
    if (code !== "invalid-argument") throw error;
    return { text: `${JSON.stringify({ id, question, error: { code, message } })}\n`, found: false };
  }
}
