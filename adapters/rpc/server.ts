/** The answering side of a channel. */

import type { Endpoint } from "./endpoint.js";
import type { ItemOf, ParamsOf, ProgressOf, Request, ResultOf, Service } from "./protocol.js";
import { type AnyHandler, type CallContext, type CallRequest, RunningCall } from "./running-call.js";
import type { Transferred } from "./transfer.js";

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
  const running = new Map<number, RunningCall>();
  const ends = new Set<Promise<void>>();
  const begin = (request: CallRequest): void => {
    const { id, method } = request;
    const handler = Object.hasOwn(handlers, method)
      ? (handlers as unknown as Record<string, AnyHandler>)[method]
      : undefined;
    const call = new RunningCall(request, (reply, list = []) => endpoint.post(reply, list));
    running.set(id, call);
    const end = call.answer(handler).finally(() => {
      running.delete(id);
      ends.delete(end);
    });
    ends.add(end);
  };

  let closing = false;
  const close = async (): Promise<void> => {
    if (closing) return;
    closing = true;
    for (const call of running.values()) call.cancel();
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
    if (request.rpc === "call") begin(request);
    else if (request.rpc === "cancel") running.get(request.id)?.cancel();
    else if (request.rpc === "more") running.get(request.id)?.allow(request.count);
    else if (request.rpc === "close") void close();
  });
}
