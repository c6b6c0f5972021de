/**
 * `verbatim ask --questions FILE --out FILE`: asks many questions, several at a time, and writes
 * one JSON line each in the order of the file. Lines go to `FILE.part`, which is renamed to FILE at
 * the end, so an interrupted run resumes after its last complete line.
 */

import { open, rename } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import type { Index } from "../../../src/api/index-handle.js";
import type { AskOptions } from "../../../src/ask/options.js";
import { resultJson } from "../../../src/ask/result-json.js";
import { throwIfAborted, VerbatimError } from "../../../src/errors.js";
import { toVerbatimError } from "../errors.js";
import { EvalProgress, readText } from "../eval/shared.js";
import { type Io, printLine } from "../process-io.js";
import { count } from "../render/terminal.js";

interface BatchQuestion {
  id: string;
  question: string;
}

/** Questions in flight per encoder thread. */
const AHEAD = 4;

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

/** @returns whether any question had an answer */
export async function askBatch(
  index: Index,
  files: { questions: string; out: string },
  how: { options: AskOptions; threads: number | undefined; io: Io },
): Promise<boolean> {
  const { options, threads = availableParallelism(), io } = how;
  const questions = parseQuestions(await readText(files.questions, io), files.questions);
  const out = resolve(io.cwd, files.out);
  const part = await openPart(`${out}.part`, questions, files.out);
  let { found } = part;
  if (part.done > 0)
    printLine(io.stderr, `Resuming after ${count(part.done)} of ${count(questions.length)} questions.`);
  const began = performance.now();
  const left = questions.slice(part.done);
  const progress = new EvalProgress(io, "questions", left.length);
  const flying: Array<Promise<Line>> = [];
  let written = 0;
  try {
    const fly = (): void => {
      const next = left[flying.length + written];
      if (next === undefined) return;
      const answer = answerLine(index, next, options);
      answer.catch(() => {}); // reported when its turn comes
      flying.push(answer);
    };
    for (let n = 0; n < AHEAD * threads; n++) fly();
    for (; written < left.length; written++) {
      const line = await flying[0]!;
      throwIfAborted(io.signal);
      await part.file.write(line.text);
      found ||= line.found;
      fly();
      flying.shift();
      progress.show(written + 1);
    }
    await part.file.sync();
  } finally {
    await Promise.allSettled(flying); // the caller closes the index next
    await part.file.close();
  }
  await rename(`${out}.part`, out);
  const seconds = (performance.now() - began) / 1000;
  const asked = questions.length - part.done;
  const rate = asked / Math.max(seconds, 1e-3);
  printLine(
    io.stderr,
    `${count(questions.length)} questions${asked > 0 ? `, ${count(asked)} of them in ${seconds.toFixed(1)} s: ${rate.toFixed(1)} per second over ${count(index.info.tokens)} tokens` : ""}.`,
  );
  return found;
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

/**
 * Opens the partial file after its last complete line. @throws VerbatimError `invalid-argument` if
 * it belongs to other questions
 */
async function openPart(path: string, questions: readonly BatchQuestion[], out: string) {
  const file = await open(path, "a+").catch((cause) => {
    throw new VerbatimError("permission-denied", `Cannot write ${out}.part.`, {
      cause,
      hint: "Choose a file in an existing folder.",
    });
  });
  const text = await file.readFile("utf8");
  const lines = text.split("\n").slice(0, -1);
  let found = false;
  for (const [n, line] of lines.entries()) {
    const { id, answers } = recordOf(line);
    if (id === undefined || id !== questions[n]?.id) {
      await file.close();
      throw new VerbatimError("invalid-argument", `${out}.part does not belong to these questions.`, {
        hint: `Delete ${out}.part, or choose another file with --out.`,
      });
    }
    found ||= (answers?.length ?? 0) > 0;
  }
  await file.truncate(Buffer.byteLength(lines.map((line) => `${line}\n`).join("")));
  return { file, done: lines.length, found };
}

function recordOf(line: string): { id?: string; answers?: unknown[] } {
  try {
    return JSON.parse(line);
  } catch {
    return {};
  }
}
