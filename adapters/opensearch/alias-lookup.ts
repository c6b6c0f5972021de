/** Finds, creates and switches the index that an alias points to. */

import { randomBytes } from "node:crypto";
import { VerbatimError } from "../../src/errors.js";
import { indexMissing } from "./connection/cluster-error.js";
import type { ClusterRequest, Connection } from "./connection/connection.js";
import { type ClusterMeta, type ClusterModel, indexBody, indexTemplate, MAPPING_VERSION, readMeta } from "./mapping.js";

/** Longest wait for the replicas of a new index; later ones are filled in later. */
const COPIES_WITHIN = "20s";
/**
 * Time until no server asks an index that the alias has left: servers notice within two seconds, and questions that
 * have begun end within the others.
 */
export const UNUSED_AFTER_MS = 5000;

interface FoundIndex {
  /** The name of the index itself, not of its alias. */
  index: string;
  meta: ClusterMeta;
}

/** The index behind the alias; undefined if it does not exist. */
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
    throw new VerbatimError("unsupported-format", `${shown} points to ${found.length} indexes.`, {
      hint: "Point the alias to one index.",
    });
  }
  const [index, { mappings }] = found[0]!;
  return { index, meta: readMeta(mappings._meta, shown) };
}

/** @throws VerbatimError `index-missing` */
export async function requireClusterIndex(connection: Connection, signal?: AbortSignal): Promise<FoundIndex> {
  const found = await findIndex(connection, signal);
  if (found !== undefined) return found;
  throw indexMissing(connection.address.shown);
}

interface NewIndex {
  model: ClusterModel;
  signal?: AbortSignal;
}

/**
 * The index behind the alias, created if there is none. If several runs create it at the same time,
 * all of them get the same one: they ask for the same name, so only one of them creates it, and the
 * cluster creates an index and its alias in one step.
 */
export async function findOrCreateIndex(connection: Connection, given: NewIndex): Promise<FoundIndex> {
  const { name, shown } = connection.address;
  const found = await findIndex(connection, given.signal);
  if (found !== undefined) return found;
  const index = `${familyOf(name)}first`;
  await putIndex(connection, index, { ...given, aliases: { [name]: {} } });
  const created = await findIndex(connection, given.signal); // its model and options may be those of another run
  if (created !== undefined) return created;
  throw new VerbatimError("unsupported-format", `The index ${index} exists, but ${shown} does not point to it.`, {
    hint: `Delete the index ${index}, or point the alias ${name} to it.`,
  });
}

/** Creates another index of the same name, without pointing the alias to it. */
export async function createIndex(connection: Connection, given: NewIndex): Promise<FoundIndex> {
  const index = `${familyOf(connection.address.name)}${randomBytes(6).toString("hex")}`;
  return { index, meta: await putIndex(connection, index, { ...given, aliases: {} }) };
}

const familyOf = (name: string): string => `${name}.verbatim-${MAPPING_VERSION}.`;

/**
 * Creates an index if it does not exist. That it exists is no error even if its name is new: if the
 * reply to a request is lost, the request is sent again.
 * @returns the metadata of an index that this call has created
 */
async function putIndex(
  connection: Connection,
  index: string,
  { model, aliases, signal }: NewIndex & { aliases: Record<string, object> },
): Promise<ClusterMeta> {
  const { address } = connection;
  const family = familyOf(address.name);
  const template = indexTemplate(`${family}*`);
  await connection.send({ method: "PUT", path: `/_index_template/${family}template`, body: template, signal });
  const { name, passageModelHash, vocabularySize, dense, coherency, vector } = model;
  const kept: ClusterModel = { name, passageModelHash, vocabularySize, dense, coherency, vector };
  await connection.send({
    method: "PUT",
    path: `/${index}`,
    body: { ...indexBody(kept, address), aliases },
    acceptTypes: ["resource_already_exists_exception"],
    signal,
  });
  return { mapping: MAPPING_VERSION, model: kept, vectors: address.vectors };
}

/**
 * Waits until each shard has its replicas. Anything loaded earlier would exist on one node only,
 * and be unavailable without it. Does not fail if the cluster has too few nodes, or if the user may
 * not read its health.
 */
export async function awaitCopies(connection: Connection, index: string, signal?: AbortSignal): Promise<void> {
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

/**
 * Points the alias to the index in one step, instead of the one that it points to. That index is
 * kept: servers may ask it for another `UNUSED_AFTER_MS`. Not for several runs at the same time.
 * @returns the name of the previous index
 */
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
