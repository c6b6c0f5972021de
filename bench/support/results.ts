/**
 * Shared by benches: result lines with a description of the machine in
 * bench/results/<name>.jsonl.
 */

import { appendFile, mkdir } from "node:fs/promises";
import { cpus, totalmem } from "node:os";
import { fileURLToPath } from "node:url";

/** The machine's kind: cores, processor, memory and Node. */
export function machineKind(): string {
  const [cpu] = cpus();
  return `${cpus().length} × ${cpu?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}`;
}

/** Prints a result and appends it to bench/results/<bench>.jsonl. */
export async function record(bench: string, figure: Record<string, unknown>): Promise<void> {
  const date = new Date().toISOString().slice(0, 10);
  const line = JSON.stringify({ bench, date, ...figure, machine: machineKind() });
  console.log(line);
  const folder = fileURLToPath(new URL("../results", import.meta.url));
  await mkdir(folder, { recursive: true });
  await appendFile(`${folder}/${bench}.jsonl`, `${line}\n`);
}
