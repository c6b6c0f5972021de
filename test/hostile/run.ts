/** Runs programs and watches their memory. */

import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../..", import.meta.url));
export const cli = join(root, "dist", "adapters", "cli", "main.js");
export const hasProc = existsSync("/proc/self/statm");

const PAGE_BYTES = 4096;
const SAMPLE_MS = 25;

export interface Ended {
  status: number | null;
  stdout: string;
  stderr: string;
  /** Highest resident memory of the program and its children together; 0 without /proc. */
  peakBytes: number;
}

/** @param options.use  may stop the program */
export async function runProgram(
  args: string[],
  options: { use?: (child: ChildProcess) => void; cwd?: string; env?: Record<string, string> } = {},
): Promise<Ended> {
  const { use, cwd, env } = options;
  const child = spawn(process.execPath, args, {
    stdio: ["ignore", "pipe", "pipe"],
    cwd,
    env: { ...process.env, ...env },
  });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (bytes: Buffer) => (stdout += bytes));
  child.stderr.on("data", (bytes: Buffer) => (stderr += bytes));
  let peakBytes = 0;
  const sample = setInterval(() => {
    peakBytes = Math.max(peakBytes, residentBytes(child.pid!));
  }, SAMPLE_MS);
  use?.(child);
  const status = await new Promise<number | null>((resolve) => child.on("close", resolve));
  clearInterval(sample);
  return { status, stdout, stderr, peakBytes };
}

/** Resident memory of a process and all that it started. */
export function residentBytes(pid: number): number {
  if (!hasProc) return 0;
  return ownBytes(pid) + childrenOf(pid).reduce((sum, child) => sum + residentBytes(child), 0);
}

/** Processes that a process has started; none without /proc. */
export function childrenOf(pid: number): number[] {
  const tasks = join("/proc", String(pid), "task");
  try {
    return readdirSync(tasks).flatMap((task) =>
      readFileSync(join(tasks, task, "children"), "utf8")
        .split(" ")
        .filter(Boolean)
        .map(Number),
    );
  } catch {
    return []; // it has ended
  }
}

function ownBytes(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, "utf8").split(" ")[1]) * PAGE_BYTES;
  } catch {
    return 0;
  }
}
