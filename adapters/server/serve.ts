/**
 * The server of `verbatim serve`: an index, answering threads, an indexing process and an app on a
 * socket, started and stopped in order.
 *
 *     const server = await serve({ index: "my.index", paths: ["docs"] });
 *     console.log(server.url);
 *     await server.stop();
 */

import { resolve } from "node:path";
import { isGlob } from "../node/documents/globs.js";
import { packageVersion } from "../node/package-version.js";
import { type App, type AppParts, createApp } from "./http/app.js";
import { readAssets } from "./http/assets.js";
import { DEFAULT_LIMITS, type Limits } from "./http/limits.js";
import { errorDetails, type Log } from "./http/log.js";
import { closeSocket, createSocket, listen } from "./http/socket.js";
import type { Ingestion } from "./ingest/ingestion.js";
import { checkOptions, type ResolvedServeOptions, requirePaths, type ServeOptions, withDefaults } from "./options.js";
import { OriginalFiles } from "./original-files.js";
import { isLoopbackName } from "./security/same-site.js";
import { Tokens } from "./security/tokens.js";
import type { ServedIndex } from "./served-index.js";
import { openServerParts, type ServerParts } from "./server-parts.js";

/**
 * How often the server looks for commits of other programs, for example `verbatim watch`, in
 * milliseconds.
 */
const REFRESH_EVERY_MS = 2000;

export interface RunningServer {
  /** For example "http://127.0.0.1:4180/". */
  url: string;
  /** The token of this run; undefined with a token file, and for a read-only server. */
  token: string | undefined;
  /** Resolves when the paths are indexed, or could not be. */
  caughtUp: Promise<void>;
  /**
   * Accepts nothing new, answers the questions in progress, commits what is complete of the change
   * in progress, and closes everything. What has not ended after `limits.stopMs` is cut off.
   */
  stop(): Promise<void>;
}

/**
 * @throws VerbatimError `invalid-argument` for options that contradict each other, or would let
 *   others in without a token; `io-error` for a port in use; as `openIndex`, except `index-missing`
 */
export async function serve(given: ServeOptions): Promise<RunningServer> {
  const options = withDefaults(given);
  checkOptions(options);
  await requirePaths(options);
  const limits: Limits = { ...DEFAULT_LIMITS, concurrency: options.threads, ...options.limits };
  const run = options.tokens === undefined && !options.readOnly ? Tokens.forThisRun("admin") : undefined;
  let app: App | undefined;
  const parts = await openServerParts(options, { limits, onCache: (outcome) => app?.metrics.cache(outcome) });
  let server: ReturnType<typeof createSocket> | undefined;
  try {
    await parts.index.refresh();
    app = createApp(await appPartsOf(options, { parts, limits, tokens: options.tokens ?? run?.tokens }));
    const { metrics } = app;
    const socket = createSocket(app.fetch, limits, (reason) => metrics.refused(reason));
    server = socket;
    const url = await listen(socket, options);
    if (!options.readOnly) await parts.tidy();
    const caughtUp = indexPaths(parts.ingestion, options);
    const stopRefreshing = refreshRegularly(parts.index, options.log);
    const stop = async (): Promise<void> => {
      options.log("info", "stopping");
      stopRefreshing();
      await closeSocket(socket, () => {
        const ended = parts.ingestion?.stop(); // also ends requests that wait for a job
        return app!.drain().then(() => ended);
      });
      await parts.close();
      options.log("info", "stopped");
    };
    return { url, token: run?.token, caughtUp, stop: once(stop) };
  } catch (error) {
    server?.close();
    server?.closeAllConnections();
    await parts.close().catch((closing: unknown) => options.log("error", "closing failed", errorDetails(closing)));
    throw error;
  }
}

async function appPartsOf(
  { paths, cwd, host, tokens: given, cors, log, reader, minConfidence }: ResolvedServeOptions,
  { parts, limits, tokens }: { parts: ServerParts; limits: Limits; tokens: AppParts["tokens"] },
): Promise<AppParts> {
  const { index, ingestion, uploads } = parts;
  return {
    index,
    ingestion,
    originals: new OriginalFiles(paths, resolve(cwd), { uploads }),
    tokens,
    anonymous: given === undefined ? "ask" : undefined,
    site: { loopback: isLoopbackName(host), cors },
    limits,
    log,
    assets: await readAssets(),
    version: packageVersion(),
    defaults: { reader, minConfidence },
  };
}

/** @returns resolves when the paths are indexed, or could not be */
function indexPaths(ingestion: Ingestion | undefined, { paths, watch }: ResolvedServeOptions): Promise<void> {
  if (ingestion === undefined || paths.length === 0) return Promise.resolve();
  const follow = watch && !paths.some(isGlob);
  const { id } = ingestion.submit({ kind: "paths", paths: [...paths], follow });
  return ingestion.settled(id);
}

/** @returns stops it */
function refreshRegularly(index: ServedIndex, log: Log): () => void {
  const timer = setInterval(() => {
    index.refresh().catch((error: unknown) => log("warn", "refresh failed", errorDetails(error)));
  }, REFRESH_EVERY_MS);
  return () => clearInterval(timer);
}

function once(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  return () => {
    running ??= work();
    return running;
  };
}
