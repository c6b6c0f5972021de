/** "Which index does the name stand for?" Aliases, the index behind one, and what it says of itself. */

import { randomBytes } from "node:crypto";
import { VerbatimError } from "../../src/errors.js";
import type { ClusterRequest, Connection } from "./connection.js";
import { type ClusterMeta, type ClusterModel, indexBody, indexTemplate, MAPPING_VERSION, readMeta } from "./mapping.js";

/** Longest wait for the copies of a new index: those that come later are filled later. */
const COPIES_WITHIN = "20s";

export interface FoundIndex {
  /** The index's own name. */
  index: string;
  meta: ClusterMeta;
}

/** The index behind the alias; undefined where there is none. */
export async function findIndex(connection: Connection, signal?: AbortSignal): Promise<FoundIndex | undefined> {
  const { name, shown } = connection.address;
  const reply = await connection.send<Record<string, { mappings: { _meta?: unknown } }>>({
    method: "GET",
    path: `/${name}/_mapping`,
    accept: [404],
    signal,
  });
  if (reply.status === 404) return undefined;
  const found = Object.entries(reply.body);
  if (found.length !== 1) {
    throw new VerbatimError("unsupported-format", `${shown} stands for ${found.length} indexes.`, {
      hint: "Let the alias name one.",
    });
  }
  const [index, { mappings }] = found[0]!;
  return { index, meta: readMeta(mappings._meta, shown) };
}

/** @throws VerbatimError `index-missing` */
export async function requireClusterIndex(connection: Connection, signal?: AbortSignal): Promise<FoundIndex> {
  const found = await findIndex(connection, signal);
  if (found !== undefined) return found;
  throw new VerbatimError("index-missing", `There is no index ${connection.address.shown}.`, {
    hint: "Make it first: verbatim index PATH --to ADDRESS, or verbatim copy INDEX ADDRESS.",
  });
}

export interface NewIndex {
  model: ClusterModel;
  signal?: AbortSignal;
}

/** Makes an index that the name does not stand for yet, with its copies, where the cluster has nodes for them. */
export async function createIndex(connection: Connection, { model, signal }: NewIndex): Promise<FoundIndex> {
  const { address } = connection;
  const family = `${address.name}.verbatim-${MAPPING_VERSION}.`;
  const template = indexTemplate(`${family}*`);
  await connection.send({ method: "PUT", path: `/_index_template/${family}template`, body: template });
  const { name, passageModelHash, vocabularySize, dense, coarse, coherency } = model;
  const kept: ClusterModel = { name, passageModelHash, vocabularySize, dense, coarse, coherency };
  const index = `${family}${randomBytes(6).toString("hex")}`;
  await connection.send({
    method: "PUT",
    path: `/${index}`,
    body: indexBody(kept, address),
    again: false,
    signal,
  });
  await awaitCopies(connection, index, signal);
  return { index, meta: { mapping: MAPPING_VERSION, model: kept, vectors: address.vectors } };
}

/**
 * Until each shard has its copies: what is loaded before lies on one node, and is not to be had, nor added to, while that one is gone. A
 * cluster of too few nodes has none to wait for; nobody has to be allowed to look at its health.
 */
async function awaitCopies(connection: Connection, index: string, signal?: AbortSignal): Promise<void> {
  const health = (query: ClusterRequest["query"] = {}) =>
    connection.send<{ number_of_data_nodes?: number }>({
      method: "GET",
      path: `/_cluster/health/${index}`,
      query,
      accept: [403, 408],
      signal,
    });
  const { body } = await health();
  if ((body.number_of_data_nodes ?? 0) <= connection.address.replicas) return;
  await health({ wait_for_status: "green", timeout: COPIES_WITHIN });
}

/** Lets the name stand for the index, in one step; what it stood for before is there still. @returns its name */
export async function pointAlias(connection: Connection, index: string): Promise<string | undefined> {
  const alias = connection.address.name;
  const before = await findIndex(connection);
  const actions = [
    ...(before === undefined ? [] : [{ remove: { index: before.index, alias } }]),
    { add: { index, alias } },
  ];
  await connection.send({ method: "POST", path: "/_aliases", body: { actions } });
  return before?.index;
}

export async function removeIndex(connection: Connection, index: string): Promise<void> {
  await connection.send({ method: "DELETE", path: `/${index}`, accept: [404] });
}
