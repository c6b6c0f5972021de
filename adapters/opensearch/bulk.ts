/**
 * Sends entries in bulk, with a limited number of concurrent requests, and slows down when the
 * cluster is busy (429).
 */

import { setTimeout as sleep } from "node:timers/promises";
import { throwIfAborted, VerbatimError } from "../../src/errors.js";
import type { Connection } from "./connection/connection.js";
import { LOADING_RETRY_MS } from "./connection/request-limits.js";
import type { Entry } from "./document-entries.js";

/** A request is sent once it has this many bytes or entries. */
const REQUEST_BYTES = 2 * 1024 * 1024;
const REQUEST_ENTRIES = 1000;
/** Maximum number of concurrent requests. */
const IN_FLIGHT = 3;
/** Pauses in milliseconds before rejected entries are sent again; the last one repeats. */
const PAUSES_MS = [200, 500, 1000, 2000, 5000];

interface ItemReply {
  _id: string;
  status: number;
  error?: { type: string; reason: string };
}

/** A deletion: a bulk entry of one line. */
type BulkEntry = Entry | { id: string; bytes: number; lines: readonly [action: string] };

export const deletion = (id: string): BulkEntry => ({
  id,
  bytes: 64,
  lines: [JSON.stringify({ delete: { _id: id } })],
});

export class BulkLoader {
  readonly #connection: Connection;
  readonly #index: string;
  readonly #signal: AbortSignal | undefined;
  #open: BulkEntry[] = [];
  #openBytes = 0;
  readonly #flying = new Set<Promise<void>>();
  /** Resolves when everything sent so far is acknowledged. */
  #sent: Promise<void> = Promise.resolve();
  /** The first request that failed. Its entries are lost, so nothing more is sent. */
  #failure: { error: unknown } | undefined;
  /** Number of times the cluster was busy. */
  busy = 0;

  constructor(connection: Connection, index: string, { signal }: { signal?: AbortSignal } = {}) {
    this.#connection = connection;
    this.#index = index;
    this.#signal = signal;
  }

  /**
   * Waits only while too many requests are in flight. @throws the error of the first request that
   * failed, in this call and all later ones
   */
  async add(entry: BulkEntry): Promise<void> {
    this.#throwFailure();
    this.#open.push(entry);
    this.#openBytes += entry.bytes;
    if (this.#openBytes >= REQUEST_BYTES || this.#open.length >= REQUEST_ENTRIES) await this.#send();
  }

  /**
   * Sends the remaining entries. Resolves when everything is acknowledged, including by available
   * replicas. @throws as `add`
   */
  async flush(): Promise<void> {
    await this.#send();
    await this.#sent;
  }

  async #send(): Promise<void> {
    const entries = this.#open;
    if (entries.length === 0) return;
    this.#open = [];
    this.#openBytes = 0;
    while (this.#flying.size >= IN_FLIGHT) await Promise.race(this.#flying);
    this.#throwFailure();
    const request = this.#connection.watched(this.#deliver(entries));
    this.#sent = Promise.all([this.#sent, request]).then(() => {});
    this.#sent.catch(() => {}); // reported by flush
    const flying = request.then(
      () => void this.#flying.delete(flying),
      (error: unknown) => {
        this.#failure ??= { error };
        this.#flying.delete(flying);
      },
    );
    this.#flying.add(flying);
  }

  #throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  /**
   * Sends entries again that were rejected because the cluster was busy or a shard unavailable.
   * Sending an entry twice has no effect.
   */
  async #deliver(entries: readonly BulkEntry[]): Promise<void> {
    const began = performance.now();
    let left = entries;
    for (let attempt = 0; ; attempt++) {
      throwIfAborted(this.#signal);
      const { body } = await this.#connection.send<{ errors: boolean; items: Array<Record<string, ItemReply>> }>({
        method: "POST",
        path: `/${this.#index}/_bulk`,
        lines: left.flatMap(({ lines }) => lines),
        signal: this.#signal,
      });
      if (!body.errors) return;
      const replies = body.items.map((item) => Object.values(item)[0]!);
      // deleting a missing entry has status 404 and no error
      const refused = replies.find(({ status, error }) => error !== undefined && !mayPass(status));
      if (refused !== undefined) throw this.#refused(refused);
      left = left.filter((_, n) => mayPass(replies[n]!.status));
      if (left.length === 0) return;
      this.busy++;
      if (performance.now() - began > LOADING_RETRY_MS)
        throw this.#refused(replies.find(({ status }) => mayPass(status))!);
      const pause = PAUSES_MS[Math.min(attempt, PAUSES_MS.length - 1)]!;
      await sleep(pause, undefined, { signal: this.#signal }).catch(() => {});
    }
  }

  #refused({ status, error, _id }: ItemReply): VerbatimError {
    const busy = mayPass(status);
    return new VerbatimError("io-error", `The cluster rejected ${_id}: ${error?.reason ?? `status ${status}`}.`, {
      found: error?.type ?? status,
      hint: busy
        ? "Check the cluster's health, then run the same command again. Stored documents are not sent twice."
        : "The entry does not fit the index. Create a new index, or use the version of Verbatim that created it.",
    });
  }
}

const mayPass = (status: number): boolean => status === 429 || status >= 500;
