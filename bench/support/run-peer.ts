/** Runs peers in other languages as processes that print JSON lines. */

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

/** One line printed by a peer. */
export type PeerLine = Record<string, unknown> & { engine: string };

/** Runs a peer and yields its lines in order. @throws Error if it fails */
export async function* runPeer<Line extends PeerLine>(command: string, args: readonly string[]): AsyncGenerator<Line> {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise<number | null>((done, fail) => child.on("close", done).on("error", fail));
  ended.catch(() => {}); // reported below
  for await (const line of createInterface({ input: child.stdout })) yield JSON.parse(line) as Line;
  const status = await ended;
  if (status !== 0) throw new Error(`${command} ended with status ${status}.`);
}
