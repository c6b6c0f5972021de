/** `verbatim ask`: one question, or one after another with the model loaded once. */

import { resolve } from "node:path";
import { createInterface } from "node:readline/promises";
import { type Command, Option } from "commander";
import type { AskOptions, Index } from "../../../src/api/open-index.js";
import type { AskStrategy } from "../../../src/ask/ask.js";
import type { Encoder } from "../../../src/encode/types.js";
import { throwIfAborted } from "../../../src/errors.js";
import type { Reader } from "../../../src/reader/types.js";
import { isClusterAddress } from "../../opensearch/address.js";
import { reportError, toVerbatimError, wrongUse } from "../errors.js";
import { openWhere, WHERE_HELP, type Where, whereOption } from "../filter-option.js";
import { openReaderFor } from "../open-reader.js";
import {
  anyIndexOption,
  candidatesOption,
  examples,
  jsonOption,
  modelFolder,
  modelOption,
  type ReaderFlags,
  readerOptions,
  readingOf,
  STRATEGIES,
  share,
  threadsOption,
  wholeNumber,
} from "../options.js";
import { type CliContext, exitStatus, type Io, printLine } from "../process-io.js";
import { answerLines, answersObject } from "../render/answers.js";
import { count, plain, styleFor } from "../render/terminal.js";

interface AskFlags extends ReaderFlags {
  index: string;
  topK: number;
  strategy?: AskStrategy;
  candidates?: number;
  encodePassages?: number;
  minConfidence?: number;
  maxAnswerTokens?: number;
  probe?: number;
  denseAlways?: boolean;
  explain?: boolean;
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
    .summary("ask a question, get exact words with their places")
    .description(
      "Answers a question with the exact words of your documents. Without a question: asks for one after another.",
    )
    .argument("[question...]", "the question; without one, questions are read line by line")
    .addOption(anyIndexOption())
    .addOption(new Option("--top-k <n>", "answers wanted").argParser(wholeNumber(1, 1000)).default(5))
    .addOption(
      new Option("--strategy <name>", "how candidates are found")
        .choices(STRATEGIES)
        .default(undefined, "hybrid; lexical for an index of level lexical"),
    )
    .addOption(candidatesOption())
    .addOption(
      new Option(
        "--encode-passages <n>",
        "passages encoded at most for a question, where the index does not store them (level thin)",
      ).argParser(wholeNumber(1, 1000)),
    )
    .addOption(new Option("--max-answer-tokens <n>", "longest answer in tokens").argParser(wholeNumber(1, 64)))
    .addOption(
      new Option(
        "--probe <share>",
        "share of a large index's vectors that is looked at (default: 0.0625; 1: all)",
      ).argParser(share),
    )
    .addOption(new Option("--dense-always", "look at the vectors even where the words settle the question (hybrid)"))
    .addOption(
      new Option(
        "--min-confidence <p>",
        "rather no answer than one less sure, 0 to 1 (default: the model's threshold; 0: always answer)",
      ).argParser(share),
    )
    .addOption(new Option("--explain", "show the parts of every score and the n-grams that raised it"))
    .addOption(whereOption("only documents that pass"))
    .addOption(
      new Option("--at-least <version>", "fail unless the index is at this version or newer").argParser(
        wholeNumber(1, Number.MAX_SAFE_INTEGER),
      ),
    )
    .addOption(new Option("--questions <file>", "ask all of a file: lines of text, or of {id, question}; with --out"))
    .addOption(new Option("--out <file>", "with --questions: one JSON object a question; an interrupted run goes on"))
    .addOption(jsonOption())
    .addOption(modelOption())
    .addOption(threadsOption())
    .addHelpText(
      "after",
      `${WHERE_HELP}${examples([
        'verbatim ask "who founded the observatory?"',
        'verbatim ask "when does the pump stop?" --index ./my.index --top-k 3 --explain',
        `verbatim ask "what broke?" --where 'folder = "ops" and year >= 2020'`,
        "verbatim ask --index ./my.index               # a prompt; Ctrl-D ends it",
        "verbatim ask --json < questions.txt           # one question a line, one object a line",
        'verbatim ask "who pays for the roof?" --reader on --budget-ms 500',
        "verbatim ask --questions questions.jsonl --out answers.jsonl",
      ])}\nExit status: 0 an answer, 1 no answer, 2 wrong use, 3 broken input or index.\n`,
    )
    .action((words: string[], flags: AskFlags) => ask(words, flags, context));
  for (const option of readerOptions()) command.addOption(option);
}

