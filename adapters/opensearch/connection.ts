/** The official client behind the few calls that are needed: retries what may be asked again, and says in our words what went wrong. */

import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "@opensearch-project/opensearch";
import { throwIfAborted, VerbatimError } from "../../src/errors.js";
import type { ClusterAddress } from "./address.js";

/** Of a request, before it counts as lost. */
const TIMEOUT_MS = 30_000;
/** … and of one that loads: a busy cluster takes its time, and sending the same again makes it busier. */
const LOADING_TIMEOUT_MS = 180_000;
/** Pauses before a request is sent again, after the client's own tries: a cluster that loses a node is itself again in seconds. */
const PAUSES_MS = [100, 300, 1000, 3000, 5000];
/** … and for how long loading goes on with the last of them: time for a node to come back that has what no other has. */
export const LOADING_PATIENCE_MS = 300_000;

export interface ClusterRequest {
  method: "GET" | "POST" | "PUT" | "DELETE" | "HEAD";
  path: string;
  /** JSON, or lines of JSON for _bulk and _msearch. */
  body?: unknown;
  lines?: readonly string[];
  query?: Record<string, string | number | boolean>;
  signal?: AbortSignal;
  /** Answers of these statuses are no error. */
  accept?: readonly number[];
  /** Default true: what is asked is the same whether it is asked once or twice. */
  again?: boolean;
  /** Milliseconds in which it is asked again where the cluster answers but for a part of it; default: as long as where it does not. */
  patience?: number;
}

export interface ClusterReply<T> {
  status: number;
  body: T;
}

/** A hit of a search, as far as any of ours looks. */
export interface Hit<S = unknown> {
  _id: string;
  _score: number;
  _source?: S;
  fields?: Record<string, unknown[]>;
  matched_queries?: Record<string, number>;
  sort?: Array<string | number>;
}

export interface SearchReply<S = unknown> {
  timed_out: boolean;
  _shards: { failed: number; total: number };
  hits: { total?: { value: number }; hits: Hit<S>[] };
  aggregations?: Record<string, { value: number | null }>;
  pit_id?: string;
}

/** Of a reply that came, by what a part of it says. */
interface Failure {
  statusCode: number;
  body: { error: unknown };
}

export class Connection {
  readonly address: ClusterAddress;
  readonly #client: Client;

  private constructor(address: ClusterAddress, client: Client) {
    this.address = address;
    this.#client = client;
  }

  /** Loads the client; nothing is sent yet. @throws VerbatimError `invalid-argument` where it is not installed */
  static async open(address: ClusterAddress): Promise<Connection> {
    const { Client } = await import("@opensearch-project/opensearch").catch((cause) => {
      throw new VerbatimError("invalid-argument", "The OpenSearch client is not installed.", {
        hint: "npm install @opensearch-project/opensearch",
        cause,
      });
    });
    const client = new Client({
      nodes: address.nodes,
      ...(address.auth === undefined ? {} : { auth: address.auth }),
      ...(address.ca === undefined ? {} : { ssl: { ca: address.ca } }),
      maxRetries: Math.max(3, address.nodes.length),
      requestTimeout: TIMEOUT_MS,
      suggestCompression: false,
    });
    return new Connection(address, client);
  }

  /** @throws VerbatimError `io-error`, `permission-denied`, `index-missing`, `invalid-argument`, `aborted` */
  send<T>(request: ClusterRequest): Promise<ClusterReply<T>> {
    return this.#sendUntil(request, () => undefined);
  }

  /** A search that is whole: an answer that a shard is missing from is an error. */
  async search<S>(path: string, body: object, options: SearchOptions = {}): Promise<SearchReply<S>> {
    const query = { allow_partial_search_results: false, ...options.query };
    const reply = await this.send<SearchReply<S>>({ method: "POST", path, body, query, signal: options.signal });
    this.#whole(reply.body);
    return reply.body;
  }

