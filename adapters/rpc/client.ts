/** The calling side of a channel. */

import { throwIfAborted, VerbatimError } from "../../src/errors.js";
import type { Endpoint, Movable } from "./endpoint.js";
import { onAbort } from "./on-abort.js";
import type {
  CallsOf,
  ItemOf,
  ParamsOf,
  ProgressOf,
  Reply,
  Request,
  ResultOf,
  Service,
  StreamsOf,
} from "./protocol.js";
import { deserializeError } from "./serialize-error.js";

interface RpcClientOptions {
  /** What is called, for messages, for example "the encoder". */
  name: string;
  /** Called once if the other side dies or closes the channel without being asked to. */
  onLost?: (error: VerbatimError) => void;
}

export interface CallOptions {
  signal?: AbortSignal | undefined;
  /** Buffers and ports in `params` that move to the other side. */
  transfer?: readonly Movable[];
}

interface Pending {
  onItem: (item: unknown) => void;
  onEnd: (end: { result: unknown } | { error: unknown }) => void;
}

/** Items of a stream that may be posted before the caller takes the first. */
const DEFAULT_AHEAD = 8;

export class RpcClient<S extends Service<S>> {
  readonly #endpoint: Endpoint;
  readonly #name: string;
  readonly #pending = new Map<number, Pending>();
  readonly #ended: Promise<void>;
  #nextId = 1;
  #closing = false;
  /** Why no call can be made any more. */
  #lost: VerbatimError | undefined;

  constructor(endpoint: Endpoint, { name, onLost }: RpcClientOptions) {
    this.#endpoint = endpoint;
    this.#name = name;
    this.#ended = new Promise((resolve) => {
      endpoint.onLost((reason) => {
        resolve();
        const first = this.#lost === undefined;
        this.#lost ??= this.#lostBy(reason);
        this.#failAll(this.#lost);
        if (first && !this.#closing) onLost?.(this.#lost);
      });
    });
    endpoint.onMessage((message) => this.#receive(message));
    endpoint.keepAlive?.(false);
  }

  /** Calls under way. */
  get load(): number {
    return this.#pending.size;
  }

