/**
 * The server of `verbatim serve`: an index, answering threads, an indexing process and an app on a
 * socket, started and stopped in order.
 *
 *     const server = await serve({ index: "my.index", paths: ["docs"] });
 *     console.log(server.url);
 *     await server.stop();
 */

import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import type { Encoder } from "../../src/encode/types.js";
import { VerbatimError } from "../../src/errors.js";
import { isGlob } from "../node/documents/globs.js";
import { modelFolderForPaths } from "../node/ingest/choose-model.js";
import { listDocuments } from "../node/list-documents.js";
import { modelFolderFor } from "../node/models/choice.js";
import { openEncoder } from "../node/models/encoder/encoder.js";
import type { NodeReader } from "../node/models/reader/reader.js";
import { packageVersion } from "../node/package-version.js";
import { FileStorage } from "../node/storage/file-storage.js";
import { KeptOriginals } from "../node/storage/kept-originals.js";
import { originalsOf } from "../node/storage/side-folders.js";
import { threadCount } from "../node/threads/thread-count.js";
import { isClusterAddress } from "../opensearch/address.js";
import { AnswerThreads } from "./answering/answer-threads.js";
import { type App, createApp } from "./http/app.js";
import { readAssets } from "./http/assets.js";
import { DEFAULT_LIMITS, type Limits } from "./http/limits.js";
import { errorDetails } from "./http/log.js";
import { PathRedactor } from "./http/path-redactor.js";
import { closeSocket, createSocket, listen } from "./http/socket.js";
import { IndexHandle } from "./index-handle.js";
import { Ingestion } from "./ingest/ingestion.js";
import { openChosenReader } from "./open-chosen-reader.js";
import { checkOptions, requirePaths, type ServeOptions, withDefaults } from "./options.js";
import { OriginalFiles } from "./original-files.js";
import { isLoopbackName } from "./security/same-site.js";
import { Tokens } from "./security/tokens.js";

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
  const { paths, cwd, host, log, readOnly, minConfidence, watch } = options;
  const limits: Limits = { ...DEFAULT_LIMITS, concurrency: options.threads, ...options.limits };
  const isCluster = isClusterAddress(options.index);
  if (isCluster && (!readOnly || paths.length > 0)) {
    throw new VerbatimError("invalid-argument", "An index in a cluster can only be served read-only.", {
      hint: "Add --read-only and leave the paths out; verbatim index PATH --to ADDRESS indexes into it.",
    });
  }
  const indexFolder = isCluster ? cwd : resolve(cwd, options.index);
  const redactor = new PathRedactor([...paths.map((path) => resolve(cwd, path)), cwd]);
  const run = options.tokens === undefined && !readOnly ? Tokens.forThisRun("admin") : undefined;
  const modelFolder = isCluster
    ? await modelFolderFor(options)
    : await modelFolderForPaths(paths, { ...options, index: indexFolder });
  const encoder = await openEncoder({ modelFolder, threads: 1 }); // for the model's identity; the answering threads have their own
  let reader: NodeReader | undefined;
  try {
    reader = await openChosenReader(options, encoder.model);
  } catch (error) {
    await encoder.close();
    throw error;
  }
  let app: App | undefined;
  const onCache = (outcome: "hit" | "miss"): void => app?.metrics.cache(outcome);
  const storage = isCluster
    ? await openCluster(options.index, { encoder, reader, redactor })
    : new FileStorage(indexFolder);
  // An index in a cluster needs no threads: the cluster does the work.
  const threads = isCluster
    ? undefined
    : new AnswerThreads({
        setup: { index: indexFolder, modelFolder, reader: reader && { folder: reader.folder, info: reader.info } },
        threads: options.threads,
      });
  const index = new IndexHandle({ storage, encoder, reader, threads, redactor, onCache });
  const ingestion = new Ingestion({
    setup: {
      index: indexFolder,
      modelFolder,
      threads: threadCount(undefined, Math.max(1, availableParallelism() - 1)),
      cwd,
      maxKeptBytes: limits.maxKeptBytes,
    },
    limits,
    redactor,
    log,
    refresh: () => index.refresh(),
  });
  const uploads = isCluster ? undefined : new KeptOriginals(originalsOf(indexFolder));
  let tidying: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    await ingestion.stop();
    await tidying;
    await index.close();
    await reader?.close();
    await encoder.close();
  };
  try {
    await index.refresh();
    app = createApp({
      index,
      ingestion: readOnly ? undefined : ingestion,
      originals: new OriginalFiles(paths, resolve(cwd), { uploads }),
      tokens: options.tokens ?? run?.tokens,
      anonymous: options.tokens === undefined ? "ask" : undefined,
      site: { loopback: isLoopbackName(host), cors: options.cors },
      limits,
      log,
      assets: await readAssets(),
      version: packageVersion(),
      defaults: { reader: options.reader, minConfidence },
    });
    const { metrics } = app;
    const server = createSocket(app.fetch, limits, (reason) => metrics.refused(reason));
    const url = await listen(server, options);
    if (!readOnly) {
      await ingestion.removeLeftovers();
      tidying = uploads
        ?.keepOnly(() => listDocuments(indexFolder))
        .catch((error: unknown) => log("warn", "files of deleted documents not removed", errorDetails(error)));
    }
    const follow = watch && !paths.some(isGlob);
    const job = paths.length > 0 ? ingestion.submit({ kind: "paths", paths: [...paths] }, { follow }) : undefined;
    const caughtUp = job === undefined ? Promise.resolve() : ingestion.settled(job.id, new AbortController().signal);
    const refreshing = setInterval(() => {
      index.refresh().catch((error: unknown) => log("warn", "refresh failed", errorDetails(error)));
    }, REFRESH_EVERY_MS);
    const stop = async (): Promise<void> => {
      log("info", "stopping");
      clearInterval(refreshing);
      await closeSocket(server, () => {
        const ended = ingestion.stop(); // also ends requests that wait for a job
        return app!.drain().then(() => ended);
      });
      await close();
      log("info", "stopped");
    };
    return { url, token: run?.token, caughtUp, stop: once(stop) };
  } catch (error) {
    await close().catch((closing: unknown) => log("error", "closing failed", errorDetails(closing)));
    throw error;
  }
}

async function openCluster(
  address: string,
  { encoder, reader, redactor }: { encoder: Encoder; reader: NodeReader | undefined; redactor: PathRedactor },
) {
  const { openClusterIndex, openConnectedIndex } = await import("../opensearch/open.js");
  const { ClusterDocumentStore } = await import("./cluster-document-store.js");
  const open = () => openClusterIndex({ address, encoder, ...(reader === undefined ? {} : { reader }) });
  return { open, documents: new ClusterDocumentStore(await openConnectedIndex({ address }), redactor) };
}

function once(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  return () => {
    running ??= work();
    return running;
  };
}
