/** Options that several commands share, and how their values are read. */

import { resolve } from "node:path";
import { InvalidArgumentError, Option } from "commander";
import type { Io } from "./io.js";

export const DEFAULT_INDEX = "./.verbatim";

/** Reads a whole number within bounds; for commander, which prefixes the option's name. */
export function wholeNumber(from: number, to: number): (value: string) => number {
  return (value) => {
    const number = Number(value);
    if (/^\d+$/.test(value) && number >= from && number <= to) return number;
    throw new InvalidArgumentError(`Give a whole number from ${from} to ${to}.`);
  };
}

export function indexOption(): Option {
  return new Option("--index <dir>", "folder of the index").default(DEFAULT_INDEX);
}

export function modelOption(): Option {
  return new Option("--model <dir>", "folder of another model (or VERBATIM_MODEL)");
}

export function threadsOption(): Option {
  return new Option("--threads <n>", "threads of the encoder").argParser(wholeNumber(1, 256));
}

export function unitOption(): Option {
  return new Option("--unit <name>", "what gets term weights of its own, for a new index").choices([
    "passage",
    "sentence",
  ]);
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

/** Examples under a command's help. */
export function examples(lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ ${line}`).join("\n")}\n`;
}
