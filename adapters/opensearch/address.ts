/** "opensearch://host:9200/name": where a cluster's index is, and how it is made when it is not there yet. Imports no client. */

import { readFileSync } from "node:fs";
import { VerbatimError } from "../../src/errors.js";

const SCHEMES = { "opensearch:": "http", "opensearch+https:": "https" } as const;
const DEFAULT_PORT = 9200;
/** As the cluster takes it for an alias: lower case, no leading sign. */
const NAME = /^[a-z0-9][a-z0-9._-]{0,100}$/;

/** How an index is made; of one that is there it changes nothing. */
export interface NewIndexOptions {
  /** Primary shards; default 3. */
  shards: number;
  /** Copies of each; default 1. */
  replicas: number;
  /** Keep start rows as nested vectors, for dense-first and the dense stage of hybrid. Default false. */
  vectors: boolean;
}

export interface ClusterAddress extends NewIndexOptions {
  /** As "http://127.0.0.1:9201", one or more of the same cluster. */
  nodes: string[];
  /** Of the alias. */
  name: string;
  /** For messages: without user and password. */
  shown: string;
  auth: { username: string; password: string } | undefined;
  /** PEM of whom the cluster's certificate must be signed by; undefined: whom Node trusts. */
  ca: string | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

export function isClusterAddress(text: string): boolean {
  return /^opensearch(\+https)?:\/\//.test(text);
}

/** The address without user and password: all that may be shown or logged. */
export function shownAddress(text: string): string {
  return isClusterAddress(text) ? text.replace(/^([a-z+]+:\/\/)[^/]*@/, "$1") : text;
}

/**
 * `opensearch://[user:password@]host[:port][,host[:port]…]/name[?shards=3&replicas=1&vectors=true]`, `opensearch+https://` for TLS.
 * User and password may stand in VERBATIM_OPENSEARCH_USERNAME and _PASSWORD, a file of certificates in VERBATIM_OPENSEARCH_CA.
 * @throws VerbatimError `invalid-argument` that says what is wrong, and never the password
 */
export function parseAddress(text: string, env: Environment = {}): ClusterAddress {
  const shown = shownAddress(text);
  const match = /^(opensearch(?:\+https)?:)\/\/(?:([^/@]*)@)?([^/?#]+)\/([^/?#]*)(?:\?([^#]*))?$/.exec(text);
  if (match === null) throw refuse(shown, "it is not opensearch://HOST:PORT/NAME");
  const [, scheme = "", user, hosts = "", name = "", query = ""] = match;
  if (!NAME.test(name))
    throw refuse(shown, "its name must be of a-z, 0-9, '.', '_' and '-', and begin with a letter or digit");
  const protocol = SCHEMES[scheme as keyof typeof SCHEMES];
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
    throw refuse(shown, `"${host}" is no HOST:PORT`);
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
    throw new VerbatimError("invalid-argument", `The certificates ${file} cannot be read.`, {
      hint: "Name a PEM file in VERBATIM_OPENSEARCH_CA, or unset it.",
      cause,
    });
  }
}

function optionsOf(query: string, shown: string): NewIndexOptions {
  const options: NewIndexOptions = { shards: 3, replicas: 1, vectors: false };
  for (const [name, value] of new URLSearchParams(query)) {
    if (name === "vectors" && /^(true|false)$/.test(value)) options.vectors = value === "true";
    else if ((name === "shards" || name === "replicas") && /^\d{1,4}$/.test(value)) options[name] = Number(value);
    else throw refuse(shown, `"${name}=${value}" is none of shards=N, replicas=N, vectors=true`);
  }
  if (options.shards < 1) throw refuse(shown, "it must have a shard");
  return options;
}

function refuse(shown: string, what: string): VerbatimError {
  return new VerbatimError("invalid-argument", `The address ${shown} cannot be used: ${what}.`, {
    hint: "Write opensearch://HOST:9200/NAME, or opensearch+https:// with TLS; several hosts with commas between them.",
  });
}
