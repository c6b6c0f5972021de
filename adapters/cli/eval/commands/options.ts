/** Options shared by the `eval` commands, and their values. */

import { type Command, Option } from "commander";
import { ANSWER_LANGUAGES } from "../../../../src/evaluate/answer-languages.js";
import { readerOptions, wholeNumber } from "../../options.js";

/** Values of options that every `eval` command has. */
export interface EvalFlags {
  json?: boolean;
  model?: string;
  threads?: number;
  limit?: number;
}

export function limitOption(): Option {
  return new Option("--limit <n>", "use at most this many questions").argParser(wholeNumber(1, 10_000_000));
}

export function seedOption(): Option {
  return new Option("--seed <n>", "seed for drawing questions and for the intervals")
    .argParser(wholeNumber(0, 2 ** 31))
    .default(1);
}

export function languageOption(): Option {
  return new Option("--language <code>", "language of the answers, which decides how they are compared")
    .choices(ANSWER_LANGUAGES)
    .default("en");
}

export function reportOption(): Option {
  return new Option("--report <file>", "write one page (HTML) with plots, figures and the worst questions");
}

/** @param byDefault what happens without `--reader`, if it is not what `ask` does */
export function addReaderOptions(command: Command, byDefault?: string): void {
  for (const option of readerOptions(byDefault)) command.addOption(option);
}