  /** Searches in one request, each whole. */
  async searches<S>(path: string, bodies: readonly object[], options: SearchOptions = {}): Promise<SearchReply<S>[]> {
    if (bodies.length === 0) return [];
    const head = JSON.stringify({ allow_partial_search_results: false });
    const request: ClusterRequest = {
      method: "POST",
      path: `${path}/_msearch`,
      lines: bodies.flatMap((body) => [head, JSON.stringify(body)]),
      query: { max_concurrent_searches: bodies.length },
      signal: options.signal,
    };
    const { body } = await this.#sendUntil<{ responses: Array<SearchReply<S> & Partial<ItemFailure>> }>(
      request,
      ({ responses }) => failureIn(responses),
    );
    for (const response of body.responses) this.#whole(response);
    return body.responses;
  }

  /** Entries of an index by their ids: there, or known not to be; of a shard that does not answer neither is told. */
  async entries<S>(index: string, ids: readonly string[], options: EntryOptions = {}): Promise<Map<string, S>> {
    const { fields, signal, patience } = options;
    const request: ClusterRequest = {
      method: "POST",
      path: `/${index}/_mget`,
      body: { ids },
      ...(fields === undefined ? {} : { query: { _source_includes: fields.join(",") } }),
      signal,
      patience,
    };
    type Doc = { _id: string; found?: boolean; _source?: S } & Partial<ItemFailure>;
    const { body } = await this.#sendUntil<{ docs: Doc[] }>(request, ({ docs }) => failureIn(docs));
    return new Map(body.docs.filter(({ found }) => found).map(({ _id, _source }) => [_id, _source!]));
  }

  async close(): Promise<void> {
    await this.#client.close();
  }

  /** Sends again what came to nothing, or came back with a part failed, as long as that may pass. */
  async #sendUntil<T>(request: ClusterRequest, failureOf: (body: T) => Failure | undefined): Promise<ClusterReply<T>> {
    const { signal, again = true, patience = 0 } = request;
    const began = performance.now();
    for (let attempt = 0; ; attempt++) {
      throwIfAborted(signal);
      let failure: unknown;
      let until = 0;
      try {
        const reply = await this.#once<T>(request);
        failure = failureOf(reply.body);
        if (failure === undefined) return reply;
        until = began + patience;
      } catch (error) {
        failure = error;
      }
      throwIfAborted(signal);
      const isLate = attempt >= PAUSES_MS.length && performance.now() >= until;
      if (!again || isLate || !mayPass(failure)) throw this.#told(failure);
      const pause = PAUSES_MS[Math.min(attempt, PAUSES_MS.length - 1)];
      await sleep(pause, undefined, { signal }).catch(() => {});
    }
  }

  async #once<T>(request: ClusterRequest): Promise<ClusterReply<T>> {
    const { method, path, body, lines, query, signal, accept = [] } = request;
    const sent = this.#client.transport.request(
      {
        method,
        path,
        ...(body === undefined ? {} : { body: body as Record<string, unknown> }),
        ...(lines === undefined ? {} : { bulkBody: `${lines.join("\n")}\n` }),
        ...(query === undefined ? {} : { querystring: query }),
      },
      { ignore: [...accept], ...(path.endsWith("/_bulk") ? { requestTimeout: LOADING_TIMEOUT_MS } : {}) },
    );
    // nothing is returned: what a listener returns, and is a promise that fails, ends the process
    const onAbort = (): void => {
      sent.abort();
    };
    signal?.addEventListener("abort", onAbort, { once: true });
    try {
      const reply = await sent;
      return { status: reply.statusCode ?? 0, body: reply.body as T };
    } finally {
      signal?.removeEventListener("abort", onAbort);
    }
  }

  #whole({ timed_out: timedOut, _shards: shards }: SearchReply): void {
    if (!timedOut && (shards?.failed ?? 0) === 0) return;
    throw new VerbatimError("io-error", `Only a part of ${this.address.shown} answered.`, {
      found: `${shards.failed} of ${shards.total} shards failed`,
      hint: "Look at the cluster's health (GET _cluster/health) and ask again.",
    });
  }

  #told(error: unknown): VerbatimError {
    if (error instanceof VerbatimError) return error;
    const { shown } = this.address;
    const status = statusOf(error);
    const why = reasonOf(error);
    if (status === 401 || status === 403) {
      const hint =
        "Set VERBATIM_OPENSEARCH_USERNAME and VERBATIM_OPENSEARCH_PASSWORD, or write USER:PASSWORD@ before the host.";
      return new VerbatimError("permission-denied", `The cluster refuses ${shown}: ${why}.`, { hint, cause: error });
    }
    if (status === 404) {
      const hint = "Make it first: verbatim index PATH --to ADDRESS, or verbatim copy INDEX ADDRESS.";
      return new VerbatimError("index-missing", `There is no index ${shown}.`, { hint, cause: error });
    }
    if (status === 429) {
      const hint = "It is busy: give it time, or more nodes.";
      return new VerbatimError("io-error", `The cluster takes nothing more for now: ${why}.`, { hint, cause: error });
    }
    if (status !== undefined && status < 500)
      return new VerbatimError("invalid-argument", `The cluster refuses what it was sent: ${why}.`, { cause: error });
    const hint = /certificate|self.signed|altname/i.test(why)
      ? "Name the file of the certificate that signed it in VERBATIM_OPENSEARCH_CA."
      : "Look whether the address is right and the cluster is up (GET _cluster/health), then try again.";
    const message =
      status === undefined ? `${shown} cannot be reached: ${why}.` : `The cluster of ${shown} failed: ${why}.`;
    return new VerbatimError("io-error", message, { hint, cause: error });
  }
}

export interface SearchOptions {
  query?: Record<string, string | number | boolean>;
  signal?: AbortSignal;
}

export interface EntryOptions {
  /** Of the source; default all. */
  fields?: readonly string[];
  signal?: AbortSignal;
  /** As `ClusterRequest.patience`. */
  patience?: number;
}

/** What stands in place of an answer where a part of a request failed. */
interface ItemFailure {
  /** Of searches only. */
  status: number;
  error: { type?: string; reason?: string };
}

function failureIn(items: ReadonlyArray<Partial<ItemFailure>>): Failure | undefined {
  const failed = items.find(({ error }) => error !== undefined);
  if (failed === undefined) return undefined;
  const isGone = failed.error?.type === "index_not_found_exception";
  return { statusCode: failed.status ?? (isGone ? 404 : 503), body: { error: failed.error } };
}

/** Of the client's errors; undefined where no answer came at all. */
function statusOf(error: unknown): number | undefined {
  const { statusCode } = error as { statusCode?: unknown };
  return typeof statusCode === "number" && statusCode > 0 ? statusCode : undefined;
}

/** Worth asking again: no answer, too busy, or a part of the cluster on its way. A certificate stays what it is. */
function mayPass(error: unknown): boolean {
  if (error instanceof VerbatimError) return error.code === "io-error";
  const status = statusOf(error);
  if (status === undefined) return !/certificate|self.signed|altname/i.test(reasonOf(error));
  return status === 429 || status >= 500;
}

/** One line, without what was sent. */
function reasonOf(error: unknown): string {
  const { body, message } = error as {
    body?: { error?: { reason?: string; root_cause?: Array<{ reason?: string }> } | string };
    message?: string;
  };
  const told =
    typeof body?.error === "object" ? (body.error.root_cause?.[0]?.reason ?? body.error.reason) : body?.error;
  return String(told ?? message ?? error)
    .split("\n")[0]!
    .slice(0, 300);
}
