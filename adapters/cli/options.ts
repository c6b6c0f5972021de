/** Options that several commands share, with the parsers of their values. */

import { resolve } from "node:path";
import { InvalidArgumentError, Option } from "commander";
import { ADVANCED_NUMBERS, type AdvancedOptions, type AskOptions, searchOptionsOf } from "../../src/ask/options.js";
import { type IndexLevel, LEVELS } from "../../src/index/format/level.js";
import type { Durability } from "../../src/index/write/without-syncs.js";
import { READER_MODES, type ReaderMode } from "../../src/reader/types.js";
import { STRATEGY_NAMES } from "../../src/search/strategies/names.js";
import { MODEL_CHOICES, type ModelOptions } from "../node/models/choice.js";
import { MAX_THREADS } from "../node/threads/thread-count.js";
import { isClusterAddress } from "../opensearch/address.js";
import { wrongUse } from "./errors.js";
import type { Io } from "./process-io.js";

const DEFAULT_INDEX = "./.verbatim";

/**
 * A commander parser for whole numbers from `from` to `to`. Commander prefixes the message with the
 * option's name.
 */
export function wholeNumber(from: number, to: number): (value: string) => number {
  return (value) => {
    const number = Number(value);
    if (/^\d+$/.test(value) && number >= from && number <= to) return number;
    throw new InvalidArgumentError(`Use a whole number from ${from} to ${to}.`);
  };
}

/**
 * A commander parser for comma-separated whole numbers; returns them ascending without duplicates.
 */
export function wholeNumbers(from: number, to: number): (value: string) => number[] {
  const one = wholeNumber(from, to);
  return (value) => [...new Set(value.split(",").map(one))].sort((a, b) => a - b);
}

/** A commander parser that refuses "", which a variable that is not set leaves: it would mean the working folder. */
export function notEmpty(value: string): string {
  if (value.trim() !== "") return value;
  throw new InvalidArgumentError("It is empty.");
}

/** The same for an argument with several values. */
export function noneEmpty(value: string, before: string[] | undefined): string[] {
  return [...(before ?? []), notEmpty(value)];
}

/** For commands that do not accept the address of a cluster. @param refusal  as for `folder` */
export function indexOption(command: string, refusal?: Refusal): Option {
  return new Option("--index <dir>", "folder of the index").argParser(folder(command, refusal)).default(DEFAULT_INDEX);
}

interface Refusal {
  message?: string;
  hint?: string;
}

/**
 * A commander parser for folders that refuses the address of a cluster, of which a folder would be
 * made otherwise.
 * @param command  the command's name, for the default message
 */
export function folder(command: string, refusal: Refusal = {}): (value: string) => string {
  const {
    message = `An index in a cluster does not support \`${command}\`.`,
    hint = "Copy it into a folder first: verbatim copy ADDRESS DIR",
  } = refusal;
  return (value) => {
    if (isClusterAddress(value)) throw wrongUse(message, hint);
    return notEmpty(value);
  };
}

/** For commands that also accept the address of a cluster. */
export function anyIndexOption(): Option {
  return new Option("--index <dir>", "folder of the index, or opensearch://HOST:9200/NAME")
    .argParser(notEmpty)
    .default(DEFAULT_INDEX);
}

/** @param auto  what "auto" means for the command */
export function modelOption(auto = "auto (the model that made the index)"): Option {
  return new Option("--model <name>", `en, multi, ${auto}, or a folder (default: VERBATIM_MODEL if set, else auto)`);
}

export function threadsOption(): Option {
  return new Option("--threads <n>", "encoder threads (default: one per core)").argParser(wholeNumber(1, MAX_THREADS));
}

const LEVEL_HELP: Readonly<Record<IndexLevel, string>> = {
  lexical: "words only, indexed in seconds",
  thin: "small, encodes the best passages when you ask",
  full: "answers in milliseconds",
};

/** @param levels  those that can be chosen */
export function levelOption(does: string, levels: readonly IndexLevel[] = LEVELS): Option {
  const help = levels.map((level) => `${level}: ${LEVEL_HELP[level]}`);
  return new Option("--level <name>", [does, ...help].join("; ")).choices(levels);
}

export function thinTermsOption(): Option {
  return new Option("--thin-terms <n>", "term weights kept per passage at level thin (default: 64)").argParser(
    wholeNumber(1, 4096),
  );
}

export function ocrOption(): Option {
  return new Option("--ocr", "recognise the text of scanned pages and pictures (needs tesseract.js-core)");
}

export function durabilityOption(): Option {
  return new Option(
    "--durability <name>",
    "full: acknowledged writes are fsynced; relaxed: faster, a power cut may lose the newest commits",
  ).choices(["full", "relaxed"]);
}

