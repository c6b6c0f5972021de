/** `verbatim ask`: answers one question, or several with the model loaded once. */

import { resolve } from "node:path";
import { createInterface } from "node:readline/promises";
import { type Command, Option } from "commander";
import type { Index } from "../../../src/api/index-handle.js";
import type { AskOptions } from "../../../src/ask/options.js";
import { resultJson } from "../../../src/ask/result-json.js";
import type { Encoder } from "../../../src/encode/types.js";
import { throwIfAborted } from "../../../src/errors.js";
import type { Reader } from "../../../src/reader/types.js";
import type { Strategy } from "../../../src/search/strategies/names.js";
import { isClusterAddress } from "../../opensearch/address.js";
import { reportError, toVerbatimError, wrongUse } from "../errors.js";
import { openWhere, WHERE_HELP, type Where, whereOption } from "../filter-option.js";
import { openReaderFor } from "../open-reader.js";
import {
  anyIndexOption,
  candidatesOption,
  examples,
  jsonOption,
  minConfidenceOption,
  modelOf,
  modelOption,
  type ReaderFlags,
  readerOptions,
  readingOf,
  strategyOption,
  threadsOption,
  wholeNumber,
} from "../options.js";
import { type CliContext, exitStatus, type Io, printLine } from "../process-io.js";
import { answerLines } from "../render/answers.js";
import { hyperlinkFor } from "../render/hyperlinks.js";
import { count, plain, styleFor } from "../render/terminal.js";

interface AskFlags extends ReaderFlags {
  index: string;
  topK: number;
  strategy?: Strategy;
  candidates?: number;
  minConfidence?: number;
  maxAnswerTokens?: number;
  explain?: boolean;
  all?: boolean;
  json?: boolean;
  model?: string;
  threads?: number;
  where?: string;
  atLeast?: number;
  questions?: string;
  out?: string;
}

