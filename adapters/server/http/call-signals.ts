/** Signals that end the calls of a server. */

import type { RequestContext, Service } from "./service.js";

/**
 * Signals of the calls in progress. (With `AbortSignal.any`, a signal of the whole server would keep an entry of each
 * call for ever in Node.js 20.)
 */
export class CallSignals {
  readonly #open = new Set<AbortController>();
  #isStopped = false;

  /** A signal that fires with the caller's, after some milliseconds, or at `stop`. */
  signalFor(caller: AbortSignal, milliseconds: number): AbortSignal {
    const call = new AbortController();
    const end = (): void => {
      this.#open.delete(call);
      call.abort(new DOMException("The call took too long.", "TimeoutError"));
    };
    if (this.#isStopped) call.abort();
    else {
      this.#open.add(call);
      setTimeout(end, milliseconds).unref();
    }
    return AbortSignal.any([caller, call.signal]);
  }

  stop(): void {
    this.#isStopped = true;
    for (const call of this.#open) call.abort();
    this.#open.clear();
  }
}

/** Fires when the caller is gone, the server stops waiting, or the time of a question is over. */
export function callSignal(c: RequestContext, { calls, limits }: Pick<Service, "calls" | "limits">): AbortSignal {
  return calls.signalFor(c.req.raw.signal, limits.questionMs);
}