export function jsonOption(): Option {
  return new Option("--json", "print one JSON object instead of text");
}

/** The model from the option or the environment: one by its name, or a folder. */
export function modelOf(option: string | undefined, io: Io): ModelOptions {
  const named = option ?? io.env.VERBATIM_MODEL;
  if (named === undefined || named === "") return {};
  const model = MODEL_CHOICES.find((choice) => choice === named);
  return model === undefined ? { modelFolder: resolve(io.cwd, named) } : { model };
}

export function strategyOption(): Option {
  return new Option(
    "--strategy <name>",
    "how candidates are found (default: hybrid; lexical for an index of level lexical)",
  ).choices(STRATEGY_NAMES);
}

export function candidatesOption(): Option {
  return new Option("--candidates <n>", "passages whose phrases are scored (default: 20)").argParser(
    wholeNumber(1, 100_000),
  );
}

/** A setting of the engine for experiments, one `key=value` per use. */
function advancedOption(): Option {
  return new Option(
    "--advanced <key=value>",
    `a setting of the engine (repeatable); keys: ${ADVANCED_NUMBERS.join(", ")}`,
  ).argParser(addAdvanced);
}

function addAdvanced(value: string, before: AdvancedOptions = {}): AdvancedOptions {
  const [, key, text = ""] = /^(\w+)=(.+)$/.exec(value) ?? [];
  const name = ADVANCED_NUMBERS.find((known) => known === key);
  if (name === undefined)
    throw new InvalidArgumentError(`Use key=number with one of the keys ${ADVANCED_NUMBERS.join(", ")}.`);
  const number = Number(text);
  if (Number.isNaN(number)) throw new InvalidArgumentError(`${name} must be a number, not ${text}.`);
  if (name === "readBelow") share(text);
  else searchOptionsOf({ advanced: { [name]: number } }, []); // throws for a number out of range
  return { ...before, [name]: number };
}

/** Values of the options below. */
export interface ReaderFlags {
  reader?: ReaderMode;
  readerModel?: string;
  readerPassages?: number;
  budgetMs?: number;
  advanced?: AdvancedOptions;
}

/** @param byDefault what happens without `--reader`, for the help */
export function readerOptions(byDefault = "auto if a reader is installed"): Option[] {
  return [
    new Option(
      "--reader <mode>",
      `off; auto: read the best passages when phrase search is unsure; on: always (default: ${byDefault})`,
    ).choices(READER_MODES),
    new Option(
      "--reader-model <dir>",
      "folder of the reader (default: VERBATIM_READER if set, else the installed one)",
    ),
    new Option(
      "--reader-passages <n>",
      "maximum number of passages to read (default: 4; 10 with the strategies lexical and sparta-reader)",
    ).argParser(wholeNumber(1, 1000)),
    advancedOption(),
    new Option("--budget-ms <n>", "do not start reading another passage after this many milliseconds").argParser(
      wholeNumber(1, 3_600_000),
    ),
  ];
}

/** The options of a question that the flags above set. */
export function readingOf({ reader, readerPassages, budgetMs, advanced }: ReaderFlags): AskOptions {
  return { reader, budgetMs, advanced: readerPassages === undefined ? advanced : { ...advanced, readerPassages } };
}

/** The reader folder from the option or the environment; undefined for the installed one. */
export function readerFolder(option: string | undefined, io: Io): string | undefined {
  const named = option ?? io.env.VERBATIM_READER;
  return named === undefined || named === "" ? undefined : resolve(io.cwd, named);
}

/** A commander parser for numbers from 0 to 1. */
function share(value: string): number {
  const number = Number(value);
  if (value.trim() !== "" && number >= 0 && number <= 1) return number;
  throw new InvalidArgumentError("Use a number from 0 to 1.");
}

export function minConfidenceOption(): Option {
  return new Option(
    "--min-confidence <p>",
    "minimum confidence, 0 to 1; below it, no answer is returned (default: the model's threshold; 0: always answer)",
  ).argParser(share);
}

/** Flags of the commands that encode documents. */
export interface EncodingFlags {
  index: string;
  level?: IndexLevel;
  thinTerms?: number;
  durability?: Durability;
  threads?: number;
  model?: string;
  json?: boolean;
}

/** The settings of the engine that these flags give. */
export function encodingOf({ level, thinTerms, durability, threads, model }: EncodingFlags, io: Io) {
  return { level, thinTerms, durability, threads, ...modelOf(model, io) };
}

/** The examples section of a command's help. */
export function examples(lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ ${line}`).join("\n")}\n`;
}