  /**
   * @param options.onProgress  receives what the method reports before it returns
   * @throws what the method throws; VerbatimError `aborted`; `internal` when the other side dies
   *   before it answers
   */
  async call<M extends CallsOf<S>>(
    method: M,
    params: ParamsOf<S, M>,
    options: CallOptions & { onProgress?: (progress: ProgressOf<S, M>) => void } = {},
  ): Promise<ResultOf<S, M>> {
    const { signal, onProgress } = options;
    throwIfAborted(signal);
    return new Promise((resolve, reject) => {
      let removeListener: (() => void) | undefined;
      const pending: Pending = {
        onItem: (item) => onProgress?.(item as ProgressOf<S, M>),
        onEnd: (end) => {
          removeListener?.();
          if ("error" in end) reject(end.error);
          else resolve(end.result as ResultOf<S, M>);
        },
      };
      const id = this.#start(pending, { method, params, ahead: 0 }, options.transfer);
      removeListener = signal && onAbort(signal, () => this.#cancel(id, aborted(signal)));
    });
  }

  /**
   * The call is made when the first item is asked for. A caller that leaves early cancels it.
   * @param options.ahead  items that the other side may produce before they are taken, 1…; default
   *   8
   * @throws as `call`, after the items that had arrived
   */
  async *stream<M extends StreamsOf<S>>(
    method: M,
    params: ParamsOf<S, M>,
    options: CallOptions & { ahead?: number } = {},
  ): AsyncGenerator<ItemOf<S, M>, void> {
    const { signal, ahead = DEFAULT_AHEAD } = options;
    throwIfAborted(signal);
    const items: unknown[] = [];
    let end: { result: unknown } | { error: unknown } | undefined;
    let wake = (): void => {};
    const pending: Pending = {
      onItem: (item) => {
        items.push(item);
        wake();
      },
      onEnd: (how) => {
        end = how;
        wake();
      },
    };
    const id = this.#start(pending, { method, params, ahead }, options.transfer);
    const removeListener = signal && onAbort(signal, () => this.#cancel(id, aborted(signal)));
    let taken = 0;
    try {
      for (;;) {
        if (signal?.aborted) throw aborted(signal);
        if (items.length > 0) {
          yield items.shift() as ItemOf<S, M>;
          if (++taken * 2 < ahead || end !== undefined) continue;
          this.#post({ rpc: "more", id, count: taken });
          taken = 0;
        } else if (end === undefined) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        } else if ("error" in end) throw end.error;
        else return;
      }
    } finally {
      removeListener?.();
      this.#cancel(id, undefined);
    }
  }

  /**
   * Calls under way fail with `aborted`. The other side ends its work, cleans up and closes
   * the channel.
   * @returns when it has
   */
  async close(): Promise<void> {
    if (!this.#closing) {
      this.#closing = true;
      this.#lost ??= new VerbatimError("aborted", `${capitalized(this.#name)} was closed.`);
      this.#failAll(this.#lost);
      this.#endpoint.keepAlive?.(true);
      this.#post({ rpc: "close" });
    }
    await this.#ended;
  }

  /** Terminates the other side at once, even in the middle of a call. Calls under way fail with `aborted`. */
  async terminate(): Promise<void> {
    this.#closing = true;
    this.#lost ??= new VerbatimError("aborted", `${capitalized(this.#name)} was closed.`);
    this.#failAll(this.#lost);
    await this.#endpoint.close();
  }

  /** @returns the id of the call */
  #start(
    pending: Pending,
    call: { method: string; params: unknown; ahead: number },
    list: readonly Movable[] = [],
  ): number {
    if (this.#lost !== undefined) throw this.#lost;
    const id = this.#nextId++;
    if (this.#pending.size === 0) this.#endpoint.keepAlive?.(true);
    this.#pending.set(id, pending);
    try {
      this.#endpoint.post({ rpc: "call", id, ...call } satisfies Request, list);
    } catch (error) {
      this.#take(id);
      throw error;
    }
    return id;
  }

  /** Removes a call under way. */
  #take(id: number): Pending | undefined {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    if (pending !== undefined && this.#pending.size === 0 && !this.#closing) this.#endpoint.keepAlive?.(false);
    return pending;
  }

  #cancel(id: number, error: VerbatimError | undefined): void {
    const pending = this.#take(id);
    if (pending === undefined) return;
    this.#post({ rpc: "cancel", id });
    pending.onEnd({ error });
  }

  /** What is lost with a channel that is being closed needs no error of its own. */
  #post(request: Request): void {
    try {
      this.#endpoint.post(request, []);
    } catch {}
  }

  #receive(message: unknown): void {
    if (typeof message !== "object" || message === null || !("rpc" in message)) return;
    const reply = message as Reply;
    if (reply.rpc === "item") this.#pending.get(reply.id)?.onItem(reply.item);
    else if (reply.rpc === "result") this.#take(reply.id)?.onEnd({ result: reply.result });
    else if (reply.rpc === "error") this.#take(reply.id)?.onEnd({ error: deserializeError(reply.error) });
  }

  #failAll(error: VerbatimError): void {
    for (const id of [...this.#pending.keys()]) this.#take(id)?.onEnd({ error });
  }

  #lostBy(reason: unknown): VerbatimError {
    const why = reason instanceof Error ? reason.message : String(reason);
    return new VerbatimError("internal", `${capitalized(this.#name)} stopped: ${why}`, { cause: reason });
  }
}

function aborted(signal: AbortSignal): VerbatimError {
  return new VerbatimError("aborted", "The operation was stopped.", { cause: signal.reason });
}

function capitalized(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}