async function ask(words: string[], flags: AskFlags, context: CliContext): Promise<void> {
  const { io } = context;
  const question = words.join(" ");
  if (words.length > 0 && question.trim() === "") {
    throw wrongUse("The question is empty.", 'Ask with at least one word: verbatim ask "who founded the observatory?"');
  }
  const batch = batchFiles(flags, words);
  const where = flags.where === undefined ? undefined : openWhere(flags.where); // a mistake is told before the model is loaded
  const { openEncoder } = await import("../../node/models/encoder/encoder.js");
  const { openIndex } = await import("../../node/index.js");
  const { requireIndex } = await import("../../node/index-info.js");
  const isCluster = isClusterAddress(flags.index);
  const path = resolve(io.cwd, flags.index);
  if (!isCluster) await requireIndex(path, flags.index);
  const encoder = await openEncoder({
    modelFolder: modelFolder(flags.model, io),
    threads: flags.threads, // started as they are needed: a lone question asks for none
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

/** @throws VerbatimError `invalid-argument` for half of it, or a question beside it */
function batchFiles({ questions, out }: AskFlags, words: string[]): { questions: string; out: string } | undefined {
  if (questions === undefined && out === undefined) return undefined;
  if (questions !== undefined && out !== undefined && words.length === 0) return { questions, out };
  throw wrongUse(
    "--questions FILE and --out FILE go together, without another question.",
    "Give both, or ask one question.",
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
  const { topK, strategy, maxAnswerTokens, probe, encodePassages, explain = false } = flags;
  const denseBelow = flags.denseAlways ? Number.POSITIVE_INFINITY : undefined;
  return {
    topK,
    strategy,
    sparseCandidates: flags.candidates,
    maxAnswerTokens,
    probe,
    encodePassages,
    denseBelow,
    explain,
    rankedPassages: 0, // nobody is shown them
    ...readingOf(flags),
    minConfidence: flags.minConfidence ?? "calibrated",
    signal: io.signal,
    ...(isClusterAddress(flags.index) ? { where: flags.where } : { filter: where?.passes }),
  };
}

/** @returns whether there was an answer */
async function answerOne(session: Session, question: string): Promise<boolean> {
  const { index, io, flags } = session;
  noteCut(session, question);
  const result = await index.ask(question, session.askOptions);
  if (flags.json) printLine(io.stdout, JSON.stringify(answersObject(result)));
  else {
    const style = styleFor(io.stdout, io.env);
    for (const line of answerLines(result, { style, explain: flags.explain ?? false })) printLine(io.stdout, line);
  }
  const note = session.where?.note();
  if (note !== undefined) printLine(io.stderr, note);
  return result.answers.length > 0;
}

/** Says so when a question is longer than the model reads; the first part still counts. */
function noteCut({ encoder, io }: Session, question: string): void {
  const room = encoder.info.maxQuestionTokens - 2; // [CLS] and [SEP]
  if (encoder.tokenizer.tokenize(question, { maxTokens: room + 1 }).count <= room) return;
  printLine(io.stderr, `note: The question is long; its first ${count(room)} tokens were read.`);
}

/** Questions line by line: a prompt on a terminal, plain lines from a pipe. @returns whether any had an answer */
async function answerAll(session: Session): Promise<boolean> {
  const { io, flags, index } = session;
  const interactive = io.stdin.isTTY === true;
  const { documents, passages } = index.info;
  if (interactive) {
    printLine(
      io.stderr,
      `${count(documents)} documents, ${count(passages)} passages. One question a line; Ctrl-D ends.`,
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
        if (interactive) await refreshOrTell(session);
        if (await answerOrTell(session, line)) found = true;
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
      "No question came in.",
      'Ask one: verbatim ask "who founded the observatory?", or pipe in one a line.',
    );
  }
  return found || interactive;
}

/** What was added or deleted since the last question counts; if it cannot be opened, the version at hand answers. */
async function refreshOrTell({ index, io }: Session): Promise<void> {
  try {
    await index.refresh({ signal: io.signal });
  } catch (error) {
    if (io.signal.aborted) return;
    const { message } = toVerbatimError(error);
    printLine(io.stderr, `note: ${plain(message)} Version ${index.version} answers.`);
  }
}

/** One bad question does not end the session. */
async function answerOrTell(session: Session, question: string): Promise<boolean> {
  try {
    return await answerOne(session, question.trim());
  } catch (error) {
    const told = toVerbatimError(error);
    if (told.code !== "invalid-argument") throw error;
    reportError(told, { stderr: session.io.stderr, json: session.flags.json ?? false, debug: false });
    return false;
  }
}
