/** Peers that are no JavaScript run in a process of their own and print JSON lines. */

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

/** A line that a peer printed: its figures. */
export type PeerLine = Record<string, unknown> & { engine: string };

/** Runs a peer; its lines in their order. @throws Error where it fails */
export async function* runPeer<Line extends PeerLine>(command: string, args: readonly string[]): AsyncGenerator<Line> {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise<number | null>((done, fail) => child.on("close", done).on("error", fail));
  ended.catch(() => {}); // told below
  for await (const line of createInterface({ input: child.stdout })) yield JSON.parse(line) as Line;
  const status = await ended;
  if (status !== 0) throw new Error(`${command} ended with status ${status}.`);
}
