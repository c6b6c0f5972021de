/** Opens an index in a cluster for asking or writing. Loaded only if an address is given. */

import { Index } from "../../src/api/index-handle.js";
import type { Encoder } from "../../src/encode/types.js";
import { createKernel } from "../../src/kernel/kernel.js";
import type { Reader } from "../../src/reader/types.js";
import { parseAddress } from "./address.js";
import { awaitCopies, createIndex, findOrCreateIndex, removeIndex, requireClusterIndex } from "./alias-lookup.js";
import { readState } from "./commit-number.js";
import type { ConnectedIndex } from "./connected-index.js";
import { Connection, type ConnectionOptions } from "./connection/connection.js";
import { Loader } from "./loader.js";
import type { ClusterModel } from "./mapping.js";
import type { Part } from "./partition.js";
import { ClusterSource } from "./source.js";
import { ClusterDeleter, ClusterWriter, checkModel } from "./writer.js";

type Environment = Readonly<Record<string, string | undefined>>;

interface OpenClusterOptions {
  /** Such as `opensearch://host:9200/name`; see docs/opensearch.md. */
  address: string;
  encoder: Encoder;
  reader?: Reader;
  atLeastVersion?: number;
  /** Environment with user, password and certificate file; default that of the process. */
  env?: Environment;
  signal?: AbortSignal;
  onWait?: ConnectionOptions["onWait"];
}

/** What is needed to connect, without a model. */
type ConnectOptions = Pick<OpenClusterOptions, "address" | "env" | "signal" | "onWait">;

/**
 * Opens an index in a cluster as an `Index`. It gives the same answers as the same index in a
 * folder.
 * @throws VerbatimError `invalid-argument`, `index-missing`, `model-mismatch`,
 *   `unsupported-format`, `permission-denied`, `io-error`
 */
export async function openClusterIndex(options: OpenClusterOptions): Promise<Index> {
  const { encoder, reader, atLeastVersion, signal } = options;
  return withPlace(options, async (connection) => {
    const connected = { connection, ...(await requireClusterIndex(connection, signal)) };
    const { info: model, tokenizer } = encoder;
    checkModel(connected.meta.model, model.passageModelHash, connection.address.shown);
    const state = await readState(connection, connected.index, signal);
    const source = new ClusterSource({ connected, state, model, tokenizer, kernel: createKernel() });
    if (atLeastVersion !== undefined) await source.refresh({ atLeastVersion, signal });
    return new Index({ encoder, source, ...(reader === undefined ? {} : { reader }) });
  });
}

interface OpenClusterWriterOptions extends Omit<OpenClusterOptions, "reader" | "atLeastVersion"> {
  /** Accept only the documents of this part. */
  part?: Part;
}

/**
 * Opens an index for writing, and creates it if necessary. @throws as `openClusterIndex`, except
 * `index-missing`
 */
export async function openClusterWriter(options: OpenClusterWriterOptions): Promise<ClusterWriter> {
  const { encoder, part } = options;
  const { loader, version, documents, uncommitted } = await openLoader(options, encoder.info);
  return new ClusterWriter({ loader, encoder, documentCount: documents, version, uncommitted, part });
}

/** Opens an index for deleting documents. @throws as `openClusterIndex` */
export async function openClusterDeleter(options: ConnectOptions): Promise<ClusterDeleter> {
  const { signal } = options;
  const connected = await openConnectedIndex(options);
  const { connection, index } = connected;
  const { version, uncommitted, documents, nextOrder } = await readState(connection, index, signal);
  const loader = new Loader(connected, { nextOrder, signal });
  return new ClusterDeleter({ loader, version, documentCount: documents, uncommitted });
}

export async function openLoader(
  options: ConnectOptions & {
    /** Create a new index without switching the alias to it; `pointAlias` does that. */
    replace?: boolean;
  },
  model: ClusterModel,
): Promise<{ loader: Loader; version: number; documents: number; uncommitted: boolean }> {
  const { signal, replace = false } = options;
  return withPlace(options, async (connection) => {
    const { shown } = connection.address;
    const found = await (replace ? createIndex : findOrCreateIndex)(connection, { model, signal });
    const { index, meta } = found;
    try {
      checkModel(meta.model, model.passageModelHash, shown);
      const { version, uncommitted, documents, nextOrder } = await readState(connection, index, signal);
      if (version === 0) await awaitCopies(connection, index, signal); // a new index, perhaps of another run
      const loader = new Loader({ connection, ...found }, { nextOrder, signal });
      return { loader, version, documents, uncommitted };
    } catch (error) {
      if (replace) await removeIndex(connection, index).catch(() => {}); // the alias does not point to it
      throw error;
    }
  });
}

/** Connects to an index without a model, for checking and copying. */
export async function openConnectedIndex(options: ConnectOptions): Promise<ConnectedIndex> {
  return withPlace(options, async (connection) => ({
    connection,
    ...(await requireClusterIndex(connection, options.signal)),
  }));
}

async function withPlace<T>(
  { address, env = process.env, onWait }: ConnectOptions,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  const connection = await Connection.open(parseAddress(address, env), { onWait });
  try {
    return await work(connection);
  } catch (error) {
    await connection.close();
    throw error;
  }
}
