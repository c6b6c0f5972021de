/** Options that several commands share, and how their values are read. */

import { resolve } from "node:path";
import { InvalidArgumentError, Option } from "commander";
import { LEVELS } from "../../src/index/level.js";
import type { ReaderMode, ReadOptions } from "../../src/reader/types.js";
import type { Io } from "./process-io.js";

export const DEFAULT_INDEX = "./.verbatim";

/** Reads a whole number within bounds; for commander, which prefixes the option's name. */
export function wholeNumber(from: number, to: number): (value: string) => number {
  return (value) => {
    const number = Number(value);
    if (/^\d+$/.test(value) && number >= from && number <= to) return number;
    throw new InvalidArgumentError(`Give a whole number from ${from} to ${to}.`);
  };
}

/** The same with commas between them; given ascending, each once. */
export function wholeNumbers(from: number, to: number): (value: string) => number[] {
  const one = wholeNumber(from, to);
  return (value) => [...new Set(value.split(",").map(one))].sort((a, b) => a - b);
}

export function indexOption(): Option {
  return new Option("--index <dir>", "folder of the index").default(DEFAULT_INDEX);
}

/** Where a cluster will do, too. */
export function anyIndexOption(): Option {
  return new Option("--index <dir>", "folder of the index, or opensearch://HOST:9200/NAME").default(DEFAULT_INDEX);
}

export function modelOption(): Option {
  return new Option("--model <dir>", "folder of another model (or VERBATIM_MODEL)");
}

export function threadsOption(): Option {
  return new Option("--threads <n>", "threads of the encoder").argParser(wholeNumber(1, 256));
}

export function levelOption(does: string): Option {
  return new Option(
    "--level <name>",
    `${does}; lexical: words alone, in seconds; thin: encodes when asked; full: answers in milliseconds`,
  ).choices(LEVELS);
}

export function thinTermsOption(): Option {
  return new Option("--thin-terms <n>", "term weights kept of a passage at level thin (default: 64)").argParser(
    wholeNumber(1, 4096),
  );
}

export function durabilityOption(): Option {
  return new Option(
    "--durability <name>",
    "full: what is told to be in is on the disk; relaxed: quicker, a power cut may take the newest",
  ).choices(["full", "relaxed"]);
}

export function jsonOption(): Option {
  return new Option("--json", "one JSON object instead of text");
}

/** The model to load: the option, else the environment, else (undefined) the one that ships. */
export function modelFolder(option: string | undefined, io: Io): string | undefined {
  const named = option ?? io.env.VERBATIM_MODEL;
  return named === undefined || named === "" ? undefined : resolve(io.cwd, named);
}

export function candidatesOption(): Option {
  return new Option(
    "--candidates <n>",
    "passages whose phrases are scored, best by words first (default: 20); of hybrid, beside those of the vectors",
  ).argParser(wholeNumber(1, 100_000));
}

/** Strategies of search, and those that are pipelines with the reader. */
export const STRATEGIES = ["hybrid", "sparse-first", "dense-first", "exhaustive", "sparta-reader", "lexical"] as const;

const READER_MODES: readonly ReaderMode[] = ["off", "auto", "on"];

/** What the options below are read into. */
export interface ReaderFlags {
  reader?: ReaderMode;
  readerModel?: string;
  readerPassages?: number;
  readBelow?: number;
  budgetMs?: number;
}

export function readerOptions(): Option[] {
  return [
    new Option(
      "--reader <mode>",
      "off; auto: read the best passages when phrase search is unsure; on: always (default: auto where a reader is installed)",
    ).choices(READER_MODES),
    new Option("--reader-model <dir>", "folder of another reader (or VERBATIM_READER)"),
    new Option(
      "--reader-passages <n>",
      "passages that are read at most (default: 4; of the strategies lexical and sparta-reader 10)",
    ).argParser(wholeNumber(1, 1000)),
    new Option(
      "--read-below <share>",
      "auto: read where phrase search is less sure than this, 0 to 1 (default: the reader's)",
    ).argParser(share),
    new Option("--budget-ms <n>", "begin no reading after so many milliseconds").argParser(wholeNumber(1, 3_600_000)),
  ];
}

/** How to read, as the index has it. */
export function readingOf({ reader, readerPassages, readBelow, budgetMs }: ReaderFlags): ReadOptions {
  return { readerMode: reader, readerPassages, readBelow, budgetMs };
}

/** The reader to load: the option, else the environment, else (undefined) the installed one. */
export function readerFolder(option: string | undefined, io: Io): string | undefined {
  const named = option ?? io.env.VERBATIM_READER;
  return named === undefined || named === "" ? undefined : resolve(io.cwd, named);
}

/** Reads a number from 0 to 1; for commander. */
export function share(value: string): number {
  const number = Number(value);
  if (value.trim() !== "" && number >= 0 && number <= 1) return number;
  throw new InvalidArgumentError("Give a number from 0 to 1.");
}

/** Examples under a command's help. */
export function examples(lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ ${line}`).join("\n")}\n`;
}
