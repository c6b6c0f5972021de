/** The rim: everything of the outside world that a command may touch, so that tests can stand in for it. */

/** The part of a terminal or pipe that is written to. */
export interface Output {
  write(text: string): boolean;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

export interface Io {
  stdout: Output;
  stderr: Output;
  stdin: NodeJS.ReadableStream & { isTTY?: boolean };
  /** Folder that relative paths start from. */
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
  /** Fires at the first Ctrl-C (or SIGTERM). */
  signal: AbortSignal;
}

/** Exit statuses; docs/cli.md says what a caller may rely on. */
export const exitStatus = {
  ok: 0,
  noAnswer: 1,
  wrongUse: 2,
  broken: 3,
  /** 128 + SIGINT, as shells expect of a program that Ctrl-C ended. */
  stopped: 130,
} as const;

/** What a command gets: the rim, and where to leave its exit status. */
export interface CliContext {
  io: Io;
  /** Exit status of the command; 0 unless it says otherwise. Errors are thrown instead. */
  setStatus(status: number): void;
}

export function printLine(output: Output, line: string): void {
  output.write(`${line}\n`);
}
