/** Many listeners on one AbortSignal: runtimes warn of a leak when a signal has more than ten. */

const listenersOf = new WeakMap<AbortSignal, Set<() => void>>();

/** @returns removes the listener */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  let listeners = listenersOf.get(signal);
  if (listeners === undefined) {
    const all = new Set<() => void>();
    listeners = all;
    listenersOf.set(signal, all);
    const abort = (): void => {
      for (const one of [...all]) one();
    };
    signal.addEventListener("abort", abort, { once: true });
  }
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
