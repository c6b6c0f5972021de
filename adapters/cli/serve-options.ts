/** What the commands that serve share. */

import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { Tokens } from "../server/security/tokens.js";
import type { Io } from "./process-io.js";

/** Who may do what, from a token file; undefined without one. */
export async function readTokens(file: string | undefined, io: Io): Promise<Tokens | undefined> {
  if (file === undefined) return undefined;
  const { Tokens } = await import("../server/security/tokens.js");
  return Tokens.parse(await readFile(resolve(io.cwd, file), "utf8"));
}

/** Fulfilled when the signal has fired. */
export function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    if (signal.aborted) done();
    else signal.addEventListener("abort", () => done(), { once: true });
  });
}