export function registerAsk(program: Command, context: CliContext): void {
  const command = program
    .command("ask")
    .summary("ask a question, get exact quotes with their sources")
    .description("Answers a question with exact quotes from your documents.")
    .argument("[question...]", "the question; if there is none, questions are read from standard input, one per line")
    .addOption(anyIndexOption())
    .addOption(new Option("--top-k <n>", "number of answers").argParser(wholeNumber(1, 1000)).default(5))
    .addOption(strategyOption())
    .addOption(candidatesOption())
    .addOption(
      new Option("--max-answer-tokens <n>", "maximum length of an answer in tokens").argParser(wholeNumber(1, 64)),
    )
    .addOption(minConfidenceOption())
    .addOption(new Option("--explain", "show the parts of every score and the n-grams that contributed"))
    .addOption(new Option("--all", "print less likely answers too"))
    .addOption(whereOption("use only documents that match"))
    .addOption(
      new Option("--at-least <version>", "fail if the index is older than this version").argParser(
        wholeNumber(1, Number.MAX_SAFE_INTEGER),
      ),
    )
    .addOption(
      new Option(
        "--questions <file>",
        "ask every question of a file, whose lines are text or {id, question}; requires --out",
      ),
    )
    .addOption(
      new Option("--out <file>", "with --questions: where to write one JSON object per question; run again to resume"),
    )
    .addOption(jsonOption())
    .addOption(modelOption())
    .addOption(threadsOption())
    .addHelpText(
      "after",
      `${WHERE_HELP}${examples([
        'verbatim ask "who founded the observatory?"',
        'verbatim ask "when does the pump stop?" --index ./my.index --top-k 3 --explain',
        `verbatim ask "what broke?" --where 'folder = "ops" and year >= 2020'`,
        `verbatim ask 'who painted the "red barn" -tower'  # only passages with this phrase, without this word`,
        "verbatim ask --index ./my.index               # a prompt; Ctrl-D to quit",
        "verbatim ask --json < questions.txt           # one question per line, one object per line",
        'verbatim ask "who pays for the roof?" --reader on --budget-ms 500',
        "verbatim ask --questions questions.jsonl --out answers.jsonl",
      ])}\nExit status: 0 answered, 1 no answer, 2 usage error, 3 unusable input or index.\n`,
    )
    .action((words: string[], flags: AskFlags) => ask(words, flags, context));
  for (const option of readerOptions()) command.addOption(option);
}

async function ask(words: string[], flags: AskFlags, context: CliContext): Promise<void> {
  const { io } = context;
  const question = words.join(" ");
  if (words.length > 0 && question.trim() === "") {
    throw wrongUse("The question is empty.", 'For example: verbatim ask "who founded the observatory?"');
  }
  const batch = batchFiles(flags, words);
  // parsed first, so that mistakes are reported before the model is loaded
  const where = flags.where === undefined ? undefined : openWhere(flags.where);
  const { openEncoder } = await import("../../node/models/encoder/encoder.js");
  const { openIndex } = await import("../../node/open-index.js");
  const { requireIndex } = await import("../../node/index-info.js");
  const isCluster = isClusterAddress(flags.index);
  const path = resolve(io.cwd, flags.index);
  if (!isCluster) await requireIndex(path, flags.index);
  const encoder = await openEncoder({
    ...modelOf(flags.model, io),
    ...(isCluster ? {} : { index: path }),
    threads: flags.threads, // started on demand; a single question needs none
  });
  let reader: Reader | undefined;
  try {
    reader = await openReaderFor(flags, { model: encoder.model, io, threads: flags.threads });
    const opening = { encoder, reader, signal: io.signal, atLeastVersion: flags.atLeast };
    const index = isCluster
      ? await (await import("../../opensearch/open.js")).openClusterIndex({
          ...opening,
          address: flags.index,
          env: io.env,
        })
      : await openIndex({ ...opening, path });
    try {
      const options = askOptions(flags, { io, where });
      const session: Session = { index, encoder, io, flags, where, askOptions: options };
      const found =
        batch !== undefined
          ? await (await import("./ask-batch.js")).askBatch(index, batch, { options, threads: flags.threads, io })
          : words.length > 0
            ? await answerOne(session, question)
            : await answerAll(session);
      if (!found) context.setStatus(exitStatus.noAnswer);
    } finally {
      await index.close();
    }
  } finally {
    await reader?.close();
    await encoder.close();
  }
}

/**
 * @throws VerbatimError `invalid-argument` if only one of the two is given, or a question as well
 */
function batchFiles({ questions, out }: AskFlags, words: string[]): { questions: string; out: string } | undefined {
  if (questions === undefined && out === undefined) return undefined;
  if (questions !== undefined && out !== undefined && words.length === 0) return { questions, out };
  throw wrongUse(
    "--questions FILE and --out FILE must be used together, without a question on the command line.",
    "Use both, or ask a single question.",
  );
}

interface Session {
  index: Index;
  encoder: Encoder;
  io: Io;
  flags: AskFlags;
  where: Where | undefined;
  askOptions: AskOptions;
}

function askOptions(flags: AskFlags, { io, where }: { io: Io; where: Where | undefined }): AskOptions {
  const { topK, strategy, maxAnswerTokens, minConfidence, explain = false, candidates } = flags;
  const { advanced, ...reading } = readingOf(flags);
  return {
    topK,
    strategy,
    maxAnswerTokens,
    explain,
    ...reading,
    minConfidence,
    // the ranked passages are not printed
    advanced: { ...advanced, ...(candidates === undefined ? {} : { candidates }), rankedPassages: 0 },
    signal: io.signal,
    ...(isClusterAddress(flags.index) ? { where: flags.where } : { filter: where?.passes }),
  };
}

/** @returns whether there was an answer */
async function answerOne(session: Session, question: string): Promise<boolean> {
  const { index, io, flags } = session;
  warnTruncated(session, question);
  const result = await index.ask(question, session.askOptions);
  if (flags.json) printLine(io.stdout, JSON.stringify(resultJson(result)));
  else {
    const style = styleFor(io.stdout, io.env);
    const link = hyperlinkFor(io.stdout, io);
    const { explain = false, all } = flags;
    for (const line of answerLines(result, { style, link, explain, all })) printLine(io.stdout, line);
  }
  const note = session.where?.note();
  if (note !== undefined) printLine(io.stderr, note);
  return result.answers.length > 0;
}

/** Warns if the question is longer than the model reads. */
function warnTruncated({ encoder, io }: Session, question: string): void {
  const room = encoder.info.maxQuestionTokens - 2; // [CLS] and [SEP]
  if (encoder.tokenizer.tokenize(question, { maxTokens: room + 1 }).count <= room) return;
  printLine(io.stderr, `note: The question is too long; only its first ${count(room)} tokens were used.`);
}

/** Answers questions line by line, from a prompt or a pipe. @returns whether any had an answer */
async function answerAll(session: Session): Promise<boolean> {
  const { io, flags, index } = session;
  const interactive = io.stdin.isTTY === true;
  const { documents, passages } = index.info;
  if (interactive) {
    printLine(
      io.stderr,
      `${count(documents)} documents, ${count(passages)} passages. One question per line; Ctrl-D to quit.`,
    );
  }
  const lines = createInterface({
    input: io.stdin,
    ...(interactive ? { output: process.stdout, prompt: "? " } : { crlfDelay: Number.POSITIVE_INFINITY }),
  });
  let closed = false;
  const stop = (): void => lines.close();
  const prompt = (): void => {
    if (interactive && !closed) lines.prompt();
  };
  lines.on("close", () => {
    closed = true;
  });
  lines.on("SIGINT", stop);
  io.signal.addEventListener("abort", stop, { once: true });
  let asked = 0;
  let found = false;
  try {
    prompt();
    for await (const line of lines) {
      if (io.signal.aborted) break;
      if (line.trim() !== "") {
        if (!interactive && !flags.json) printLine(io.stdout, `${asked > 0 ? "\n" : ""}? ${line.trim()}`);
        asked++;
        if (interactive) await refreshOrWarn(session);
        if (await answerOrReport(session, line)) found = true;
      }
      prompt();
    }
  } finally {
    io.signal.removeEventListener("abort", stop);
    lines.close();
  }
  throwIfAborted(io.signal);
  if (interactive) printLine(io.stdout, "");
  else if (asked === 0) {
    throw wrongUse(
      "Standard input has no question.",
      'For example: verbatim ask "who founded the observatory?", or one question per line from a pipe.',
    );
  }
  return found || interactive;
}

/** Switches to the newest version of the index; if that fails, the current version answers. */
async function refreshOrWarn({ index, io }: Session): Promise<void> {
  try {
    await index.refresh({ signal: io.signal });
  } catch (error) {
    if (io.signal.aborted) return;
    const { message } = toVerbatimError(error);
    printLine(io.stderr, `note: ${plain(message)} Answering from version ${index.version}.`);
  }
}

/** Reports an invalid question without ending the session. */
async function answerOrReport(session: Session, question: string): Promise<boolean> {
  try {
    return await answerOne(session, question.trim());
  } catch (error) {
    const reported = toVerbatimError(error);
    if (reported.code !== "invalid-argument") throw error;
    reportError(reported, { stderr: session.io.stderr, json: session.flags.json ?? false, debug: false });
    return false;
  }
}
