/** Everything outside the program that a command may use, so that tests can replace it. */

import type { ParserPool } from "../node/documents/isolation/parser-pool.js";

/** A terminal or pipe that can be written to. */
export interface Output {
  write(text: string): boolean;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

export interface Io {
  stdout: Output;
  stderr: Output;
  stdin: NodeJS.ReadableStream & { isTTY?: boolean };
  /** Working folder, for relative paths. */
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
  /** Aborted at the first Ctrl-C (or SIGTERM). */
  signal: AbortSignal;
  /** Parser processes, which the caller closes. Default: started and ended by each command. */
  parsers?: ParserPool;
}

/** Exit statuses; docs/cli.md documents them. */
export const exitStatus = {
  ok: 0,
  noAnswer: 1,
  wrongUse: 2,
  broken: 3,
  /** 128 + SIGINT, as shells expect from a program ended by Ctrl-C. */
  stopped: 130,
  /** 128 + SIGPIPE, as of a program that ends because nothing reads its output any more. */
  closedPipe: 141,
} as const;

/** What a command receives. */
export interface CliContext {
  io: Io;
  /** Sets the exit status, 0 by default. Errors are thrown instead. */
  setStatus(status: number): void;
}

export function printLine(output: Output, line: string): void {
  output.write(`${line}\n`);
}
