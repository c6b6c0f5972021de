/** Opens an index for assistants, and serves it over standard input and output or over HTTP. */

import { resolve } from "node:path";
import type { Readable, Writable } from "node:stream";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import type { Reader } from "../../src/reader/types.js";
import { requireIndex } from "../node/index-info.js";
import type { ModelOptions } from "../node/models/choice.js";
import { openEncoder } from "../node/models/encoder/encoder.js";
import { packageVersion } from "../node/package-version.js";
import { FileStorage } from "../node/storage/file-storage.js";
import { warmUp } from "../server/answering/warm-up.js";
import { DEFAULT_LIMITS } from "../server/http/limits.js";
import type { Log } from "../server/http/log.js";
import { PathRedactor } from "../server/http/path-redactor.js";
import type { AskDefaults } from "../server/http/service.js";
import { closeSocket, createSocket, listen } from "../server/http/socket.js";
import { openChosenReader } from "../server/open-chosen-reader.js";
import type { ReaderChoice, ServeOptions } from "../server/options.js";
import { isLoopbackName, requireTokens } from "../server/security/same-site.js";
import type { Tokens } from "../server/security/tokens.js";
import { ServedIndex } from "../server/served-index.js";
import { untilAborted } from "../server/until-aborted.js";
import type { McpParts } from "./calls.js";
import { createMcpApp } from "./http.js";
import { createMcpServer } from "./server.js";

/** Limit of one call: a quotation may have to be searched in every document. */
const CALL_MS = 60_000;

interface OpenMcpOptions extends ReaderChoice, ModelOptions, Pick<ServeOptions, "minConfidence"> {
  /** Folder of the index, which must exist. */
  index: string;
  /** Folder that relative paths start from. */
  cwd: string;
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
    reader = await openChosenReader(options, encoder.model);
    index = new ServedIndex({ storage: new FileStorage(path), encoder, reader, redactor: new PathRedactor([cwd]) });
    await index.refresh();
    await warmUp(index.requireOpen());
  } catch (error) {
    await close();
    throw error;
  }
  const defaults: AskDefaults = { reader: options.reader, minConfidence: options.minConfidence ?? "calibrated" };
  return { parts: { index, version: packageVersion(), defaults, log, callMs: CALL_MS }, close };
}

/** Serves one assistant until it closes its end of the pipe or the signal fires. */
export async function serveStdio(
  { parts }: OpenedMcp,
  { stdin, stdout, signal }: { stdin: Readable; stdout: Writable; signal: AbortSignal },
): Promise<void> {
  const server = createMcpServer(parts);
  const disconnected = new Promise<void>((done) => {
    stdin.once("end", done);
    stdin.once("close", done);
    server.server.onclose = () => done();
    void untilAborted(signal).then(done);
  });
  await server.connect(new StdioServerTransport(stdin, stdout));
  await disconnected;
  await server.close();
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
