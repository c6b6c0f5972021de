/** Opens an index for assistants, and serves it over HTTP; `stdio.ts` serves it over pipes. */

import { resolve } from "node:path";
import type { Reader } from "../../src/reader/types.js";
import { requireIndex } from "../node/index-info.js";
import type { ModelOptions } from "../node/models/choice.js";
import { openEncoder } from "../node/models/encoder/encoder.js";
import { openChosenReader } from "../node/models/reader/reader.js";
import { packageVersion } from "../node/package-version.js";
import { FileStorage } from "../node/storage/file-storage.js";
import { warmUp } from "../server/answering/warm-up.js";
import { DEFAULT_LIMITS } from "../server/http/limits.js";
import type { Log } from "../server/http/log.js";
import { PathRedactor } from "../server/http/path-redactor.js";
import type { AskDefaults } from "../server/http/service.js";
import { closeSocket, createSocket, listen } from "../server/http/socket.js";
import type { ReaderChoice, ServeOptions } from "../server/options.js";
import { isLoopbackName, requireTokens } from "../server/security/same-site.js";
import type { Tokens } from "../server/security/tokens.js";
import { ServedIndex } from "../server/served-index.js";
import type { McpParts } from "./calls.js";
import { createMcpApp } from "./http.js";
import { refreshOrLog } from "./refresh.js";
import { StoredNames } from "./stored-names.js";

/** Limit of one call: a quotation may have to be searched in every document. */
const CALL_MS = 60_000;

interface OpenMcpOptions extends ReaderChoice, ModelOptions, Pick<ServeOptions, "minConfidence"> {
  /** Folder of the index, which must exist. */
  index: string;
  /** Folder that relative paths start from. */
  cwd: string;
  /** Callers do not see paths above the working folder. Not needed for the user's own assistant. */
  redactsPaths: boolean;
  log: Log;
}

interface OpenedMcp {
  parts: McpParts;
  close(): Promise<void>;
}

/** @throws VerbatimError `index-missing`, those of `openIndex`, `openEncoder` and `openReader` */
export async function openMcp(options: OpenMcpOptions): Promise<OpenedMcp> {
  const { cwd, model, modelFolder, log } = options;
  const path = resolve(cwd, options.index);
  await requireIndex(path, options.index);
  const encoder = await openEncoder({ model, modelFolder, index: path, threads: 1 });
  let reader: Reader | undefined;
  let index: ServedIndex | undefined;
  const close = async (): Promise<void> => {
    await index?.close();
    await reader?.close();
    await encoder.close();
  };
  try {
    reader = await openChosenReader({ reader: options.reader, folder: options.readerFolder, model: encoder.model });
    const redactor = options.redactsPaths ? new PathRedactor([cwd]) : new StoredNames();
    index = ServedIndex.ofStorage({ storage: new FileStorage(path), encoder, reader, redactor });
    await index.refresh();
    await warmUp(index.requireOpen());
  } catch (error) {
    await close();
    throw error;
  }
  const defaults: AskDefaults = { reader: options.reader, minConfidence: options.minConfidence ?? "calibrated" };
  const refresh = refreshOrLog(index, log);
  return { parts: { index, refresh, version: packageVersion(), defaults, log, callMs: CALL_MS }, close };
}

interface ServeMcpOptions {
  host: string;
  /** 0: any free port. */
  port: number;
  tokens?: Tokens;
}

/**
 * @throws VerbatimError `invalid-argument` for an address that others can reach and no token;
 *   `io-error` for a port in use
 */
export async function serveHttp(
  { parts }: OpenedMcp,
  options: ServeMcpOptions,
): Promise<{ url: string; stop(): Promise<void> }> {
  const { host, tokens } = options;
  requireTokens(host, tokens);
  const limits = DEFAULT_LIMITS;
  const anonymous = tokens === undefined ? ("ask" as const) : undefined;
  const app = createMcpApp({ ...parts, tokens, anonymous, site: { loopback: isLoopbackName(host), cors: [] }, limits });
  const server = createSocket(app.fetch, limits);
  const url = await listen(server, options);
  return { url: `${url}mcp`, stop: () => closeSocket(server, () => app.idle()) };
}
