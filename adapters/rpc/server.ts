/** The answering side of a channel. */

import { VerbatimError } from "../../src/errors.js";
import type { Endpoint, Movable } from "./endpoint.js";
import type { ItemOf, ParamsOf, ProgressOf, Reply, Request, ResultOf, Service } from "./protocol.js";
import { serializeError } from "./serialize-error.js";
import { Transferred } from "./transfer.js";

interface CallContext<Progress> {
  /** Fires when the caller no longer waits, or the channel closes. */
  signal: AbortSignal;
  report: (progress: Progress) => void;
}

type MaybeTransferred<T> = T | Transferred<T>;

type Returned<Result, Item> =
  Result extends AsyncIterable<unknown>
    ? AsyncIterable<MaybeTransferred<Item>>
    : MaybeTransferred<Result> | Promise<MaybeTransferred<Result>>;

export type Handlers<S> = {
  [M in keyof S]: (
    params: ParamsOf<S, M>,
    context: CallContext<ProgressOf<S, M>>,
  ) => Returned<ResultOf<S, M>, ItemOf<S, M>>;
};

type AnyHandler = (params: unknown, context: CallContext<unknown>) => unknown;

interface Running {
  stop: AbortController;
  /** Items that may still be posted before the caller takes one. */
  credit: number;
  /** Resumes a stream that waits for credit. */
  wake: () => void;
}

/**
 * Answers calls from the other side. Calls run concurrently; handlers that need an order keep it
 * themselves.
 * @param options.onClose  cleans up after the last call, when the other side has asked to close or
 *   has died; then the channel closes
 */
export function serve<S extends Service<S>>(
  endpoint: Endpoint,
  handlers: Handlers<S>,
  options: { onClose?: () => void | Promise<void> } = {},
): void {
  const running = new Map<number, Running>();
  const ends = new Set<Promise<void>>();
  const stopAll = (): void => {
    for (const { stop, wake } of running.values()) {
      stop.abort();
      wake();
    }
  };

  const post = (reply: Reply, list: readonly Movable[] = []): void => endpoint.post(reply, list);
  const postItem = (id: number, item: unknown): void => {
    if (item instanceof Transferred) post({ rpc: "item", id, item: item.value }, item.list);
    else post({ rpc: "item", id, item });
  };

  const pump = async (id: number, items: AsyncIterable<unknown>, call: Running): Promise<void> => {
    for await (const item of items) {
      if (call.stop.signal.aborted) return;
      postItem(id, item);
      call.credit--;
      while (call.credit <= 0 && !call.stop.signal.aborted) {
        await new Promise<void>((resolve) => {
          call.wake = resolve;
        });
      }
      if (call.stop.signal.aborted) return;
    }
  };

  const answer = async ({ id, method, params }: Request & { rpc: "call" }, call: Running): Promise<void> => {
    const { signal } = call.stop;
    try {
      const handler = Object.hasOwn(handlers, method)
        ? (handlers as unknown as Record<string, AnyHandler>)[method]
        : undefined;
      if (handler === undefined) throw new VerbatimError("internal", `There is no method ${method} to call.`);
      const report = (progress: unknown): void => {
        if (!signal.aborted) post({ rpc: "item", id, item: progress });
      };
      const returned = await handler(params, { signal, report });
      if (isAsyncIterable(returned)) {
        await pump(id, returned, call);
        if (!signal.aborted) post({ rpc: "result", id, result: undefined });
      } else if (signal.aborted) return;
      else if (returned instanceof Transferred) post({ rpc: "result", id, result: returned.value }, returned.list);
      else post({ rpc: "result", id, result: returned });
    } catch (error) {
      postError(id, error);
    }
  };

  const postError = (id: number, error: unknown): void => {
    try {
      post({ rpc: "error", id, error: serializeError(error) });
    } catch {} // the channel is closed, and with it the call
  };

  let closing = false;
  const close = async (): Promise<void> => {
    if (closing) return;
    closing = true;
    stopAll();
    await Promise.all(ends);
    try {
      await options.onClose?.();
    } finally {
      endpoint.close();
    }
  };

  endpoint.onLost(() => void close());
  endpoint.onMessage((message) => {
    if (typeof message !== "object" || message === null || !("rpc" in message)) return;
    const request = message as Request;
    if (request.rpc === "call") {
      const call: Running = { stop: new AbortController(), credit: request.ahead, wake: () => {} };
      running.set(request.id, call);
      const end = answer(request, call).finally(() => {
        running.delete(request.id);
        ends.delete(end);
      });
      ends.add(end);
    } else if (request.rpc === "cancel") {
      const call = running.get(request.id);
      call?.stop.abort();
      call?.wake();
    } else if (request.rpc === "more") {
      const call = running.get(request.id);
      if (call === undefined) return;
      call.credit += request.count;
      call.wake();
    } else if (request.rpc === "close") void close();
  });
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}
