/** Runs a command line in this process with its own streams. */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { run } from "../../adapters/cli/program.js";
import { parsers } from "../support/parsers.js";

export const projectRoot: string = fileURLToPath(new URL("../..", import.meta.url));
export const tinyModel: string = join(projectRoot, "test", "golden", "tiny-model");

export interface CliRun {
  status: number;
  stdout: string;
  stderr: string;
}

export interface CliSetup {
  cwd: string;
  stdin?: string;
  env?: Record<string, string>;
  signal?: AbortSignal;
  /** Standard output is a terminal. */
  isTerminal?: boolean;
  /** Called with standard output and error as they are written. */
  onOutput?: (text: string) => void;
}

/** `verbatim ...args` with the tiny model of the tests. */
export async function verbatim(args: readonly string[], setup: CliSetup): Promise<CliRun> {
  let stdout = "";
  let stderr = "";
  const status = await run(args, {
    stdout: {
      isTTY: setup.isTerminal,
      write: (text) => {
        stdout += text;
        setup.onOutput?.(text);
        return true;
      },
    },
    stderr: {
      write: (text) => {
        stderr += text;
        setup.onOutput?.(text);
        return true;
      },
    },
    stdin: Readable.from([Buffer.from(setup.stdin ?? "")], { objectMode: false }),
    cwd: setup.cwd,
    env: { VERBATIM_MODEL: tinyModel, ...setup.env },
    signal: setup.signal ?? new AbortController().signal,
    parsers,
  });
  return { status, stdout, stderr };
}

/** Standard error without progress lines, which only a slow machine prints. */
export function withoutProgress(stderr: string): string {
  return stderr.replace(/^\d+ % {2}.*\n/gm, "");
}

/** An empty folder that is removed after the test. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "verbatim-cli-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
