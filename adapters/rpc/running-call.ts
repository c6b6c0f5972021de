/** One call that is being answered: its result, or a stream of items that waits for the caller. */

import { VerbatimError } from "../../src/errors.js";
import type { Movable } from "./endpoint.js";
import type { Reply, Request } from "./protocol.js";
import { serializeError } from "./serialize-error.js";
import { Transferred } from "./transfer.js";

export type CallRequest = Request & { rpc: "call" };

export interface CallContext<Progress> {
  /** Fires when the caller no longer waits, or the channel closes. */
  signal: AbortSignal;
  report: (progress: Progress) => void;
}

export type AnyHandler = (params: unknown, context: CallContext<unknown>) => unknown;

type Post = (reply: Reply, list?: readonly Movable[]) => void;

export class RunningCall {
  readonly #request: CallRequest;
  readonly #post: Post;
  readonly #stop = new AbortController();
  /** Items that may still be posted before the caller takes one. */
  #credit: number;
  /** Resumes a stream that waits for credit. */
  #wake = (): void => {};

  constructor(request: CallRequest, post: Post) {
    this.#request = request;
    this.#post = post;
    this.#credit = request.ahead;
  }

  /** The caller no longer waits. */
  cancel(): void {
    this.#stop.abort();
    this.#wake();
  }

  /** The caller has taken items, so that as many more may be posted. */
  allow(count: number): void {
    this.#credit += count;
    this.#wake();
  }

  /** Posts what the handler returns, or why it failed. Never rejects. */
  async answer(handler: AnyHandler | undefined): Promise<void> {
    const { id, method, params } = this.#request;
    const { signal } = this.#stop;
    try {
      if (handler === undefined) throw new VerbatimError("internal", `There is no method ${method} to call.`);
      const report = (progress: unknown): void => {
        if (!signal.aborted) this.#post({ rpc: "item", id, item: progress });
      };
      const returned = await handler(params, { signal, report });
      if (isAsyncIterable(returned)) {
        await this.#pump(returned);
        if (!signal.aborted) this.#post({ rpc: "result", id, result: undefined });
      } else if (signal.aborted) return;
      else if (returned instanceof Transferred)
        this.#post({ rpc: "result", id, result: returned.value }, returned.list);
      else this.#post({ rpc: "result", id, result: returned });
    } catch (error) {
      this.#postError(error);
    }
  }

  async #pump(items: AsyncIterable<unknown>): Promise<void> {
    const { id } = this.#request;
    const { signal } = this.#stop;
    for await (const item of items) {
      if (signal.aborted) return;
      if (item instanceof Transferred) this.#post({ rpc: "item", id, item: item.value }, item.list);
      else this.#post({ rpc: "item", id, item });
      this.#credit--;
      while (this.#credit <= 0 && !signal.aborted) {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
      if (signal.aborted) return;
    }
  }

  #postError(error: unknown): void {
    try {
      this.#post({ rpc: "error", id: this.#request.id, error: serializeError(error) });
    } catch {} // the channel is closed, and with it the call
  }
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}
