/**
 * The calls that Verbatim makes through the official client, with retries and with errors as
 * `VerbatimError`.
 */

import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "@opensearch-project/opensearch";
import { throwIfAborted, VerbatimError } from "../../../src/errors.js";
import type { ClusterAddress } from "../address.js";
import { clusterError, isTemporary, typeOf } from "./cluster-error.js";
import { limitsOf, REQUEST_LIMITS, type RequestLimits } from "./request-limits.js";
import { WaitReporter } from "./wait-reporter.js";

export interface ConnectionOptions {
  /**
   * Called repeatedly while the cluster does not answer, because it is busy or a part of it is
   * unavailable. Default: a warning of the process.
   */
  onWait?: (() => void) | undefined;
  limits?: Partial<RequestLimits>;
}

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
  /** Types of the cluster's errors that are not errors to the caller. */
  acceptTypes?: readonly string[];
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
  readonly #limits: RequestLimits;
  readonly #waits: WaitReporter;

  private constructor(address: ClusterAddress, client: Client, { onWait, limits }: ConnectionOptions) {
    this.address = address;
    this.#client = client;
    this.#limits = { ...REQUEST_LIMITS, ...limits };
    const warn = (): void =>
      process.emitWarning(`Waiting for ${address.shown}: a part of it does not answer (see GET _cluster/health).`);
    this.#waits = new WaitReporter({ onWait: onWait ?? warn, waitMs: this.#limits.waitMs });
  }

  /**
   * Loads the client without sending anything. @throws VerbatimError `invalid-argument` if it is
   * not installed
   */
  static async open(address: ClusterAddress, options: ConnectionOptions = {}): Promise<Connection> {
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
      maxRetries: 0, // #sendUntil retries, on another node if there is one
      suggestCompression: false,
    });
    return new Connection(address, client, options);
  }

  /**
   * A request may reach the cluster several times, because it is sent again if its reply is lost.
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

  /** Calls `ConnectionOptions.onWait` while work that consists of requests and pauses takes long. */
  watched<T>(work: Promise<T>): Promise<T> {
    return this.#waits.watch(work);
  }

  async close(): Promise<void> {
    await this.#client.close();
  }

  /**
   * Retries a request that failed, or failed in part, while the failure may be temporary. This is
   * the only place that retries, so that the limits are those of the whole request.
   */
  #sendUntil<T>(request: ClusterRequest, failureOf: (body: T) => Failure | undefined): Promise<ClusterReply<T>> {
    return this.watched(this.#retry(request, failureOf));
  }

  async #retry<T>(request: ClusterRequest, failureOf: (body: T) => Failure | undefined): Promise<ClusterReply<T>> {
    const { signal, path, retryMs = 0 } = request;
    const { pausesMs, tryMs, withinMs } = limitsOf(path, this.#limits);
    const began = performance.now();
    const end = began + Math.max(withinMs, retryMs);
    for (let attempt = 0; ; attempt++) {
      throwIfAborted(signal);
      let failure: unknown;
      let partialEnd = 0;
      try {
        const timeoutMs = Math.max(1, Math.min(tryMs, end - performance.now()));
        const reply = await this.#once<T>(request, timeoutMs);
        failure = failureOf(reply.body);
        if (failure === undefined) return reply;
        partialEnd = began + retryMs;
      } catch (error) {
        failure = error;
      }
      throwIfAborted(signal);
      const now = performance.now();
      const pause = pausesMs[Math.min(attempt, pausesMs.length - 1)] ?? 0;
      const isLate = now + pause >= end || (attempt >= pausesMs.length && now >= partialEnd);
      if (isLate || !isTemporary(failure)) {
        const { shown } = this.address;
        throw clusterError(failure, { shown, waitedMs: now - began });
      }
      await sleep(pause, undefined, { signal }).catch(() => {});
    }
  }

  async #once<T>(request: ClusterRequest, timeoutMs: number): Promise<ClusterReply<T>> {
    const { method, path, body, lines, query, signal, accept = [], acceptTypes = [] } = request;
    const sent = this.#client.transport.request(
      {
        method,
        path,
        ...(body === undefined ? {} : { body: body as Record<string, unknown> }),
        ...(lines === undefined ? {} : { bulkBody: `${lines.join("\n")}\n` }),
        ...(query === undefined ? {} : { querystring: query }),
      },
      { ignore: [...accept], requestTimeout: timeoutMs },
    );
    // returns nothing: a rejected promise returned from a listener would end the process
    const onAbort = (): void => {
      sent.abort();
    };
    signal?.addEventListener("abort", onAbort, { once: true });
    try {
      const reply = await sent;
      return { status: reply.statusCode ?? 0, body: reply.body as T };
    } catch (error) {
      const { statusCode, body: replied } = error as { statusCode?: number; body?: T };
      if (statusCode !== undefined && acceptTypes.includes(typeOf(error) ?? ""))
        return { status: statusCode, body: replied! };
      throw error;
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
