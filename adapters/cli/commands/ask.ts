/** `verbatim ask`: answers one question, or several with the model loaded once. */

import { resolve } from "node:path";
import { type Command, Option } from "commander";
import type { Index } from "../../../src/api/index-handle.js";
import type { AskOptions } from "../../../src/ask/options.js";
import { resultJson } from "../../../src/ask/result-json.js";
import { isTooLong } from "../../../src/encode/input.js";
import type { Encoder } from "../../../src/encode/types.js";
import type { Reader } from "../../../src/reader/types.js";
import type { StrategyName } from "../../../src/search/strategies/names.js";
import type { ModelFile } from "../../node/models/encoder/model-folder.js";
import { isClusterAddress, shownAddress } from "../../opensearch/address.js";
import { wrongUse } from "../errors.js";
import { openWhere, WHERE_HELP, type Where, whereOption } from "../filter-option.js";
import { indexFolder } from "../index-folder.js";
import { hasReaderFor, openReaderFor } from "../open-reader.js";
import {
  anyIndexOption,
  candidatesOption,
  examples,
  jsonOption,
  minConfidenceOption,
  modelOf,
  modelOption,
  notEmpty,
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
import { count, styleFor } from "../render/terminal.js";

interface AskFlags extends ReaderFlags {
  index: string;
  topK: number;
  strategy?: StrategyName;
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
      new Option(
        "--out <file>",
        "with --questions: where to write one JSON object per question; run again to resume",
      ).argParser(notEmpty),
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
  const path = isClusterAddress(flags.index) ? undefined : await indexFolder(flags.index, io);
  const encoder = await openEncoder({
    ...modelOf(flags.model, io),
    index: path,
    threads: flags.threads, // started on demand; a single question needs none
  });
  let reader: Reader | undefined;
  try {
    reader = await openReaderFor(flags, { model: encoder.model, io, threads: flags.threads });
    const opening = { encoder, reader, signal: io.signal, atLeastVersion: flags.atLeast };
    const index =
      path === undefined
        ? await (await import("../../opensearch/open.js")).openClusterIndex({
            ...opening,
            address: flags.index,
            env: io.env,
          })
        : await openIndex({ ...opening, path });
    try {
      const options = askOptions(flags, { io, where });
      const session: Session = { index, encoder, io, flags, where, askOptions: options };
      if (batch === undefined && words.length === 0) {
        context.setStatus(await (await import("./ask-prompt.js")).answerAll(session));
        return;
      }
      const found =
        batch === undefined ? await answerOne(session, question) : await answerBatch(session, { batch, reader });
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

export interface Session {
  index: Index;
  encoder: Encoder & { readonly model: ModelFile };
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
async function answerBatch(
  session: Session,
  { batch, reader }: { batch: { questions: string; out: string }; reader: Reader | undefined },
): Promise<boolean> {
  const { index, io, flags, askOptions: options } = session;
  const { askBatch } = await import("./ask-batch.js");
  const settings = batchSettings(session, reader);
  const found = await askBatch(index, batch, { options, settings, threads: flags.threads, io });
  noteFilter(session);
  return found;
}

/** What decides the answers, by option. */
function batchSettings({ flags, encoder, io }: Session, reader: Reader | undefined): Record<string, unknown> {
  return {
    "--index": isClusterAddress(flags.index) ? shownAddress(flags.index) : resolve(io.cwd, flags.index),
    "--model": encoder.info.passageModelHash + encoder.info.questionModelHash,
    "--reader": flags.reader,
    "--reader-model": reader?.info.readerHash,
    "--reader-passages": flags.readerPassages,
    "--budget-ms": flags.budgetMs,
    "--advanced": flags.advanced,
    "--top-k": flags.topK,
    "--strategy": flags.strategy,
    "--candidates": flags.candidates,
    "--min-confidence": flags.minConfidence,
    "--max-answer-tokens": flags.maxAnswerTokens,
    "--explain": flags.explain,
    "--where": flags.where,
  };
}

/** @returns whether there was an answer */
export async function answerOne(session: Session, question: string): Promise<boolean> {
  const { index, io, flags } = session;
  warnTruncated(session, question);
  const result = await index.ask(question, session.askOptions);
  if (flags.json) printLine(io.stdout, JSON.stringify(resultJson(result)));
  else {
    const style = styleFor(io.stdout, io.env);
    const link = hyperlinkFor(io.stdout, io);
    const { explain = false, all } = flags;
    const isLexical = result.strategy === "lexical"; // otherwise nothing is said about the reader
    const readerIsOff = isLexical && flags.reader === "off" && (await hasReaderFor(flags, session.encoder.model, io));
    for (const line of answerLines(result, { style, link, explain, all, readerIsOff })) printLine(io.stdout, line);
  }
  noteFilter(session);
  return result.answers.length > 0;
}

/** Says so if --where left no document. */
function noteFilter({ where, io }: Session): void {
  const note = where?.note();
  if (note !== undefined) printLine(io.stderr, note);
}

/** Warns if the question is longer than the model reads. */
function warnTruncated({ encoder, io }: Session, question: string): void {
  const { maxQuestionTokens } = encoder.info;
  if (!isTooLong(encoder.tokenizer, question, maxQuestionTokens)) return;
  printLine(
    io.stderr,
    `note: The question is longer than ${count(maxQuestionTokens - 2)} tokens: only its last sentence with a question mark, or else its beginning, is read. Shorten it.`,
  );
}
