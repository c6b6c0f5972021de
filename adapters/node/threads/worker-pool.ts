/**
 * Worker threads that answer calls: a call goes to the least busy one, and a thread is started when
 * all others are busy.
 */

import type { Worker } from "node:worker_threads";
import { VerbatimError } from "../../../src/errors.js";
import { type CallOptions, RpcClient } from "../../rpc/client.js";
import type { CallsOf, ParamsOf, ResultOf, Service } from "../../rpc/protocol.js";
import { workerEndpoint } from "./endpoints.js";

interface WorkerPoolOptions {
  start: () => Worker;
  /** Maximum number of threads, at least 1. */
  threads: number;
  /** What the threads do, for messages, for example "the encoder". */
  name: string;
}

export class WorkerPool<S extends Service<S>> {
  readonly #options: WorkerPoolOptions;
  /** One slot per thread; empty until it is started, and again when it is lost. */
  readonly #slots: (RpcClient<S> | undefined)[];
  #closed = false;

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
    this.#slots = new Array(options.threads).fill(undefined);
  }

  get closed(): boolean {
    return this.#closed;
  }

  /**
   * @throws what the method throws; VerbatimError `aborted`; `internal` if the thread fails;
   *   `invalid-argument` once closed
   */
  async call<M extends CallsOf<S>>(method: M, params: ParamsOf<S, M>, options?: CallOptions): Promise<ResultOf<S, M>> {
    try {
      return await this.#leastBusy().call(method, params, options);
    } catch (error) {
      throw internalError(this.#options.name, error);
    }
  }

  /**
   * Lets each thread finish its current input: `terminate()` while ONNX Runtime runs in it ends
   * the whole process.
   */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(this.#slots.map((client) => client?.close()));
  }

  #leastBusy(): RpcClient<S> {
    if (this.#closed) throw new VerbatimError("invalid-argument", `${sentence(this.#options.name)} is closed.`);
    let best: number | undefined;
    for (const [slot, client] of this.#slots.entries()) {
      if (client !== undefined && (best === undefined || client.load < this.#slots[best]!.load)) best = slot;
    }
    const free = this.#slots.indexOf(undefined);
    if (best === undefined || (free >= 0 && this.#slots[best]!.load > 0)) best = free;
    const client = this.#slots[best] ?? this.#start(best);
    this.#slots[best] = client;
    return client;
  }

  #start(slot: number): RpcClient<S> {
    const onLost = (): void => {
      this.#slots[slot] = undefined;
    };
    return new RpcClient(workerEndpoint(this.#options.start()), { name: this.#options.name, onLost });
  }
}

/** An error of the project as it is, any other as `internal`. */
export function internalError(name: string, error: unknown): VerbatimError {
  if (error instanceof VerbatimError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new VerbatimError("internal", `${sentence(name)} failed: ${message}`, { cause: error });
}

function sentence(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}
