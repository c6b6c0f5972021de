/** Shared by the commands that run a server. */

import { resolve } from "node:path";
import type { Option } from "commander";
import type { Tokens } from "../server/security/tokens.js";
import { minConfidenceOption, modelOf, type ReaderFlags, readerFolder, readerOptions } from "./options.js";
import type { Io } from "./process-io.js";

/** Flags of every command that runs a server. */
export interface ServerFlags extends Pick<ReaderFlags, "reader" | "readerModel"> {
  index: string;
  tokenFile?: string;
  minConfidence?: number;
  model?: string;
}

/**
 * The minimum confidence and the networks. Requests set the other options of the reader.
 * @param model  the option `--model`, whose "auto" differs between commands
 */
export function serverOptions(model: Option): Option[] {
  return [minConfidenceOption(), model, ...readerOptions().slice(0, 2)];
}

/** The settings of the server that these flags give. */
export function serverSettings({ index, minConfidence, model, reader, readerModel }: ServerFlags, io: Io) {
  const models = { ...modelOf(model, io), readerFolder: readerFolder(readerModel, io) };
  return { index, minConfidence, reader, ...models, cwd: io.cwd };
}

/** Reads the token file; undefined without one. @throws VerbatimError as `readTokenFile` */
export async function readTokens(file: string | undefined, io: Io): Promise<Tokens | undefined> {
  if (file === undefined) return undefined;
  const { readTokenFile } = await import("../server/security/token-file.js");
  return readTokenFile(resolve(io.cwd, file));
}
