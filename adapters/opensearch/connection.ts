/**
 * The calls that Verbatim makes through the official client, with retries and with errors as
 * `VerbatimError`.
 */

import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "@opensearch-project/opensearch";
import { throwIfAborted, VerbatimError } from "../../src/errors.js";
import type { ClusterAddress } from "./address.js";
import { clusterError, isTemporary } from "./cluster-error.js";

/** Timeout of a request in milliseconds. */
const TIMEOUT_MS = 30_000;
/** Timeout of a bulk request; a busy cluster is slow, and sending again makes it slower. */
const LOADING_TIMEOUT_MS = 180_000;
/**
 * Pauses in milliseconds before retries, after the client's own; a cluster that loses a node
 * recovers in seconds.
 */
const PAUSES_MS = [100, 300, 1000, 3000, 5000];
/**
 * How long loading keeps retrying, which gives time to a node that holds the only copy of a shard.
 */
export const LOADING_RETRY_MS = 300_000;

export interface ClusterRequest {
  method: "GET" | "POST" | "PUT" | "DELETE" | "HEAD";
  path: string;
  /** JSON, or JSON lines for _bulk and _msearch. */
  body?: unknown;
  lines?: readonly string[];
  query?: Record<string, string | number | boolean>;
  signal?: AbortSignal;
  /** Statuses that are not errors. */
  accept?: readonly number[];
  /** True if the request can safely be repeated. Default true. */
  again?: boolean;
  /**
   * Milliseconds during which a partial answer is retried; default: as long as a missing answer.
   */
  retryMs?: number;
}

interface ClusterReply<T> {
  status: number;
  body: T;
}

/** A search hit with the fields that Verbatim uses. */
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
  aggregations?: Record<string, { value?: number | null; buckets?: Array<{ key: string; doc_count: number }> }>;
}

/** The error of a partial reply, from the status of one of its parts. */
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

  /**
   * Loads the client without sending anything. @throws VerbatimError `invalid-argument` if it is
   * not installed
   */
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

  /**
   * @throws VerbatimError `io-error`, `permission-denied`, `index-missing`, `invalid-argument`,
   *   `aborted`
   */
  send<T>(request: ClusterRequest): Promise<ClusterReply<T>> {
    return this.#sendUntil(request, () => undefined);
  }

  /** Searches all shards; an answer without one of them is an error. */
  async search<S>(path: string, body: object, options: SearchOptions = {}): Promise<SearchReply<S>> {
    const query = { allow_partial_search_results: false, ...options.query };
    const reply = await this.send<SearchReply<S>>({ method: "POST", path, body, query, signal: options.signal });
    this.#whole(reply.body);
    return reply.body;
  }

  /** Sends several searches in one request; each must cover all shards. */
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

  /** Reads entries by id. A missing entry is left out; a shard that does not answer is an error. */
  async entries<S>(index: string, ids: readonly string[], options: EntryOptions = {}): Promise<Map<string, S>> {
    const { fields, signal, retryMs } = options;
    const request: ClusterRequest = {
      method: "POST",
      path: `/${index}/_mget`,
      body: { ids },
      ...(fields === undefined ? {} : { query: { _source_includes: fields.join(",") } }),
      signal,
      retryMs,
    };
    type Doc = { _id: string; found?: boolean; _source?: S } & Partial<ItemFailure>;
    const { body } = await this.#sendUntil<{ docs: Doc[] }>(request, ({ docs }) => failureIn(docs));
    return new Map(body.docs.filter(({ found }) => found).map(({ _id, _source }) => [_id, _source!]));
  }

  async close(): Promise<void> {
    await this.#client.close();
  }

  /** Retries a request that failed, or failed in part, while the failure may be temporary. */
  async #sendUntil<T>(request: ClusterRequest, failureOf: (body: T) => Failure | undefined): Promise<ClusterReply<T>> {
    const { signal, again = true, retryMs = 0 } = request;
    const began = performance.now();
    for (let attempt = 0; ; attempt++) {
      throwIfAborted(signal);
      let failure: unknown;
      let until = 0;
      try {
        const reply = await this.#once<T>(request);
        failure = failureOf(reply.body);
        if (failure === undefined) return reply;
        until = began + retryMs;
      } catch (error) {
        failure = error;
      }
      throwIfAborted(signal);
      const isLate = attempt >= PAUSES_MS.length && performance.now() >= until;
      if (!again || isLate || !isTemporary(failure)) throw clusterError(failure, this.address.shown);
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
    // returns nothing: a rejected promise returned from a listener would end the process
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
      hint: "Check the cluster's health (GET _cluster/health) and try again.",
    });
  }
}

interface SearchOptions {
  query?: Record<string, string | number | boolean>;
  signal?: AbortSignal;
}

interface EntryOptions {
  /** Source fields to return; default all. */
  fields?: readonly string[];
  signal?: AbortSignal;
  /** See `ClusterRequest.retryMs`. */
  retryMs?: number;
}

/** A failed part of a reply. */
interface ItemFailure {
  /** Only for searches. */
  status: number;
  error: { type?: string; reason?: string };
}

function failureIn(items: ReadonlyArray<Partial<ItemFailure>>): Failure | undefined {
  const failed = items.find(({ error }) => error !== undefined);
  if (failed === undefined) return undefined;
  const isGone = failed.error?.type === "index_not_found_exception";
  return { statusCode: failed.status ?? (isGone ? 404 : 503), body: { error: failed.error } };
}
