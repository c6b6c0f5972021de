/**
 * Addresses of indexes in a cluster, such as "opensearch://host:9200/name". Does not import the
 * OpenSearch client.
 */

import { readFileSync } from "node:fs";
import { VerbatimError } from "../../src/errors.js";

const SCHEMES = { "opensearch:": "http", "opensearch+https:": "https" } as const;
const DEFAULT_PORT = 9200;
/** A valid alias: lower case, beginning with a letter or digit. */
const NAME = /^[a-z0-9][a-z0-9._-]{0,100}$/;

/** Options for creating an index; they do not change an existing one. */
export interface NewIndexOptions {
  /** Number of primary shards; default 3. */
  shards: number;
  /** Number of replicas per shard; default 1. */
  replicas: number;
  /**
   * Find passages by their vectors too, for hybrid and dense-first. Default false.
   */
  vectors: boolean;
}

export interface ClusterAddress extends NewIndexOptions {
  /** One or more nodes of the cluster, such as "http://127.0.0.1:9201". */
  nodes: string[];
  /** Name of the alias. */
  name: string;
  /** The address for messages, without user and password. */
  shown: string;
  auth: { username: string; password: string } | undefined;
  /** PEM of the certificate authority of the cluster; undefined for those that Node trusts. */
  ca: string | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

export function isClusterAddress(text: string): boolean {
  return /^opensearch(\+https)?:\/\//i.test(text);
}

/**
 * The address without user and password, safe to print and log. They end at the last @, because a
 * password may contain @ and /. Applies to every scheme, because a mistyped address is printed too.
 */
export function shownAddress(text: string): string {
  return text.replace(/^([a-z][a-z0-9+.-]*:\/\/).*@/is, "$1");
}

/**
 * `opensearch://[user:password@]host[:port][,host[:port]…]/name[?shards=3&replicas=1&vectors=true]`,
 * `opensearch+https://` for TLS. User and password can also come from VERBATIM_OPENSEARCH_USERNAME
 * and _PASSWORD, and a certificate file from VERBATIM_OPENSEARCH_CA.
 * @throws VerbatimError `invalid-argument` with the reason, never with the password
 */
export function parseAddress(text: string, env: Environment = {}): ClusterAddress {
  const shown = shownAddress(text);
  const match = /^(opensearch(?:\+https)?:)\/\/(?:(.*)@)?([^/?#@]+)\/([^/?#@]*)(?:\?([^#@]*))?$/is.exec(text);
  if (match === null) throw refuse(shown, "it is not opensearch://HOST:PORT/NAME");
  const [, scheme = "", user, hosts = "", name = "", query = ""] = match;
  if (!NAME.test(name))
    throw refuse(shown, "its name may contain only a-z, 0-9, '.', '_' and '-', and must begin with a letter or digit");
  const protocol = SCHEMES[scheme.toLowerCase() as keyof typeof SCHEMES];
  const nodes = hosts.split(",").map((host) => nodeOf(protocol, host, shown));
  return { nodes, name, shown, auth: credentials(user, env, shown), ca: certificates(env), ...optionsOf(query, shown) };
}

function nodeOf(protocol: string, host: string, shown: string): string {
  try {
    const url = new URL(`${protocol}://${host}`);
    if (url.pathname !== "/" || url.username !== "") throw new TypeError("more than a host");
    const port = url.port === "" && !/:\d+$/.test(host) ? `:${DEFAULT_PORT}` : "";
    return `${url.origin}${port}`;
  } catch {
    throw refuse(shown, `"${host}" is not HOST:PORT`);
  }
}

function credentials(user: string | undefined, env: Environment, shown: string): ClusterAddress["auth"] {
  let [username, password] = [env.VERBATIM_OPENSEARCH_USERNAME, env.VERBATIM_OPENSEARCH_PASSWORD];
  if (user !== undefined) {
    const at = user.indexOf(":");
    try {
      username = decodeURIComponent(at < 0 ? user : user.slice(0, at));
      if (at >= 0) password = decodeURIComponent(user.slice(at + 1));
    } catch {
      throw refuse(shown, "the user or password before @ is not percent-encoded");
    }
  }
  return username === undefined || username === "" ? undefined : { username, password: password ?? "" };
}

function certificates({ VERBATIM_OPENSEARCH_CA: file }: Environment): string | undefined {
  if (file === undefined || file === "") return undefined;
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    throw new VerbatimError("invalid-argument", `The certificate file ${file} cannot be read.`, {
      hint: "Set VERBATIM_OPENSEARCH_CA to a PEM file, or unset it.",
      cause,
    });
  }
}

function optionsOf(query: string, shown: string): NewIndexOptions {
  const options: NewIndexOptions = { shards: 3, replicas: 1, vectors: false };
  for (const [name, value] of new URLSearchParams(query)) {
    if (name === "vectors" && /^(true|false)$/.test(value)) options.vectors = value === "true";
    else if ((name === "shards" || name === "replicas") && /^\d{1,4}$/.test(value)) options[name] = Number(value);
    else throw refuse(shown, `"${name}=${value}" must be shards=N, replicas=N or vectors=true`);
  }
  if (options.shards < 1) throw refuse(shown, "it needs at least one shard");
  return options;
}

function refuse(shown: string, what: string): VerbatimError {
  return new VerbatimError("invalid-argument", `Invalid address ${shown}: ${what}.`, {
    hint: "Write opensearch://HOST:9200/NAME, or opensearch+https:// with TLS. Separate hosts with commas.",
  });
}
