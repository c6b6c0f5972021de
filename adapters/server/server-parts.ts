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
import { type NodeReader, openChosenReader } from "../node/models/reader/reader.js";
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
  /** Undefined for a read-only server. */
  ingestion: Ingestion | undefined;
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
export function openServerParts(
  options: ResolvedServeOptions,
  rest: { limits: Limits; onCache: (outcome: "hit" | "miss") => void },
): Promise<ServerParts> {
  return isClusterAddress(options.index) ? openClusterParts(options) : openFolderParts(options, rest);
}

async function openFolderParts(
  options: ResolvedServeOptions,
  { limits, onCache }: { limits: Limits; onCache: (outcome: "hit" | "miss") => void },
): Promise<ServerParts> {
  const { cwd, log } = options;
  const folder = resolve(cwd, options.index);
  const served = { paths: options.paths.map((path) => resolve(cwd, path)), cwd };
  const redactor = new PathRedactor(served.paths, { cwd });
  const modelFolder = await modelFolderForPaths(options.paths, { ...options, index: folder });
  const models = await openModels(options, modelFolder);
  const { encoder, reader } = models;
  const threads = new AnswerThreads({
    setup: { index: folder, modelFolder, reader: reader && { folder: reader.folder, info: reader.info }, served },
    threads: options.threads,
  });
  const storage = new FileStorage(folder);
  const index = ServedIndex.ofStorage({ storage, encoder, reader, threads, redactor, onCache });
  const indexingThreads = threadCount(undefined, Math.max(1, availableParallelism() - 1));
  const ingestion = options.readOnly
    ? undefined
    : new Ingestion({
        setup: { index: folder, modelFolder, threads: indexingThreads, cwd, maxKeptBytes: limits.maxKeptBytes },
        limits,
        redactor,
        log,
        refresh: () => index.refresh(),
      });
  const uploads = new KeptOriginals(originalsOf(folder));
  let tidying: Promise<void> | undefined;
  return {
    index,
    ingestion,
    uploads,
    async tidy() {
      await ingestion?.removeLeftovers();
      tidying = uploads
        .keepOnly(() => listDocuments(folder))
        .catch((error: unknown) => log("warn", "files of deleted documents not removed", errorDetails(error)));
    },
    async close() {
      await ingestion?.stop();
      await tidying;
      await index.close();
      await models.close();
    },
  };
}

/** An index in a cluster needs no threads: the cluster does the work. */
async function openClusterParts(options: ResolvedServeOptions): Promise<ServerParts> {
  const { index: address, readOnly, paths, cwd } = options;
  if (!readOnly || paths.length > 0) {
    throw new VerbatimError("invalid-argument", "An index in a cluster can only be served read-only.", {
      hint: "Add --read-only and leave the paths out; verbatim index PATH --to ADDRESS indexes into it.",
    });
  }
  const models = await openModels(options, await modelFolderFor(options));
  try {
    const index = await openCluster(address, { ...models, redactor: new PathRedactor([], { cwd }) });
    return {
      index,
      ingestion: undefined,
      uploads: undefined,
      async tidy() {},
      async close() {
        await index.close();
        await models.close();
      },
    };
  } catch (error) {
    await models.close();
    throw error;
  }
}

async function openCluster(
  address: string,
  { encoder, reader, redactor }: { encoder: Encoder; reader: NodeReader | undefined; redactor: PathRedactor },
): Promise<ServedIndex> {
  const { openClusterIndex, openConnectedIndex } = await import("../opensearch/open.js");
  const { ClusterDocumentStore } = await import("./cluster-document-store.js");
  const open = async (): Promise<PublicIndex> =>
    new PublicIndex(
      await openClusterIndex({ address, encoder, ...(reader === undefined ? {} : { reader }) }),
      withoutPaths,
    );
  const documents = new ClusterDocumentStore(await openConnectedIndex({ address }), redactor);
  return new ServedIndex({ open, documents, redactor });
}

interface OpenModels {
  /** Knows the model's identity; the answering threads have encoders of their own. */
  encoder: Encoder;
  reader: NodeReader | undefined;
  close(): Promise<void>;
}

async function openModels(options: ResolvedServeOptions, modelFolder: string): Promise<OpenModels> {
  const encoder = await openEncoder({ modelFolder, threads: 1 });
  try {
    const { reader: mode, readerFolder: folder } = options;
    const reader = await openChosenReader({ reader: mode, folder, model: encoder.model });
    const close = async (): Promise<void> => {
      await reader?.close();
      await encoder.close();
    };
    return { encoder, reader, close };
  } catch (error) {
    await encoder.close();
    throw error;
  }
}
