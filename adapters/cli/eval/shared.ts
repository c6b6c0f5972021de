/** Shared by the evaluations: reading files, progress, and printing results. */

import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { VerbatimError } from "../../../src/errors.js";
import { type CliContext, type Io, printLine } from "../process-io.js";

export interface EvalFlags {
  json?: boolean;
  model?: string;
  threads?: number;
  limit?: number;
}

/** @throws VerbatimError `unreadable-document` */
export async function readText(path: string, io: Io): Promise<string> {
  try {
    return await readFile(resolve(io.cwd, path), "utf8");
  } catch (cause) {
    throw new VerbatimError("unreadable-document", `Cannot read ${path}.`, { cause, hint: "Choose an existing file." });
  }
}

export function parseJsonFile(text: string, path: string): unknown {
  try {
    return JSON.parse(text.replace(/^\ufeff/, ""));
  } catch (cause) {
    throw new VerbatimError("unreadable-document", `${path} is not JSON.`, { cause, hint: "Choose a JSON file." });
  }
}

/** Prints progress on standard error every ten seconds. */
export class EvalProgress {
  readonly #io: Io;
  readonly #what: string;
  readonly #total: number;
  readonly #started = performance.now();
  #last = performance.now();

  constructor(io: Io, what: string, total: number) {
    this.#io = io;
    this.#what = what;
    this.#total = total;
  }

  show(done: number): void {
    const now = performance.now();
    if (now - this.#last < 10_000) return;
    this.#last = now;
    const left = ((now - this.#started) / done) * (this.#total - done);
    printLine(this.#io.stderr, `${this.#what}: ${done} of ${this.#total}, about ${Math.ceil(left / 1000)} s left`);
  }
}

/** Prints the result as one JSON object, or as lines of key and value. */
export function printResult(context: CliContext, result: Record<string, unknown>, json: boolean): void {
  const { stdout } = context.io;
  if (json) printLine(stdout, JSON.stringify(result));
  else for (const line of resultLines(result, "")) printLine(stdout, line);
}

function resultLines(result: Record<string, unknown>, prefix: string): string[] {
  return Object.entries(result).flatMap(([key, value]) => {
    const name = prefix === "" ? key : `${prefix}.${key}`;
    if (typeof value === "object" && value !== null) return resultLines(value as Record<string, unknown>, name);
    return [`${name.padEnd(36)} ${typeof value === "number" ? Math.round(value * 1e4) / 1e4 : value}`];
  });
}
