/** Entries on their way into the cluster: a few requests under way at most, and slower when it says that it is busy (429). */

import { setTimeout as sleep } from "node:timers/promises";
import { throwIfAborted, VerbatimError } from "../../src/errors.js";
import { type Connection, LOADING_PATIENCE_MS } from "./connection.js";
import type { Entry } from "./document-entries.js";

/** A request is sent when it has so many bytes or entries. */
const REQUEST_BYTES = 2 * 1024 * 1024;
const REQUEST_ENTRIES = 1000;
/** Requests under way; further ones wait. */
const IN_FLIGHT = 3;
/** Pauses before entries are sent again that the cluster did not take; the last again and again. */
const PAUSES_MS = [200, 500, 1000, 2000, 5000];

interface ItemReply {
  _id: string;
  status: number;
  error?: { type: string; reason: string };
}

/** A request that is not taken for so long is told of, as often as that. */
const WAIT_MS = 15_000;

export interface LoadingHooks {
  signal?: AbortSignal;
  /** Told while the cluster does not take what it was sent, or does not tell what it has: it is busy, or a part of it is gone. */
  onWait?: (() => void) | undefined;
  /** Milliseconds until then, and between. Default 15,000. */
  waitMs?: number;
}

/** Deletions are entries of one line. */
export type BulkEntry = Entry | { id: string; bytes: number; lines: readonly [action: string] };

export const deletion = (id: string): BulkEntry => ({
  id,
  bytes: 64,
  lines: [JSON.stringify({ delete: { _id: id } })],
});

export class BulkLoader {
  readonly #connection: Connection;
  readonly #index: string;
  readonly #hooks: LoadingHooks;
  #told = 0;
  #open: BulkEntry[] = [];
  #openBytes = 0;
  readonly #flying = new Set<Promise<void>>();
  /** Fulfilled when everything that was sent so far is in. */
  #sent: Promise<void> = Promise.resolve();
  /** Times that the cluster was busy. */
  busy = 0;

  constructor(connection: Connection, index: string, hooks: LoadingHooks = {}) {
    this.#connection = connection;
    this.#index = index;
    this.#hooks = hooks;
  }

  /** Waits only while too much is under way. @throws what an earlier request came to */
  async add(entry: BulkEntry): Promise<void> {
    this.#open.push(entry);
    this.#openBytes += entry.bytes;
    if (this.#openBytes >= REQUEST_BYTES || this.#open.length >= REQUEST_ENTRIES) await this.#send();
  }

  /** Sends what is there. @returns when everything added so far is acknowledged, on the copies that are up, too */
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
    const request = this.watched(this.#deliver(entries));
    this.#sent = Promise.all([this.#sent, request]).then(() => {});
    this.#sent.catch(() => {}); // told by flush
    const flying = request.then(
      () => void this.#flying.delete(flying),
      () => void this.#flying.delete(flying),
    );
    this.#flying.add(flying);
  }

  /** Tells (`LoadingHooks.onWait`) while something asked of the cluster takes long, once for all that is under way. */
  async watched<T>(request: Promise<T>): Promise<T> {
    const { onWait, waitMs = WAIT_MS } = this.#hooks;
    if (onWait === undefined) return request;
    const timer = setInterval(() => {
      if (performance.now() - this.#told < waitMs / 2) return;
      this.#told = performance.now();
      onWait();
    }, waitMs);
    return request.finally(() => clearInterval(timer));
  }

  /** Sends again what was not taken for want of room or of a shard; the same entry twice is the same entry. */
  async #deliver(entries: readonly BulkEntry[]): Promise<void> {
    const began = performance.now();
    let left = entries;
    for (let attempt = 0; ; attempt++) {
      throwIfAborted(this.#hooks.signal);
      const { body } = await this.#connection.send<{ errors: boolean; items: Array<Record<string, ItemReply>> }>({
        method: "POST",
        path: `/${this.#index}/_bulk`,
        lines: left.flatMap(({ lines }) => lines),
        signal: this.#hooks.signal,
      });
      if (!body.errors) return;
      const replies = body.items.map((item) => Object.values(item)[0]!);
      // a deletion of what is not there has status 404, and no error
      const refused = replies.find(({ status, error }) => error !== undefined && !mayPass(status));
      if (refused !== undefined) throw this.#refused(refused);
      left = left.filter((_, n) => mayPass(replies[n]!.status));
      if (left.length === 0) return;
      this.busy++;
      if (performance.now() - began > LOADING_PATIENCE_MS)
        throw this.#refused(replies.find(({ status }) => mayPass(status))!);
      const pause = PAUSES_MS[Math.min(attempt, PAUSES_MS.length - 1)]!;
      await sleep(pause, undefined, { signal: this.#hooks.signal }).catch(() => {});
    }
  }

  #refused({ status, error, _id }: ItemReply): VerbatimError {
    const busy = mayPass(status);
    return new VerbatimError("io-error", `The cluster does not take ${_id}: ${error?.reason ?? `status ${status}`}.`, {
      found: error?.type ?? status,
      hint: busy
        ? "Look at the cluster's health, then run the same command again: what is in is not sent twice."
        : "The entry does not fit the index: make a new one, or use the version of Verbatim that made it.",
    });
  }
}

const mayPass = (status: number): boolean => status === 429 || status >= 500;
