/** "Which index does the name stand for?" Aliases, the index behind one, and what it says of itself. */

import { randomBytes } from "node:crypto";
import { VerbatimError } from "../../src/errors.js";
import type { TermUnit } from "../../src/index/types.js";
import type { Connection } from "./connection.js";
import { type ClusterMeta, type ClusterModel, indexBody, indexTemplate, MAPPING_VERSION, readMeta } from "./mapping.js";

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

/** Makes an index that the name does not stand for yet. */
export async function createIndex(
  connection: Connection,
  { model, termUnit }: { model: ClusterModel; termUnit: TermUnit },
): Promise<FoundIndex> {
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
    body: indexBody({ model: kept, termUnit }, address),
    again: false,
  });
  return { index, meta: { mapping: MAPPING_VERSION, model: kept, termUnit, vectors: address.vectors } };
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
