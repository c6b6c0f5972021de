/**
 * What a server opens before it listens: the models, the index with its answering threads, and the
 * indexing process.
 */

import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import type { Encoder } from "../../src/encode/types.js";
import { VerbatimError } from "../../src/errors.js";
import { modelFolderForPaths } from "../node/ingest/choose-model.js";
import { listDocuments } from "../node/list-documents.js";
import { modelFolderFor } from "../node/models/choice.js";
import { openEncoder } from "../node/models/encoder/encoder.js";
import type { NodeReader } from "../node/models/reader/reader.js";
import { openChosenReader } from "../node/models/reader/reader.js";
import { FileStorage } from "../node/storage/file-storage.js";
import { KeptOriginals } from "../node/storage/kept-originals.js";
import { originalsOf } from "../node/storage/side-folders.js";
import { threadCount } from "../node/threads/thread-count.js";
import { isClusterAddress } from "../opensearch/address.js";
import { AnswerThreads } from "./answering/answer-threads.js";
import type { Limits } from "./http/limits.js";
import { errorDetails } from "./http/log.js";
import { PathRedactor } from "./http/path-redactor.js";
import { Ingestion } from "./ingest/ingestion.js";
import type { ResolvedServeOptions } from "./options.js";
import { PublicIndex, withoutPaths } from "./public-filter.js";
import { ServedIndex } from "./served-index.js";

export interface ServerParts {
  index: ServedIndex;
  ingestion: Ingestion;
  /** Kept files of uploads; undefined for an index in a cluster. */
  uploads: KeptOriginals | undefined;
  /**
   * Removes what servers that were killed have left behind, and starts to remove the kept files of
   * deleted documents.
   */
  tidy(): Promise<void>;
  close(): Promise<void>;
}

/** @throws VerbatimError `invalid-argument`, and as `openEncoder` and `openReader` */
export async function openServerParts(
  options: ResolvedServeOptions,
  { limits, onCache }: { limits: Limits; onCache: (outcome: "hit" | "miss") => void },
): Promise<ServerParts> {
  const { paths, cwd, log } = options;
  const isCluster = isClusterAddress(options.index);
  if (isCluster && (!options.readOnly || paths.length > 0)) {
    throw new VerbatimError("invalid-argument", "An index in a cluster can only be served read-only.", {
      hint: "Add --read-only and leave the paths out; verbatim index PATH --to ADDRESS indexes into it.",
    });
  }
  const folder = isCluster ? cwd : resolve(cwd, options.index);
  const served = { paths: paths.map((path) => resolve(cwd, path)), cwd };
  const redactor = new PathRedactor(served.paths, { cwd });
  const { modelFolder, encoder, reader } = await openModels(options, { isCluster, folder });
  const closeModels = async (): Promise<void> => {
    await reader?.close();
    await encoder.close();
  };
  const storage = isCluster
    ? await openCluster(options.index, { encoder, reader, redactor }).catch(async (error: unknown) => {
        await closeModels();
        throw error;
      })
    : new FileStorage(folder);
  // An index in a cluster needs no threads: the cluster does the work.
  const threads = isCluster
    ? undefined
    : new AnswerThreads({
        setup: { index: folder, modelFolder, reader: reader && { folder: reader.folder, info: reader.info }, served },
        threads: options.threads,
      });
  const index = new ServedIndex({ storage, encoder, reader, threads, redactor, onCache });
  const indexingThreads = threadCount(undefined, Math.max(1, availableParallelism() - 1));
  const ingestion = new Ingestion({
    setup: { index: folder, modelFolder, threads: indexingThreads, cwd, maxKeptBytes: limits.maxKeptBytes },
    limits,
    redactor,
    log,
    refresh: () => index.refresh(),
  });
  const uploads = isCluster ? undefined : new KeptOriginals(originalsOf(folder));
  let tidying: Promise<void> | undefined;
  return {
    index,
    ingestion,
    uploads,
    async tidy() {
      await ingestion.removeLeftovers();
      tidying = uploads
        ?.keepOnly(() => listDocuments(folder))
        .catch((error: unknown) => log("warn", "files of deleted documents not removed", errorDetails(error)));
    },
    async close() {
      await ingestion.stop();
      await tidying;
      await index.close();
      await closeModels();
    },
  };
}

async function openModels(
  options: ResolvedServeOptions,
  { isCluster, folder }: { isCluster: boolean; folder: string },
): Promise<{ modelFolder: string; encoder: Encoder; reader: NodeReader | undefined }> {
  const modelFolder = isCluster
    ? await modelFolderFor(options)
    : await modelFolderForPaths(options.paths, { ...options, index: folder });
  const encoder = await openEncoder({ modelFolder, threads: 1 }); // for the model's identity; the answering threads have their own
  try {
    return {
      modelFolder,
      encoder,
      reader: await openChosenReader({ reader: options.reader, folder: options.readerFolder, model: encoder.model }),
    };
  } catch (error) {
    await encoder.close();
    throw error;
  }
}

async function openCluster(
  address: string,
  { encoder, reader, redactor }: { encoder: Encoder; reader: NodeReader | undefined; redactor: PathRedactor },
) {
  const { openClusterIndex, openConnectedIndex } = await import("../opensearch/open.js");
  const { ClusterDocumentStore } = await import("./cluster-document-store.js");
  const open = async () =>
    new PublicIndex(
      await openClusterIndex({ address, encoder, ...(reader === undefined ? {} : { reader }) }),
      withoutPaths,
    );
  return { open, documents: new ClusterDocumentStore(await openConnectedIndex({ address }), redactor) };
}
