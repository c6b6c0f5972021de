/** Shared by the commands that run a server. */

import { resolve } from "node:path";
import type { Tokens } from "../server/security/tokens.js";
import type { Io } from "./process-io.js";

/** Reads the token file; undefined without one. @throws VerbatimError as `readTokenFile` */
export async function readTokens(file: string | undefined, io: Io): Promise<Tokens | undefined> {
  if (file === undefined) return undefined;
  const { readTokenFile } = await import("../server/security/token-file.js");
  return readTokenFile(resolve(io.cwd, file));
}

/** Resolves when the signal is aborted. */
export function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    if (signal.aborted) done();
    else signal.addEventListener("abort", () => done(), { once: true });
  });
}
