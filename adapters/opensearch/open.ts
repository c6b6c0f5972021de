/** Opens an index in a cluster for asking, or for writing. Loaded only where an address is given. */

import { Index } from "../../src/api/open-index.js";
import type { Encoder } from "../../src/encode/types.js";
import { createKernel, type Kernel } from "../../src/kernel/kernel.js";
import type { Reader } from "../../src/reader/types.js";
import { parseAddress } from "./address.js";
import { createIndex, findIndex, pointAlias, requireClusterIndex } from "./alias-lookup.js";
import { readState, refresh } from "./commit-number.js";
import type { Place } from "./connected-index.js";
import { Connection } from "./connection.js";
import { Loader } from "./loader.js";
import type { ClusterModel } from "./mapping.js";
import type { Part } from "./partition.js";
import { ClusterSource } from "./source.js";
import { ClusterDeleter, ClusterWriter, checkModel } from "./writer.js";

type Environment = Readonly<Record<string, string | undefined>>;

export interface OpenClusterOptions {
  /** As `opensearch://host:9200/name`; docs/opensearch.md. */
  address: string;
  encoder: Encoder;
  reader?: Reader;
  kernel?: Kernel;
  atLeastVersion?: number;
  /** Where user, password and certificates may stand; default the process's. */
  env?: Environment;
  signal?: AbortSignal;
}

/**
 * The index in a cluster as an `Index` of src/api/open-index.ts: the same questions, the same answers.
 * @throws VerbatimError `invalid-argument`, `index-missing`, `model-mismatch`, `unsupported-format`, `permission-denied`, `io-error`
 */
export async function openClusterIndex(options: OpenClusterOptions): Promise<Index> {
  const { encoder, reader, kernel = createKernel(), atLeastVersion, signal } = options;
  return withPlace(options, async (connection) => {
    const place = { connection, ...(await requireClusterIndex(connection, signal)) };
    const { info: model, tokenizer } = encoder;
    checkModel(place.meta.model, model.passageModelHash, connection.address.shown);
    const state = await readState(connection, place.index, signal);
    const source = new ClusterSource({ place, state, model, tokenizer, kernel });
    if (atLeastVersion !== undefined) await source.refresh({ atLeastVersion, signal });
    return new Index({ encoder, source, ...(reader === undefined ? {} : { reader }) });
  });
}

export interface OpenClusterWriterOptions extends Omit<OpenClusterOptions, "reader" | "kernel" | "atLeastVersion"> {
  /** Of a new index; default "passage". */
  part?: Part;
  /** As `LoadingHooks.onWait`. */
  onWait?: (() => void) | undefined;
}

/** Opens an index for writing, and makes it when there is none. @throws as `openClusterIndex`, but `index-missing` */
export async function openClusterWriter(options: OpenClusterWriterOptions): Promise<ClusterWriter> {
  const { encoder, part } = options;
  const { loader, version, documents } = await openLoader(options, encoder.info);
  return new ClusterWriter({ loader, encoder, documentCount: documents, version, part });
}

/** Opens an index for taking documents out of it. @throws as `openClusterIndex` */
export async function openClusterDeleter(
  options: Pick<OpenClusterOptions, "address" | "env" | "signal">,
): Promise<ClusterDeleter> {
  const { signal } = options;
  const place = await openPlace(options);
  const { version, documents, nextOrder } = await readState(place.connection, place.index, signal);
  return new ClusterDeleter({ loader: new Loader(place, { nextOrder, signal }), version, documentCount: documents });
}

export async function openLoader(
  options: Pick<OpenClusterWriterOptions, "address" | "env" | "signal" | "onWait"> & {
    /** Make a new index and leave the name where it is: `pointAlias` moves it. */
    anew?: boolean;
  },
  model: ClusterModel,
): Promise<{ loader: Loader; version: number; documents: number }> {
  const { signal, onWait, anew = false } = options;
  return withPlace(options, async (connection) => {
    const { shown } = connection.address;
    let found = anew ? undefined : await findIndex(connection, signal);
    if (found === undefined) {
      found = await createIndex(connection, { model, signal });
      if (!anew) await pointAlias(connection, found.index);
    }
    const place: Place = { connection, ...found };
    checkModel(found.meta.model, model.passageModelHash, shown);
    await refresh(connection, place.index); // what an earlier run sent is not sent again
    const { version, documents, nextOrder } = await readState(connection, place.index, signal);
    return { loader: new Loader(place, { nextOrder, signal, onWait }), version, documents };
  });
}

/** An index in a cluster without a model: for checking and copying. */
export async function openPlace(options: Pick<OpenClusterOptions, "address" | "env" | "signal">): Promise<Place> {
  return withPlace(options, async (connection) => ({
    connection,
    ...(await requireClusterIndex(connection, options.signal)),
  }));
}

async function withPlace<T>(
  { address, env = process.env }: Pick<OpenClusterOptions, "address" | "env">,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  const connection = await Connection.open(parseAddress(address, env));
  try {
    return await work(connection);
  } catch (error) {
    await connection.close();
    throw error;
  }
}
